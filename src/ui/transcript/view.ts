import { stringWidth } from '../../terminal/width.ts';
import { lineText, lineWidth } from '../compose.ts';
import type { Line } from '../frame.ts';
import { span } from '../frame.ts';
import type { Row } from '../markdown/row.ts';
import { paintCells, paintRanges } from './cells.ts';
import type { Transcript } from './model.ts';
import { selectedCells, selectionRange } from './select.ts';
import { findTop, nextSpot, previousSpot, rowAt } from './walk.ts';
import type { Spot } from './walk.ts';

export interface TranscriptView {
  /** At most `layout.height` rows; fewer when there is no more. */
  readonly lines: readonly Line[];
  readonly atTop: boolean;
  readonly atBottom: boolean;
  /** The next window should be loaded: its beginning, or its end, is near. */
  readonly needsEarlier: boolean;
  readonly needsLater: boolean;
}

/** Blocks between the screen and the edge of what is loaded at which more is asked for. */
const nearEdge = 20;

function draw(transcript: Transcript, row: Row, spot: Spot, range: ReturnType<typeof selectionRange>): Line {
  const { layout, finder } = transcript;
  const block = transcript.blocks[spot.block];
  let line: Line = row.line;
  if (
    block?.kind === 'agent' &&
    block.isStreaming &&
    nextSpot(transcript, spot)?.block !== spot.block &&
    lineWidth(line) + 2 < layout.width
  ) {
    line = [...line, span(`${line.length > 1 ? ' ' : ''}${layout.glyphs.bar}`, 'soft')];
  }
  if (finder !== undefined) line = paintRanges(line, finder.findRanges(lineText(line)), 'accent bold underline');
  const cells = range === undefined ? undefined : selectedCells(range, spot, row.skip, layout.width);
  if (cells !== undefined) line = paintCells(line, cells.from, cells.to, 'on-select');
  if (block !== undefined && block.id === transcript.cursor && line.length > 0) {
    const [first, ...rest] = line;
    if (first !== undefined && first.text.startsWith(' ') && stringWidth(layout.glyphs.bar) === 1) {
      line = [span(layout.glyphs.bar, 'accent'), span(first.text.slice(1), first.style), ...rest];
    }
  }
  return line;
}

/** The rows on screen. Pure; lays out only what is looked at. */
export function viewTranscript(transcript: Transcript): TranscriptView {
  const top = findTop(transcript);
  const { hasEarlier, hasLater, layout, blocks } = transcript;
  if (top === undefined || layout.height < 1)
    return { lines: [], atTop: true, atBottom: true, needsEarlier: hasEarlier, needsLater: hasLater };
  const range = selectionRange(transcript);
  const lines: Line[] = [];
  let last = top.spot;
  for (let spot: Spot | undefined = top.spot; spot !== undefined && lines.length < layout.height; spot = nextSpot(transcript, spot)) {
    const row = rowAt(transcript, spot);
    if (row !== undefined) lines.push(draw(transcript, row, spot, range));
    last = spot;
  }
  return {
    lines,
    atTop: !hasEarlier && previousSpot(transcript, top.spot) === undefined,
    atBottom: top.isAtEnd && !hasLater,
    needsEarlier: hasEarlier && top.spot.block < nearEdge,
    needsLater: hasLater && last.block >= blocks.length - nearEdge,
  };
}
