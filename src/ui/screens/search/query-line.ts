import { searchText } from '../../../text/en/search.ts';
import { stringWidth, truncateEnd } from '../../../terminal/width.ts';
import { cutLine, lineText, pushSpan } from '../../compose.ts';
import { editorValue, isEmpty, selection, viewEditor } from '../../editor/index.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { Glyphs } from '../../screen.ts';
import { chipsOf, type Completion } from './typed.ts';
import { caretOf } from './settle.ts';
import type { SearchState } from './types.ts';

const promptWidth = 3;

/** The line that is typed into: words, fields as chips, and behind the caret, faint, what → would add. */
export function queryLine(
  state: SearchState,
  completion: Completion | undefined,
  { glyphs, width, now }: { glyphs: Glyphs; width: number; now: number },
): { line: Line; x: number } {
  const view = viewEditor(state.field, 1);
  const prompt: Line = [span(' '), span(glyphs.prompt, 'accent bold'), span(' ')];
  const x = Math.min(width - 1, promptWidth + view.cursor.x);
  if (isEmpty(state.field)) return { line: [...prompt, span(truncateEnd(searchText.placeholder, width - 4, glyphs.ellipsis), 'faint')], x };
  const text = editorValue(state.field);
  const shown = view.lines[0] ?? [];
  // A line that is scrolled, or drawn with signs in place of characters, is drawn as text.
  const canHaveChips = !view.hasAbove && text.startsWith(lineText(shown)) && selection(state.field) === undefined;
  const chips = canHaveChips ? chipsOf(text, caretOf(state), state.plainAt, now) : [];
  const drawn = chips.length === 0 ? shown : withChips(lineText(shown), chips);
  const ghost = caretOf(state) === text.length ? ghostOf(text, completion) : '';
  const used = promptWidth + stringWidth(lineText(shown));
  const room = width - used - 1;
  const tail: Line = ghost === '' || room < 2 ? [] : [span(truncateEnd(ghost, room, glyphs.ellipsis), 'faint')];
  return { line: cutLine([...prompt, ...drawn, ...tail], width), x };
}

function withChips(text: string, chips: readonly { start: number; end: number }[]): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { start, end } of chips) {
    pushSpan(spans, text.slice(at, start), 'text');
    pushSpan(spans, text.slice(start, end), 'link on-code');
    at = end;
  }
  pushSpan(spans, text.slice(at), 'text');
  return spans;
}

const ghostOf = (text: string, completion: Completion | undefined): string =>
  completion === undefined ? '' : (completion.items[0]?.slice(text.length - completion.start) ?? '');
