import type { Query, Test } from '../../src/session/query.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { Connection } from '../../src/store/connection.ts';
import { decodeContent, decodeToolCalls } from '../../src/store/content.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';

/**
 * Search once more in the plainest form: every message in memory, one regular expression a word, the tree of the query gone through for every
 * document. Nothing is shared with the matcher, the plan or the SQL of src; only how a cell is decoded and which sessions make one lineage are.
 */
export interface NaiveStore {
  /** By root of the lineage: messages to go to, and whether a title alone matches. */
  search(query: Query): Map<string, { hits: number[]; isTitle: boolean }>;
  /** Texts to draw words from. */
  readonly texts: readonly string[];
}

interface NaiveMessage {
  readonly id: number;
  readonly fields: readonly string[];
  readonly title: string;
  readonly row: SessionRow;
  readonly raw: Raw;
  readonly tools: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;
type Text = Extract<Query, { type: 'text' }>;

const fold = (text: string): string => text.normalize('NFC').toLowerCase().replace(/ς/g, 'σ').normalize('NFC');

export function naiveStore(connection: Connection): NaiveStore {
  const raws = (table: string): Raw[] => connection.db.prepare(`SELECT * FROM ${table}`).all() as Raw[];
  const titles = new Map(raws('sessions').map((row) => [String(row['id']), asText(row['title'])]));
  const rowOf = new Map<string, SessionRow>();
  for (const chunk of listRows(connection))
    if (chunk.type === 'rows') for (const row of chunk.rows) for (const id of row.ids) rowOf.set(id, row);
  const all = raws('messages');
  const active = new Set(
    all.filter((raw) => raw['active'] === 1).map((raw) => `${String(raw['session_id'])} ${String(raw['message_uid'])}`),
  );
  const messages = all.flatMap((raw): NaiveMessage[] => {
    const sessionId = String(raw['session_id']);
    const row = rowOf.get(sessionId);
    if (row === undefined || raw['role'] === 'session_meta' || raw['display_kind'] === 'hidden') return [];
    if ('active' in raw && raw['active'] !== 1 && raw['active'] !== null && raw['compacted'] !== 1) return [];
    if (/"model_only": ?true/.test(asText(raw['display_metadata']))) return [];
    const before = row.ids[row.ids.indexOf(sessionId) - 1];
    if (before !== undefined && isCopy(raw, before, all, active)) return [];
    const calls = decodeToolCalls(raw['tool_calls']);
    const name = asText(raw['tool_name']);
    const fields = [decodeContent(raw['content']).text, name, ...calls.flatMap((call) => [call.name, unescape(call.arguments)])];
    return [
      {
        id: Number(raw['id']),
        fields: fields.map(fold),
        title: fold(titles.get(sessionId) ?? ''),
        row,
        raw,
        tools: [name, ...calls.map((call) => call.name)],
      },
    ];
  });

  return {
    texts: [...messages.flatMap((message) => message.fields), ...titles.values()].filter((text) => text !== ''),
    search(query) {
      const found = new Map<string, { hits: number[]; isTitle: boolean }>();
      const entry = (root: string): { hits: number[]; isTitle: boolean } => {
        if (!found.has(root)) found.set(root, { hits: [], isTitle: false });
        return found.get(root)!;
      };
      const patterns = new Map<string, RegExp | string>();
      const isIn = (node: Text, text: string): boolean => {
        const key = JSON.stringify(node);
        if (!patterns.has(key)) patterns.set(key, patternOf(node));
        const pattern = patterns.get(key)!;
        return typeof pattern === 'string' ? pattern !== '' && text.includes(pattern) : pattern.test(text);
      };
      const wanted = wantedTexts(query, true);
      for (const message of messages) {
        const has = (node: Text): boolean => message.fields.some((field) => isIn(node, field));
        const all = (node: Text): boolean => has(node) || isIn(node, message.title);
        const test = (each: Test): boolean => passes(each, message.row, message);
        if (!holds(query, all, test)) continue;
        // Without any of the words here, what is left must be a match too.
        if (wanted.some(has) || holds(query, (node) => !wanted.includes(node) && all(node), test))
          entry(message.row.rootId).hits.push(message.id);
      }
      for (const [id, title] of titles) {
        const row = rowOf.get(id);
        const folded = fold(title);
        if (row === undefined || !wanted.some((node) => isIn(node, folded))) continue;
        if (
          holds(
            query,
            (node) => isIn(node, folded),
            (test) => passes(test, row, undefined),
          )
        )
          entry(row.rootId).isTitle = true;
      }
      return found;
    },
  };
}

function isCopy(raw: Raw, before: string, all: readonly Raw[], active: ReadonlySet<string>): boolean {
  if ('message_uid' in raw) return raw['message_uid'] !== null && active.has(`${before} ${String(raw['message_uid'])}`);
  return all.some(
    (other) =>
      other['session_id'] === before && ['timestamp', 'role', 'content', 'tool_call_id'].every((name) => other[name] === raw[name]),
  );
}

const asText = (value: unknown): string => (value === null || value === undefined ? '' : String(value as string));

const unescape = (text: string): string =>
  text.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, sign: string) =>
    sign.length === 5 ? String.fromCharCode(parseInt(sign.slice(1), 16)) : ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }[sign] ?? sign),
  );

const letters = '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}';
const scripts = ['Latin', 'Greek', 'Cyrillic'];

function patternOf(node: Text): RegExp | string {
  const text = fold(node.text);
  const words = text.split(/\s+/u).filter((word) => word !== '');
  const isWords = words.length > 0 && words.every((word) => new RegExp(`^[${letters}\\p{Nd}][${letters}\\p{Nd}\\p{M}]*$`, 'u').test(word));
  if (!isWords) return text;
  const joining = (character: string): string => {
    const script = scripts.find((name) => new RegExp(`\\p{Script=${name}}`, 'u').test(character));
    return script === undefined ? `[${letters}\\p{Nd}]` : `[\\p{Script=${script}}\\p{Nd}]`;
  };
  const joined = words.join(' ');
  const last = [...joined.replace(/\p{M}/gu, '')].at(-1)!;
  const body = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+');
  const end = node.isPrefix ? '' : `(?!\\p{M}|${joining(last)})`;
  return new RegExp(`(?<!${joining([...joined][0]!)}\\p{M}*)${body}${end}`, 'u');
}

function wantedTexts(query: Query, isWanted: boolean): Text[] {
  if (query.type === 'text') return isWanted ? [query] : [];
  if (query.type === 'not') return wantedTexts(query.node, !isWanted);
  return query.type === 'test' ? [] : query.nodes.flatMap((node) => wantedTexts(node, isWanted));
}

function holds(query: Query, text: (node: Text) => boolean, test: (test: Test) => boolean): boolean {
  if (query.type === 'text') return text(query);
  if (query.type === 'test') return test(query.test);
  if (query.type === 'not') return !holds(query.node, text, test);
  return query.type === 'and' ? query.nodes.every((node) => holds(node, text, test)) : query.nodes.some((node) => holds(node, text, test));
}

function passes(test: Test, row: SessionRow, message: NaiveMessage | undefined): boolean {
  switch (test.field) {
    case 'role':
      return message?.raw['role'] === test.is;
    case 'tool':
      return message?.tools.includes(test.is) === true;
    case 'said': {
      const at = message?.raw['timestamp'];
      if (typeof at !== 'number' || at <= 0 || at > 4_200_000_000) return false;
      return at * 1000 >= (test.from ?? -Infinity) && at * 1000 < (test.until ?? Infinity);
    }
    case 'source':
      return row.source === test.is;
    case 'title':
      return fold(row.title ?? '').includes(fold(test.contains)) && row.title !== undefined;
    case 'is':
      return test.value === 'ended' ? row.ended === true : test.value === 'archived' ? row.archived : row.pinned;
    default:
      throw new Error(`no such test here: ${test.field}`);
  }
}
