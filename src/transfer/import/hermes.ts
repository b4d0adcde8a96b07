import { brokenText, type StoredRow, type StoredValue } from '../../session/stored.ts';
import type { StoredRecord } from '../../session/stored-record.ts';
import { importText as text } from '../../text/en/import.ts';
import { reservedKeys } from '../jsonl.ts';
import { partsPrefix, spellJson } from '../stored-json.ts';
import type { Damage } from './broken.ts';
import { isObject, type Json } from './json.ts';
import { parseMember, scanObjects } from './members.ts';

/** Columns no table takes NULL for, and that have no default. */
const demanded = { session: ['id', 'source', 'started_at'], message: ['role', 'timestamp'] } as const;

/**
 * Sessions of our own JSON Lines (docs/export-formats.md) and of those Hermes Agent exports, one after the other. Lines that are none are noted,
 * and so are messages that are none. Constant memory: messages are read while they are stored.
 *
 * @throws HermesError `import-unreadable`
 */
export function* readRecords(path: string, damage: Damage): Generator<StoredRecord> {
  damage.restart();
  let line = 0;
  let offset = 0;
  let fields: Record<string, unknown> = {};
  let isWhole = true;
  const wish = (key: string): 'skip' | 'whole' => (key === 'messages' || key === 'timings' ? 'skip' : 'whole');
  for (const event of scanObjects(path, { isLines: true, wish })) {
    if (event.kind === 'begin') {
      ({ line, offset } = event);
      fields = {};
      isWhole = true;
    } else if (event.kind === 'member') {
      const parsed = parseMember(event.bytes);
      if (parsed === undefined) isWhole = false;
      else fields[event.key] = parsed.value;
    } else if (event.fault !== undefined || !isWhole) {
      damage.add(line, event.fault === 'cut-off' ? text.broken.cutOff : text.broken.noJson);
    } else {
      const read = readFields(fields);
      if ('fault' in read) damage.add(line, read.fault);
      else {
        const from = { line, offset };
        yield { ...read, messages: () => readMessages(path, from, damage) };
      }
    }
  }
}

type Fault = { readonly fault: string };

function readFields(fields: Json): Omit<StoredRecord, 'messages'> | Fault {
  const read = readRow(fields, reservedKeys);
  if ('fault' in read) return read;
  const { row } = read;
  const missing = demanded.session.find((name) => row[name] === undefined || row[name] === null || row[name] === '');
  if (missing !== undefined) return { fault: text.broken.noRecord(missing) };
  if (typeof row['id'] !== 'string') return { fault: text.broken.wrongCell('id') };
  const prompts = readRows(fields['system_prompts']);
  const usage = readRows(fields['model_usage']);
  if ('fault' in prompts) return prompts;
  if ('fault' in usage) return usage;
  const { system_prompt_hash: hash, system_prompt: prompt = null } = row;
  if (typeof hash !== 'string' || prompt === null) return { row, prompts: prompts.rows, usage: usage.rows };
  return { row: { ...row, system_prompt: null }, prompts: [{ hash, prompt }, ...prompts.rows], usage: usage.rows };
}

function readRows(list: unknown): { readonly rows: readonly StoredRow[] } | Fault {
  const rows: StoredRow[] = [];
  for (const each of Array.isArray(list) ? (list as unknown[]) : []) {
    const read = isObject(each) ? readRow(each, rawKey) : { fault: text.broken.noObject };
    if ('fault' in read) return read;
    rows.push(read.row);
  }
  return { rows };
}

const rawKey: ReadonlySet<string> = new Set(['_raw']);

function* readMessages(path: string, from: { line: number; offset: number }, damage: Damage): Generator<StoredRow> {
  for (const event of scanObjects(path, { isLines: true, from, wish: (key) => (key === 'messages' ? 'elements' : 'skip') })) {
    if (event.kind === 'end') return;
    if (event.kind !== 'member' || event.index === undefined) continue;
    const parsed = parseMember(event.bytes);
    const read = isObject(parsed?.value)
      ? readRow(parsed.value, rawKey)
      : { fault: event.bytes === undefined ? text.broken.tooLong : text.broken.noJson };
    const missing = 'fault' in read ? undefined : demanded.message.find((name) => (read.row[name] ?? null) === null);
    if ('fault' in read) damage.add(from.line, read.fault);
    else if (missing !== undefined) damage.add(from.line, text.broken.noRecord(missing));
    else yield read.row;
  }
}

/** Cells by column: what `_raw` has, else what the key says. */
function readRow(fields: Json, left: ReadonlySet<string>): { readonly row: StoredRow } | Fault {
  const raw = isObject(fields['_raw']) ? fields['_raw'] : {};
  const row: Record<string, StoredValue> = {};
  for (const name of Object.keys(fields)) {
    if (left.has(name)) continue;
    const cell = Object.hasOwn(raw, name) ? rawCell(name, raw[name], fields[name]) : plainCell(name, fields[name]);
    if (cell === undefined) return { fault: text.broken.wrongCell(name) };
    row[name] = cell;
  }
  for (const name of Object.keys(raw)) {
    if (Object.hasOwn(row, name)) continue;
    const cell = rawCell(name, raw[name], null);
    if (cell === undefined) return { fault: text.broken.wrongCell(name) };
    row[name] = cell;
  }
  return { row };
}

function plainCell(name: string, value: unknown): StoredValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value !== 'object') return undefined;
  // Hermes Agent decodes other columns too (`reasoning_details`); they are JSON text in every store.
  return decoded(name, value, 'escaped');
}

function decoded(name: string, value: unknown, spelling: 'escaped' | 'spaced' | 'compact'): string | undefined {
  try {
    return (name === 'content' ? partsPrefix : '') + spellJson(value, spelling);
  } catch (error) {
    // Nested deeper than the stack: such text stands in `_raw` as it is, never as a value.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function rawCell(name: string, raw: unknown, value: unknown): StoredValue | undefined {
  if (raw === null || typeof raw === 'string' || typeof raw === 'number') return raw;
  if (!isObject(raw)) return undefined;
  const [form, told, ...rest] = Object.entries(raw).flat();
  if (rest.length > 0 || typeof told !== 'string') return undefined;
  switch (form) {
    case '$text':
      return brokenText(Buffer.from(told, 'base64'));
    case '$base64':
      return Buffer.from(told, 'base64');
    case '$int':
      return /^-?\d{1,19}$/.test(told) ? BigInt.asIntN(64, BigInt(told)) : undefined;
    case '$real':
      return told === 'Infinity' ? Infinity : told === '-Infinity' ? -Infinity : undefined;
    case '$json':
      return told === 'spaced' || told === 'compact' ? decoded(name, value, told) : undefined;
    default:
      return undefined;
  }
}

/** Whether an object of a file looks like one of our sessions. */
export function isRecord(value: Json): boolean {
  return typeof value['id'] === 'string' && typeof value['source'] === 'string' && typeof value['started_at'] === 'number';
}
