import type { Facts } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { put, readNumber, readText } from '../rows.ts';
import { columnOr } from './columns.ts';
import { nodeColumns, readNode, type Lineage, type Node } from './lineages.ts';

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

const detailColumns = (connection: Connection): readonly string[] =>
  [...texts.map(([, column]) => column), ...numbers].map((name) => columnOr(connection, 'sessions', 's', name));

/** Details by session, for the rest of a statement that begins `FROM sessions AS s`. */
export function selectDetails(connection: Connection, rest: string, ...values: readonly unknown[]): Map<SessionId, Details> {
  const statement = connection.statement(`SELECT s.id, ${detailColumns(connection).join(', ')} FROM sessions AS s ${rest}`).raw(true);
  const found = new Map<SessionId, Details>();
  for (const row of statement.iterate(...values) as IterableIterator<unknown[]>) found.set(String(row[0]), readDetails(row, 1));
  return found;
}

/** A session with all that tests ask of it. */
export interface DetailedNode extends Node {
  readonly details: Details;
}

/** Nodes and details in one statement: half the time of two. */
export function selectDetailed(connection: Connection, rest: string, ...values: readonly unknown[]): DetailedNode[] {
  const columns = nodeColumns(connection);
  const statement = connection
    .statement(`SELECT ${[...columns, ...detailColumns(connection)].join(', ')} FROM sessions AS s ${rest}`)
    .raw(true);
  const found: DetailedNode[] = [];
  for (const row of statement.iterate(...values) as IterableIterator<unknown[]>) {
    found.push(Object.assign(readNode(row), { details: readDetails(row, columns.length) }));
  }
  return found;
}

/** @param from where in the row the cells are, in the order of `texts`, then `numbers` */
function readDetails(row: readonly unknown[], from: number): Details {
  const number = (index: number): number | undefined => readNumber(row[from + texts.length + index]);
  const details: { -readonly [Name in keyof Details]: Details[Name] } = {
    tokens: (number(0) ?? 0) + (number(1) ?? 0),
    toolCalls: number(2) ?? 0,
  };
  for (let index = 0; index < texts.length; index++) put(details, texts[index]![0], readText(row[from + index]));
  put(details, 'cost', number(3) ?? number(4));
  return details;
}

/** A lineage as tests see it (src/session/query.ts): numbers of all segments, the other facts of the tip, an earlier title where it has none. */
export function factsOf<Each extends Node>(lineage: Lineage<Each>, detailsOf: (node: Each) => Details | undefined): Facts {
  const { tip, segments } = lineage;
  const own = detailsOf(tip);
  const all = segments.map(detailsOf);
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
