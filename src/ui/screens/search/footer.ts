import type { CommandId } from '../../../commands/table.ts';
import { searchText } from '../../../text/en/search.ts';
import { stringWidth } from '../../../terminal/width.ts';
import type { Line } from '../../frame.ts';
import { hint, hintLine, type Hint, type KeyLabel } from '../list-parts.ts';
import type { SearchState } from './types.ts';

/** In the order in which they stand; where not all fit, the last ones go. */
const withRows: readonly (readonly [CommandId, string?])[] = [
  ['list.take', searchText.open],
  ['search.sort'],
  ['list.scope'],
  ['app.back'],
  ['search.next-session'],
];
const withoutRows: readonly (readonly [CommandId, string?])[] = [['list.scope'], ['app.back']];

const cells = ({ key, word }: Hint): number => stringWidth(key) + 1 + stringWidth(word);

export function footerLine(state: SearchState, label: KeyLabel, width: number): Line {
  const ids = state.results.length > 0 ? withRows : withoutRows;
  const hints = ids.flatMap(([id, word]) => hint(label, id, word) ?? []);
  const all = hints.reduce((sum, each) => sum + 2 + cells(each), 1);
  const long = hint(label, 'app.help', searchText.allActions);
  const right = long !== undefined && all + cells(long) + 1 > width ? hint(label, 'app.help', searchText.all) : long;
  return hintLine(hints, right, width);
}
