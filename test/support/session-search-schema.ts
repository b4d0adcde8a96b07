/** The result bodies of `session_search` as JSON Schema, key by key (state-db.md 10): nothing else may be in them. */

const closed = (required: Record<string, unknown>, optional: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const maybeText = { anyOf: [{ type: 'string' }, { type: 'null' }] };
const listOf = (items: unknown): Record<string, unknown> => ({ type: 'array', items });

const toolCall = closed({ id: text, type: { const: 'function' }, function: closed({ name: text, arguments: text }) });

const message = closed(
  { id: { type: 'integer', minimum: 1 }, role: text, content: text, timestamp: { type: 'number' } },
  { tool_name: text, tool_calls: { type: 'array', items: toolCall, minItems: 1 }, tool_call_id: text, anchor: { const: true } },
);

const meta = { when: text, source: text, model: maybeText, title: maybeText };
const link = { type: 'string', pattern: '^@session:[^/]+/.+$' };

const discovered = closed(
  {
    session_id: text,
    ...meta,
    matched_role: text,
    match_message_id: { type: 'integer', minimum: 1 },
    snippet: text,
    detail: { enum: ['full', 'compact'] },
    bookend_start: { ...listOf(message), maxItems: 3 },
    messages: { ...listOf(message), minItems: 1 },
    bookend_end: { ...listOf(message), maxItems: 3 },
    messages_before: count,
    messages_after: count,
    link,
  },
  { parent_session_id: text },
);

const summarised = closed({ session_id: text, ...meta, match_message_id: count, link }, { summary: text, error: text });

const found = (result: unknown): Record<string, unknown> =>
  closed(
    { success: { const: true }, mode: { const: 'discover' }, query: text, results: listOf(result), count, sessions_searched: count },
    {
      message: { const: 'No matching sessions found.' },
      index_rebuild: closed({ percent: { type: 'integer', minimum: 0, maximum: 100 }, note: text }),
    },
  );

export const searchSchemas = {
  discover: found(discovered),
  summaries: found(summarised),
  scroll: closed(
    {
      success: { const: true },
      mode: { const: 'scroll' },
      session_id: text,
      around_message_id: count,
      session_meta: closed(meta),
      window: { type: 'integer', minimum: 1, maximum: 20 },
      messages: { ...listOf(message), minItems: 1, maxItems: 41 },
      messages_before: count,
      messages_after: count,
    },
    { warning: text },
  ),
  read: closed({
    success: { const: true },
    mode: { const: 'read' },
    session_id: text,
    session_meta: closed(meta),
    message_count: count,
    truncated: { type: 'boolean' },
    messages: { ...listOf(message), maxItems: 30 },
  }),
  browse: closed(
    {
      success: { const: true },
      mode: { const: 'browse' },
      results: listOf(
        closed({
          session_id: text,
          title: maybeText,
          source: text,
          started_at: { type: 'number' },
          last_active: { type: 'number' },
          message_count: count,
          preview: text,
        }),
      ),
      count,
    },
    { message: { const: 'No matching sessions found.' } },
  ),
  failure: closed({ success: { const: false }, error: text }),
} as const;
