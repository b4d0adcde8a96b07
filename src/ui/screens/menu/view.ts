import { menuText } from '../../../text/en/menu.ts';
import { padEnd, truncateEnd } from '../../../terminal/width.ts';
import { addStyle, cutLine, padLine } from '../../compose.ts';
import { editorValue } from '../../editor/index.ts';
import { span, type Line } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import { visibleIds } from '../../list.ts';
import type { View, ViewContext } from '../../screen.ts';
import { fillLines, filterLine, hint, hintLine, keyLabels, ruleLine, titleSpans } from '../list-parts.ts';
import { menuScopes, rowOf, type MenuState } from './model.ts';
import type { CommandRow } from './rows.ts';

/** The list of commands in its box; the line under the header says what the selected one does, or why it can't. */
export function viewMenu(state: MenuState, context: ViewContext, overrides?: KeyOverrides): View {
  const { width, height, glyphs } = context;
  const label = keyLabels(menuScopes(), glyphs, overrides);
  const { list, rows } = state;
  const filter = filterLine(state.field, glyphs, width);
  const lines: Line[] = [
    cutLine(titleSpans(state.title, menuText.count(list.ids.length, rows.length), glyphs), width),
    infoLine(state, context),
    filter.line,
    ruleLine(glyphs, width),
  ];
  const shown = visibleIds(list).flatMap((id) => rowOf(state, id) ?? []);
  const body: Line[] = shown.map((row) => commandLine(row, row.id === list.selected, width, context));
  if (body.length === 0) {
    const clear = label('edit.kill-to-start');
    body.push([], [span(`    ${menuText.noMatch(truncateEnd(editorValue(state.field), width - 28, glyphs.ellipsis))}`, 'text')]);
    if (clear !== undefined) body.push([span(`    ${menuText.noMatchHint(clear)}`, 'soft')]);
  }
  lines.push(...fillLines(body, list.height), ruleLine(glyphs, width));
  lines.push(
    hintLine([hint(label, 'list.take', menuText.runs), hint(label, 'list.up'), hint(label, 'list.down')], hint(label, 'app.back'), width),
  );
  return { lines: fillLines(lines, height), cursor: { x: filter.x, y: 2 } };
}

function infoLine(state: MenuState, { width, glyphs }: ViewContext): Line {
  const row = rowOf(state, state.list.selected);
  const said = state.notice ?? (row === undefined ? '' : row.reason === undefined ? row.summary : menuText.disabled(row.reason));
  return [span(` ${truncateEnd(said, width - 2, glyphs.ellipsis)}`, state.notice === undefined ? 'faint' : 'accent')];
}

/** Name, key, slash name, what it does; the sentence goes below 64 cells, the slash name below 44. */
function commandLine(row: CommandRow, isSelected: boolean, width: number, { glyphs }: ViewContext): Line {
  const nameWidth = width < 64 ? Math.max(12, width - 3 - 14) : 22;
  const keyWidth = width < 64 ? 13 : width < 100 ? 12 : 24;
  const isOff = row.reason !== undefined;
  const keys = row.keys.length > 0 ? row.keys.join(' ') : (row.slash ?? '');
  const line: Line = [
    span(isSelected ? glyphs.bar : ' ', 'accent'),
    span(
      ` ${padEnd(truncateEnd(row.name, nameWidth - 1, glyphs.ellipsis), nameWidth)}`,
      isOff ? 'faint' : isSelected ? 'text bold' : 'text',
    ),
    span(padEnd(truncateEnd(keys, keyWidth - 1, glyphs.ellipsis), keyWidth), isOff ? 'faint' : 'soft'),
  ];
  const room = width - 2 - nameWidth - keyWidth - 1;
  const said = isOff ? menuText.disabled(row.reason) : row.summary;
  const whole = width < 64 ? line : [...line, span(truncateEnd(said, room, glyphs.ellipsis), 'faint')];
  return padLine(isSelected ? addStyle(whole, 'on-select') : whole, width, isSelected ? 'on-select' : undefined);
}
