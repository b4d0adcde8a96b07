import type { Block } from './blocks.ts';
import { textInCells } from './cells.ts';
import type { CellPlace, Transcript } from './model.ts';
import { compareSpots, findTop, nextSpot, rowAt, toPlace, toSpot, walk } from './walk.ts';
import type { Spot } from './walk.ts';

/** The place under a cell of the screen (0-based, relative to the transcript); below the last row, its end; undefined when nothing is loaded. */
export function placeAt(transcript: Transcript, x: number, y: number): CellPlace | undefined {
  const top = findTop(transcript);
  if (top === undefined) return undefined;
  if (y < 0) return { ...toPlace(transcript, top.spot), x: 0 };
  const { spot, moved } = walk(transcript, top.spot, Math.min(y, transcript.layout.height - 1));
  return { ...toPlace(transcript, spot), x: moved < y ? transcript.layout.width : Math.max(0, x) };
}

/** Which block stands under a row of the screen. */
export function blockAt(transcript: Transcript, y: number): Block | undefined {
  const top = findTop(transcript);
  if (top === undefined || y < 0 || y >= transcript.layout.height) return undefined;
  const { spot, moved } = walk(transcript, top.spot, y);
  return moved < y ? undefined : transcript.blocks[spot.block];
}

export function startSelection(transcript: Transcript, x: number, y: number): Transcript {
  const place = placeAt(transcript, x, y);
  if (place === undefined) return transcript;
  return { ...transcript, selection: { from: place, to: place } };
}

/** The other end of the selection; outside the screen the caller scrolls first. */
export function dragSelection(transcript: Transcript, x: number, y: number): Transcript {
  const place = placeAt(transcript, x, y);
  if (transcript.selection === undefined || place === undefined) return transcript;
  return { ...transcript, selection: { ...transcript.selection, to: place } };
}

export const clearSelection = (transcript: Transcript): Transcript =>
  transcript.selection === undefined ? transcript : { ...transcript, selection: undefined };

/** Both ends in order, as numbers. The cell under the second end is selected too, where the two differ. */
export function selectionRange(transcript: Transcript): { from: Spot; to: Spot; fromX: number; toX: number } | undefined {
  if (transcript.selection === undefined) return undefined;
  const { from, to } = transcript.selection;
  const a = toSpot(transcript, from);
  const b = toSpot(transcript, to);
  if (a === undefined || b === undefined) return undefined;
  const order = compareSpots(a, b) || from.x - to.x;
  if (order === 0) return undefined;
  return order < 0 ? { from: a, to: b, fromX: from.x, toX: to.x + 1 } : { from: b, to: a, fromX: to.x, toX: from.x + 1 };
}

/** Cells of one row that are selected; undefined when none is. */
export function selectedCells(
  range: NonNullable<ReturnType<typeof selectionRange>>,
  spot: Spot,
  skip: number,
  width: number,
): { from: number; to: number } | undefined {
  if (compareSpots(spot, range.from) < 0 || compareSpots(spot, range.to) > 0) return undefined;
  const from = Math.max(skip, compareSpots(spot, range.from) === 0 ? range.fromX : 0);
  const to = compareSpots(spot, range.to) === 0 ? range.toX : width;
  return to > from ? { from, to } : undefined;
}

/** What is selected, as it was written: rows that a wrap made are one line again, gutters, padding and rules are left out. */
export function selectedText(transcript: Transcript): string {
  const range = selectionRange(transcript);
  if (range === undefined) return '';
  let text = '';
  let isFirst = true;
  for (
    let spot: Spot | undefined = range.from;
    spot !== undefined && compareSpots(spot, range.to) <= 0;
    spot = nextSpot(transcript, spot)
  ) {
    const row = rowAt(transcript, spot);
    if (row === undefined || row.isChrome === true) continue;
    const cells = selectedCells(range, spot, row.skip, Number.MAX_SAFE_INTEGER);
    const part = cells === undefined ? '' : textInCells(row.line, cells.from, cells.to).trimEnd();
    if (!isFirst) text += row.joined ?? '\n';
    text += part;
    isFirst = false;
  }
  return text;
}

/** The whole text of a block, as it was stored. */
export function blockText(block: Block): string {
  switch (block.kind) {
    case 'user':
    case 'agent':
    case 'reasoning':
      return block.text;
    case 'tool':
      return block.result ?? block.summary;
    case 'notice':
      return block.hint === undefined ? block.text : `${block.text}\n${block.hint}`;
    case 'interrupted':
    case 'recap':
      return '';
  }
}
