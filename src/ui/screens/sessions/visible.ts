import type { SessionRow } from '../../../session/types.ts';
import { foundCount, type Filter } from './filter.ts';
import { countRows, type RowBook } from './rows.ts';
import type { Loading, PickerScope, PickerWorkspace, Revealed, WantedKinds } from './types.ts';

/** Kinds that hide behind one key, in the order it reveals them. */
export type HiddenKind = 'machine' | 'archived' | 'empty';
const hiddenKinds: readonly HiddenKind[] = ['machine', 'archived', 'empty'];

export function isKindShown(row: SessionRow, { revealed, wanted }: { revealed: Revealed; wanted: WantedKinds }): boolean {
  return row.class === 'shown' || revealed === 'all' || row.class === revealed || isWanted(row.class, wanted);
}

const isWanted = (kind: SessionRow['class'], wanted: WantedKinds): boolean => (kind === 'archived' || kind === 'machine') && wanted[kind];

/**
 * Whether a row belongs to a workspace (state-db.md 3): by its repository, else by its directory or one below. The branch is no part of it.
 */
export function isInWorkspace(row: SessionRow, workspace: PickerWorkspace): boolean {
  const { gitRepoRoot, cwd } = row;
  if (gitRepoRoot !== undefined && gitRepoRoot !== '') return workspace.keys.includes(gitRepoRoot);
  if (cwd === undefined) return false;
  return workspace.keys.some((key) => cwd === key || (cwd.startsWith(key) && cwd[key.length] === '/'));
}

export function isVisible(
  row: SessionRow,
  shown: { scope: PickerScope; workspace: PickerWorkspace; revealed: Revealed; wanted: WantedKinds },
): boolean {
  return isKindShown(row, shown) && (shown.scope === 'everywhere' || isInWorkspace(row, shown.workspace));
}

/** What the next press of the key shows: each kind that exists, then all of them, then none. */
export function nextRevealed(counts: Readonly<Record<HiddenKind, number>>, revealed: Revealed): Revealed {
  const present: Revealed[] = hiddenKinds.filter((kind) => counts[kind] > 0);
  const cycle: Revealed[] = ['none', ...present, ...(present.length > 1 ? (['all'] as const) : [])];
  return cycle[(cycle.indexOf(revealed) + 1) % cycle.length] ?? 'none';
}

/**
 * Counts of lineages. Each counts in the first class that fits, so that `hidden`, `elsewhere`, `filteredOut` and `shown` add up to
 * `total`.
 */
export interface Numbers {
  readonly total: number;
  readonly hidden: Readonly<Record<HiddenKind, number>>;
  readonly elsewhere: number;
  readonly filteredOut: number;
  readonly shown: number;
  /** Everything but the hidden kinds: the second number of `12 of 312`. */
  readonly of: number;
}

export function countNumbers(state: {
  readonly book: RowBook;
  readonly filter: Filter;
  readonly revealed: Revealed;
  readonly wanted: WantedKinds;
  readonly loading: Loading;
}): Numbers {
  const { filter, revealed, wanted, loading } = state;
  const counts = loading.state === 'loading' && loading.counts !== undefined ? loading.counts : countRows(state.book);
  const hidden = { machine: 0, archived: 0, empty: 0 };
  for (const kind of hiddenKinds) if (revealed !== 'all' && revealed !== kind && !isWanted(kind, wanted)) hidden[kind] = counts[kind];
  const of = counts.total - hidden.machine - hidden.archived - hidden.empty;
  const shown = foundCount(filter) - (filter.hit?.isOutside === true ? 1 : 0);
  const inScope = filter.visible.length;
  return { total: counts.total, hidden, of, elsewhere: of - inScope, filteredOut: inScope - shown, shown };
}
