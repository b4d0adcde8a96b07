import { listForShell } from '../store/reads/shell-list.ts';
import { shellText as text } from '../text/en/shell.ts';
import { terminalWidth, type ShellContext } from './context.ts';
import { answerTexts, readFilters } from './filters.ts';
import { countFlag, type Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { jsonText, sessionJson } from './session-json.ts';
import { renderSessionTable } from './session-table.ts';

const defaultLimit = 20;
/** More than this many are not counted: nobody reads the number, and counting costs more than the page where each is a chain. */
export const countAtMost = 100;

/**
 * `hermes sessions list [filters] [--limit N] [--include-archived] [--json]`. Prints everything with one write, so that a reader who closes
 * the pipe early costs nothing.
 *
 * @returns the exit code
 * @throws StoreError, UsageError
 */
export async function listSessions(context: ShellContext, flags: Flags): Promise<number> {
  const limit = countFlag(flags, 'limit') ?? defaultLimit;
  const filters = readFilters(flags, context);
  const asked = { limit, includeArchived: flags['include-archived'] === true, countAtMost };
  const found = readStore(context, (connection) => listForShell(connection, { ...asked, query: answerTexts(connection, filters) }));
  if (flags['json'] === true) {
    context.out.write(jsonText((found?.rows ?? []).map(sessionJson)));
    return 0;
  }
  if (found === undefined || found.rows.length === 0) {
    context.out.write(`${text.noSessions}\n`);
    return 0;
  }
  const lines = renderSessionTable(found.rows, context.now(), terminalWidth(context.out));
  if (found.more > 0) lines.push(text.moreNotShown(found.more, found.isAtLeast, limit * 2));
  context.out.write(`${lines.join('\n')}\n`);
  return 0;
}
