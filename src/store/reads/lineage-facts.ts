import type { Facts } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { put, readNumber, readText } from '../rows.ts';
import { columnOr } from './columns.ts';
import type { Lineage } from './lineages.ts';

/** What tests ask of a session beyond its `Node`. */
export interface Details {
  readonly title?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly branch?: string;
  readonly user?: string;
  readonly chatId?: string;
  readonly chatType?: string;
  readonly tokens: number;
  /** The actual cost where it is known, else the estimate, in US dollars. */
  readonly cost?: number;
  readonly toolCalls: number;
}

const texts = [
  ['title', 'title'],
  ['model', 'model'],
  ['provider', 'billing_provider'],
  ['branch', 'git_branch'],
  ['user', 'user_id'],
  ['chatId', 'chat_id'],
  ['chatType', 'chat_type'],
] as const;
const numbers = ['input_tokens', 'output_tokens', 'tool_call_count', 'actual_cost_usd', 'estimated_cost_usd'] as const;

/** Details by session, for the rest of a statement that begins `FROM sessions AS s`. */
export function selectDetails(connection: Connection, rest: string, ...values: readonly unknown[]): Map<SessionId, Details> {
  const names = [...texts.map(([, column]) => column), ...numbers].map((name) => columnOr(connection, 'sessions', 's', name));
  const statement = connection.statement(`SELECT s.id, ${names.join(', ')} FROM sessions AS s ${rest}`).raw(true);
  const found = new Map<SessionId, Details>();
  for (const row of statement.iterate(...values)) found.set(String((row as unknown[])[0]), readDetails((row as unknown[]).slice(1)));
  return found;
}

/** @param cells in the order of `texts`, then `numbers` */
function readDetails(cells: readonly unknown[]): Details {
  const [input, output, toolCalls, actual, estimated] = cells.slice(texts.length).map(readNumber);
  const details: { -readonly [Name in keyof Details]: Details[Name] } = { tokens: (input ?? 0) + (output ?? 0), toolCalls: toolCalls ?? 0 };
  texts.forEach(([name], index) => put(details, name, readText(cells[index])));
  put(details, 'cost', actual ?? estimated);
  return details;
}

/** A lineage as tests see it (src/session/query.ts): numbers of all segments, the other facts of the tip, an earlier title where it has none. */
export function factsOf(lineage: Lineage, detailsOf: (id: SessionId) => Details | undefined): Facts {
  const { tip, segments } = lineage;
  const own = detailsOf(tip.id);
  const all = segments.map((segment) => detailsOf(segment.id));
  const sum = (value: (details: Details) => number | undefined): number =>
    all.reduce((total, details) => total + ((details && value(details)) ?? 0), 0);
  const facts: { -readonly [Name in keyof Facts]: Facts[Name] } = {
    id: tip.id,
    source: tip.source,
    startedAt: lineage.startedAt,
    lastActive: lineage.lastActive,
    messages: segments.reduce((total, segment) => total + segment.messageCount, 0),
    tokens: sum((details) => details.tokens),
    toolCalls: sum((details) => details.toolCalls),
    pinned: lineage.pinned,
    archived: tip.archived,
    ended: tip.endedAt !== undefined,
  };
  put(facts, 'title', all.findLast((details) => details?.title !== undefined)?.title);
  for (const name of ['model', 'provider', 'branch', 'user', 'chatId', 'chatType'] as const) put(facts, name, own?.[name]);
  put(facts, 'endReason', tip.endReason);
  put(facts, 'cwd', tip.cwd);
  put(facts, 'gitRepoRoot', tip.gitRepoRoot);
  if (all.some((details) => details?.cost !== undefined)) facts.cost = sum((details) => details.cost);
  return facts;
}
