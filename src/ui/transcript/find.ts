import { lineText } from '../compose.ts';
import type { RowPlace, Transcript } from './model.ts';
import { indexOfBlock, toggleFold } from './model.ts';
import { revealRow } from './scroll.ts';
import { blockText } from './select.ts';
import { blockUnits } from './units.ts';
import type { Unit } from './units.ts';
import { findTop, nextSpot, previousSpot, rowAt, toPlace, toSpot, unitHeight } from './walk.ts';
import type { Spot } from './walk.ts';

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

/** Lower-cased text of blocks, made once; the same block gives the same text. */
const folded = new WeakMap<object, string>();

function blockHas(transcript: Transcript, index: number, needle: string): boolean {
  const block = transcript.blocks[index];
  if (block === undefined) return false;
  let text = folded.get(block);
  if (text === undefined)
    folded.set(block, (text = fold(block.kind === 'tool' ? `${block.name} ${block.summary}\n${block.result ?? ''}` : blockText(block))));
  return text.includes(needle);
}

const isFolded = (transcript: Transcript, index: number): boolean => {
  const block = transcript.blocks[index];
  return (block?.kind === 'tool' || block?.kind === 'reasoning') && block.isUnfolded !== true;
};

/** Sets what is looked for; matches on screen are marked at once. */
export const setQuery = (transcript: Transcript, query: string): Transcript => ({ ...transcript, query, match: undefined });

/** The needle that `paintMatches` marks. */
export const needleOf = (transcript: Transcript): string => fold(transcript.query);

const hasNeedle = (transcript: Transcript, spot: Spot, needle: string): boolean => {
  const row = rowAt(transcript, spot);
  return row !== undefined && fold(lineText(row.line)).includes(needle);
};

const unitHas = (unit: Unit, needle: string): boolean =>
  unit.kind === 'built' || fold(unit.kind === 'segment' ? unit.segment.text : unit.text).includes(needle);

/**
 * The nearest row of a block with the needle, from `from` on in one direction (without it: from that end of the block). Units whose text
 * lacks it are not laid out.
 */
function rowInBlock(transcript: Transcript, index: number, needle: string, direction: 'next' | 'previous', from?: Spot): Spot | undefined {
  const block = transcript.blocks[index];
  const units = block === undefined ? [] : blockUnits(block);
  const by = direction === 'next' ? 1 : -1;
  for (let place = from?.unit ?? (by === 1 ? 0 : units.length - 1); place >= 0 && place < units.length; place += by) {
    const unit = units[place];
    if (unit === undefined || !unitHas(unit, needle)) continue;
    const last = unitHeight(transcript, index, place) - 1;
    const start = from?.unit === place ? from.row : by === 1 ? 0 : last;
    for (let row = start; row >= 0 && row <= last; row += by) {
      const spot = { block: index, unit: place, row };
      if (hasNeedle(transcript, spot, needle)) return spot;
    }
  }
  return undefined;
}

/**
 * Goes to the next or the previous row that has the query, in what is loaded; a folded block that has it is unfolded. `found` is false at
 * the end: the caller may ask for more and try again.
 */
export function findMatch(transcript: Transcript, direction: 'next' | 'previous'): { transcript: Transcript; found: boolean } {
  const needle = needleOf(transcript);
  const at: RowPlace | undefined = transcript.match ?? startOf(transcript);
  const from = at === undefined ? undefined : toSpot(transcript, at);
  if (needle === '' || from === undefined) return { transcript, found: false };
  const isFresh = transcript.match === undefined && direction === 'next';
  const first = isFresh ? from : (direction === 'next' ? nextSpot : previousSpot)(transcript, from);
  const near = first?.block === from.block ? rowInBlock(transcript, from.block, needle, direction, first) : undefined;
  if (near !== undefined) return go(transcript, near);
  return findFrom(transcript, needle, direction, from.block + (direction === 'next' ? 1 : -1));
}

/** Past the end: the first match of what is loaded; past the beginning: the last one. */
export function wrapMatch(transcript: Transcript, direction: 'next' | 'previous'): { transcript: Transcript; found: boolean } {
  const needle = needleOf(transcript);
  if (needle === '') return { transcript, found: false };
  return findFrom(transcript, needle, direction, direction === 'next' ? 0 : transcript.blocks.length - 1);
}

/** The nearest match in the block at `start` or those behind it in that direction. */
function findFrom(
  transcript: Transcript,
  needle: string,
  direction: 'next' | 'previous',
  start: number,
): { transcript: Transcript; found: boolean } {
  const by = direction === 'next' ? 1 : -1;
  for (let index = start; index >= 0 && index < transcript.blocks.length; index += by) {
    if (!blockHas(transcript, index, needle)) continue;
    const id = transcript.blocks[index]?.id ?? '';
    const opened =
      isFolded(transcript, index) && !hasNeedle(transcript, { block: index, unit: 0, row: 1 }, needle)
        ? toggleFold(transcript, id)
        : transcript;
    // Only a wrapped or shortened part may have it: then the beginning is shown.
    return go(opened, rowInBlock(opened, index, needle, direction) ?? { block: index, unit: 0, row: 0 });
  }
  return { transcript, found: false };
}

const startOf = (transcript: Transcript): RowPlace | undefined => {
  const cursor = transcript.cursor === undefined ? -1 : indexOfBlock(transcript, transcript.cursor);
  const block = transcript.blocks[cursor];
  if (block !== undefined) return { blockId: block.id, unit: 0, row: 0 };
  const top = findTop(transcript);
  return top === undefined ? undefined : toPlace(transcript, top.spot);
};

function go(transcript: Transcript, spot: Spot): { transcript: Transcript; found: true } {
  const match = toPlace(transcript, spot);
  const cursor = transcript.cursor === undefined ? undefined : match.blockId;
  return { transcript: revealRow({ ...transcript, match, cursor }, match), found: true };
}
