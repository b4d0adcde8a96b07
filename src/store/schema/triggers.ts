/**
 * Triggers on `messages` that fill the message uid and keep the order in which a transcript is displayed. "Visible" is a live row or one that
 * compaction archived; "peers" are the visible rows of one session with the same display identity (copies of one message), which share one
 * display order: the smallest. They are written for `recursive_triggers` off, as every program that shares the file runs them.
 */
function isVisible(row: string): string {
  return `(${row}.active = 1 OR ${row}.compacted = 1)`;
}

/** Visible rows of the same session and identity; an identity of null has no peers. */
function isPeer(row: string, of: 'old' | 'new'): string {
  return `${row}.session_id = ${of}.session_id AND ${row}.display_identity = ${of}.display_identity AND ${isVisible(row)}`;
}

const CONTENT_COLUMNS = ['role', 'content', 'timestamp', 'tool_call_id', 'tool_calls', 'tool_name', 'display_kind'] as const;

const nowVisible = isVisible('new');
const wasVisible = isVisible('old');

/** Order shared by a row that became visible and its peers. */
const sharedOrder = `MIN(new.id, COALESCE((SELECT MIN(p.display_order) FROM messages AS p WHERE p.id <> new.id AND ${isPeer('p', 'new')}), new.id))`;

/** Order left to the peers once a row is out of sight. */
const remainingOrder = `(SELECT MIN(p.id) FROM messages AS p WHERE ${isPeer('p', 'old')})`;

export const MESSAGE_TRIGGERS: Readonly<Record<string, string>> = {
  messages_message_uid_insert: `CREATE TRIGGER IF NOT EXISTS messages_message_uid_insert AFTER INSERT ON messages
    WHEN new.message_uid IS NULL BEGIN
      UPDATE messages SET message_uid = lower(hex(randomblob(16))) WHERE id = new.id;
    END`,
  messages_display_order_insert: `CREATE TRIGGER IF NOT EXISTS messages_display_order_insert AFTER INSERT ON messages
    WHEN new.display_order IS NULL BEGIN
      UPDATE messages SET display_order = COALESCE(
        (SELECT MIN(p.display_order) FROM messages AS p WHERE p.id <> new.id AND ${isPeer('p', 'new')}), new.id)
      WHERE id = new.id;
    END`,
  messages_display_visibility_update: `CREATE TRIGGER IF NOT EXISTS messages_display_visibility_update AFTER UPDATE OF active, compacted ON messages
    WHEN ${nowVisible} IS NOT ${wasVisible} BEGIN
      UPDATE messages SET display_order = ${sharedOrder}
      WHERE ${nowVisible} AND (messages.id = new.id OR (${isPeer('messages', 'new')}));
      UPDATE messages SET display_order = ${remainingOrder} WHERE NOT ${nowVisible} AND ${isPeer('messages', 'old')};
    END`,
  messages_display_identity_update: `CREATE TRIGGER IF NOT EXISTS messages_display_identity_update
    AFTER UPDATE OF ${CONTENT_COLUMNS.join(', ')} ON messages
    WHEN ${CONTENT_COLUMNS.map((column) => `new.${column} IS NOT old.${column}`).join(' OR ')} BEGIN
      UPDATE messages SET display_identity = NULL, display_order = NULL WHERE messages.id = new.id OR (${isPeer('messages', 'old')});
    END`,
  messages_display_identity_delete: `CREATE TRIGGER IF NOT EXISTS messages_display_identity_delete AFTER DELETE ON messages
    WHEN ${wasVisible} BEGIN
      UPDATE messages SET display_order = ${remainingOrder} WHERE ${isPeer('messages', 'old')};
    END`,
};
