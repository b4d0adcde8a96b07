import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../connection.ts';
import { first, writeTime } from '../rows.ts';
import { demandSession, updateRow } from './rows.ts';

/** Tokens and route of one model call. */
export interface ModelUsage {
  model: string;
  provider?: string;
  baseUrl?: string;
  billingMode?: string;
  /** '' is the conversation itself; auxiliary work (`compression`, `title_generation`) never counts into the session's totals. */
  task?: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
  /** US dollars. */
  estimatedCost?: number;
}

const counters = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'estimated_cost_usd',
  'api_call_count',
] as const;

/** Adds one call to the session's totals and to its line in `session_model_usage` (state-db.md 1.4). */
export function addUsage(connection: Connection, id: SessionId, usage: ModelUsage): void {
  demandSession(connection, id);
  const amounts = [
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadTokens ?? 0,
    usage.cacheWriteTokens ?? 0,
    usage.reasoningTokens ?? 0,
    usage.estimatedCost ?? 0,
    1,
  ];
  const added = Object.fromEntries(counters.map((name, index) => [name, amounts[index] ?? 0]));
  if ((usage.task ?? '') === '') addToTotals(connection, id, usage, added);
  addToModel(connection, id, usage, added);
}

function addToTotals(connection: Connection, id: SessionId, usage: ModelUsage, added: Readonly<Record<string, number>>): void {
  // A cost that nobody knows stays unknown instead of becoming 0.
  const names = counters.filter(
    (name) => connection.has('sessions', name) && (name !== 'estimated_cost_usd' || usage.estimatedCost !== undefined),
  );
  if (names.length > 0) {
    const sql = `UPDATE sessions SET ${names.map((name) => `${name} = COALESCE(${name}, 0) + ?`).join(', ')} WHERE id = ?`;
    connection.statement(sql).run(...names.map((name) => added[name]), id);
  }
  const hasRoute = connection.has('sessions', 'billing_provider');
  // The first route that is accounted for names the session's (store-v31.md B3).
  if (hasRoute && first(connection, 'SELECT billing_provider AS p FROM sessions WHERE id = ?', id)?.['p'] === null) {
    updateRow(connection, 'sessions', id, {
      billing_provider: usage.provider,
      billing_base_url: usage.baseUrl,
      billing_mode: usage.billingMode,
    });
  }
}

function addToModel(connection: Connection, id: SessionId, usage: ModelUsage, added: Readonly<Record<string, number>>): void {
  // Before version 22 the key had no task; such a table is its own program's to rebuild.
  if (!connection.has('session_model_usage', 'task')) return;
  const now = writeTime(connection.now());
  const sql = `INSERT INTO session_model_usage
      (session_id, model, billing_provider, billing_base_url, billing_mode, task, ${counters.join(', ')}, first_seen, last_seen)
    VALUES (?, ?, ?, ?, ?, ?, ${counters.map(() => '?').join(', ')}, ?, ?)
    ON CONFLICT (session_id, model, billing_provider, billing_base_url, billing_mode, task) DO UPDATE SET
      ${counters.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}, last_seen = excluded.last_seen`;
  connection
    .statement(sql)
    .run(
      id,
      usage.model,
      usage.provider ?? '',
      usage.baseUrl ?? '',
      usage.billingMode ?? '',
      usage.task ?? '',
      ...counters.map((name) => added[name]),
      now,
      now,
    );
}
