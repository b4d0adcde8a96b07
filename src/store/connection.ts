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
}

/** One open database with its facts. Every function under `src/store` that runs SQL takes one. */
export interface Connection {
  readonly db: Database;
  readonly path: string;
  readonly shape: StoreShape;
  readonly isWritable: boolean;
  /** Milliseconds since the epoch; injected. */
  now(): number;
  /** Prepared once per connection and text. */
  statement(sql: string): Statement;
  has(table: string, column?: string): boolean;
}
