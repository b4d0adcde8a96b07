import { codePointWidth } from '../../terminal/width.ts';
import { glyphsOf } from '../../terminal/glyphs.ts';
import type { Glyph } from '../../terminal/glyphs.ts';
import { backgroundOf, blankAttr, defaultColour, sgr } from '../attr.ts';
import type { Cell, Row } from './cells.ts';

/**
 * What has to be sent so that the screen shows `lines`, given that it shows `shown`; `shown` is brought up to date. It stands in for
 * neo-blessed's `Screen.draw`, which loses a cell where an overlay covers half a wide character and counts emoji as one cell
 * (140 of 150 random steps left a wrong screen; this one 0).
 *
 * Risky glyphs, on whose width terminals disagree: their place is emptied first, the cursor is placed anew behind them, and as many
 * cells as any terminal may have used are sent again. One that could run over the right edge is cut to its first character, else the
 * terminal would wrap into the next row.
 */
export function drawChanges(lines: readonly Row[], shown: readonly Row[]): string {
  const pen: Pen = { out: '', attr: -1, x: -1, y: -1 };
  for (let y = 0; y < lines.length; y++) {
    const row = lines[y] as Row;
    if (!row.dirty) continue;
    row.dirty = false;
    drawRow(pen, row, shown[y] as Row, y);
  }
  return pen.out === '' ? '' : `${pen.out}\x1b[0m`;
}

/** Where the terminal's cursor is (-1 = not known) and what it writes with. */
interface Pen {
  out: string;
  attr: number;
  x: number;
  y: number;
}

function moveTo(pen: Pen, x: number, y: number): void {
  if (pen.y === y && pen.x === x) return;
  if (pen.y === y && pen.x >= 0 && x > pen.x) pen.out += x === pen.x + 1 ? '\x1b[C' : `\x1b[${x - pen.x}C`;
  else pen.out += `\x1b[${y + 1};${x + 1}H`;
  pen.x = x;
  pen.y = y;
}

function useAttr(pen: Pen, attr: number): void {
  if (pen.attr === attr) return;
  pen.out += sgr(attr);
  pen.attr = attr;
}

/** Plain characters, the bulk of every screen, need no look-up. Latin-1 signs (`·`, `°`) are two cells where ambiguous ones are wide. */
const isPlain = (text: string): boolean => text.length === 1 && text < '\u007f';

/** From which column on a row is blank in one colour, so that erasing to its end draws it. */
function blankFrom(row: Row): number {
  let x = row.length;
  const attr = x > 0 ? (row[x - 1] as Cell)[0] : 0;
  if (attr !== blankAttr(attr) || backgroundOf(attr) !== defaultColour || attr >> 18 !== 0) return x;
  while (x > 0) {
    const cell = row[x - 1] as Cell;
    if (cell[1] !== ' ' || cell[0] !== attr) break;
    x -= 1;
  }
  return x;
}

/** Below this many changed cells, spaces are no longer than an erase. */
const worthErasing = 6;

function drawRow(pen: Pen, row: Row, shown: Row, y: number): void {
  const columns = row.length;
  const blank = blankFrom(row);
  /** Cells before this column are sent even if they seem unchanged. */
  let again = 0;
  let x = 0;
  while (x < columns) {
    const [attr, cellText] = row[x] as Cell;
    let text = cellText === '' ? ' ' : cellText;
    const glyph = isPlain(text) ? undefined : (glyphsOf(text)[0] as Glyph);
    let width = glyph?.width ?? 1;
    if (width === 2 && row[x + 1]?.[1] !== '') {
      text = ' ';
      width = 1;
    }
    const old = shown[x] as Cell;
    const isUnchanged = old[0] === attr && old[1] === text && (width === 1 || (shown[x + 1] as Cell)[1] === '');
    if (isUnchanged && x >= again) {
      x += width;
      continue;
    }
    if (x >= blank && columns - x >= worthErasing) {
      moveTo(pen, x, y);
      useAttr(pen, attr);
      pen.out += '\x1b[K';
      for (; x < columns; x++) setShown(shown, x, attr, ' ');
      return;
    }
    moveTo(pen, x, y);
    useAttr(pen, attr);
    setShown(shown, x, attr, text);
    if (width === 2) setShown(shown, x + 1, attr, '');
    const risky = glyph !== undefined && text !== ' ' && glyph.risky;
    if (risky) {
      // In the last column the cursor waits to wrap and relative moves are off by one.
      const back = x + width < columns ? `\x1b[${width}D` : `\x1b[${y + 1};${x + 1}H`;
      pen.out += ' '.repeat(width) + back + (x + glyph.reach > columns ? firstCharacter(text, width) : text);
      pen.x = -1;
      again = Math.max(again, x + glyph.reach);
    } else {
      pen.out += text;
      pen.x = x + width >= columns ? -1 : x + width;
    }
    x += width;
    // A terminal that gives the next glyph no cell of its own has put it into this one, which was just overwritten.
    const next = row[x]?.[1];
    if (next !== undefined && next !== '' && !isPlain(next) && (glyphsOf(next)[0] as Glyph).risky) again = Math.max(again, x + 1);
  }
}

function setShown(shown: Row, x: number, attr: number, text: string): void {
  const cell = shown[x] as Cell;
  cell[0] = attr;
  cell[1] = text;
}

function firstCharacter(text: string, width: number): string {
  const codePoint = text.codePointAt(0) as number;
  return codePointWidth(codePoint) === width ? String.fromCodePoint(codePoint) : ' '.repeat(width);
}
