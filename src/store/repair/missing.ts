import type { Connection, OpenConnection } from '../connection.ts';
import { LAYOUT_VERSION, layoutStatements } from '../schema/create.ts';
import { FTS_TABLES, FTS_TRIGGERS, VIEWS } from '../schema/fts.ts';
import { INDEXES } from '../schema/indexes.ts';
import { TABLES } from '../schema/tables.ts';
import { MESSAGE_TRIGGERS } from '../schema/triggers.ts';

/** Objects of the layout that a store lacks. */
export interface MissingObjects {
  /** Of the layout this program knows to the letter, so that it may make them. */
  readonly ours: readonly string[];
  /** Of an older or newer layout, or while Hermes Agent is at work on them: its own next start makes them (store-v31.md B4.2). */
  readonly foreign: readonly string[];
}

const INDEX_NAMES = [...Object.keys(VIEWS), ...Object.keys(FTS_TABLES), ...Object.keys(FTS_TRIGGERS)];
const LAYOUT_NAMES = [
  ...TABLES.map((one) => one.name),
  ...INDEXES.map((one) => one.name),
  ...Object.keys(MESSAGE_TRIGGERS),
  ...INDEX_NAMES,
];

/**
 * What is missing in the schema. An object is trusted by its name, as Hermes Agent does; one that is made must mean exactly what the layout says
 * (store-v31.md B4.2), so only those of layout 31 are ours to make, and only where all its columns are there.
 */
export function findMissing(connection: Connection): MissingObjects {
  const present = new Set(connection.statement('SELECT name FROM sqlite_master').pluck().all());
  const absent = (names: readonly string[]): string[] => names.filter((name) => !present.has(name));
  const isWhole = TABLES.every((spec) => !present.has(spec.name) || spec.columns.every((column) => connection.has(spec.name, column.name)));
  if (connection.shape.version === LAYOUT_VERSION && isWhole) {
    const missing = absent(LAYOUT_NAMES);
    if (!isIndexInTransition(connection)) return { ours: missing, foreign: [] };
    return { ours: missing.filter((name) => !INDEX_NAMES.includes(name)), foreign: missing.filter((name) => INDEX_NAMES.includes(name)) };
  }
  // Of another layout only this is sure: a search index that has a table has triggers that keep it in step.
  const triggers = Object.keys(FTS_TRIGGERS).filter((name) => present.has(name.replace(/_(insert|delete|update)$/, '')));
  return { ours: [], foreign: connection.shape.fts === 'none' ? [] : absent(triggers) };
}

/** Hermes Agent takes an index down and builds it up over several starts; its marks say so (store-v31.md, part A). */
function isIndexInTransition(connection: Connection): boolean {
  if (!connection.has('state_meta')) return false;
  const sql = `SELECT 1 FROM state_meta WHERE key LIKE 'fts\\_rebuild\\_%' ESCAPE '\\' OR key LIKE 'fts\\_teardown\\_%' ESCAPE '\\' LIMIT 1`;
  return connection.statement(sql).get() !== undefined;
}

/**
 * Makes what `findMissing` calls ours, all or nothing; where a part of the search index was missing, the index is filled anew.
 *
 * @returns the names of what was made
 */
export function makeMissing(connection: OpenConnection): readonly string[] {
  const made = connection.db
    .transaction(() => {
      connection.refreshShape();
      const { ours } = findMissing(connection);
      if (ours.length === 0) return ours;
      // Each says IF NOT EXISTS: only what is missing is made. Parts of the index that is in transition stay away.
      const isIndexOurs = !isIndexInTransition(connection);
      const names = new Set(ours);
      for (const sql of layoutStatements()) {
        const name = /IF NOT EXISTS (\w+)/.exec(sql)?.[1];
        if (name !== undefined && names.has(name)) connection.db.exec(sql);
      }
      if (isIndexOurs && ours.some((name) => INDEX_NAMES.includes(name))) {
        for (const table of Object.keys(FTS_TABLES)) connection.db.exec(`INSERT INTO ${table} (${table}) VALUES ('rebuild')`);
      }
      return ours;
    })
    .immediate();
  connection.refreshShape();
  return made;
}
