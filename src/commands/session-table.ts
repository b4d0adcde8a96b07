import type { SessionRow } from '../session/types.ts';
import { shellText as text } from '../text/en/shell.ts';
import { baseName } from '../text/paths.ts';
import { relativeTime } from '../text/relative-time.ts';
import { renderTable, type Column } from './text-table.ts';

/**
 * The table of `sessions list` (state-db.md 6): which columns there are depends on the rows; ids are never cut. On a terminal pinned and
 * archived sessions are marked (before the title where there is no room behind the id), and one without a title shows how it begins.
 *
 * @param terminalWidth cells of a line; absent in a pipe, which gets the full widths
 */
export function renderSessionTable(rows: readonly SessionRow[], now: number, terminalWidth?: number): string[] {
  return renderTable(rows, chooseColumns(rows, now, terminalWidth !== undefined), terminalWidth);
}

/** `forPeople`: a script that cuts the table up gets the plain columns. */
function chooseColumns(rows: readonly SessionRow[], now: number, forPeople: boolean): Column<SessionRow>[] {
  const hasTitles = rows.some((row) => row.title !== undefined);
  const hasWorkspaces = rows.some((row) => workspaceOf(row) !== undefined);
  const names = text.columns;
  // A table without previews says nothing else of a session that has no title.
  const nameless = (row: SessionRow): string => (forPeople && hasWorkspaces ? text.begins(row.preview) : text.missing);
  const named = (row: SessionRow): string => `${forPeople && row.pinned ? text.pinMark : ''}${row.title ?? nameless(row)}`;
  const leadingColumn = (heading: string, width: number, cell: (row: SessionRow) => string): Column<SessionRow> => ({
    title: heading,
    width,
    least: 14,
    cell,
    short: (row) => `${row.archived ? text.archivedMark : ''}${cell(row)}`,
  });
  const previewOf = (row: SessionRow): string => row.preview ?? text.missing;
  const title = (width: number): Column<SessionRow> => leadingColumn(names.title, width, named);
  const preview = (width: number): Column<SessionRow> => leadingColumn(names.preview, width, previewOf);

  const workspace: Column<SessionRow> = { title: names.workspace, width: 18, least: 12, cell: (row) => workspaceOf(row) ?? text.missing };
  const leading = hasWorkspaces
    ? [hasTitles ? title(28) : preview(38), workspace]
    : hasTitles
      ? [title(32), { ...preview(40), short: previewOf }]
      : [preview(50)];
  return [
    ...leading,
    { title: names.lastActive, width: 13, least: 13, cell: (row) => relativeTime(row.lastActive, now) },
    { title: names.source, width: 16, least: 6, cell: sourceOf },
    {
      title: names.id,
      width: 0,
      least: 0,
      cell: (row) => (forPeople && row.archived ? text.archivedId(row.id) : row.id),
      short: (row) => row.id,
    },
  ];
}

function workspaceOf(row: SessionRow): string | undefined {
  const folder = row.gitRepoRoot ?? row.cwd;
  return folder === undefined || folder === '' ? undefined : baseName(folder);
}

function sourceOf(row: SessionRow): string {
  const created = row.createdSource;
  return created === undefined || created === '' || created === row.source ? row.source : `${created}→${row.source}`;
}
