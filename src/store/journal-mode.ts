import DatabaseConstructor from 'better-sqlite3';
import { isOnNetworkDisk, hasWalResetFault } from './pragmas.ts';

/** Why a file had better not be put into WAL mode. */
export type WalObstacle = { readonly kind: 'network' } | { readonly kind: 'faulty-sqlite'; readonly version: string };

/** WAL needs memory that all its users share, and an SQLite that does not lose a WAL reset (state-db.md 1.3). */
export function findWalObstacle(path: string): WalObstacle | undefined {
  if (isOnNetworkDisk(path)) return { kind: 'network' };
  const db = new DatabaseConstructor(':memory:');
  try {
    const version = String(db.prepare('SELECT sqlite_version()').pluck().get());
    return hasWalResetFault(version) ? { kind: 'faulty-sqlite', version } : undefined;
  } finally {
    db.close();
  }
}

/**
 * Puts an existing database into another journal mode. SQLite does it under a lock that leaves no room for a second connection to a WAL file.
 *
 * @returns the mode before and after; a disk that can't do WAL keeps the old one
 * @throws SqliteError `SQLITE_BUSY` while somebody else uses it; nothing was changed then
 */
export function switchJournalMode(path: string, mode: 'wal' | 'delete'): { readonly was: string; readonly is: string } {
  const db = new DatabaseConstructor(path, { fileMustExist: true, timeout: 0 });
  try {
    const was = String(db.pragma('journal_mode', { simple: true }));
    return { was, is: String(db.pragma(`journal_mode = ${mode}`, { simple: true })) };
  } finally {
    db.close();
  }
}
