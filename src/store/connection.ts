import type BetterSqlite3 from 'better-sqlite3';

export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement<unknown[]>;

/** How the full-text tables of this file are laid out (state-db.md 1.6). */
export type FtsLayout = 'none' | 'v1-content' | 'legacy-inline' | 'external';

/** What was found in the file; read statements are built from it, so that any era can be read without changing it. */
export interface StoreShape {
  /** Column names by table; a missing table has no entry. Unknown tables and columns are listed too. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** The number in schema_version, 0 when there is no such table or row. */
  readonly version: number;
  readonly fts: FtsLayout;
  readonly hasTrigram: boolean;
  readonly indexes: ReadonlySet<string>;
  readonly triggers: ReadonlySet<string>;
}

/** One open database with its facts. Every function under `src/store` that runs SQL takes one. */
export interface Connection {
  readonly db: Database;
  readonly path: string;
  /** As last read; another program may add to the file, see `OpenConnection.refreshShape`. */
  readonly shape: StoreShape;
  readonly isWritable: boolean;
  /** Milliseconds since the epoch; injected. */
  now(): number;
  /** Prepared once per connection and text; a mode set on it (`pluck`, `raw`, `safeIntegers`) stays with the text. */
  statement(sql: string): Statement;
  has(table: string, column?: string): boolean;
}

/** A connection as its owner holds it. */
export interface OpenConnection extends Connection {
  /** When the private copy was made that is read instead of the file (a WAL store in a folder that can't be written); ms since the epoch. */
  readonly copiedAt?: number;
  /** Reads the shape again if the schema was changed since; cheap when it was not. @returns whether it was */
  refreshShape(): boolean;
  /** Idempotent. */
  close(): void;
}
