import { statSync } from 'node:fs';
import { explainFailure } from '../store/damage.ts';
import { findHolders } from '../store/holders.ts';
import { indexPages, mergeIndexes, storeBytes, vacuum, type NotVacuumed } from '../store/housekeeping.ts';
import { openForWriting } from '../store/open.ts';
import { housekeepingText as text } from '../text/en/housekeeping.ts';
import { formatBytes } from '../text/format-bytes.ts';
import type { ShellContext } from './context.ts';
import { demandAlone } from './demand-alone.ts';
import type { Flags } from './parse.ts';
import { showProgress } from './progress.ts';

/** Another program may hold the lock this long (state-db.md 1.3: 20 s). */
const lockWaitMs = 20_000;

/**
 * `hermes sessions optimize [--force]`: merges the search index and gives free pages back to the disk. Refused while another process has
 * the store open; with `--force` the index is merged under it, and the file is left at its size (product.md 9).
 *
 * Signals are left to the system on purpose: SQLite can't be interrupted in VACUUM, and a process that ends there at once leaves the file as it
 * was before the statement.
 *
 * @returns the exit code
 * @throws HermesError `store-held`, StoreError
 */
export function optimizeStore(context: ShellContext, flags: Flags): number {
  const path = context.home.storePath;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    context.out.write(`${text.nothingToOptimize(path)}\n`);
    return 0;
  }
  try {
    const bytesBefore = storeBytes(path);
    const isForced = flags['force'] === true;
    if (!isForced) demandAlone(findHolders(path), path, text.closeFirstOrForce);
    mergeWithProgress(context, path);
    if (context.err.isTTY === true) context.err.write(`${text.vacuuming}\r`);
    const report = vacuum(path, { now: context.now, acceptUnsure: isForced, timeoutMs: lockWaitMs });
    if (context.err.isTTY === true) context.err.write('\u001b[K');
    context.out.write(`${outcome(path, bytesBefore, report.bytesAfter, report.notVacuumed)}\n`);
    return 0;
  } catch (error) {
    throw explainFailure(error, path);
  }
}

function mergeWithProgress(context: ShellContext, path: string): void {
  const connection = openForWriting(path, { now: context.now, timeoutMs: lockWaitMs });
  const progress = showProgress(context, text.merging, indexPages(connection));
  try {
    for (const pages of mergeIndexes(connection)) progress.step(pages);
  } finally {
    progress.end();
    connection.close();
  }
}

function outcome(path: string, before: number, after: number, obstacle: NotVacuumed | undefined): string {
  if (obstacle !== undefined) return `${text.mergedOnly} ${reason(path, obstacle)}`;
  if (after >= before) return text.optimizedSame(formatBytes(after));
  return text.optimized(formatBytes(before), formatBytes(after), formatBytes(before - after));
}

function reason(path: string, obstacle: NotVacuumed): string {
  if (obstacle.kind === 'held') return text.held(obstacle.by, path);
  return obstacle.kind === 'unsure' ? text.unsure(path) : text.noRoom(obstacle.folder, formatBytes(obstacle.missing));
}
