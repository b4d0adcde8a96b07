import { isOneUnitEach } from '../text/one-unit.ts';
import { recapText } from '../text/en/recap.ts';
import type { Message } from './types.ts';

/** Limits of the recap; the config keys `display.resume_*` (state-db.md 5). Characters are visible characters (graphemes). */
export interface RecapOptions {
  /** Exchanges kept: a message of the user's with everything that answers it. */
  readonly exchanges?: number;
  readonly maxUserChars?: number;
  readonly maxAssistantChars?: number;
  readonly maxAssistantLines?: number;
  /** Leave out turns that only called tools and were followed by no words; otherwise they show as a count. */
  readonly skipToolOnly?: boolean;
  /** Messages of the shown kinds that lie before the window handed in. */
  readonly earlierOutside?: number;
}

export interface RecapTools {
  readonly count: number;
  /** Distinct names in the order of their first call. */
  readonly names: readonly string[];
}

export interface RecapEntry {
  readonly role: 'user' | 'assistant';
  /** Within the limits, without the mark of a cut; empty for a turn that only called tools. */
  readonly text: string;
  /** Where the text was cut: after whole lines (a space belongs before the mark), or after a character. */
  readonly cut?: 'lines' | 'characters';
  /** Calls of this message and of the wordless turns before it. */
  readonly tools?: RecapTools;
  /** The newest entry of its role. */
  readonly isLast: boolean;
}

export interface Recap {
  /** Oldest first. */
  readonly entries: readonly RecapEntry[];
  /** Messages of the shown kinds older than the first entry. */
  readonly earlierCount: number;
}

const defaults = { exchanges: 10, maxUserChars: 300, maxAssistantChars: 200, maxAssistantLines: 3, skipToolOnly: true, earlierOutside: 0 };

/**
 * Code units read per visible character at most. The longest clusters in use (families with skin tones, sub-region flags) have 19; a
 * text of nothing but stacked marks is cut earlier than its limit instead of being read to its end.
 */
const unitsPerCharacter = 32;
/** Made when first needed: making it costs 5 to 11 ms of a start, and plain text does without. */
let segmenter: Intl.Segmenter | undefined;

/** The first `limit` visible characters of a text; reads no further than needed, whatever its length. */
export function takeCharacters(text: string, limit: number): { text: string; isCut: boolean } {
  if (text.length <= limit) return { text, isCut: false };
  if (isOneUnitEach(text.slice(0, limit + 1).replaceAll('\n', ' '))) return { text: text.slice(0, limit), isCut: true };
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const isWhole = text.length <= limit * unitsPerCharacter;
  const head = isWhole ? text : text.slice(0, limit * unitsPerCharacter);
  let count = 0;
  let end = 0;
  for (const { segment, index } of segmenter.segment(head)) {
    if (count === limit) return { text: head.slice(0, index), isCut: true };
    // The last cluster of a shortened head may go on beyond it.
    if (!isWhole && index + segment.length === head.length) return { text: head.slice(0, index), isCut: true };
    count++;
    end = index + segment.length;
  }
  return { text: head.slice(0, end), isCut: false };
}

const thoughtOpen = /(^|[^`])<(think|thinking|thought|reasoning|reasoning_scratchpad)>/i;
/** Some servers drop the opening tag; the closing one then ends a line. In the middle of one it is somebody writing about tags. */
const orphanClose = /^[^`]*?<\/(?:think|thinking|thought|reasoning|reasoning_scratchpad)>[ \t]*(?:\n|$)/i;

/**
 * An assistant's text without reasoning written inline (`<think>…</think>` and its kin; unclosed, to the end). Reads only what is needed
 * for the first `budget` code units of the rest.
 */
export function stripThoughts(text: string, budget = Number.POSITIVE_INFINITY): string {
  let rest = text;
  let visible = '';
  while (rest !== '' && visible.length < budget) {
    const window = Number.isFinite(budget) ? rest.slice(0, budget + 64) : rest;
    const open = thoughtOpen.exec(window);
    if (open === null) {
      visible += window;
      break;
    }
    const start = open.index + (open[1] ?? '').length;
    visible += rest.slice(0, start);
    const afterTag = rest.slice(open.index + open[0].length);
    const close = new RegExp(`</${open[2] ?? ''}>`, 'i').exec(afterTag);
    rest = close === null ? '' : afterTag.slice(close.index + close[0].length);
  }
  return visible.replace(orphanClose, '');
}

function cutUser(text: string, maxChars: number): Pick<RecapEntry, 'text' | 'cut'> {
  const taken = takeCharacters(text.trim(), maxChars);
  return taken.isCut ? { text: taken.text.trimEnd(), cut: 'characters' } : { text: taken.text };
}

function cutAssistant(text: string, maxChars: number, maxLines: number): Pick<RecapEntry, 'text' | 'cut'> {
  const budget = (maxChars + 1) * unitsPerCharacter;
  const trimmed = stripThoughts(text, budget).trim();
  let end = -1;
  for (let line = 0; line < maxLines; line++) {
    end = trimmed.indexOf('\n', end + 1);
    if (end === -1) break;
  }
  const firstLines = end === -1 ? trimmed : trimmed.slice(0, end).trimEnd();
  const taken = takeCharacters(firstLines, maxChars);
  if (taken.isCut) return { text: taken.text.trimEnd(), cut: 'characters' };
  return end === -1 ? { text: taken.text } : { text: taken.text, cut: 'lines' };
}

/** Calls gathered over turns that said nothing. */
interface Calls {
  count: number;
  names: Set<string>;
}

function toTools(calls: Calls): { tools?: RecapTools } {
  return calls.count === 0 ? {} : { tools: { count: calls.count, names: [...calls.names] } };
}

/**
 * What the panel says about a conversation: the seed's rules (guide to sessions, "Conversation Recap on Resume") and product.md 2.
 * `messages` oldest first; system rows, tool results, reasoning, hidden rows, events and compaction summaries never show. Turns that only
 * called tools are folded into the next words of the same exchange. Pure; never throws.
 */
export function buildRecap(messages: readonly Message[], options: RecapOptions = {}): Recap {
  const limits = { ...defaults, ...options };
  const kept: Omit<RecapEntry, 'isLast'>[] = [];
  let shown = 0;
  let exchanges = 0;
  const isShown = (message: Message) =>
    (message.role === 'user' || message.role === 'assistant') && (message.displayKind ?? '') === '' && !message.isSummary;

  // Newest first, so that a long conversation costs no more than its last exchanges; the rest is only counted.
  let open: { entry: Omit<RecapEntry, 'isLast'> & { role: 'assistant' }; calls: Calls } | undefined;
  let wordless: Calls = { count: 0, names: new Set() };
  const addCalls = (calls: Calls, message: Message) => {
    calls.count += message.toolCalls.length;
    calls.names = new Set([...message.toolCalls.map((call) => call.name), ...calls.names]);
  };
  const close = () => {
    if (open !== undefined) kept.push({ ...open.entry, ...toTools(open.calls) });
    open = undefined;
  };
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || !isShown(message)) continue;
    const isOver = exchanges >= limits.exchanges;
    if (message.role === 'user') {
      if (!isOver) {
        close();
        if (wordless.count > 0 && !limits.skipToolOnly) kept.push({ role: 'assistant', text: '', ...toTools(wordless) });
        wordless = { count: 0, names: new Set() };
      }
      if (message.text.trim() === '') continue;
      shown++;
      if (!isOver) {
        kept.push({ role: 'user', ...cutUser(message.text, limits.maxUserChars) });
        exchanges++;
      }
      continue;
    }
    const cut = isOver
      ? { text: stripThoughts(message.text, 256).trim() }
      : cutAssistant(message.text, limits.maxAssistantChars, limits.maxAssistantLines);
    if (cut.text !== '') {
      shown++;
      if (isOver) continue;
      close();
      open = { entry: { role: 'assistant', ...cut }, calls: { count: 0, names: new Set() } };
      addCalls(open.calls, message);
    } else if (!isOver && message.toolCalls.length > 0) {
      addCalls(open?.calls ?? wordless, message);
    }
  }
  if (exchanges < limits.exchanges) close();
  kept.reverse();
  const lastOf = {
    user: kept.findLastIndex((entry) => entry.role === 'user'),
    assistant: kept.findLastIndex((e) => e.role === 'assistant'),
  };
  const entries = kept.map((entry, index) => ({ ...entry, isLast: lastOf[entry.role] === index }));
  const words = entries.filter((entry) => entry.text !== '').length;
  return { entries, earlierCount: limits.earlierOutside + shown - words };
}

/** `[3 tool calls: terminal, web_search]`, at most four distinct names and `...`. */
export function describeTools(tools: RecapTools): string {
  const names = tools.names.slice(0, 4).join(', ') + (tools.names.length > 4 ? ', ...' : '');
  return recapText.toolCalls(tools.count, names);
}
