import type { StoredRow, StoredValue } from '../session/stored.ts';
import { contentCell, oddCell, plainCell, toolCallsCell, type Cell } from './stored-json.ts';
import { createTimings } from './timings.ts';
import type { Output, TransferSession } from './types.ts';

const exporter = 'hermes sessions export (jsonl) v1';

/** Keys of a line that are no columns; a column of that name stands in `_raw` alone. */
export const reservedKeys: ReadonlySet<string> = new Set([
  '_branched_from',
  '_raw',
  '_reset_from',
  'exporter',
  'messages',
  'model_usage',
  'system_prompts',
  'timings',
]);

/** UTF-16 units handed on at once: small enough to be made, encoded and forgotten within the processor's cache (512 K cost a quarter more). */
const pieceUnits = 32 * 1024;

export interface Written {
  /** Sessions, as the format counts them. */
  sessions: number;
  messages: number;
}

/**
 * One session a line (docs/export-formats.md), everything that is stored of it, in the order of `sessions`. A line of any length goes out in
 * pieces.
 */
export async function writeJsonl(sessions: AsyncIterable<TransferSession>, output: Output): Promise<Written> {
  const written: Written = { sessions: 0, messages: 0 };
  const encoderOf = encoders();
  let text = '';
  for await (const session of sessions) {
    const { row } = session;
    const timings = createTimings();
    text += sessionStart(row);
    let separator = '';
    for await (const rows of session.rows()) {
      const encode = encoderOf(Object.keys(rows[0] ?? {}));
      for (const message of rows) {
        timings.add(message);
        text += separator + encode(message);
        separator = ',';
        if (text.length < pieceUnits) continue;
        await output.write(text);
        text = '';
      }
      written.messages += rows.length;
    }
    text += sessionEnd(session, JSON.stringify(timings.result()));
    written.sessions += 1;
    if (text.length < pieceUnits) continue;
    await output.write(text);
    text = '';
  }
  if (text !== '') await output.write(text);
  return written;
}

function sessionStart(row: StoredRow): string {
  const fields = Object.keys(row)
    .filter((name) => !reservedKeys.has(name))
    .map((name) => `${JSON.stringify(name)}:${plainCell(row[name] ?? null).json}`);
  return `{${[...fields, ...markers(row['model_config'])].join(',')},"messages":[`;
}

/** Lineage markers of `model_config` that readers look for at the top (state-db.md 6.2). */
function markers(config: StoredValue | undefined): string[] {
  if (typeof config !== 'string' || !config.includes('_from"')) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(config);
  } catch {
    // A broken configuration marks nothing; its text is in the line all the same.
    return [];
  }
  if (typeof parsed !== 'object' || parsed === null) return [];
  return ['_reset_from', '_branched_from'].flatMap((name) => {
    const value = (parsed as Record<string, unknown>)[name];
    return value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`];
  });
}

function sessionEnd({ row, usage, prompts = [] }: TransferSession, timings: string): string {
  const list = (rows: readonly StoredRow[]): string => rows.map((entry) => makeEncoder(Object.keys(entry))(entry)).join(',');
  const raw = Object.keys(row).flatMap((name) => {
    const cell = plainCell(row[name] ?? null);
    const json = cell.raw ?? (reservedKeys.has(name) ? cell.json : undefined);
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`];
  });
  return [
    `],"timings":${timings},"model_usage":[${list(usage)}]`,
    prompts.length === 0 ? '' : `,"system_prompts":[${list(prompts)}]`,
    raw.length === 0 ? '' : `,"_raw":{${raw.join(',')}}`,
    `,"exporter":${JSON.stringify(exporter)}}\n`,
  ].join('');
}

type Encode = (row: StoredRow) => string;

/** Makes the encoder of some columns, or takes the last one made: rows of one session, and mostly of all, have the same columns. */
function encoders(): (names: readonly string[]) => Encode {
  let latest: { names: readonly string[]; encode: Encode } | undefined;
  return (names) => {
    if (latest === undefined || latest.names.length !== names.length || !names.every((name, index) => name === latest?.names[index])) {
      latest = { names, encode: makeEncoder(names) };
    }
    return latest.encode;
  };
}

function makeEncoder(names: readonly string[]): Encode {
  const columns = names.filter((name) => name !== '_raw');
  const starts = columns.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  const nullsOf = nullRuns(starts);
  const hasRaw = columns.length < names.length;
  return (row) => {
    let text = '';
    let raw = '';
    for (let index = 0; index < columns.length; index++) {
      const name = columns[index] as string;
      const value = row[name] as StoredValue;
      if (value === null) {
        const first = index;
        while (index + 1 < columns.length && row[columns[index + 1] as string] === null) index++;
        text += nullsOf(first, index);
        continue;
      }
      text += starts[index] as string;
      if (typeof value === 'number' && Number.isFinite(value)) {
        // Not `String`: V8 remembers what that made, and 600,000 times and ids are copied from one collection to the next.
        text += JSON.stringify(value);
        continue;
      }
      const cell = typeof value === 'string' ? textCell(name, value) : oddCell(value);
      text += cell.json;
      if (cell.raw !== undefined) raw += `,${JSON.stringify(name)}:${cell.raw}`;
    }
    if (hasRaw) {
      const cell = plainCell(row['_raw'] as StoredValue);
      raw += `,"_raw":${cell.raw ?? cell.json}`;
    }
    return raw === '' ? `${text}}` : `${text},"_raw":{${raw.slice(1)}}}`;
  };
}

/** Two of three cells are NULL, and stand side by side: what stands for a run of them is made once. */
function nullRuns(starts: readonly string[]): (first: number, last: number) => string {
  const made: (string | undefined)[] = [];
  return (first, last) =>
    (made[first * starts.length + last] ??= starts
      .slice(first, last + 1)
      .map((start) => `${start}null`)
      .join(''));
}

function textCell(name: string, value: string): Cell {
  if (name === 'content') return contentCell(value);
  return name === 'tool_calls' ? toolCallsCell(value) : { json: JSON.stringify(value) };
}
