import type { Span, Style } from '../frame.ts';
import { pushSpan } from '../compose.ts';
import { expandTabs } from '../../terminal/width.ts';
import { grammars, languageName } from '../../text/code-language.ts';
import type { Fence } from './source.ts';

/**
 * Colours for code, after the frame that shows it plain. Loading takes about 100 ms and a grammar a few, so nothing here runs
 * inside a layout: the layout asks, the screen calls `highlightPending` when it is idle and draws again.
 */
type Lowlight = ReturnType<(typeof import('lowlight'))['createLowlight']>;

/** Beyond this a block stays plain. */
const mostLines = 2000;
/** Lines coloured at once. Measured for TypeScript: 25 to 40 ms for the first 100 lines of a run, later 5 to 15 ms. */
const mostPiece = 40;
const fewestPiece = 15;
const mostUnits = 100_000;
/** Blocks that may wait; what was scrolled past long ago is asked for again when it is looked at. */
const mostWanted = 200;

const styles: Readonly<Record<string, Style>> = {
  'hljs-keyword': 'keyword',
  'hljs-built_in': 'keyword',
  'hljs-type': 'keyword',
  'hljs-title': 'keyword',
  'hljs-tag': 'keyword',
  'hljs-name': 'keyword',
  'hljs-selector-tag': 'keyword',
  'hljs-section': 'keyword',
  'hljs-number': 'accent',
  'hljs-literal': 'accent',
  'hljs-symbol': 'accent',
  'hljs-string': 'code-text',
  'hljs-regexp': 'code-text',
  'hljs-addition': 'agent',
  'hljs-deletion': 'error',
  'hljs-comment': 'faint',
  'hljs-quote': 'faint',
  'hljs-meta': 'faint',
};

const done = new WeakMap<Fence, readonly (readonly Span[])[]>();
const wanted = new Map<Fence, string>();
let lowlight: Lowlight | undefined;

/** Whether a fence is open, closed, coloured: part of every cached layout's key. */
export const highlightState = (fence: Fence | undefined): 'open' | 'closed' | 'coloured' =>
  fence?.code === undefined ? 'open' : done.has(fence) ? 'coloured' : 'closed';

/** The coloured lines of a fence, or undefined while there are none; a complete fence is then noted for `highlightPending`. */
export function highlightedLines(fence: Fence, language: string): readonly (readonly Span[])[] | undefined {
  const lines = done.get(fence);
  const isWanted =
    lines === undefined && fence.code !== undefined && fence.code.length <= mostUnits && languageName(language) !== undefined;
  if (isWanted) {
    wanted.delete(fence);
    wanted.set(fence, language);
    const [oldest] = wanted.keys();
    if (wanted.size > mostWanted && oldest !== undefined) wanted.delete(oldest);
  }
  return lines;
}

export const hasPendingHighlights = (): boolean => wanted.size > 0;

interface HastNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: HastNode[];
}

function toLines(root: HastNode): Span[][] {
  const lines: Span[][] = [[]];
  const walk = (node: HastNode, style: Style) => {
    if (node.type === 'text') {
      (node.value ?? '').split('\n').forEach((text, index) => {
        if (index > 0) lines.push([]);
        pushSpan(lines.at(-1) ?? [], expandTabs(text), style);
      });
    }
    const names = Array.isArray(node.properties?.className) ? node.properties.className.map(String) : [];
    const own = names.map((name) => styles[name]).find((each) => each !== undefined) ?? style;
    for (const child of node.children ?? []) walk(child, own);
  };
  walk(root, 'text');
  return lines;
}

/** Code in pieces of some lines, cut where a line begins at the margin if there is one: a grammar can't be interrupted, so it gets little. */
function pieces(code: string): string[] {
  const lines = code.split('\n');
  const found: string[] = [];
  let from = 0;
  for (let line = 1; line <= lines.length; line++) {
    const size = line - from;
    const isMargin = /^[^\s)}\]*]/.test(lines[line] ?? '') && (lines[line - 1] ?? '').trim() === '';
    if (line < lines.length && size < mostPiece && !(size >= fewestPiece && isMargin)) continue;
    found.push(lines.slice(from, line).join('\n'));
    from = line;
  }
  return found;
}

const giveWay = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The coloured lines of one block; gives way to keys and frames between its pieces. */
async function colour(high: Lowlight, name: string, code: string): Promise<Span[][]> {
  const lines: Span[][] = [];
  for (const piece of pieces(code)) {
    if (lines.length > 0) await giveWay();
    try {
      lines.push(...toLines(high.highlight(name, piece) as HastNode));
    } catch (error) {
      // A grammar can overflow the stack on hostile code; that piece stays plain.
      if (!(error instanceof RangeError)) throw error;
      lines.push(...toLines({ type: 'text', value: piece }));
    }
  }
  return lines;
}

let running: Promise<boolean> | undefined;

/**
 * Colours the blocks that were asked for, the last first, giving way between pieces; resolves when none is left. True when something
 * changed and a frame is due. Call it after a frame while `hasPendingHighlights()`; calls while it runs join it.
 */
export function highlightPending(): Promise<boolean> {
  running ??= runPending().finally(() => (running = undefined));
  return running;
}

async function runPending(): Promise<boolean> {
  let hasChanged = false;
  for (let next = [...wanted].at(-1); next !== undefined; next = [...wanted].at(-1)) {
    const [fence, language] = next;
    const name = languageName(language);
    wanted.delete(fence);
    if (name === undefined || fence.code === undefined || fence.code.split('\n').length > mostLines) continue;
    lowlight ??= (await import('lowlight')).createLowlight();
    const load = grammars[name];
    if (!lowlight.registered(name) && load !== undefined) lowlight.register(name, (await load()).default);
    await giveWay();
    done.set(fence, await colour(lowlight, name, fence.code));
    hasChanged = true;
  }
  return hasChanged;
}
