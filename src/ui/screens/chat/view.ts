import { chatText } from '../../../text/en/chat.ts';
import { stringWidth, truncateEnd, wrapText } from '../../../terminal/width.ts';
import { lineWidth, padLine } from '../../compose.ts';
import { viewEditor } from '../../editor/index.ts';
import { span, type Line, type Span } from '../../frame.ts';
import { hintFor, type KeyOverrides } from '../../keymap.ts';
import type { View, ViewContext } from '../../screen.ts';
import { viewTranscript } from '../../transcript/index.ts';
import { isComposerEmpty, popupRows, searchMatches } from './composer.ts';
import { viewHeader } from './header.ts';
import { composerLimit, layOutChat } from './layout.ts';
import type { ChatState } from './state.ts';
import { viewStatus } from './status.ts';

/** The conversation screen: header, transcript, composer, status. Exactly `height` lines of `width` cells. */
export function viewChat(state: ChatState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, glyphs } = context;
  const layout = layOutChat(state);
  const body = viewTranscript(state.transcript).lines.slice(0, layout.bodyHeight);
  const rows: Line[] = state.transcript.blocks.length === 0 && state.look === undefined ? emptyLines(state, context, overrides) : [...body];
  rows.length = Math.min(rows.length, layout.bodyHeight);
  while (rows.length < layout.bodyHeight) rows.push([]);
  const popup = state.look === undefined ? viewPopup(state, context) : [];
  rows.splice(rows.length - popup.length, popup.length, ...popup);
  const rule: Line = [span(glyphs.horizontal.repeat(width), 'rule')];
  const line = viewLine(state, context, overrides);
  const bottom = layout.composerRows === 0 ? [rule] : [rule, ...line.lines, rule];
  const lines: Line[] = [viewHeader(state, context), [], ...rows, ...bottom, viewStatus(state, context, overrides)];
  if (layout.composerRows === 0) return { lines };
  const cursor = line.cursor === undefined ? {} : { cursor: { x: line.cursor.x, y: layout.composerTop + line.cursor.y } };
  return { lines, ...cursor };
}

const sessionsKey = (overrides?: KeyOverrides): string | undefined =>
  hintFor('app.sessions', ['global'], overrides === undefined ? {} : { overrides });

/** Nothing was said yet: what this is and what to do. Without a model that comes first. */
function emptyLines(state: ChatState, { width }: ViewContext, overrides?: KeyOverrides): Line[] {
  const key = sessionsKey(overrides);
  const said: (readonly [string, string])[] =
    state.session.model === undefined
      ? [
          [chatText.noModel, 'soft'],
          [chatText.chooseModel, 'faint'],
        ]
      : [[chatText.isNew, 'soft'], ...(key === undefined ? [] : [[chatText.earlierOnes(key), 'faint'] as const])];
  return said.flatMap(([text, style]) => wrapText(text, Math.max(1, width - 4)).map((line): Line => [span('   '), span(line, style)]));
}

/** The line that is typed into: composer, history search, or find. */
function viewLine(state: ChatState, { glyphs, width }: ViewContext, overrides?: KeyOverrides): View {
  const { search } = state.composer;
  if (state.focus === 'find') return viewField(chatText.find, state.find, glyphs.prompt);
  if (search !== undefined) return viewField(chatText.searchMine, search.field, glyphs.prompt);
  const editor = viewEditor(state.composer.editor, composerLimit(state));
  const isFocused = state.focus === 'composer';
  const prompt = span(` ${glyphs.prompt} `, isFocused ? 'accent bold' : 'faint');
  const lines = editor.lines.map((each, index): Line => {
    if (index > 0) return [span('   '), ...each];
    if (!isComposerEmpty(state.composer)) return [prompt, ...each];
    const key = sessionsKey(overrides);
    const words = state.readOnly === undefined || key === undefined ? chatText.placeholder : chatText.placeholderReadOnly(key);
    return [prompt, span(truncateEnd(words, Math.max(0, width - 4), glyphs.ellipsis), 'faint')];
  });
  return isFocused ? { lines, cursor: { x: editor.cursor.x + 3, y: editor.cursor.y } } : { lines };
}

function viewField(label: string, field: ChatState['find'], prompt: string): View {
  const view = viewEditor(field, 1);
  const left = ` ${prompt} ${label}: `;
  return { lines: [[span(left, 'accent'), ...(view.lines[0] ?? [])]], cursor: { x: view.cursor.x + stringWidth(left), y: 0 } };
}

/** Completion or history matches, standing on the composer. */
function viewPopup(state: ChatState, context: ViewContext): Line[] {
  const { completion, search } = state.composer;
  const most = Math.min(popupRows, layOutChat(state).bodyHeight - 1);
  if (most < 1) return [];
  if (completion !== undefined) {
    const nameWidth = Math.max(...completion.items.map((item) => stringWidth(`/${item.name} ${item.args}`))) + 3;
    return windowOf(completion.items, completion.index, most).map(({ item, isSelected }) =>
      popupRow(
        [span(`/${item.name}`, 'text'), span(item.args === '' ? '' : ` ${item.args}`, 'faint')],
        nameWidth,
        item.summary,
        isSelected,
        context,
      ),
    );
  }
  if (search === undefined) return [];
  const matches = searchMatches(state.composer);
  if (matches.length === 0) return [popupRow([span(chatText.noneOfMine, 'faint')], 0, '', false, context)];
  // The newest stands nearest to the line.
  return windowOf(matches, search.index, most)
    .map(({ item, isSelected }) =>
      popupRow(
        [span(truncateEnd(item.replace(/\s+/gu, ' '), context.width - 4, context.glyphs.ellipsis), 'text')],
        0,
        '',
        isSelected,
        context,
      ),
    )
    .reverse();
}

/** The part of a list that is shown, with the selected row in it. */
function windowOf<Item>(items: readonly Item[], index: number, most: number): { item: Item; isSelected: boolean }[] {
  const from = Math.max(0, Math.min(index - Math.floor(most / 2), items.length - most));
  return items.slice(from, from + most).map((item, offset) => ({ item, isSelected: from + offset === index }));
}

function popupRow(name: Line, nameWidth: number, summary: string, isSelected: boolean, { width, glyphs }: ViewContext): Line {
  const on = isSelected ? ' on-select' : '';
  const bar = isSelected ? span(glyphs.bar, `accent${on}`) : span(' ');
  const room = width - nameWidth - 4;
  const spans: Span[] = [
    bar,
    span('  ', `text${on}`),
    ...padLine(name, Math.min(nameWidth || lineWidth(name), width - 4)).map((each) => span(each.text, `${each.style ?? 'text'}${on}`)),
  ];
  if (room > 8 && summary !== '') spans.push(span(truncateEnd(summary, room, glyphs.ellipsis), `soft${on}`));
  return padLine(spans, width, `text${on}`);
}
