import type { SessionRow } from '../session/types.ts';
import { drawable, padEnd, stringWidth, truncateEnd } from '../terminal/width.ts';
import { shellText as text } from '../text/en/shell.ts';
import { baseName } from '../text/paths.ts';
import { relativeTime } from '../text/relative-time.ts';

interface Column {
  readonly title: string;
  /** Cells, the gap to the next column included; 0 = the last one, as wide as it needs. */
  readonly width: number;
  /** A terminal too narrow for the whole may take the column down to this. */
  readonly least: number;
  readonly cell: (row: SessionRow) => string;
}

/** Cells between two columns: texts end this much before their column does (state-db.md 6). */
const gap = 2;

/**
 * The table of `sessions list` (state-db.md 6): which columns there are depends on the rows; ids are never cut; widths are cells, so that
 * Hangul and kana stand straight. On a terminal narrower than the table the columns give way, ids excepted; pinned and archived sessions are
 * marked there, and one without a title shows how it begins.
 *
 * @param terminalWidth cells of a line; absent in a pipe, which gets the full widths
 */
export function renderSessionTable(rows: readonly SessionRow[], now: number, terminalWidth?: number): string[] {
  const columns = fitColumns(chooseColumns(rows, now, terminalWidth !== undefined), rows, terminalWidth);
  const write = (cells: readonly string[]): string =>
    cells
      .map((cell, index) =>
        columns[index]!.width === 0 ? cell : padEnd(truncateEnd(cell, columns[index]!.width - gap), columns[index]!.width),
      )
      .join('');
  const lines = rows.map((row) => write(columns.map((column) => drawable(column.cell(row)))));
  const header = write(columns.map((column) => column.title));
  const ruleWidth = Math.max(stringWidth(header), ...lines.map(stringWidth));
  return [header, '─'.repeat(terminalWidth === undefined ? ruleWidth : Math.min(ruleWidth, terminalWidth)), ...lines];
}

/** `forPeople`: a script that cuts the table up gets the plain columns. */
function chooseColumns(rows: readonly SessionRow[], now: number, forPeople: boolean): Column[] {
  const hasTitles = rows.some((row) => row.title !== undefined);
  const hasWorkspaces = rows.some((row) => workspaceOf(row) !== undefined);
  const names = text.columns;
  // A table without previews says nothing else of a session that has no title.
  const nameless = (row: SessionRow): string => (forPeople && hasWorkspaces ? text.begins(row.preview) : text.missing);
  const named = (row: SessionRow): string => `${forPeople && row.pinned ? text.pinMark : ''}${row.title ?? nameless(row)}`;
  const title = (width: number): Column => ({ title: names.title, width, least: 14, cell: named });
  const preview = (width: number): Column => ({ title: names.preview, width, least: 14, cell: (row) => row.preview ?? text.missing });
  const workspace: Column = { title: names.workspace, width: 18, least: 12, cell: (row) => workspaceOf(row) ?? text.missing };
  const leading = hasWorkspaces ? [hasTitles ? title(28) : preview(38), workspace] : hasTitles ? [title(32), preview(40)] : [preview(50)];
  return [
    ...leading,
    { title: names.lastActive, width: 13, least: 13, cell: (row) => relativeTime(row.lastActive, now) },
    { title: names.source, width: 16, least: 6, cell: sourceOf },
    { title: names.id, width: 0, least: 0, cell: (row) => (forPeople && row.archived ? text.archivedId(row.id) : row.id) },
  ];
}

/** First the room nobody uses goes, then the columns give way from the left, where the longest texts are. */
function fitColumns(columns: Column[], rows: readonly SessionRow[], terminalWidth: number | undefined): Column[] {
  if (terminalWidth === undefined) return columns;
  const idWidth = Math.max(...rows.map((row) => stringWidth(columns.at(-1)!.cell(row))));
  let excess = columns.reduce((sum, column) => sum + column.width, idWidth) - terminalWidth;
  const narrow = (least: (column: Column) => number): void => {
    columns = columns.map((column) => {
      const cut = Math.min(Math.max(0, excess), Math.max(0, column.width - Math.max(column.least, least(column))));
      excess -= cut;
      return { ...column, width: column.width - cut };
    });
  };
  narrow((column) => Math.max(stringWidth(column.title), ...rows.map((row) => stringWidth(drawable(column.cell(row))))) + gap);
  // Which are archived is worth less than the titles.
  if (excess > 0) {
    columns = [...columns.slice(0, -1), { ...columns.at(-1)!, cell: (row) => row.id }];
    excess -= idWidth - Math.max(...rows.map((row) => stringWidth(row.id)));
  }
  narrow((column) => column.least);
  return columns;
}

function workspaceOf(row: SessionRow): string | undefined {
  const folder = row.gitRepoRoot ?? row.cwd;
  return folder === undefined || folder === '' ? undefined : baseName(folder);
}

function sourceOf(row: SessionRow): string {
  const created = row.createdSource;
  return created === undefined || created === '' || created === row.source ? row.source : `${created}→${row.source}`;
}
