import type { SessionRow } from '../../src/session/types.ts';
import type { Connection } from '../../src/store/connection.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';

/**
 * Filters once more in the plainest form: every row in memory, flags read one by one as state-db.md 6 says, nothing shared with the query
 * tree, the evaluator or the SQL of src. Only which sessions make one lineage is taken from the full listing, which has a naive twin of its own.
 */
export interface NaiveLineage {
  readonly id: string;
  readonly ids: readonly string[];
  readonly delegates: readonly string[];
  readonly pinned: boolean;
  readonly archived: boolean;
  readonly ended: boolean;
  fits(flags: Readonly<Record<string, string>>): boolean;
}

type Raw = Readonly<Record<string, unknown>>;
const machine = new Set(['tool', 'kanban', 'subagent', 'cron', 'batch']);
const day = 86_400;
const hour = 3_600;

/** @param options `includeHosted`: sub-agents of stored conversations too, whatever source was named, as the list looks at them */
export function naiveLineages(connection: Connection, options: { includeHosted?: boolean } = {}): NaiveLineage[] {
  const raw = new Map((connection.db.prepare('SELECT * FROM sessions').all() as Raw[]).map((row) => [String(row['id']), row]));
  const newest = new Map<string, number>();
  for (const row of connection.db.prepare('SELECT session_id, timestamp FROM messages').all() as Raw[]) {
    const at = row['timestamp'];
    if (typeof at !== 'number' || at <= 0 || at > 4_200_000_000) continue;
    newest.set(String(row['session_id']), Math.max(newest.get(String(row['session_id'])) ?? 0, at));
  }
  const rows: SessionRow[] = [];
  for (const chunk of listRows(connection)) if (chunk.type === 'rows') rows.push(...chunk.rows);
  const rowOf = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row] as const)));
  const hostOf = (row: SessionRow): SessionRow | undefined => {
    const parent = row.isDelegate === true ? raw.get(row.rootId)?.['parent_session_id'] : undefined;
    return typeof parent === 'string' ? rowOf.get(parent) : undefined;
  };
  const hosts = (row: SessionRow): SessionRow[] => {
    const found: SessionRow[] = [];
    for (let at = hostOf(row); at !== undefined && !found.includes(at); at = hostOf(at)) found.push(at);
    return found;
  };
  const above = new Map(rows.map((row) => [row, hosts(row)] as const));
  const below = new Map<SessionRow, string[]>(rows.map((row) => [row, []]));
  for (const [row, itsHosts] of above) for (const host of itsHosts) below.get(host)?.push(...row.ids);
  return rows.map((row) => {
    const itsHosts = above.get(row) ?? [];
    return {
      id: row.id,
      ids: row.ids,
      delegates: below.get(row) ?? [],
      pinned: row.pinned || itsHosts.some((host) => host.pinned),
      archived: row.archived,
      ended: raw.get(row.id)?.['ended_at'] !== null,
      fits: (flags) =>
        (options.includeHosted === true || itsHosts.length === 0 || (flags['source'] === row.source && machine.has(row.source))) &&
        Object.entries(flags).every(([name, value]) => fitsFlag(name, value, row, raw, newest, connection.now() / 1000)),
    };
  });
}

function fitsFlag(
  name: string,
  value: string,
  row: SessionRow,
  raw: ReadonlyMap<string, Raw>,
  newest: ReadonlyMap<string, number>,
  now: number,
): boolean {
  const tip = raw.get(row.id) ?? {};
  const segments = row.ids.map((id) => raw.get(id) ?? {});
  const sum = (column: string): number =>
    segments.reduce((total, segment) => total + (typeof segment[column] === 'number' ? (segment[column] as number) : 0), 0);
  const sane = (seconds: unknown): number => (typeof seconds === 'number' && seconds > 0 && seconds <= 4_200_000_000 ? seconds : 0);
  const aged = (seconds: number): number => (seconds > now + day ? now : seconds);
  const activity = Math.max(
    ...segments.map((each) => Math.max(sane(each['last_activity_at']), newest.get(String(each['id'])) ?? 0) || sane(each['started_at'])),
  );
  const started = sane(segments[0]?.['started_at']);
  const costs = segments.map((each) => each['actual_cost_usd'] ?? each['estimated_cost_usd']).filter((cost) => typeof cost === 'number');
  const cost = costs.length === 0 ? undefined : costs.reduce((total, each) => total + each, 0);
  const same = (column: string): boolean => tip[column] !== null && tip[column] !== undefined && String(tip[column]) === value;
  const part = (text: unknown): boolean =>
    typeof text === 'string' && text.normalize('NFC').toLowerCase().includes(value.normalize('NFC').toLowerCase());
  switch (name) {
    case 'older-than':
      return activity > 0 && aged(activity) < pointInTime(value, now);
    case 'newer-than':
      return activity > 0 && aged(activity) >= pointInTime(value, now);
    case 'before':
      return started > 0 && aged(started) < pointInTime(value, now);
    case 'after':
      return started > 0 && aged(started) >= pointInTime(value, now);
    case 'source':
      return same('source');
    case 'provider':
      return same('billing_provider');
    case 'user':
      return same('user_id');
    case 'chat-id':
      return same('chat_id');
    case 'chat-type':
      return same('chat_type');
    case 'end-reason':
      return same('end_reason');
    case 'title':
      return part(row.title);
    case 'model':
      return part(tip['model']);
    case 'branch':
      return part(tip['git_branch']);
    case 'workspace':
      return part((tip['git_repo_root'] as string | null) || tip['cwd'] || undefined);
    case 'cwd':
      return `${String(tip['cwd'] ?? '')}/`.startsWith(value === '/' ? value : `${value}/`) && Boolean(tip['cwd']);
    case 'min-messages':
      return sum('message_count') >= Number(value);
    case 'max-messages':
      return sum('message_count') <= Number(value);
    case 'min-tokens':
      return sum('input_tokens') + sum('output_tokens') >= Number(value);
    case 'max-tokens':
      return sum('input_tokens') + sum('output_tokens') <= Number(value);
    case 'min-tool-calls':
      return sum('tool_call_count') >= Number(value);
    case 'max-tool-calls':
      return sum('tool_call_count') <= Number(value);
    case 'min-cost':
      return cost !== undefined && cost >= Number(value);
    case 'max-cost':
      return cost !== undefined && cost <= Number(value);
    default:
      throw new Error(`no such flag: ${name}`);
  }
}

/** Seconds; the few forms the random flags take. */
function pointInTime(value: string, now: number): number {
  const [, count, unit] = /^(\d+)([hdw]?)$/.exec(value) ?? [];
  if (count === undefined) return Date.parse(value) / 1000;
  return now - Number(count) * (unit === 'h' ? hour : unit === 'w' ? 7 * day : day);
}
