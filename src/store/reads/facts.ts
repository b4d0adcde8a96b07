import { statSync } from 'node:fs';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { all, first, readTime, readText, type Row } from '../rows.ts';

export interface Stats {
  sessions: number;
  messages: number;
  /** Sessions by source, most first. */
  sources: { source: string; sessions: number }[];
  /** Bytes of the file, its WAL included. */
  bytes: number;
}

/** The numbers of `hermes sessions stats`: every row counts, whatever its class. */
export function stats(connection: Connection): Stats {
  const sources = all(connection, 'SELECT source, count(*) AS n FROM sessions GROUP BY source ORDER BY n DESC, source');
  return {
    sessions: countOf(connection, 'sessions'),
    messages: countOf(connection, 'messages'),
    sources: sources.map((row) => ({ source: readText(row['source']) ?? '', sessions: Number(row['n']) })),
    bytes: sizeOf(connection.path) + sizeOf(`${connection.path}-wal`),
  };
}

function countOf(connection: Connection, table: string): number {
  return Number(first(connection, `SELECT count(*) AS n FROM ${table}`)?.['n'] ?? 0);
}

/** 0 for a file that isn't there. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

export interface Health {
  /** What `PRAGMA quick_check` found; empty = sound. */
  problems: string[];
  /** The number in schema_version. */
  version: number;
  fts: string;
  hasTrigram: boolean;
  journalMode: string;
  walBytes: number;
  bytes: number;
  sessions: number;
  messages: number;
  /** state_meta says that the index is known to be wrong. */
  isFtsStale: boolean;
}

/** Problems named before a damaged file is believed to be damaged. */
const problemsNamed = 20;

/** For `hermes doctor`. `quick_check` reads the whole file: seconds on a large one, so only where somebody waits for it. */
export function health(connection: Connection): Health {
  const found = connection.db.pragma(`quick_check(${problemsNamed})`) as { quick_check: string }[];
  const meta = connection.has('state_meta')
    ? first(connection, "SELECT value FROM state_meta WHERE key = 'fts_stale'")?.['value']
    : undefined;
  return {
    problems: found.map((row) => row.quick_check).filter((text) => text !== 'ok'),
    version: connection.shape.version,
    fts: connection.shape.fts,
    hasTrigram: connection.shape.hasTrigram,
    journalMode: String(connection.db.pragma('journal_mode', { simple: true })),
    walBytes: sizeOf(`${connection.path}-wal`),
    bytes: sizeOf(connection.path),
    sessions: countOf(connection, 'sessions'),
    messages: countOf(connection, 'messages'),
    isFtsStale: meta === '1',
  };
}

export interface Holder {
  /** As stored: `pid=<n>:pidns=<inode>:turn=<…>`. */
  holder: string;
  acquiredAt: number;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

function readHolder(row: Row | undefined): Holder | undefined {
  if (row === undefined) return undefined;
  return {
    holder: String(row['holder']),
    acquiredAt: readTime(row['acquired_at']) ?? 0,
    // A far future is a time here, not a broken clock: it is compared, never shown.
    expiresAt: typeof row['expires_at'] === 'number' ? row['expires_at'] * 1000 : 0,
  };
}

/** Who runs a turn in the lineage with this root, by a lease that hasn't run out (state-db.md 2.10: expired at `expires_at <= now`). */
export function turnLease(connection: Connection, rootId: SessionId): Holder | undefined {
  if (!connection.has('session_turn_leases')) return undefined;
  const found = readHolder(
    first(connection, 'SELECT holder, acquired_at, expires_at FROM session_turn_leases WHERE conversation_id = ?', rootId),
  );
  return found === undefined || found.expiresAt <= connection.now() ? undefined : found;
}

/** Who compresses this session now (stale at `expires_at < now`). */
export function compressionLock(connection: Connection, id: SessionId): Holder | undefined {
  if (!connection.has('compression_locks')) return undefined;
  const found = readHolder(first(connection, 'SELECT holder, acquired_at, expires_at FROM compression_locks WHERE session_id = ?', id));
  return found === undefined || found.expiresAt < connection.now() ? undefined : found;
}

/** Every live turn lease, by the root of its lineage: who else is at work in this store. */
export function turnLeases(connection: Connection): Map<SessionId, Holder> {
  if (!connection.has('session_turn_leases')) return new Map();
  const sql = 'SELECT conversation_id, holder, acquired_at, expires_at FROM session_turn_leases WHERE expires_at > ?';
  return new Map(
    all(connection, sql, connection.now() / 1000).flatMap((row) => {
      const holder = readHolder(row);
      return holder === undefined ? [] : [[String(row['conversation_id']), holder] as const];
    }),
  );
}
