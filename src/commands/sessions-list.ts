import { StoreError } from '../errors.ts';
import { openForReading } from '../store/open.ts';
import { listForShell } from '../store/reads/shell-list.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';
import { countFlag, type Flags } from './parse.ts';
import { renderSessionTable } from './session-table.ts';

/** A shell command may wait for a lock this long; a screen may not. */
const lockWaitMs = 5_000;

const defaultLimit = 20;

/**
 * `hermes sessions list [--source S] [--limit N] [--workspace TEXT]`. Prints everything with one write, so that a reader who closes the
 * pipe early costs nothing.
 *
 * @returns the exit code
 * @throws StoreError, UsageError
 */
export async function listSessions(context: ShellContext, flags: Flags): Promise<number> {
  const limit = countFlag(flags, 'limit') ?? defaultLimit;
  const { source, workspace } = flags;
  const found = readList(context, {
    limit,
    ...(typeof source === 'string' ? { source } : {}),
    ...(typeof workspace === 'string' ? { workspace } : {}),
  });
  if (found === undefined || found.rows.length === 0) {
    context.out.write(`${text.noSessions}\n`);
    return 0;
  }
  const width = context.out.isTTY === true ? context.out.columns : undefined;
  const lines = renderSessionTable(found.rows, context.now(), width);
  if (found.more > 0) lines.push(text.moreNotShown(found.more, limit * 2));
  context.out.write(`${lines.join('\n')}\n`);
  return 0;
}

function readList(context: ShellContext, query: Parameters<typeof listForShell>[1]): ReturnType<typeof listForShell> | undefined {
  try {
    const connection = openForReading(context.home.storePath, { now: context.now, timeoutMs: lockWaitMs });
    try {
      return listForShell(connection, query);
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return undefined;
    throw error;
  }
}
