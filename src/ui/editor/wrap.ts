import { ambiguousWidth } from '../../terminal/width.ts';
import type { AmbiguousWidth } from '../../terminal/width.ts';
import { scanClusters } from './clusters.ts';

/** Where the rows of a line begin, for one width. `starts[0]` is always 0. */
export interface Wrap {
  readonly width: number;
  /** How wide ambiguous characters were when this was worked out. */
  readonly ambiguous: AmbiguousWidth;
  readonly starts: readonly number[];
}

/** One line of the text (no newline in it) with what was worked out about it. */
export interface EditorLine {
  readonly text: string;
  /** Filled when first drawn; belongs to this object alone. */
  wrap?: Wrap;
  /** The line this one was made from, so that an edit wraps again only what it moved. */
  origin?: { readonly line: EditorLine; readonly at: number; readonly inserted: number; readonly delta: number };
}

export type ChipWidth = (unit: string) => number;

/** Lets the older lines go once this one is wrapped. */
const forget = (line: EditorLine): void => {
  delete line.origin;
};

/**
 * Rows of a line at `width` cells, words kept whole where they fit (Korean breaks at spaces, ideographs and kana anywhere). The last cell of the screen row stays free for the caret, so text
 * fills `width - 1`; one space may hang in that cell. Cached per line; after an edit only the rows it touched are worked out again.
 */
export function wrapLine(line: EditorLine, width: number, chipWidth: ChipWidth): Wrap {
  const ambiguous = ambiguousWidth();
  const isValid = (wrap: Wrap | undefined): wrap is Wrap => wrap?.width === width && wrap.ambiguous === ambiguous;
  if (isValid(line.wrap)) return line.wrap;
  const origin = line.origin;
  const old = origin?.line.wrap;
  forget(line);
  if (origin !== undefined && isValid(old) && old.starts.length > 1) {
    const editedRow = rowOf(old, origin.at);
    // A word shortened at its row's start may move up a row.
    const keep = Math.max(0, editedRow - 1);
    const starts = old.starts.slice(0, keep + 1);
    wrapFrom(line.text, starts, width, chipWidth, origin, old);
    return (line.wrap = { width, ambiguous, starts });
  }
  const starts = [0];
  wrapFrom(line.text, starts, width, chipWidth);
  return (line.wrap = { width, ambiguous, starts });
}

function wrapFrom(
  text: string,
  starts: number[],
  width: number,
  chipWidth: ChipWidth,
  origin?: { at: number; inserted: number; delta: number },
  old?: Wrap,
): void {
  const limit = Math.max(1, width - 1);
  let rowStart = starts.at(-1) ?? 0;
  let cells = 0;
  let breakAt = rowStart;
  let cellsAtBreak = 0;
  let oldRow = origin === undefined || old === undefined ? 0 : rowOf(old, origin.at);
  const unitWidth = (at: number) => chipWidth(text.charAt(at));
  scanClusters(text, rowStart, unitWidth, (start, end, size) => {
    const unit = text.charCodeAt(start);
    const isSpace = unit === 0x20 && end === start + 1;
    const isIdeograph = size === 2 && (unit < 0xac00 || unit > 0xd7a3);
    if (isIdeograph && cells > 0) {
      breakAt = start;
      cellsAtBreak = cells;
    }
    if (cells > 0 && cells + size > limit) {
      if (isSpace && cells === limit) {
        cells += size;
        breakAt = end;
        cellsAtBreak = cells;
        return false;
      }
      rowStart = breakAt > rowStart ? breakAt : start;
      cells = breakAt === rowStart ? cells - cellsAtBreak : 0;
      breakAt = rowStart;
      cellsAtBreak = 0;
      if (cells > 0 && cells + size > limit) {
        starts.push(rowStart);
        rowStart = start;
        breakAt = start;
        cells = 0;
      }
      starts.push(rowStart);
      if (origin !== undefined && old !== undefined && rowStart > origin.at + origin.inserted) {
        const was = rowStart - origin.delta;
        while (oldRow < old.starts.length && (old.starts[oldRow] ?? 0) < was) oldRow++;
        if (old.starts[oldRow] === was) {
          for (let row = oldRow + 1; row < old.starts.length; row++) starts.push((old.starts[row] ?? 0) + origin.delta);
          return true;
        }
      }
    }
    cells += size;
    if (isSpace || isIdeograph) {
      breakAt = end;
      cellsAtBreak = cells;
    }
    return false;
  });
}

/** The row in which the caret at `offset` stands: at a wrap it is the lower one. */
export function rowOf(wrap: Wrap, offset: number): number {
  let low = 0;
  let high = wrap.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((wrap.starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export const rowStart = (wrap: Wrap, row: number): number => wrap.starts[row] ?? 0;
export const rowEnd = (wrap: Wrap, row: number, text: string): number => wrap.starts[row + 1] ?? text.length;

/** Cells between the start of a row and `offset`. */
export function columnOf(text: string, from: number, offset: number, chipWidth: ChipWidth): number {
  let column = 0;
  scanClusters(
    text,
    from,
    (at) => chipWidth(text.charAt(at)),
    (start, _end, cells) => {
      if (start >= offset) return true;
      column += cells;
      return false;
    },
  );
  return column;
}

/** The offset nearest to `column` cells from the start of a row, not beyond the last place of that row. */
export function offsetAt(text: string, from: number, to: number, column: number, isLastRow: boolean, chipWidth: ChipWidth): number {
  let at = from;
  let cells = 0;
  let before = from;
  scanClusters(
    text,
    from,
    (unit) => chipWidth(text.charAt(unit)),
    (start, end, size) => {
      if (start >= to || cells + size / 2 > column) return true;
      before = start;
      at = end;
      cells += size;
      return at >= to;
    },
  );
  // The end of a row that goes on below is the start of the next one: stay on this row.
  return !isLastRow && at >= to ? before : at;
}
