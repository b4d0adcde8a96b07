import { commandSpec, type CommandId, type Scope } from '../../commands/table.ts';
import { stringWidth } from '../../terminal/width.ts';
import { cutLine, fitLine, lineWidth, pushSpan } from '../compose.ts';
import { viewEditor, type Editor } from '../editor/index.ts';
import { span, type Line, type Span } from '../frame.ts';
import { hintFor, type KeyOverrides } from '../keymap.ts';
import { asciiGlyphs, type Glyphs } from '../screen.ts';

/** Parts that every list-like screen has: header, filter line, rule, footer. */

export interface Hint {
  readonly key: string;
  readonly word: string;
}

/** Labels of keys as they really work in some scopes; a command without a key has none. */
export type KeyLabel = (id: CommandId) => string | undefined;

/** How this screen's hints write keys. Terminals without the chrome glyphs get arrows as words. */
export function keyLabels(scopes: readonly Scope[], glyphs: Glyphs, overrides?: KeyOverrides): KeyLabel {
  const options = { plain: glyphs === asciiGlyphs, ...(overrides === undefined ? {} : { overrides }) };
  return (id) => hintFor(id, scopes, options);
}

/** The key of a command with a word beside it (the table's, unless another is given); undefined where no key reaches it. */
export function hint(label: KeyLabel, id: CommandId, word?: string): Hint | undefined {
  const key = label(id);
  if (key === undefined) return undefined;
  const spec = commandSpec(id);
  return { key, word: word ?? spec.hint ?? spec.name.toLowerCase() };
}

/** One hint: the key soft, its word faint. */
export const hintSpans = ({ key, word }: Hint): Line => [span(key, 'soft'), span(` ${word}`, 'faint')];

/** The footer: hints from the left as long as they fit, the last one at the right edge always. */
export function hintLine(hints: readonly (Hint | undefined)[], right: Hint | undefined, width: number): Line {
  const end: Line = right === undefined ? [] : [...hintSpans(right), span(' ')];
  const room = width - lineWidth(end) - (right === undefined ? 1 : 2);
  const left: Span[] = [span(' ')];
  let used = 1;
  for (const each of hints) {
    if (each === undefined) continue;
    const cells = stringWidth(each.key) + 1 + stringWidth(each.word);
    const gap = used === 1 ? 0 : 2;
    if (used + gap + cells > room) break;
    pushSpan(left, ' '.repeat(gap));
    left.push(...hintSpans(each));
    used += gap + cells;
  }
  return fitLine(left, end, width);
}

/** Cells before the text of a filter line: blank, prompt, blank. */
const promptWidth = 3;

/** The line a filter is typed into, and the column of its caret. */
export function filterLine(field: Editor, glyphs: Glyphs, width: number): { line: Line; x: number } {
  const view = viewEditor(field, 1);
  const text = view.lines[0] ?? [];
  const line: Line = [span(' '), span(glyphs.prompt, 'accent bold'), span(' '), ...text];
  return { line: cutLine(line, width), x: Math.min(width - 1, promptWidth + view.cursor.x) };
}

export const ruleLine = (glyphs: Glyphs, width: number): Line => [span(glyphs.horizontal.repeat(width), 'rule')];

/** The accent bar and the name of the screen, with what stands beside it. */
export const titleSpans = (title: string, beside: string, glyphs: Glyphs): Line => [
  span(glyphs.bar, 'accent'),
  span(title, 'text bold'),
  ...(beside === '' ? [] : [span(`   ${beside}`, 'soft')]),
];

/** Exactly `height` lines: filled with empty ones, or cut. */
export function fillLines(lines: readonly Line[], height: number): Line[] {
  const filled = lines.slice(0, height);
  while (filled.length < height) filled.push([]);
  return filled;
}
