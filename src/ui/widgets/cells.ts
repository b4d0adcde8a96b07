import { glyphsOf } from '../../terminal/glyphs.ts';
import { graphemes } from '../../terminal/width.ts';
import { blankAttr, plainAttr } from '../attr.ts';
import type { Layer, Line } from '../frame.ts';
import type { Styler } from '../style.ts';

/** One cell in neo-blessed's buffer: attributes and text; '' in the second half of a wide glyph. */
export type Cell = [attr: number, text: string];

/** A row of the buffer; `dirty` rows are compared with what is on the screen. */
export interface Row extends Array<Cell> {
  dirty: boolean;
}

const asciiText: readonly string[] = Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code));

function setCell(row: Row, x: number, attr: number, text: string): void {
  const cell = row[x] as Cell;
  cell[0] = attr;
  cell[1] = text;
}

/** Empties a row. */
function clearRow(row: Row): void {
  for (let x = 0; x < row.length; x++) setCell(row, x, plainAttr, ' ');
}

/**
 * Writes a line into cells `left` … `left + width - 1` of a row, cut at the edges of line and row, padded with plain blanks: a ground or an
 * underline that shall go on is in the line itself. A wide glyph of which only half would fit becomes a blank; one that was there and is half covered now becomes a blank too.
 */
export function putLine(row: Row, left: number, width: number, line: Line, styler: Styler): void {
  const first = Math.max(0, left);
  const end = Math.min(row.length, left + width);
  if (first >= end) return;
  if ((row[first] as Cell)[1] === '' && first > 0) (row[first - 1] as Cell)[1] = ' ';

  let x = left;
  let attr = plainAttr;
  const put = (text: string, cells: number) => {
    if (x >= first && x + cells <= end) {
      setCell(row, x, text === ' ' ? blankAttr(attr) : attr, text);
      if (cells === 2) setCell(row, x + 1, attr, '');
    } else {
      // Half outside: the half that is inside stays empty.
      for (let at = Math.max(x, first); at < Math.min(x + cells, end); at++) setCell(row, at, blankAttr(attr), ' ');
    }
    x += cells;
  };

  for (const { text, style } of line) {
    attr = styler(style);
    if (x >= end) continue;
    const clusters = graphemes(text);
    for (let i = 0; i < clusters.length && x < end; i++) {
      const cluster = clusters[i] as string;
      const code = cluster.length === 1 ? cluster.charCodeAt(0) : 0;
      if (code >= 0x20 && code < 0x7f) put(asciiText[code] as string, 1);
      else for (const glyph of glyphsOf(cluster)) if (x < end) put(glyph.text, glyph.width);
    }
  }
  for (; x < end; x++) if (x >= first) setCell(row, x, plainAttr, ' ');
  const after = row[end];
  if (after?.[1] === '') {
    after[1] = ' ';
    after[0] = blankAttr(after[0]);
  }
}

/** What stands in one row of the screen: two rows with the same pieces look the same. */
type Pieces = Array<Line | number>;

const isSame = (a: Pieces | undefined, b: Pieces): boolean =>
  a !== undefined && a.length === b.length && a.every((piece, i) => piece === b[i]);

/**
 * Puts the layers of a frame into rows, later ones over earlier ones. A row whose lines are the very same objects at the same places as
 * last time is left alone, so views that keep their lines cost nothing.
 */
export function createComposer(): { compose(rows: Row[], layers: readonly Layer[], styler: Styler): void; forget(): void } {
  let last: Pieces[] = [];
  let lastStyler: Styler | undefined;
  return {
    compose(rows, layers, styler) {
      if (styler !== lastStyler) last = [];
      lastStyler = styler;
      for (let y = 0; y < rows.length; y++) {
        const row = rows[y] as Row;
        const pieces: Pieces = [];
        for (const layer of layers) {
          const line = layer.lines[y - layer.y];
          if (line !== undefined) pieces.push(layer.x, layer.width, line);
        }
        if (isSame(last[y], pieces)) continue;
        last[y] = pieces;
        clearRow(row);
        for (let i = 0; i < pieces.length; i += 3)
          putLine(row, pieces[i] as number, pieces[i + 1] as number, pieces[i + 2] as Line, styler);
        row.dirty = true;
      }
    },
    forget() {
      last = [];
    },
  };
}
