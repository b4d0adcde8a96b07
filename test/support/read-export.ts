import { createHash } from 'node:crypto';
import DatabaseConstructor from 'better-sqlite3';
import type { Database } from '../../src/store/connection.ts';

/** Reads exported lines as docs/export-formats.md says, and nothing else does here: no code of the program's. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Line = Readonly<Record<string, Json>>;
/** `text`: the bytes of a text that is no valid UTF-8. */
type Bound = string | number | bigint | Buffer | null | { text: Buffer };

const notColumns = new Set(['_reset_from', '_branched_from', 'messages', 'timings', 'model_usage', 'system_prompts', '_raw', 'exporter']);
const tables = ['schema_version', 'system_prompts', 'sessions', 'messages', 'session_model_usage'];

/** A store with the tables of `source` and the rows of the lines. @returns the path */
export function importLines(source: string, target: string, text: string): string {
  const from = new DatabaseConstructor(source, { readonly: true });
  const to = new DatabaseConstructor(target);
  try {
    to.pragma('foreign_keys = OFF');
    const find = from.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?").pluck();
    for (const name of tables) {
      const sql = find.get(name);
      if (typeof sql === 'string') to.exec(sql);
    }
    const version = from.prepare('SELECT version FROM schema_version').pluck().get();
    to.prepare('INSERT INTO schema_version (version) VALUES (?)').run(version);
    to.transaction(() => {
      for (const line of text.split('\n').filter((part) => part !== '')) importLine(to, JSON.parse(line) as Line, line);
    })();
  } finally {
    from.close();
    to.close();
  }
  return target;
}

function importLine(to: Database, line: Line, text: string): void {
  if (!text.endsWith('"exporter":"hermes sessions export (jsonl) v1"}')) throw new Error('no exporter at the end');
  const row = cellsOf(line, notColumns);
  const hash = row['system_prompt_hash'];
  if (typeof hash === 'string' && row['system_prompt'] !== null) {
    to.prepare('INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (?, ?)').run(hash, row['system_prompt']);
    row['system_prompt'] = null;
  }
  for (const prompt of (line['system_prompts'] ?? []) as Line[]) {
    to.prepare('INSERT OR IGNORE INTO system_prompts (hash, prompt) VALUES (@hash, @prompt)').run(
      cellsOf(prompt) as Record<string, string>,
    );
  }
  insert(to, 'sessions', row);
  for (const message of line['messages'] as Line[]) insert(to, 'messages', cellsOf(message));
  for (const usage of line['model_usage'] as Line[]) insert(to, 'session_model_usage', cellsOf(usage));
}

function insert(db: Database, table: string, row: Readonly<Record<string, Bound>>): void {
  const names = Object.keys(row);
  const list = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
  db.prepare(
    `INSERT INTO ${table} (${list}) VALUES (${names.map((name) => (isBroken(row[name]) ? 'CAST(? AS TEXT)' : '?')).join(', ')})`,
  ).run(
    names.map((name) => {
      const value = row[name];
      return isBroken(value) ? value.text : value;
    }),
  );
}

const isBroken = (value: Bound | undefined): value is { text: Buffer } => typeof value === 'object' && value !== null && 'text' in value;

function cellsOf(line: Line, skipped: ReadonlySet<string> = new Set(['_raw'])): Record<string, Bound> {
  const raw = (line['_raw'] ?? {}) as Line;
  const cells: Record<string, Bound> = {};
  for (const name of new Set([...Object.keys(line).filter((key) => !skipped.has(key)), ...Object.keys(raw)])) {
    cells[name] = cellOf(name, line[name] ?? null, raw[name]);
  }
  return cells;
}

function cellOf(name: string, value: Json, raw: Json | undefined): Bound {
  const isForm = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  if (raw !== undefined && !isForm) return raw as Bound;
  const [form, text] = isForm ? Object.entries(raw)[0]! : [undefined, ''];
  if (form === '$base64') return Buffer.from(String(text), 'base64');
  if (form === '$text') return { text: Buffer.from(String(text), 'base64') };
  if (form === '$int') return BigInt(String(text));
  if (form === '$real') return Number(text);
  if (form !== undefined && form !== '$json') throw new Error(`an unknown form: ${form}`);
  if (typeof value !== 'object' || value === null) return value as Bound;
  const spelling = form === '$json' ? text : 'ascii';
  const json = spelling === 'compact' ? JSON.stringify(value) : dumps(value, spelling === 'ascii');
  return name === 'content' ? `\u0000json:${json}` : json;
}

/** Python's `json.dumps(value, ensure_ascii=isAscii)`. */
function dumps(value: Json, isAscii: boolean): string {
  if (typeof value === 'string') {
    const text = JSON.stringify(value);
    return isAscii ? text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) : text;
  }
  if (Array.isArray(value)) return `[${value.map((item) => dumps(item, isAscii)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${dumps(key, isAscii)}: ${dumps(item, isAscii)}`)
    .join(', ')}}`;
}

/** Every cell of the tables as type and hex of its bytes, one line a row, in any order of rows. */
export function dumpCells(file: string): string[] {
  const db = new DatabaseConstructor(file, { readonly: true });
  try {
    const lines: string[] = [];
    for (const table of tables) {
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
      if (columns.length === 0) continue;
      const cells = columns.map((name) => {
        const column = `"${name.replaceAll('"', '""')}"`;
        return `CASE typeof(${column}) WHEN 'real' THEN 'real ' || printf('%!.20g', ${column})
          ELSE typeof(${column}) || ' ' END || hex(CAST(${column} AS BLOB))`;
      });
      const rows = db
        .prepare(`SELECT ${cells.join(" || ' | ' || ")} FROM ${table}`)
        .pluck()
        .all() as string[];
      lines.push(...rows.map((row) => `${table} ${createHash('sha256').update(row).digest('hex')} ${row.slice(0, 4000)}`).sort());
    }
    return lines;
  } finally {
    db.close();
  }
}
