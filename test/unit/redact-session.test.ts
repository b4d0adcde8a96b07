import { describe, expect, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import type { Message, Session } from '../../src/session/types.ts';
import { createRedactor } from '../../src/transfer/redact/redactor.ts';
import { redactedSession, type Struck } from '../../src/transfer/redact/session.ts';
import type { StoredRow, TransferSession } from '../../src/transfer/types.ts';
import { plantSecrets } from '../support/secrets.ts';

const redactor = createRedactor();
const id = '20250305_091523_a1b2c3d4';

const textColumns = {
  sessions: (
    'title display_name cwd git_branch git_repo_root origin_json model_config system_prompt billing_base_url user_id chat_id session_key ' +
    'last_activity_description compression_failure_error handoff_error tool_names column_of_a_later_version'
  ).split(' '),
  messages: (
    'content tool_calls tool_name reasoning reasoning_content reasoning_details codex_reasoning_items codex_message_items api_content ' +
    'display_metadata effect_disposition finish_reason column_of_a_later_version'
  ).split(' '),
};

/** A session with the text in every field that may hold one. */
function sessionHolding(text: string): TransferSession {
  const json = JSON.stringify({ note: text, list: [text] });
  const fill = (columns: readonly string[], rest: StoredRow): StoredRow => ({
    ...rest,
    ...Object.fromEntries(columns.map((column) => [column, /json|config|metadata|details|items/.test(column) ? json : text])),
  });
  const calls = JSON.stringify([
    { id: 'call_ghp', type: 'function', function: { name: 'terminal', arguments: JSON.stringify({ command: text }) } },
  ]);
  const session: Session = {
    id,
    source: 'cli',
    title: text,
    model: 'm',
    modelConfig: { note: text, deep: [{ text }] },
    startedAt: 1,
    lastActive: 2,
    messageCount: 1,
    toolCallCount: 1,
    inputTokens: 4096,
    outputTokens: 0,
    cwd: `/home/ann/${text}`,
    gitRepoRoot: text,
    gitBranch: text,
    archived: false,
    autoArchived: false,
    pinned: false,
    hidden: false,
  };
  const message: Message = {
    id: 1,
    sessionId: id,
    role: 'assistant',
    text,
    parts: [
      { type: 'text', text },
      { type: 'image', name: text },
    ],
    toolCalls: [{ id: 'call_ghp', name: 'terminal', arguments: JSON.stringify({ command: text }) }],
    toolCallId: 'call_ghp',
    reasoning: text,
    timestamp: 1,
    active: true,
    compacted: false,
    isSummary: false,
  };
  const rows: StoredRow[] = [
    fill(textColumns.messages, { id: 1, session_id: id, role: 'user', timestamp: 1.5 }),
    { id: 2, session_id: id, role: 'assistant', content: `\u0000json:${JSON.stringify([{ type: 'text', text }])}`, tool_calls: calls },
    { id: 3, session_id: id, role: 'tool', content: new TextEncoder().encode(text), tool_call_id: 'call_ghp' },
    {
      id: 4,
      session_id: id,
      role: 'tool',
      content: Uint8Array.of(0xff, 0xfe, 0x00),
      token_count: 12,
      big: 9007199254740993n,
      nothing: null,
    },
  ];
  return {
    session,
    preview: text,
    row: fill(textColumns.sessions, { id, source: 'cli', started_at: 1.5, input_tokens: 4096, parent_session_id: '20250304_143022_e' }),
    lineageIds: [id],
    usage: [{ session_id: id, model: 'm', billing_base_url: text, input_tokens: 4096 }],
    async *rows() {
      yield await Promise.resolve(rows.slice(0, 2));
      yield rows.slice(2);
    },
    async *messages() {
      yield await Promise.resolve([message]);
    },
  };
}

async function everything(session: TransferSession): Promise<{ rows: StoredRow[]; messages: Message[]; text: string }> {
  const rows: StoredRow[] = [];
  const messages: Message[] = [];
  for await (const batch of session.rows()) rows.push(...batch);
  for await (const batch of session.messages()) messages.push(...batch);
  const strings: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string')
      strings.push(
        value,
        value.replace(/\\./g, (escaped) => JSON.parse(`"${escaped}"`) as string),
      );
    else if (value instanceof Uint8Array) strings.push(new TextDecoder().decode(value));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect([session.session, session.preview, session.row, session.usage, rows, messages]);
  return { rows, messages, text: strings.join('\n') };
}

describe('a session on its way out', () => {
  test('no secret of any family is left in any field', async () => {
    for (const planted of plantSecrets(createRandom(3))) {
      const { text } = await everything(await redactedSession(sessionHolding(planted.text), redactor));
      for (const line of planted.secret.split('\n')) expect(text.includes(line), `${planted.family}: ${planted.text}`).toBe(false);
    }
  });

  test('without a secret everything is as it was, row for row', async () => {
    const plain = sessionHolding('리팩터링 the auth module, see src/auth.ts');
    const redacted = await redactedSession(plain, redactor);
    expect(redacted.row).toBe(plain.row);
    expect(redacted.session).toEqual(plain.session);
    expect(await everything(redacted)).toEqual(await everything(plain));
  });

  test('ids, numbers, bytes and structure stay', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const redacted = await redactedSession(sessionHolding(`the key ${secret}`), redactor);
    const { rows, messages } = await everything(redacted);
    expect(redacted.row).toMatchObject({ id, parent_session_id: '20250304_143022_e', started_at: 1.5, input_tokens: 4096 });
    expect(redacted.session.modelConfig).toEqual({ note: 'the key ghp_a1...a1B2', deep: [{ text: 'the key ghp_a1...a1B2' }] });
    expect(rows[1]?.['content']).toBe('\u0000json:[{"type":"text","text":"the key ghp_a1...a1B2"}]');
    expect(JSON.parse(String(rows[1]?.['tool_calls']))).toEqual([
      { id: 'call_ghp', type: 'function', function: { name: 'terminal', arguments: '{"command":"the key ghp_a1...a1B2"}' } },
    ]);
    expect(rows[2]).toEqual({
      id: 3,
      session_id: id,
      role: 'tool',
      content: new TextEncoder().encode('the key ghp_a1...a1B2'),
      tool_call_id: 'call_ghp',
    });
    expect(rows[3]).toMatchObject({ content: Uint8Array.of(0xff, 0xfe, 0x00), token_count: 12, big: 9007199254740993n, nothing: null });
    expect(messages[0]?.toolCalls).toEqual([{ id: 'call_ghp', name: 'terminal', arguments: '{"command":"the key ghp_a1...a1B2"}' }]);
  });

  test('what is struck is reported with its place', async () => {
    const struck: Struck[] = [];
    const redacted = await redactedSession(sessionHolding('password: hunter22'), redactor, (each) => struck.push(each));
    expect(struck).toContainEqual({
      sessionId: id,
      field: 'title',
      finding: { family: 'assignment', start: 10, end: 18, masked: '***' },
    });
    for await (const batch of redacted.rows()) expect(batch.length).toBeGreaterThan(0);
    expect(struck).toContainEqual(expect.objectContaining({ messageId: 1, field: 'content' }));
  });
});
