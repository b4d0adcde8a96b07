/**
 * The tables of a store at layout 31 (docs/session-store.md). This is the one place where columns, types and defaults are listed; the
 * CREATE and ALTER statements, the fixtures of older eras and the reconcile step are made from it. Order here is order in the file.
 *
 * One column is written `name TYPE`, followed by `!` for NOT NULL, `=value` for a default, `PK` for the primary key and `-> table.column` for a
 * reference; a composite key stands in `key`.
 */
export interface ColumnSpec {
  readonly name: string;
  readonly type: 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB';
  readonly isRequired: boolean;
  /** SQL literal. */
  readonly defaultValue?: string;
  readonly references?: { readonly table: string; readonly column: string; readonly cascades: boolean };
  readonly isKey: boolean;
}

export interface TableSpec {
  readonly name: string;
  readonly columns: readonly ColumnSpec[];
  /** Columns of the primary key in key order; empty when there is none. */
  readonly key: readonly string[];
  /** Row ids are never used twice. */
  readonly isAutoincrement: boolean;
}

const COLUMN = /^(\w+) (TEXT|INTEGER|REAL|BLOB)(!?)(?:=('[^']*'|-?\d+))?( PK)?(?: -> (\w+)\.(\w+)( cascade)?)?$/;

function parseColumn(text: string): ColumnSpec {
  const match = COLUMN.exec(text);
  if (match === null) throw new TypeError(`not a column: ${text}`);
  const [, name, type, required, defaultValue, key, table, column, cascade] = match;
  return {
    name: name as string,
    type: type as ColumnSpec['type'],
    isRequired: required === '!',
    isKey: key !== undefined,
    ...(defaultValue === undefined ? {} : { defaultValue }),
    ...(table === undefined ? {} : { references: { table, column: column as string, cascades: cascade !== undefined } }),
  };
}

function table(name: string, columns: string, options: { key?: string; isAutoincrement?: boolean } = {}): TableSpec {
  const parsed = columns
    .split(';')
    .map((text) => text.trim().replace(/\s+/g, ' '))
    .filter((text) => text !== '')
    .map(parseColumn);
  const key = options.key?.split(' ') ?? parsed.filter((column) => column.isKey).map((column) => column.name);
  return { name, columns: parsed, key, isAutoincrement: options.isAutoincrement ?? false };
}

/** In the order in which they are created: a referenced table stands before the one that refers to it. */
export const TABLES: readonly TableSpec[] = [
  table('schema_version', 'version INTEGER!'),
  table('system_prompts', 'hash TEXT PK; prompt TEXT!'),
  table(
    'sessions',
    `id TEXT PK; source TEXT!; created_source TEXT; user_id TEXT; session_key TEXT; chat_id TEXT; chat_type TEXT; thread_id TEXT;
     display_name TEXT; origin_json TEXT; expiry_finalized INTEGER=0;
     model TEXT; model_config TEXT; system_prompt TEXT; system_prompt_hash TEXT -> system_prompts.hash;
     parent_session_id TEXT -> sessions.id; started_at REAL!; ended_at REAL; end_reason TEXT;
     message_count INTEGER=0; tool_call_count INTEGER=0; input_tokens INTEGER=0; output_tokens INTEGER=0; cache_read_tokens INTEGER=0;
     cache_write_tokens INTEGER=0; reasoning_tokens INTEGER=0;
     cwd TEXT; git_branch TEXT; git_repo_root TEXT; git_metadata_generation INTEGER!=0;
     billing_provider TEXT; billing_base_url TEXT; billing_mode TEXT; estimated_cost_usd REAL; actual_cost_usd REAL; cost_status TEXT;
     cost_source TEXT; pricing_version TEXT;
     title TEXT; title_source TEXT; last_activity_at REAL; last_activity_description TEXT; last_activity_provenance TEXT;
     api_call_count INTEGER=0; handoff_state TEXT; handoff_platform TEXT; handoff_error TEXT;
     compression_failure_cooldown_until REAL; compression_failure_error TEXT; compression_fallback_streak INTEGER!=0;
     compression_ineffective_count INTEGER!=0; compression_recovery_deadline REAL; compression_overload_streak INTEGER!=0;
     profile_name TEXT; transport_profile TEXT; rewind_count INTEGER!=0;
     archived INTEGER!=0; auto_archived INTEGER!=0; pinned INTEGER!=0; hidden INTEGER!=0; last_read_at REAL; tool_names TEXT`,
  ),
  table(
    'messages',
    `id INTEGER PK; session_id TEXT! -> sessions.id; role TEXT!; content TEXT; tool_call_id TEXT; tool_calls TEXT; tool_name TEXT;
     effect_disposition TEXT; timestamp REAL!; token_count INTEGER; finish_reason TEXT;
     reasoning TEXT; reasoning_content TEXT; reasoning_details TEXT; codex_reasoning_items TEXT; codex_message_items TEXT;
     platform_message_id TEXT; observed INTEGER=0; _compressed_summary INTEGER!=0; active INTEGER!=1; compacted INTEGER!=0;
     api_content TEXT; display_kind TEXT; display_metadata TEXT; display_identity BLOB; display_order INTEGER;
     message_uid TEXT; absorbed_message_uids TEXT; tool_call_uids TEXT; tool_call_uid TEXT`,
    { isAutoincrement: true },
  ),
  table(
    'session_model_usage',
    `session_id TEXT! -> sessions.id cascade; model TEXT!; billing_provider TEXT!=''; billing_base_url TEXT!=''; billing_mode TEXT!='';
     task TEXT!='';
     api_call_count INTEGER!=0; input_tokens INTEGER!=0; output_tokens INTEGER!=0; cache_read_tokens INTEGER!=0;
     cache_write_tokens INTEGER!=0; reasoning_tokens INTEGER!=0; estimated_cost_usd REAL!=0; actual_cost_usd REAL!=0;
     cost_status TEXT; cost_source TEXT; first_seen REAL; last_seen REAL`,
    { key: 'session_id model billing_provider billing_base_url billing_mode task' },
  ),
  table('state_meta', 'key TEXT PK; value TEXT'),
  table('gateway_routing', `scope TEXT!=''; session_key TEXT!; entry_json TEXT!; updated_at REAL!`, { key: 'scope session_key' }),
  table('gateway_hygiene_state', 'session_key TEXT PK; failure_streak INTEGER!=0'),
  table('conversation_generations', 'source TEXT!; session_key TEXT!; generation INTEGER!=0', { key: 'source session_key' }),
  table('gateway_heartbeats', `backend_id TEXT PK; pid INTEGER!; started_at REAL!; last_heartbeat REAL!; profile TEXT!=''; host TEXT!=''`),
  table('compression_locks', 'session_id TEXT PK; holder TEXT!; acquired_at REAL!; expires_at REAL!'),
  table('session_turn_leases', 'conversation_id TEXT PK; holder TEXT!; acquired_at REAL!; expires_at REAL!'),
  table(
    'async_delegations',
    `delegation_id TEXT PK; origin_session TEXT!; origin_ui_session_id TEXT!=''; parent_session_id TEXT; state TEXT!;
     dispatched_at REAL!; completed_at REAL; updated_at REAL!; event_json TEXT; result_json TEXT;
     delivery_state TEXT!='pending'; delivery_attempts INTEGER!=0; delivered_at REAL; owner_pid INTEGER; owner_started_at INTEGER;
     task_json TEXT; delivery_claim TEXT; delivery_claimed_at REAL; origin_session_id TEXT!=''`,
  ),
];

/** @throws TypeError for a name that is not in the layout. */
export function tableNamed(name: string): TableSpec {
  const found = TABLES.find((spec) => spec.name === name);
  if (found === undefined) throw new TypeError(`no table ${name} in the layout`);
  return found;
}

/** The column as CREATE TABLE and ALTER TABLE ADD COLUMN spell it, without key and reference. */
export function columnSql(column: ColumnSpec): string {
  const required = column.isRequired ? ' NOT NULL' : '';
  return `${column.name} ${column.type}${required}${column.defaultValue === undefined ? '' : ` DEFAULT ${column.defaultValue}`}`;
}

/** @param spec a table of the layout, or a part of one (an older era) */
export function createTableSql(spec: TableSpec): string {
  const single = spec.key.length === 1 ? spec.key[0] : undefined;
  const lines = spec.columns.map((column) => {
    const key = column.name === single ? ` PRIMARY KEY${spec.isAutoincrement ? ' AUTOINCREMENT' : ''}` : '';
    const target = column.references;
    const reference =
      target === undefined ? '' : ` REFERENCES ${target.table}(${target.column})${target.cascades ? ' ON DELETE CASCADE' : ''}`;
    return columnSql(column) + key + reference;
  });
  if (spec.key.length > 1) lines.push(`PRIMARY KEY (${spec.key.join(', ')})`);
  return `CREATE TABLE IF NOT EXISTS ${spec.name} (\n  ${lines.join(',\n  ')}\n)`;
}
