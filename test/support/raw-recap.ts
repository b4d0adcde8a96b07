import type { Database } from 'better-sqlite3';

/**
 * What the recap of a session must say, worked out a second time: from raw rows, the slow and simple way, without any code of the product.
 * Rules: the guide to sessions ("Conversation Recap on Resume"), product.md 2, store-v31.md B3 (display projection).
 */
export interface RawEntry {
  role: 'user' | 'assistant';
  text: string;
  cut: 'lines' | 'characters' | undefined;
  tools: { count: number; names: string[] } | undefined;
}

export interface RawRecap {
  entries: RawEntry[];
  /** Messages with words older than the first entry. */
  earlier: number;
  /** All messages with words. */
  total: number;
}

interface RawRow {
  id: number;
  session_id: string;
  role: string;
  content: string | null;
  tool_calls: string | null;
  timestamp: number;
  active?: number | null;
  compacted?: number;
  display_kind?: string | null;
  display_metadata?: string | null;
  display_order?: number | null;
  message_uid?: string | null;
  _compressed_summary?: number;
}

interface RawSession {
  id: string;
  parent_session_id: string | null;
  end_reason: string | null;
  model_config: string | null;
}

/** Segments of the lineage, root first: a continuation's parent ended by compression, and it carries no mark of another kind. */
export function rawSegments(db: Database, id: string): string[] {
  const rows = db.prepare<[], RawSession>('SELECT id, parent_session_id, end_reason, model_config FROM sessions').all();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const isContinuation = (row: RawSession): boolean =>
    row.parent_session_id !== null &&
    byId.get(row.parent_session_id)?.end_reason === 'compression' &&
    !/"_(branched|delegate|reset)_from"/.test(row.model_config ?? '');
  let root = byId.get(id);
  while (root !== undefined && isContinuation(root)) root = byId.get(root.parent_session_id ?? '');
  const chain: string[] = [];
  while (root !== undefined) {
    const at: string = root.id;
    chain.push(at);
    root = rows.find((row) => row.parent_session_id === at && isContinuation(row));
  }
  return chain;
}

function isVisible(row: RawRow): boolean {
  const isLive = row.active === undefined || row.active === null || row.active === 1;
  if (!isLive && row.compacted !== 1) return false;
  if (row.role !== 'user' && row.role !== 'assistant') return false;
  if ((row.display_kind ?? '') !== '' || (row.display_metadata ?? '').includes('"model_only": true')) return false;
  return true;
}

function isSummary(row: RawRow): boolean {
  return row._compressed_summary === 1 || /^\[CONTEXT (COMPACTION|SUMMARY\])/.test(row.content ?? '');
}

function words(content: string | null): string {
  if (content === null) return '';
  if (!content.startsWith('\u0000json:')) return content;
  const parts = JSON.parse(content.slice(6)) as { type: string; text?: string; image_url?: { url: string } }[];
  return parts.map((part) => part.text ?? `[image: ${/^data:image\/(\w+)/.exec(part.image_url?.url ?? '')?.[1]}]`).join('\n');
}

/** Rows a reader sees, in the order they were said, each once. */
export function rawTranscript(db: Database, id: string): RawRow[] {
  const shown: RawRow[] = [];
  let parentRows: RawRow[] = [];
  for (const segment of rawSegments(db, id)) {
    const rows = db.prepare<[string], RawRow>('SELECT * FROM messages WHERE session_id = ? ORDER BY id').all(segment);
    const visible = rows.filter(isVisible);
    const place = (row: RawRow): number => row.display_order ?? row.id;
    const winners = new Map<number, RawRow>();
    for (const row of visible) {
      const other = winners.get(place(row));
      const rank = (one: RawRow): number => (one.active === 1 ? 1e12 : 0) + one.id;
      if (other === undefined || rank(row) > rank(other)) winners.set(place(row), row);
    }
    const isCopy = (row: RawRow): boolean =>
      parentRows.some((earlier) =>
        row.message_uid === undefined
          ? earlier.timestamp === row.timestamp && earlier.role === row.role && earlier.content === row.content
          : earlier.message_uid === row.message_uid,
      );
    shown.push(
      ...[...winners.entries()]
        .sort(([a], [b]) => a - b)
        .map(([, row]) => row)
        .filter((row) => !isCopy(row)),
    );
    parentRows = rows;
  }
  return shown.filter((row) => !isSummary(row));
}

const graphemes = (text: string): string[] => [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment);

function shorten(text: string, limit: number, lines: number): Pick<RawEntry, 'text' | 'cut'> {
  const head = text.trim().split('\n').slice(0, lines).join('\n').trimEnd();
  const letters = graphemes(head);
  if (letters.length > limit) return { text: letters.slice(0, limit).join('').trimEnd(), cut: 'characters' };
  return { text: head, cut: text.trim().split('\n').length > lines ? 'lines' : undefined };
}

export function rawRecap(db: Database, id: string): RawRecap {
  const entries: RawEntry[] = [];
  let waiting: string[] = [];
  for (const row of rawTranscript(db, id)) {
    const text = words(row.content).replace(/<think>[\s\S]*?<\/think>/g, '');
    if (row.role === 'user') {
      if (text.trim() === '') continue;
      waiting = [];
      entries.push({ role: 'user', ...shorten(text, 300, Infinity), tools: undefined });
      continue;
    }
    const calls = row.tool_calls === null ? [] : (JSON.parse(row.tool_calls) as { function: { name: string } }[]);
    waiting.push(...calls.map((call) => call.function.name));
    if (text.trim() === '') continue;
    const tools = waiting.length === 0 ? undefined : { count: waiting.length, names: [...new Set(waiting)] };
    entries.push({ role: 'assistant', ...shorten(text, 200, 3), tools });
    waiting = [];
  }
  const asked = entries.map((entry, index) => (entry.role === 'user' ? index : -1)).filter((index) => index >= 0);
  const from = asked.length <= 10 ? 0 : (asked.at(-10) ?? 0);
  return { entries: entries.slice(from), earlier: from, total: entries.length };
}
