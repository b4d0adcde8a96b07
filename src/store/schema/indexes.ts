/**
 * The 26 named indexes of layout 31. Another program trusts an index by its name (store-v31.md B4.2), so each must mean exactly what the layout
 * says, wherever it is made.
 */
export interface IndexSpec {
  readonly name: string;
  readonly table: string;
  /** Indexed terms in order, as SQL. */
  readonly on: string;
  /** Columns the index reads, terms and condition: it can be made once all of them exist. */
  readonly needs: readonly string[];
  readonly where?: string;
  readonly isUnique?: true;
}

const VISIBLE = '(active = 1 OR compacted = 1)';

function index(name: string, tableName: string, on: string, options: { where?: string; isUnique?: true } = {}): IndexSpec {
  const words = `${on} ${options.where ?? ''}`.replace(/'[^']*'/g, '').match(/\b[a-z_]+\b/g) ?? [];
  return { name, table: tableName, on, needs: [...new Set(words)], ...options };
}

export const INDEXES: readonly IndexSpec[] = [
  index('idx_sessions_source', 'sessions', 'source'),
  index('idx_sessions_source_id', 'sessions', 'source, id'),
  index('idx_sessions_parent', 'sessions', 'parent_session_id'),
  index('idx_sessions_started', 'sessions', 'started_at DESC'),
  index('idx_sessions_session_key', 'sessions', 'session_key, started_at DESC'),
  index('idx_sessions_gateway_peer', 'sessions', 'source, user_id, chat_id, chat_type, thread_id, started_at DESC'),
  index('idx_sessions_handoff_state', 'sessions', 'handoff_state, started_at'),
  index('idx_sessions_system_prompt_hash', 'sessions', 'system_prompt_hash'),
  index('idx_sessions_tool_names', 'sessions', 'tool_names'),
  index('idx_sessions_effective_activity', 'sessions', 'COALESCE(last_activity_at, started_at) DESC, started_at DESC'),
  index('idx_sessions_title_unique', 'sessions', 'title', { where: 'title IS NOT NULL', isUnique: true }),
  index('idx_messages_session', 'messages', 'session_id, timestamp'),
  index('idx_messages_session_id', 'messages', 'session_id, id'),
  index('idx_messages_session_active', 'messages', 'session_id, active, timestamp'),
  index('idx_messages_session_uid', 'messages', 'session_id, message_uid', { where: 'active = 1' }),
  index('idx_messages_active_null', 'messages', 'active', { where: 'active IS NULL' }),
  index('idx_messages_assistant_calls_by_session', 'messages', 'session_id', { where: `role = 'assistant' AND tool_calls IS NOT NULL` }),
  index('idx_messages_platform_msg_id', 'messages', 'session_id, platform_message_id', { where: 'platform_message_id IS NOT NULL' }),
  index('idx_messages_display_page', 'messages', 'session_id, display_order, active DESC, id DESC', {
    where: 'active = 1 OR compacted = 1',
  }),
  index('idx_messages_display_backfill', 'messages', 'session_id', {
    where: `(display_order IS NULL OR display_identity IS NULL) AND ${VISIBLE}`,
  }),
  index('idx_messages_display_identity', 'messages', 'session_id, display_identity, display_order', {
    where: `display_identity IS NOT NULL AND ${VISIBLE}`,
  }),
  index('idx_session_model_usage_session', 'session_model_usage', 'session_id'),
  index('idx_session_model_usage_model', 'session_model_usage', 'model'),
  index('idx_compression_locks_expires', 'compression_locks', 'expires_at'),
  index('idx_session_turn_leases_expires', 'session_turn_leases', 'expires_at'),
  index('idx_async_delegations_delivery', 'async_delegations', 'delivery_state, completed_at'),
];

/** @throws TypeError for a name that is not in the layout. */
export function indexNamed(name: string): IndexSpec {
  const found = INDEXES.find((spec) => spec.name === name);
  if (found === undefined) throw new TypeError(`no index ${name} in the layout`);
  return found;
}

export function createIndexSql(spec: IndexSpec): string {
  const where = spec.where === undefined ? '' : ` WHERE ${spec.where}`;
  return `CREATE ${spec.isUnique === true ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${spec.name} ON ${spec.table} (${spec.on})${where}`;
}

/** Sessions beyond which a pass over their table costs more than a person's patience with a list (13 ms for 100,000), and an index of our own pays. */
const largeFrom = 20_000;

/** Sessions that the index by activity does not put where a list has them: on top, or by their messages. SQL over the columns of `sessions`. */
export const APART = 'pinned = 1 OR last_activity_at IS NULL OR last_activity_at <= 0 OR last_activity_at > 4200000000';

/**
 * Our own, under a name no layout has; other programs keep it and need not know it. Few rows are in it, so that a message costs it nothing.
 * Only large stores are given it: what another program made is changed as little as possible.
 */
export const APART_INDEX = index('idx_hermes_tui_sessions_apart', 'sessions', 'id', { where: APART });

/** @param sessions how many there may be in the file */
export const paysOff = (sessions: number): boolean => sessions > largeFrom;
