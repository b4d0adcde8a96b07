import { indexOfBlock } from './model.ts';
import type { RowPlace, Transcript } from './model.ts';
import { compareSpots, findTop, firstSpot, toPlace, toSpot, walk } from './walk.ts';
import type { Spot } from './walk.ts';

/** Scrolls by rows, negative = back. Reaching the end follows it again. */
export function scrollBy(transcript: Transcript, rows: number): Transcript {
  const top = findTop(transcript);
  if (top === undefined || rows === 0 || (rows > 0 && top.isAtEnd)) return transcript;
  const { spot } = walk(transcript, top.spot, rows);
  return withTop(transcript, spot);
}

/** By a page, with one row of it staying on screen. */
export const scrollPage = (transcript: Transcript, direction: 'up' | 'down'): Transcript =>
  scrollBy(transcript, (direction === 'up' ? -1 : 1) * Math.max(1, transcript.layout.height - 1));

export const scrollToEnd = (transcript: Transcript): Transcript => ({ ...transcript, top: undefined });

/** What is on screen stays there, whatever comes behind it. */
export function pinTop(transcript: Transcript): Transcript {
  const top = findTop(transcript);
  return transcript.top !== undefined || top === undefined ? transcript : { ...transcript, top: toPlace(transcript, top.spot) };
}

export function scrollToStart(transcript: Transcript): Transcript {
  const first = firstSpot(transcript);
  return first === undefined ? transcript : withTop(transcript, first);
}

function withTop(transcript: Transcript, spot: Spot): Transcript {
  const next = { ...transcript, top: toPlace(transcript, spot) };
  return findTop(next)?.isAtEnd === true ? { ...next, top: undefined } : next;
}

/** Shows a row, a third of the screen below its upper edge when it was not on it. */
export function revealRow(transcript: Transcript, place: RowPlace): Transcript {
  const spot = toSpot(transcript, place);
  const top = findTop(transcript);
  if (spot === undefined || top === undefined) return transcript;
  const last = walk(transcript, top.spot, transcript.layout.height - 1).spot;
  if (compareSpots(spot, top.spot) >= 0 && compareSpots(spot, last) <= 0) return transcript;
  return withTop(transcript, walk(transcript, spot, -Math.floor(transcript.layout.height / 3)).spot);
}

/** Reading mode after scrolling: a cursor that left the screen stands on the block nearest to it there, so that keys act on what is seen. */
export function keepCursorInSight(transcript: Transcript): Transcript {
  const index = transcript.cursor === undefined ? -1 : indexOfBlock(transcript, transcript.cursor);
  const top = findTop(transcript);
  if (index === -1 || top === undefined) return transcript;
  const bottom = walk(transcript, top.spot, transcript.layout.height - 1).spot;
  const block = transcript.blocks[Math.min(bottom.block, Math.max(top.spot.block, index))];
  return block === undefined || block.id === transcript.cursor ? transcript : { ...transcript, cursor: block.id };
}

/** Reading mode: the cursor on the first block, or on the last. */
export function placeCursor(transcript: Transcript, at: 'first' | 'last'): Transcript {
  const block = transcript.blocks.at(at === 'first' ? 0 : -1);
  return transcript.cursor === undefined || block === undefined ? transcript : { ...transcript, cursor: block.id };
}

const endOfBlock = (transcript: Transcript, block: number): Spot | undefined => {
  const next = block + 1 < transcript.blocks.length ? { block: block + 1, unit: 0, row: 0 } : undefined;
  return next === undefined ? undefined : walk(transcript, next, -1).spot;
};

/** Reading mode begins at the last block on screen, or at the one given. */
export function enterReading(transcript: Transcript, blockId?: string): Transcript {
  if (blockId !== undefined) return revealBlock({ ...transcript, cursor: blockId }, indexOfBlock(transcript, blockId));
  const top = findTop(transcript);
  if (top === undefined) return transcript;
  const last = walk(transcript, top.spot, transcript.layout.height - 1).spot;
  const block = transcript.blocks[last.block];
  return block === undefined ? transcript : { ...transcript, cursor: block.id, top: transcript.top ?? toPlace(transcript, top.spot) };
}

export const leaveReading = (transcript: Transcript): Transcript =>
  transcript.cursor === undefined ? transcript : { ...transcript, cursor: undefined, query: '', finder: undefined, match: undefined };

function revealBlock(transcript: Transcript, index: number): Transcript {
  const top = findTop(transcript);
  if (index < 0 || top === undefined) return transcript;
  const { height } = transcript.layout;
  const start: Spot = { block: index, unit: 0, row: 0 };
  const bottom = walk(transcript, top.spot, height - 1).spot;
  const isStartVisible = compareSpots(start, top.spot) >= 0 && compareSpots(start, bottom) <= 0;
  if (!isStartVisible && compareSpots(start, top.spot) < 0) return withTop(transcript, start);
  const end = endOfBlock(transcript, index);
  if (end === undefined) {
    const { moved } = walk(transcript, start, height);
    return moved < height ? scrollToEnd(transcript) : isStartVisible ? transcript : withTop(transcript, start);
  }
  if (compareSpots(end, bottom) <= 0) return transcript;
  // The whole block if it fits, else its beginning.
  const forEnd = walk(transcript, end, -(height - 1)).spot;
  return withTop(transcript, compareSpots(forEnd, start) > 0 ? start : forEnd);
}

/**
 * Reading mode: the block before or after. A block longer than the screen is read through by pages first. At the first loaded block
 * nothing moves; the view asks for earlier ones.
 */
export function moveCursor(transcript: Transcript, direction: 'up' | 'down'): Transcript {
  const index = transcript.cursor === undefined ? -1 : indexOfBlock(transcript, transcript.cursor);
  if (index === -1) return enterReading(transcript);
  const top = findTop(transcript);
  if (top === undefined) return transcript;
  const bottom = walk(transcript, top.spot, transcript.layout.height - 1).spot;
  const start: Spot = { block: index, unit: 0, row: 0 };
  const end = endOfBlock(transcript, index);
  if (direction === 'down' && bottom.block === index && (end === undefined ? !top.isAtEnd : compareSpots(bottom, end) < 0)) {
    return scrollPage(transcript, 'down');
  }
  if (direction === 'up' && top.spot.block === index && compareSpots(top.spot, start) > 0) return scrollPage(transcript, 'up');
  const target = index + (direction === 'up' ? -1 : 1);
  const block = transcript.blocks[target];
  if (block === undefined) return direction === 'down' ? scrollToEnd(transcript) : transcript;
  return revealBlock({ ...transcript, cursor: block.id }, target);
}
