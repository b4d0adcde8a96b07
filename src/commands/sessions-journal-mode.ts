import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { HermesError, NotFoundError } from '../errors.ts';
import { explainFailure } from '../store/damage.ts';
import { findHolders } from '../store/holders.ts';
import { findWalObstacle, switchJournalMode } from '../store/journal-mode.ts';
import { housekeepingText as text } from '../text/en/housekeeping.ts';
import type { ShellContext } from './context.ts';
import { demandAlone } from './demand-alone.ts';
import type { Flags } from './parse.ts';

/**
 * `hermes sessions set-journal-mode delete|wal [--db PATH] [--force]`: refused while another process has the file open, and WAL on disks and with
 * SQLite builds where it can lose data (state-db.md 1.3). `--force` sets the latter aside, and the doubt where other processes can't be seen.
 *
 * @returns the exit code
 * @throws HermesError `store-held`, `journal-mode`; NotFoundError, StoreError
 */
export function setJournalMode(context: ShellContext, args: readonly string[], flags: Flags): number {
  const wanted = args[0] === 'wal' ? 'wal' : 'delete';
  const given = flags['db'];
  const path = typeof given === 'string' ? resolve(context.cwd, given) : context.home.storePath;
  const isForced = flags['force'] === true;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) throw new NotFoundError(text.noStore(path), text.keepsMode);
  if (wanted === 'wal' && !isForced) demandWalWorks(path);
  try {
    const holders = findHolders(path);
    if (holders.kind !== 'unsure' || !isForced) demandAlone(holders, path);
    const { was, is } = switchJournalMode(path, wanted);
    if (is !== wanted) throw new HermesError('journal-mode', text.modeRefused(path, wanted));
    context.out.write(`${was === wanted ? text.isMode(path, wanted) : text.modeSet(path, wanted)}\n`);
    return 0;
  } catch (error) {
    throw explainFailure(error, path);
  }
}

function demandWalWorks(path: string): void {
  const obstacle = findWalObstacle(path);
  if (obstacle === undefined) return;
  const isNetwork = obstacle.kind === 'network';
  const message = isNetwork ? text.networkWal(path) : text.faultyWal(obstacle.version);
  throw new HermesError('journal-mode', message, { hint: isNetwork ? text.networkWalHint : text.faultyWalHint });
}
