/**
 * Full-text search of layout 31 (storage 3): two external-content FTS5 tables, each over a view that says which text of a message counts, and
 * the triggers that keep them in step. The views and the triggers must agree to the letter: an FTS5 row can only be taken out with exactly
 * the text it was put in with, so both are made from the same expressions.
 */

/** Characters of a tool result that are indexed; the rest is found by no index (store-v31.md, part A). */
const INDEXED_TOOL_CHARACTERS = 8192;

/** Text of a row as messages_fts knows it; `row` is a table alias, `old` or `new`. */
function baseText(row: string): string {
  return `CASE WHEN ${row}.role = 'tool' THEN substr(COALESCE(${row}.content, ''), 1, ${INDEXED_TOOL_CHARACTERS}) ELSE ${row}.content END`;
}

/** Sessions whose messages the trigram table holds, decided on the session row as it is at that moment. */
function isTrigramSession(row: string): string {
  return `${row}.source NOT IN ('cron', 'subagent')
    AND CASE WHEN json_valid(${row}.model_config) THEN json_extract(${row}.model_config, '$._delegate_from') IS NULL ELSE 1 END`;
}

function rebuildMark(key: 'fts_rebuild_high_water' | 'fts_rebuild_progress'): string {
  return `COALESCE((SELECT CAST(value AS INTEGER) FROM state_meta WHERE key = '${key}'), -1)`;
}

/** While a postponed rebuild is under way only rows above its start or behind its progress are in the index. */
function isIndexed(row: string): string {
  return `(${row}.id > ${rebuildMark('fts_rebuild_high_water')} OR ${row}.id <= ${rebuildMark('fts_rebuild_progress')})`;
}

function changed(...columns: string[]): string {
  return `(${columns.map((column) => `new.${column} IS NOT old.${column}`).join(' OR ')})`;
}

interface IndexedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly view: string;
  readonly tokenizer?: string;
}

const BASE: IndexedTable = { name: 'messages_fts', columns: ['content', 'tool_name', 'tool_calls'], view: 'messages_fts_src' };

const TRIGRAM: IndexedTable = {
  name: 'messages_fts_trigram',
  columns: ['content', 'tool_name'],
  view: 'messages_fts_trigram_src',
  tokenizer: 'trigram',
};

function createVirtualTable(table: IndexedTable): string {
  const tokenizer = table.tokenizer === undefined ? '' : `, tokenize='${table.tokenizer}'`;
  return `CREATE VIRTUAL TABLE IF NOT EXISTS ${table.name} USING fts5(${table.columns.join(', ')}, content='${table.view}', content_rowid='id'${tokenizer})`;
}

export const VIEWS: Readonly<Record<string, string>> = {
  messages_fts_src: `CREATE VIEW IF NOT EXISTS messages_fts_src AS
    SELECT m.id, ${baseText('m')} AS content, m.tool_name, m.tool_calls FROM messages AS m`,
  messages_fts_trigram_src: `CREATE VIEW IF NOT EXISTS messages_fts_trigram_src AS
    SELECT m.id, m.role, m.content, m.tool_name FROM messages AS m JOIN sessions AS s ON s.id = m.session_id
    WHERE m.role <> 'tool' AND ${isTrigramSession('s')}`,
};

export const FTS_TABLES: Readonly<Record<string, string>> = {
  messages_fts: createVirtualTable(BASE),
  messages_fts_trigram: createVirtualTable(TRIGRAM),
};

/** Puts the row in (`new`), or takes it out (`old`) with the text it went in with. */
function step(table: IndexedTable, row: 'new' | 'old', values: string, where = ''): string {
  const columns = table.columns.join(', ');
  return row === 'new'
    ? `INSERT INTO ${table.name}(rowid, ${columns}) SELECT new.id, ${values}${where};`
    : `INSERT INTO ${table.name}(${table.name}, rowid, ${columns}) SELECT 'delete', old.id, ${values}${where};`;
}

function trigger(name: string, event: string, condition: string, body: string): string {
  return `CREATE TRIGGER IF NOT EXISTS ${name} AFTER ${event} ON messages WHEN ${condition} BEGIN\n  ${body}\nEND`;
}

const baseStep = (row: 'new' | 'old') => step(BASE, row, `${baseText(row)}, ${row}.tool_name, ${row}.tool_calls`);
const trigramStep = (row: 'new' | 'old') => step(TRIGRAM, row, `${row}.content, ${row}.tool_name`, ` WHERE ${belongsToTrigram(row)}`);

function belongsToTrigram(row: 'new' | 'old'): string {
  return `${row}.role <> 'tool' AND EXISTS (SELECT 1 FROM sessions AS s WHERE s.id = ${row}.session_id AND ${isTrigramSession('s')})`;
}

export const FTS_TRIGGERS: Readonly<Record<string, string>> = {
  messages_fts_insert: trigger('messages_fts_insert', 'INSERT', isIndexed('new'), baseStep('new')),
  messages_fts_delete: trigger('messages_fts_delete', 'DELETE', isIndexed('old'), baseStep('old')),
  messages_fts_update: trigger(
    'messages_fts_update',
    'UPDATE OF content, tool_name, tool_calls, role',
    `${isIndexed('new')} AND ${changed('content', 'tool_name', 'tool_calls', 'role')}`,
    `${baseStep('old')}\n  ${baseStep('new')}`,
  ),
  messages_fts_trigram_insert: trigger('messages_fts_trigram_insert', 'INSERT', isIndexed('new'), trigramStep('new')),
  messages_fts_trigram_delete: trigger('messages_fts_trigram_delete', 'DELETE', isIndexed('old'), trigramStep('old')),
  messages_fts_trigram_update: trigger(
    'messages_fts_trigram_update',
    'UPDATE OF content, tool_name, role',
    `${isIndexed('new')} AND ${changed('content', 'tool_name', 'role')}`,
    `${trigramStep('old')}\n  ${trigramStep('new')}`,
  ),
};

/** Kept by a tokenizer that only Hermes Agent can load; with them in place and no tokenizer every insert fails (state-db.md 1.6). */
export const CJK_TRIGGERS: readonly string[] = ['messages_fts_cjk_insert', 'messages_fts_cjk_delete', 'messages_fts_cjk_update'];
