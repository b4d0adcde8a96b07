import type { SessionId } from '../../../session/types.ts';
import { foundAt, foundCount, foundIndex, type Filter } from './filter.ts';
import type { Entry, RowBook } from './rows.ts';
import type { Block, LineageMember, Selection } from './types.ts';

/** One row of the list. */
export type Item =
  { readonly kind: 'lineage'; readonly entry: Entry } | { readonly kind: 'member'; readonly entry: Entry; readonly member: LineageMember };

/** The part of the state that says which rows stand where. */
export interface ItemSource {
  readonly filter: Filter;
  readonly blocks: readonly Block[];
}

/** Blocks of the unfolded lineages, top down. Costs O(unfolded × log rows). */
export function placeBlocks(
  filter: Filter,
  book: RowBook,
  unfolded: ReadonlySet<SessionId>,
  lineages: ReadonlyMap<SessionId, readonly LineageMember[]>,
): Block[] {
  const blocks: Block[] = [];
  for (const rootId of unfolded) {
    const entry = book.byId.get(rootId);
    const members = lineages.get(rootId);
    if (entry === undefined || members === undefined) continue;
    const at = foundIndex(filter, entry);
    if (at !== undefined) blocks.push({ rootId, at, members });
  }
  return blocks.sort((a, b) => a.at - b.at);
}

export function itemCount({ filter, blocks }: ItemSource): number {
  return blocks.reduce((sum, block) => sum + block.members.length, foundCount(filter));
}

export function itemAt({ filter, blocks }: ItemSource, index: number): Item | undefined {
  let before = 0;
  for (const block of blocks) {
    const first = block.at + before + 1;
    if (index < first) break;
    const member = block.members[index - first];
    if (member !== undefined) return { kind: 'member', entry: foundAt(filter, block.at)!, member };
    before += block.members.length;
  }
  const entry = foundAt(filter, index - before);
  return entry === undefined ? undefined : { kind: 'lineage', entry };
}

/** Where the selected row stands now; undefined when it is not in the list any more. */
export function indexOfSelection({ filter, blocks }: ItemSource, book: RowBook, selection: Selection): number | undefined {
  if (selection.rootId === undefined) return undefined;
  const entry = book.byId.get(selection.rootId);
  const at = entry === undefined ? undefined : foundIndex(filter, entry);
  if (at === undefined) return undefined;
  let index = at;
  for (const block of blocks) {
    if (block.at < at) index += block.members.length;
    else if (block.at === at && selection.memberId !== undefined) {
      const member = block.members.findIndex(({ id }) => id === selection.memberId);
      if (member !== -1) return index + 1 + member;
    }
  }
  return index;
}

/** The session of a row. */
export const idOf = (item: Item): string => (item.kind === 'member' ? item.member.id : item.entry.row.id);
