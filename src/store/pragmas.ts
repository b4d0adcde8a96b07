import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database } from './connection.ts';

/** Bytes a WAL file is cut back to after a checkpoint (state-db.md 1.3). */
const JOURNAL_SIZE_LIMIT = 67_108_864;

/** `statfs` types of disks that other machines share; SQLite's shared memory does not work across them. NFS, SMB (two), CIFS, 9p, FUSE (virtiofs, sshfs). */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x65735546]);

/**
 * Kilobytes of pages a connection may keep. better-sqlite3's own 16 MB would be spent three times over: main thread, reader, writer. The
 * reader had 8 MB; half of it keeps the picker of 10,000 sessions under its 130 MB, and lists them in 135 ms instead of 117.
 */
const CACHE_KILOBYTES = { first: 4000, reader: 4000, writer: 4000 } as const;

export type ConnectionRole = keyof typeof CACHE_KILOBYTES;

export function setReadPragmas(db: Database, role: ConnectionRole): void {
  db.pragma(`cache_size = -${CACHE_KILOBYTES[role]}`);
}

/**
 * The settings every program that writes this file agrees on (state-db.md 1.3). better-sqlite3 is compiled with recursive triggers on and with
 * `synchronous = NORMAL` for WAL; the layout's triggers are written for the former being off, and a stored message must survive a power cut.
 */
export function setWritePragmas(db: Database): void {
  db.pragma(`cache_size = -${CACHE_KILOBYTES.writer}`);
  db.pragma('foreign_keys = ON');
  db.pragma('recursive_triggers = OFF');
  db.pragma('synchronous = FULL');
  db.pragma(`journal_size_limit = ${JOURNAL_SIZE_LIMIT}`);
  if (process.platform === 'darwin') db.pragma('checkpoint_fullfsync = 1');
}

/**
 * Journal mode for a file this program makes: WAL where it works, else DELETE. SQLite up to 3.51.2 can lose a WAL reset (state-db.md 1.3), so a
 * build that old makes no WAL files. An existing file keeps the mode it has, whatever this says.
 */
export function journalModeForNewFile(path: string, wanted: 'wal' | 'delete', sqliteVersion: string): 'wal' | 'delete' {
  if (wanted === 'delete' || hasWalResetFault(sqliteVersion) || isOnNetworkDisk(path)) return 'delete';
  return 'wal';
}

/** 3.7.0 to 3.51.2, except the repaired 3.50.7+ and 3.44.6+. */
export function hasWalResetFault(sqliteVersion: string): boolean {
  const [major = 0, minor = 0, patch = 0] = sqliteVersion.split('.').map(Number);
  if (major !== 3) return major < 3;
  if (minor === 50) return patch < 7;
  if (minor === 44) return patch < 6;
  return minor < 51 || (minor === 51 && patch <= 2);
}

/** Whether the folder of `path` lies on a disk that other machines share; false where the system does not say. */
export function isOnNetworkDisk(path: string): boolean {
  try {
    return NETWORK_FILE_SYSTEMS.has(statfsSync(dirname(path)).type);
  } catch {
    // The folder is missing or the system has no statfs: SQLite's own answer to the pragma decides then.
    return false;
  }
}
