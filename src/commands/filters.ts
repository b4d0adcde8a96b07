import { realpathSync } from 'node:fs';
import path from 'node:path';
import { HermesError, UsageError } from '../errors.ts';
import { isEverything, type Query, type Test } from '../session/query.ts';
import { parseQuery } from '../session/query-parse.ts';
import { parseTime } from '../session/time-span.ts';
import type { Connection } from '../store/connection.ts';
import { matchingTips } from '../store/search/index.ts';
import { filterText as text } from '../text/en/filters.ts';
import type { ShellContext } from './context.ts';
import type { Flags } from './parse.ts';
import { filterFlags } from './table.ts';

export interface Filters {
  /** Everything that was asked for must hold. */
  readonly query: Query;
  /** What `--query` asks of messages; only the store knows which sessions that are (`answerTexts`). */
  readonly messages?: Query;
  /** Nothing was asked for: every session fits. */
  readonly isEmpty: boolean;
  /** As typed: `older-than 30, source telegram`; empty without filters. */
  readonly description: string;
}

type ExactField = Extract<Test, { is: string }>['field'];
type PartField = Extract<Test, { contains: string }>['field'];

const exact: readonly ExactField[] = ['source', 'provider', 'user', 'chat-id', 'chat-type', 'end-reason'];
const parts: readonly PartField[] = ['title', 'model', 'branch', 'workspace'];
const numbers = ['messages', 'tokens', 'cost', 'tool-calls'] as const;

/**
 * The filter options of list, export, prune and archive (`filterFlags`, and `--workspace` where a command has it) as one query.
 *
 * @throws UsageError for a value that can't be read; HermesError `empty-window` (exit code 1) when no session could ever match
 */
export function readFilters(flags: Flags, context: Pick<ShellContext, 'cwd' | 'userHome' | 'now'>): Filters {
  const given = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const nodes: Query[] = [];
  const add = (test: Test): void => void nodes.push({ type: 'test', test });

  const active = readWindow(given, 'newer-than', 'older-than', context.now());
  if (active !== undefined) add({ field: 'active', ...active });
  const started = readWindow(given, 'after', 'before', context.now());
  if (started !== undefined) add({ field: 'started', ...started });
  for (const field of exact) {
    const value = given(field);
    if (value !== undefined) add({ field, is: value });
  }
  for (const field of parts) {
    const value = given(field);
    if (value !== undefined) add({ field, contains: value });
  }
  const cwd = given('cwd');
  if (cwd !== undefined) nodes.push(underFolder(cwd, context));
  for (const field of numbers) {
    const bounds = readBounds(given, field);
    if (bounds !== undefined) add({ field, ...bounds });
  }

  const typed = typedQuery(given('query'), context.now());
  // What can be told from the session alone is a filter like the others: a source named there shows even when it is machine-made.
  const asked = typed?.type === 'and' ? typed.nodes : typed === undefined ? [] : [typed];
  nodes.push(...asked.filter((node) => !asksMessages(node)));
  const said = asked.filter(asksMessages);
  const messages: Pick<Filters, 'messages'> = said.length === 0 ? {} : { messages: { type: 'and', nodes: said } };

  const names = [...filterFlags.map((flag) => flag.name.slice(2)), 'workspace'];
  const description = names.flatMap((name) => (given(name) === undefined ? [] : [`${name} ${given(name)}`])).join(', ');
  return { query: { type: 'and', nodes }, ...messages, isEmpty: nodes.length === 0 && typed === undefined, description };
}

/** The filters as a query that needs no messages: those it asks about are searched for first. Complete without any index, and slower then. */
export function answerTexts(connection: Connection, { query, messages }: Pick<Filters, 'query' | 'messages'>): Query {
  if (messages === undefined) return query;
  const among: Query = { type: 'test', test: { field: 'among', ids: new Set(matchingTips(connection, messages)) } };
  return { type: 'and', nodes: [query, among] };
}

/** `--query TEXT`, in the language of the search panel. @throws UsageError where it asks nothing, or for a time: two flags say which one is meant */
function typedQuery(value: string | undefined, now: number): Query | undefined {
  if (value === undefined) return undefined;
  const query = parseQuery(value, { now, times: 'said' });
  if (isEverything(query)) throw new UsageError(text.emptyQuery, text.queryHint);
  if (someLeaf(query, (leaf) => leaf.type === 'test' && leaf.test.field === 'said'))
    throw new UsageError(text.timeInQuery, text.timeInQueryHint);
  return query;
}

const asksMessages = (query: Query): boolean =>
  someLeaf(query, (leaf) => leaf.type === 'text' || (leaf.type === 'test' && ['role', 'tool'].includes(leaf.test.field)));

type Leaf = Extract<Query, { type: 'text' | 'test' }>;

function someLeaf(query: Query, test: (leaf: Leaf) => boolean): boolean {
  if (query.type === 'text' || query.type === 'test') return test(query);
  return query.type === 'not' ? someLeaf(query.node, test) : query.nodes.some((node) => someLeaf(node, test));
}

type Given = (name: string) => string | undefined;

function readWindow(given: Given, fromName: string, untilName: string, now: number): { from?: number; until?: number } | undefined {
  const from = readTime(given, fromName, now);
  const until = readTime(given, untilName, now);
  if (from === undefined && until === undefined) return undefined;
  if (from !== undefined && until !== undefined && from >= until) {
    throw new HermesError('empty-window', text.emptyWindow(`--${fromName} ${given(fromName)}`, `--${untilName} ${given(untilName)}`));
  }
  return { ...(from === undefined ? {} : { from }), ...(until === undefined ? {} : { until }) };
}

function readTime(given: Given, name: string, now: number): number | undefined {
  const value = given(name);
  if (value === undefined) return undefined;
  const time = parseTime(value, now);
  if (time === undefined) throw new UsageError(text.wrongTime(`--${name}`, value), text.wrongTimeHint);
  return time;
}

function readBounds(given: Given, field: (typeof numbers)[number]): { min?: number; max?: number } | undefined {
  const min = readNumber(given, `min-${field}`);
  const max = readNumber(given, `max-${field}`);
  if (min === undefined && max === undefined) return undefined;
  if (min !== undefined && max !== undefined && min > max) {
    throw new HermesError('empty-window', text.emptyBounds(`--min-${field} ${min}`, `--max-${field} ${max}`));
  }
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function readNumber(given: Given, name: string): number | undefined {
  const value = given(name);
  if (value === undefined) return undefined;
  if (name.endsWith('-cost')) {
    if (!/^\$?(?:\d+\.?\d*|\.\d+)$/.test(value)) throw new UsageError(text.wrongAmount(`--${name}`, value));
    return Number(value.replace('$', ''));
  }
  if (!/^\d{1,15}$/.test(value)) throw new UsageError(text.wrongCount(`--${name}`, value));
  return Number(value);
}

/** `~` and relative paths mean what they mean in a shell; a folder reached through a link has two spellings, and both count. */
function underFolder(typed: string, context: Pick<ShellContext, 'cwd' | 'userHome'>): Query {
  const spelled = path.resolve(
    context.cwd,
    typed.replace(/^~(?=\/|$)/, () => context.userHome),
  );
  const spellings = [...new Set([spelled, realPath(spelled)])];
  const nodes = spellings.map((under): Query => ({ type: 'test', test: { field: 'cwd', under } }));
  return nodes.length === 1 ? nodes[0]! : { type: 'or', nodes };
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Sessions outlive the folders they worked in: one that is gone has the spelling that was typed.
    return folder;
  }
}
