import type { TextMatcher } from '../../session/match-text.ts';
import { unicodeGlyphs } from '../screen.ts';
import type { Glyphs } from '../screen.ts';
import { appendToBlock } from './blocks.ts';
import type { Block } from './blocks.ts';
import { blockUnits, unitRows } from './units.ts';
import type { UnitLayout } from './units.ts';

/** A row of the transcript, named by what stands in it, so that it stays the same row while rows come and go elsewhere. */
export interface RowPlace {
  readonly blockId: string;
  readonly unit: number;
  readonly row: number;
}

/** A cell of the transcript; `x` counts from the left edge. */
export interface CellPlace extends RowPlace {
  readonly x: number;
}

/**
 * The conversation on screen. It holds the blocks that were loaded; the store serves windows, and the view says when the next one is
 * wanted. Every function returns a new state; what was laid out stays with the blocks that did not change.
 */
export interface Transcript {
  readonly blocks: readonly Block[];
  readonly layout: UnitLayout;
  /** Messages exist before the first block, after the last one. */
  readonly hasEarlier: boolean;
  readonly hasLater: boolean;
  /** First row on screen; undefined = the end, which then follows what arrives. */
  readonly top: RowPlace | undefined;
  /** Reading mode: the block under the cursor. */
  readonly cursor: string | undefined;
  readonly selection: { readonly from: CellPlace; readonly to: CellPlace } | undefined;
  readonly query: string;
  /** What the query finds; absent while there is none. */
  readonly finder: TextMatcher | undefined;
  readonly match: RowPlace | undefined;
}

export const createTranscript = (options: { width?: number; height?: number; glyphs?: Glyphs } = {}): Transcript => ({
  blocks: [],
  layout: { width: options.width ?? 80, height: options.height ?? 24, glyphs: options.glyphs ?? unicodeGlyphs },
  hasEarlier: false,
  hasLater: false,
  top: undefined,
  cursor: undefined,
  selection: undefined,
  query: '',
  finder: undefined,
  match: undefined,
});

/** Place of a block, looked for from the end, where blocks change. -1 when it is not loaded. */
export const indexOfBlock = (transcript: Transcript, id: string): number => transcript.blocks.findLastIndex((block) => block.id === id);

/** Everything anew: another session, or a window of it. The view stands at the end. */
export function setBlocks(
  transcript: Transcript,
  blocks: readonly Block[],
  more: { hasEarlier?: boolean; hasLater?: boolean } = {},
): Transcript {
  return {
    ...transcript,
    blocks,
    hasEarlier: more.hasEarlier ?? false,
    hasLater: more.hasLater ?? false,
    top: undefined,
    cursor: undefined,
    selection: undefined,
    match: undefined,
  };
}

/** An earlier window; what is on screen stays where it is. */
export function prependBlocks(transcript: Transcript, blocks: readonly Block[], hasEarlier: boolean): Transcript {
  const known = new Set(transcript.blocks.map((block) => block.id));
  const fresh = blocks.filter((block) => !known.has(block.id));
  return keepTop(transcript, { ...transcript, blocks: [...fresh, ...transcript.blocks], hasEarlier });
}

/** Blocks behind the last one: what arrives, or a later window. */
export const appendBlocks = (transcript: Transcript, blocks: readonly Block[], hasLater = false): Transcript => ({
  ...transcript,
  blocks: [...transcript.blocks, ...blocks],
  hasLater,
});

const messageOf = (block: Block): number | string => block.messageId ?? block.id;

/** Whether two versions of a block say the same, however they are folded. */
function isSameBlock(a: Block, b: Block): boolean {
  const [one, other]: Record<string, unknown>[] = [{ ...a }, { ...b }];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)].filter((key) => key !== 'source' && key !== 'isUnfolded'));
  return [...keys].every((key) => one?.[key] === other?.[key]);
}

/**
 * Newer versions of messages: those shown already change in their place (an answer grows, results come to their calls) and stay folded or
 * unfolded, others come behind the last block.
 */
export function mergeBlocks(transcript: Transcript, blocks: readonly Block[]): Transcript {
  const groups = new Map<number | string, Block[]>();
  for (const block of blocks) groups.set(messageOf(block), [...(groups.get(messageOf(block)) ?? []), block]);
  const known = new Map(transcript.blocks.filter((block) => groups.has(messageOf(block))).map((block) => [block.id, block]));
  const newer = (block: Block): Block => {
    const shown = known.get(block.id);
    if (shown === undefined) return block;
    if (isSameBlock(shown, block)) return shown;
    return shown.isUnfolded === undefined ? block : { ...block, isUnfolded: shown.isUnfolded };
  };
  const merged: Block[] = [];
  const placed = new Set<number | string>();
  const place = (message: number | string): void => {
    if (placed.has(message)) return;
    placed.add(message);
    merged.push(...(groups.get(message) ?? []).map(newer));
  };
  for (const block of transcript.blocks) {
    if (groups.has(messageOf(block))) place(messageOf(block));
    else merged.push(block);
  }
  for (const message of groups.keys()) place(message);
  if (merged.length === transcript.blocks.length && merged.every((block, index) => block === transcript.blocks[index])) return transcript;
  const remains = new Set(merged.map((block) => block.id));
  return {
    ...transcript,
    blocks: merged,
    top: transcript.top === undefined || remains.has(transcript.top.blockId) ? transcript.top : undefined,
    cursor: transcript.cursor === undefined || remains.has(transcript.cursor) ? transcript.cursor : merged.at(-1)?.id,
  };
}

/** Another version of a block with the same id; unknown ids change nothing. */
export function updateBlock(transcript: Transcript, id: string, change: (block: Block) => Block): Transcript {
  const index = indexOfBlock(transcript, id);
  const block = transcript.blocks[index];
  if (block === undefined) return transcript;
  return { ...transcript, blocks: transcript.blocks.with(index, change(block)) };
}

/** Replaces one block by others, for instance a streamed one by the blocks of the stored message. */
export function replaceBlock(transcript: Transcript, id: string, blocks: readonly Block[]): Transcript {
  const index = indexOfBlock(transcript, id);
  if (index === -1) return transcript;
  const next = [...transcript.blocks.slice(0, index), ...blocks, ...transcript.blocks.slice(index + 1)];
  const first = blocks[0];
  const renamed = (place: RowPlace | undefined) =>
    place?.blockId === id ? (first === undefined ? undefined : { ...place, blockId: first.id }) : place;
  return {
    ...transcript,
    blocks: next,
    top: renamed(transcript.top),
    cursor: transcript.cursor === id ? first?.id : transcript.cursor,
    selection: undefined,
  };
}

export const removeBlock = (transcript: Transcript, id: string): Transcript => replaceBlock(transcript, id, []);

/** Streamed text; costs as much as the open part of the block. */
export const appendDelta = (transcript: Transcript, id: string, text: string): Transcript =>
  updateBlock(transcript, id, (block) => appendToBlock(block, text));

export function toggleFold(transcript: Transcript, id: string): Transcript {
  const next = updateBlock(transcript, id, (block) => {
    const { isUnfolded, ...folded } = block;
    return isUnfolded === true ? folded : { ...block, isUnfolded: true };
  });
  return { ...next, selection: undefined };
}

/** Letters laid out before a row of its unit, so that the row is found again at another width. */
function lettersBefore(transcript: Transcript, place: RowPlace): number {
  const rows = unitRows(transcript.blocks, indexOfBlock(transcript, place.blockId), place.unit, transcript.layout);
  let letters = 0;
  for (const row of rows.slice(0, place.row)) for (const each of row.line) letters += each.text.trim().length;
  return letters;
}

/** Another size; the first row on screen goes on showing the same words. */
export function resizeTranscript(transcript: Transcript, layout: Partial<UnitLayout>): Transcript {
  const next = { ...transcript, layout: { ...transcript.layout, ...layout } };
  const { top } = transcript;
  if (next.layout.width === transcript.layout.width && next.layout.glyphs === transcript.layout.glyphs) return next;
  if (top === undefined) return { ...next, selection: undefined, match: undefined };
  const letters = lettersBefore(transcript, top);
  const rows = unitRows(next.blocks, indexOfBlock(next, top.blockId), top.unit, next.layout);
  let row = 0;
  let seen = 0;
  while (row < rows.length - 1) {
    for (const each of rows[row]?.line ?? []) seen += each.text.trim().length;
    if (seen > letters || (top.row === 0 && row === 0)) break;
    row++;
  }
  return { ...next, top: { ...top, row }, selection: undefined, match: undefined };
}

/** When blocks come in above, the first block gets a blank row above it; the first row on screen stays the same text. */
function keepTop(before: Transcript, after: Transcript): Transcript {
  const { top } = before;
  if (top === undefined || top.unit !== 0 || before.blocks[0]?.id !== top.blockId || after.blocks[0]?.id === top.blockId) return after;
  const had = unitRows(before.blocks, 0, 0, before.layout).length;
  const has = unitRows(after.blocks, indexOfBlock(after, top.blockId), 0, after.layout).length;
  return { ...after, top: { ...top, row: top.row + has - had } };
}

/** Number of units of a block by its place. */
export const unitCount = (transcript: Transcript, blockIndex: number): number => {
  const block = transcript.blocks[blockIndex];
  return block === undefined ? 0 : blockUnits(block).length;
};
