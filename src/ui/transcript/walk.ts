import type { Row } from '../markdown/row.ts';
import { indexOfBlock, unitCount } from './model.ts';
import type { RowPlace, Transcript } from './model.ts';
import { unitRows } from './units.ts';

/** A place by numbers, for walking. Valid for one state only. */
export interface Spot {
  readonly block: number;
  readonly unit: number;
  readonly row: number;
}

const rowsAt = (transcript: Transcript, block: number, unit: number): readonly Row[] =>
  unitRows(transcript.blocks, block, unit, transcript.layout);

export const rowAt = (transcript: Transcript, spot: Spot): Row | undefined => rowsAt(transcript, spot.block, spot.unit)[spot.row];

/** Rows of one unit. */
export const unitHeight = (transcript: Transcript, block: number, unit: number): number => rowsAt(transcript, block, unit).length;

/** Where a named row stands now; a row that is gone becomes the nearest one of its block, an unknown block is undefined. */
export function toSpot(transcript: Transcript, place: RowPlace): Spot | undefined {
  const block = indexOfBlock(transcript, place.blockId);
  if (block === -1) return undefined;
  const unit = Math.min(place.unit, unitCount(transcript, block) - 1);
  const last = rowsAt(transcript, block, unit).length - 1;
  return { block, unit, row: unit < place.unit ? last : Math.min(place.row, last) };
}

export function toPlace(transcript: Transcript, spot: Spot): RowPlace {
  return { blockId: transcript.blocks[spot.block]?.id ?? '', unit: spot.unit, row: spot.row };
}

export const firstSpot = (transcript: Transcript): Spot | undefined =>
  transcript.blocks.length === 0 ? undefined : { block: 0, unit: 0, row: 0 };

function lastSpot(transcript: Transcript): Spot | undefined {
  const block = transcript.blocks.length - 1;
  if (block < 0) return undefined;
  const unit = unitCount(transcript, block) - 1;
  return { block, unit, row: rowsAt(transcript, block, unit).length - 1 };
}

export function nextSpot(transcript: Transcript, spot: Spot): Spot | undefined {
  if (spot.row + 1 < rowsAt(transcript, spot.block, spot.unit).length) return { ...spot, row: spot.row + 1 };
  if (spot.unit + 1 < unitCount(transcript, spot.block)) return { block: spot.block, unit: spot.unit + 1, row: 0 };
  return spot.block + 1 < transcript.blocks.length ? { block: spot.block + 1, unit: 0, row: 0 } : undefined;
}

export function previousSpot(transcript: Transcript, spot: Spot): Spot | undefined {
  if (spot.row > 0) return { ...spot, row: spot.row - 1 };
  let { block, unit } = spot;
  if (unit > 0) unit--;
  else if (block > 0) unit = unitCount(transcript, --block) - 1;
  else return undefined;
  return { block, unit, row: rowsAt(transcript, block, unit).length - 1 };
}

/** Goes up to `count` rows back, or on where it is negative; stops at the ends. `moved` is how many there were. */
export function walk(transcript: Transcript, from: Spot, count: number): { spot: Spot; moved: number } {
  let spot = from;
  let moved = 0;
  const step = count < 0 ? previousSpot : nextSpot;
  while (moved < Math.abs(count)) {
    const next = step(transcript, spot);
    if (next === undefined) break;
    spot = next;
    moved++;
  }
  return { spot, moved };
}

export const compareSpots = (a: Spot, b: Spot): number => a.block - b.block || a.unit - b.unit || a.row - b.row;

/** The first row on screen and whether the last row of all is on it: the one place where the scroll position is decided. */
export function findTop(transcript: Transcript): { spot: Spot; isAtEnd: boolean } | undefined {
  const last = lastSpot(transcript);
  if (last === undefined) return undefined;
  const { height } = transcript.layout;
  const fromEnd = () => ({ spot: walk(transcript, last, -(height - 1)).spot, isAtEnd: true });
  const kept = transcript.top === undefined ? undefined : toSpot(transcript, transcript.top);
  if (kept === undefined) return fromEnd();
  const { moved } = walk(transcript, kept, height);
  return moved < height ? fromEnd() : { spot: kept, isAtEnd: false };
}
