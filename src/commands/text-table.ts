import { drawable, padEnd, stringWidth, truncateEnd } from '../terminal/width.ts';

export interface Column<Row> {
  readonly title: string;
  /** Cells, the gap to the next column included; 0 = the last one, as wide as it needs. */
  readonly width: number;
  /** A terminal too narrow for the whole may take the column down to this. */
  readonly least: number;
  readonly cell: (row: Row) => string;
  /** What it holds where the whole of the last column would take room from the others; that one must have it. */
  readonly short?: (row: Row) => string;
  /** Numbers stand at the right edge. */
  readonly isNumber?: boolean;
}

/** Cells between two columns: texts end this much before their column does (state-db.md 6). */
const gap = 2;

/**
 * A header, a rule as wide as the widest line, and the rows. Widths are cells, so that Hangul and kana stand straight; the last column is
 * never cut. On a terminal narrower than the table the columns give way.
 *
 * @param terminalWidth cells of a line; absent in a pipe, which gets the full widths
 */
export function renderTable<Row>(rows: readonly Row[], asked: readonly Column<Row>[], terminalWidth?: number): string[] {
  const columns = fitColumns(asked, rows, terminalWidth);
  const place = (text: string, { width, isNumber }: Column<Row>): string => {
    if (width === 0) return text;
    const cut = truncateEnd(text, width - gap);
    return isNumber === true ? `${' '.repeat(width - gap - stringWidth(cut))}${cut}${' '.repeat(gap)}` : padEnd(cut, width);
  };
  const header = columns.map((column) => place(column.title, column)).join('');
  const lines = rows.map((row) => columns.map((column) => place(drawable(column.cell(row)), column)).join(''));
  const ruleWidth = Math.max(stringWidth(header), ...lines.map(stringWidth));
  return [header, '─'.repeat(Math.min(ruleWidth, terminalWidth ?? ruleWidth)), ...lines];
}

/** First the room nobody uses goes, then the columns give way from the left, where the longest texts are. */
function fitColumns<Row>(columns: readonly Column<Row>[], rows: readonly Row[], terminalWidth: number | undefined): readonly Column<Row>[] {
  const last = columns.at(-1);
  if (terminalWidth === undefined || last === undefined) return columns;
  const widest = (cell: (row: Row) => string): number => Math.max(0, ...rows.map((row) => stringWidth(drawable(cell(row)))));
  let excess = columns.reduce((sum, column) => sum + column.width, widest(last.cell)) - terminalWidth;
  const narrow = (least: (column: Column<Row>) => number): void => {
    columns = columns.map((column) => {
      const cut = Math.min(Math.max(0, excess), Math.max(0, column.width - Math.max(column.least, least(column))));
      excess -= cut;
      return { ...column, width: column.width - cut };
    });
  };
  narrow((column) => Math.max(stringWidth(column.title), widest(column.cell)) + gap);
  if (excess > 0 && last.short !== undefined) {
    excess -= widest(last.cell) - widest(last.short);
    columns = columns.map((column) => (column.short === undefined ? column : { ...column, cell: column.short }));
  }
  narrow((column) => column.least);
  return columns;
}
