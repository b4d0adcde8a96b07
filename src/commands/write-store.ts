import { StoreError } from '../errors.ts';
import type { Connection, OpenConnection } from '../store/connection.ts';
import { openForWriting } from '../store/open.ts';
import { transact } from '../store/worker/transact.ts';
import { explainFailure, isBusy, isIndexDamage } from '../store/damage.ts';
import { rebuildIndex } from '../store/rebuild-index.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';

/** Another program may hold the lock this long (state-db.md 1.3: 20 s). */
const patienceMs = 20_000;
/** Waiting is announced once it can be felt. */
const noticeAfterMs = 300;
/** Between two attempts, in milliseconds; chance keeps two waiting programs apart. */
const shortestPause = 20;
const longestPause = 150;

/**
 * Changes the store in one transaction, waiting while another program holds its lock. A store that another program made is brought to what
 * our writes need first, and no further. A search index that contradicts its messages is made anew, once, as the writing thread does.
 *
 * @throws StoreError; whatever `change` throws undoes all of it
 */
export async function writeStore<Result>(context: ShellContext, change: (connection: Connection) => Result): Promise<Result> {
  const writer = await openWriter(context);
  try {
    return await writer.write(change);
  } finally {
    writer.close();
  }
}

/** Many changes one after the other, on one connection. */
export interface StoreWriter {
  /** As `writeStore`. */
  write<Result>(change: (connection: OpenConnection) => Result): Promise<Result>;
  close(): void;
}

export interface WriterHooks {
  /** Done with the connection before anything is written. */
  readonly prepare?: (connection: OpenConnection) => void;
  /** Done before it is closed. */
  readonly finish?: (connection: OpenConnection) => void;
}

/** @throws StoreError */
export async function openWriter(context: ShellContext, hooks: WriterHooks = {}): Promise<StoreWriter> {
  const connection = await withPatience(context, () => openForWriting(context.home.storePath, { now: context.now }));
  let hasFailed = false;
  const run = (hook: WriterHooks['prepare']): void => {
    try {
      hook?.(connection);
    } catch (error) {
      // The first failure is the one to tell: a full disk fails every step after it too.
      if (!hasFailed) throw explainFailure(error, context.home.storePath);
    }
  };
  try {
    run(hooks.prepare);
  } catch (error) {
    connection.close();
    throw error;
  }
  return {
    async write(change) {
      try {
        return await withPatience(
          context,
          () => transact(connection.db, () => change(connection)),
          () => rebuildIndex(connection),
        );
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    },
    close() {
      try {
        run(hooks.finish);
      } finally {
        connection.close();
      }
    },
  };
}

/**
 * Attempts it again while another program holds the lock, and once more when the search index was made anew; what was attempted must have done
 * nothing then.
 *
 * @param rebuild makes the index anew, where there is one to make
 */
async function withPatience<Result>(context: ShellContext, attempt: () => Result, rebuild?: () => void): Promise<Result> {
  const startedAt = context.now();
  let isAnnounced = false;
  let index: 'untouched' | 'to-rebuild' | 'rebuilt' = rebuild === undefined ? 'rebuilt' : 'untouched';
  for (;;) {
    try {
      if (index === 'to-rebuild') {
        rebuild?.();
        index = 'rebuilt';
      }
      return attempt();
    } catch (error) {
      if (isIndexDamage(error) && index === 'untouched') {
        index = 'to-rebuild';
        continue;
      }
      const isLocked = isBusy(error) || (error instanceof StoreError && error.trouble === 'busy');
      const waited = context.now() - startedAt;
      if (!isLocked || waited > patienceMs) throw explainFailure(error, context.home.storePath);
      if (!isAnnounced && waited > noticeAfterMs) context.err.write(`${text.waitingForStore}\n`);
      isAnnounced ||= waited > noticeAfterMs;
      await new Promise((resolve) => setTimeout(resolve, shortestPause + Math.random() * (longestPause - shortestPause)));
    }
  }
}
