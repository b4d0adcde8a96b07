import type { CommandId } from '../../../commands/table.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { stringWidth } from '../../../terminal/width.ts';
import type { Line } from '../../frame.ts';
import { hint, hintLine, type Hint, type KeyLabel } from '../list-parts.ts';
import { itemCount } from './items.ts';
import type { SessionsState } from './types.ts';

/** A hint with its rank: where not all fit, those of the highest number go first. */
type Ranked = readonly [id: CommandId, rank: number, word?: string];

/** Enter and Esc are known from every list; what can be done with a session has to be named (on 80 columns all of it is). */
const withRows: readonly Ranked[] = [
  ['list.take', 7, pickerText.resume],
  ['picker.delete', 0],
  ['picker.rename', 1],
  ['picker.archive', 2],
  ['picker.pin', 3],
  ['picker.copy-id', 4],
  ['picker.hidden', 5],
  ['picker.mark', 6],
  ['picker.export', 8],
  ['picker.undo', 9],
  ['list.scope', 10],
  ['app.back', 11],
];
const withMarks: readonly Ranked[] = [
  ['picker.delete', 0],
  ['picker.archive', 1],
  ['picker.pin', 2],
  ['picker.export', 3],
  ['app.back', 4, pickerText.marksOff],
  ['picker.mark', 5],
  ['picker.copy-id', 6],
];
const withoutRows: readonly Ranked[] = [
  ['picker.hidden', 0],
  ['list.scope', 1],
  ['app.back', 2],
];

const cells = ({ key, word }: Hint): number => stringWidth(key) + 1 + stringWidth(word);
const between = 2;

/** What can be done now, as much of it as fits; the rest stands in the menu, whose key is always named. */
export function footerLine(state: SessionsState, label: KeyLabel, width: number): Line {
  const ranked = itemCount(state) === 0 ? withoutRows : state.marks.size > 0 ? withMarks : withRows;
  const known = ranked.flatMap(([id, rank, word]) => {
    const found = id === 'picker.undo' && state.undoable === undefined ? undefined : hint(label, id, word);
    return found === undefined ? [] : [{ found, rank }];
  });
  const all = known.reduce((sum, { found }) => sum + between + cells(found), 1);
  const long = hint(label, 'app.help', pickerText.allActions);
  const right = long !== undefined && all + cells(long) + 1 > width ? hint(label, 'app.help', pickerText.all) : long;
  let room = width - 1 - (right === undefined ? 0 : cells(right) + 1 + between);
  const fitting = new Set<Hint>();
  for (const { found } of known.toSorted((a, b) => a.rank - b.rank)) {
    room -= cells(found) + (fitting.size === 0 ? 0 : between);
    if (room < 0) break;
    fitting.add(found);
  }
  return hintLine(
    known.map(({ found }) => found).filter((found) => fitting.has(found)),
    right,
    width,
  );
}
