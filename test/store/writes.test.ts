import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { StoreError } from '../../src/errors.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForWriting } from '../../src/store/open.ts';
import { reads } from '../../src/store/reads/index.ts';
import { transact } from '../../src/store/worker/transact.ts';
import { holderText, isDeadHolder, parseHolder } from '../../src/store/writes/holder.ts';
import { writes } from '../../src/store/writes/index.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { readRealAnswers } from '../support/real-answers.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

let clock = 1_790_200_000_000;

function open(path = join(temporaryFolder(), 'state.db')): OpenConnection {
  clock = 1_790_200_000_000;
  const connection = openForWriting(path, { now: () => clock });
  onTestFinished(() => connection.close());
  return connection;
}

type Args<Name extends keyof typeof writes> = (typeof writes)[Name] extends (connection: never, ...args: infer A) => unknown ? A : never;

/** As the writer's thread runs it: one transaction; and every write leaves the file sound. */
function write<Name extends keyof typeof writes>(
  connection: OpenConnection,
  name: Name,
  ...args: Args<Name>
): ReturnType<(typeof writes)[Name]> {
  const body = writes[name] as unknown as (connection: OpenConnection, ...args: unknown[]) => ReturnType<(typeof writes)[Name]>;
  const result = transact(connection.db, () => body(connection, ...args));
  clock += 10;
  expectSound(connection);
  return result;
}

/** Full-text tables that differed from their messages before this program wrote anything: hermes-v31-40.db comes with one. */
const foundBroken = new WeakMap<OpenConnection, Set<string>>();

/** With `rank` 1 the index is compared with the messages; without, only with itself. */
function checkFts(connection: OpenConnection, table: string, rank: 0 | 1): void {
  connection.db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('integrity-check', ${rank})`).run();
}

function expectSound(connection: OpenConnection): void {
  expect(connection.db.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(connection.db.pragma('foreign_key_check')).toEqual([]);
  for (const table of ['messages_fts', 'messages_fts_trigram']) {
    if (connection.has(table)) checkFts(connection, table, foundBroken.get(connection)?.has(table) === true ? 0 : 1);
  }
}

const cell = (connection: OpenConnection, sql: string, ...values: unknown[]): unknown =>
  connection.db
    .prepare(sql)
    .pluck()
    .get(...values);
const begin = (connection: OpenConnection, id: string, text = 'hello') =>
  write(
    connection,
    'startSession',
    { id, source: 'tui', cwd: '/w/a', model: 'm', modelConfig: { model: 'm' } },
    { role: 'user', content: text },
  );

/** Makes `id` go on in `child`, as compression into a child does. */
function compress(connection: OpenConnection, id: string, child: string): void {
  connection.db.prepare("UPDATE sessions SET ended_at = ?, end_reason = 'compression' WHERE id = ?").run(clock / 1000, id);
  insertRow(connection, 'sessions', { id: child, source: 'tui', parent_session_id: id, started_at: clock / 1000, model_config: '{}' });
  insertRow(connection, 'messages', { session_id: child, role: 'user', content: `goes on from ${id}`, timestamp: clock / 1000 });
}

const refused = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'refused') return error.message;
    throw error;
  }
  throw new Error('it was not refused');
};

describe('messages', () => {
  test('a conversation begins with its first message', () => {
    const connection = open();
    const { session, message } = begin(connection, 's1', '안녕하세요');
    expect(session).toMatchObject({ id: 's1', source: 'tui', messageCount: 1, cwd: '/w/a', model: 'm', lastActive: message.timestamp });
    expect(message).toMatchObject({ role: 'user', text: '안녕하세요', active: true });
    expect(cell(connection, 'SELECT created_source FROM sessions')).toBe('tui');
  });

  test('identity is left to the triggers, the uid is theirs, the order is the row', () => {
    const connection = open();
    const { message } = begin(connection, 's1');
    expect(connection.db.prepare('SELECT display_identity, display_order, length(message_uid) AS uid FROM messages').get()).toEqual({
      display_identity: null,
      display_order: message.id,
      uid: 32,
    });
  });

  test('every message has a time of its own, later than the one before, even when the clock stands still or goes back', () => {
    const connection = open();
    begin(connection, 's1');
    const ids = [0, 0, -5_000, -60_000].map((step) =>
      write(connection, 'appendMessage', 's1', { role: 'assistant', content: 'x', at: clock + step }),
    );
    const times = [reads.messagesBefore(connection, 's1', undefined, 10).messages.map((message) => message.timestamp)].flat();
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(times).size).toBe(5);
    expect(reads.messagesBefore(connection, 's1', undefined, 10).messages.length).toBe(ids.length + 1);
  });

  test('a clock that once ran ahead by days is not followed', () => {
    const connection = open();
    begin(connection, 's1');
    insertRow(connection, 'messages', {
      session_id: 's1',
      role: 'user',
      content: 'from the future',
      timestamp: clock / 1000 + 30 * 86_400,
    });
    expect(write(connection, 'appendMessage', 's1', { role: 'user', content: 'now', at: clock }).timestamp).toBe(clock - 10);
  });

  test('an answer grows in its row; counters, order and heartbeat follow', () => {
    const connection = open();
    begin(connection, 's1');
    const row = write(connection, 'appendMessage', 's1', { role: 'assistant', content: '', finishReason: 'interrupted' });
    expect(reads.statusesOf(connection, ['s1']).get('s1')).toBe('interrupted');
    const call = { id: 'c1', name: 'terminal', arguments: '{"cmd":"ls"}' };
    write(connection, 'checkpointMessage', row.id, { content: 'half', toolCalls: [], finishReason: 'interrupted' });
    write(connection, 'checkpointMessage', row.id, {
      content: 'half and',
      toolCalls: [call],
      reasoning: 'hm',
      finishReason: 'interrupted',
    });
    expect(cell(connection, 'SELECT tool_call_count FROM sessions')).toBe(1);
    expect(cell(connection, 'SELECT display_order FROM messages WHERE id = ?', row.id)).toBe(row.id);
    const done = write(connection, 'finishMessage', row.id, { content: 'whole', toolCalls: [], finishReason: 'stop', tokenCount: 7 });
    expect(done).toMatchObject({ text: 'whole', toolCalls: [], finishReason: 'stop', tokenCount: 7 });
    expect(connection.db.prepare('SELECT message_count, tool_call_count FROM sessions').get()).toEqual({
      message_count: 2,
      tool_call_count: 0,
    });
    expect(reads.statusesOf(connection, ['s1']).get('s1')).toBe('complete');
    expect(reads.sessionById(connection, 's1')?.lastActive).toBe(clock - 10);
    expect(reads.matchMessages(connection, 'whole', 3)[0]?.messageId).toBe(row.id);
  });

  test('parts are kept as parts, lone surrogates are scrubbed', () => {
    const connection = open();
    const parts = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://example.org/a/plan.png?x=1' } },
    ];
    const { message } = write(connection, 'startSession', { id: 's1', source: 'tui' }, { role: 'user', content: parts });
    expect(message).toMatchObject({
      text: 'look\n[image: plan.png]',
      parts: [
        { type: 'text', text: 'look' },
        { type: 'image', name: 'plan.png' },
      ],
    });
    expect(write(connection, 'appendMessage', 's1', { role: 'assistant', content: 'a\ud800b' }).text).toBe('a\ufffdb');
    expect(reads.previewOf(connection, ['s1']).get('s1')).toBe('look [image: plan.png]');
  });

  test('a deleted session is not brought back', () => {
    const connection = open();
    expect(refused(() => write(connection, 'appendMessage', 'gone', { role: 'user', content: 'x' }))).toContain('gone');
    expect(cell(connection, 'SELECT count(*) FROM sessions')).toBe(0);
  });

  test('nothing is written into a compressed row; the tip is named', () => {
    const connection = open();
    begin(connection, 's1');
    compress(connection, 's1', 's2');
    const attempt = () => write(connection, 'appendMessage', 's1', { role: 'user', content: 'late' });
    refused(attempt);
    try {
      attempt();
    } catch (error) {
      expect((error as StoreError).hint).toContain('s2');
    }
    expect(refused(() => write(connection, 'reopenSession', 's1'))).toContain('s1');
  });

  test('calls without an answer get a stub, in their order, once', () => {
    const connection = open();
    begin(connection, 's1');
    const toolCalls = ['c1', 'c2', 'c3'].map((id) => ({ id, name: `tool_${id}`, arguments: '{}' }));
    write(connection, 'appendMessage', 's1', { role: 'assistant', content: '', toolCalls, finishReason: 'tool_calls' });
    write(connection, 'appendMessage', 's1', { role: 'tool', content: 'done', toolCallId: 'c2', toolName: 'tool_c2' });
    const stubs = write(connection, 'retireOpenToolCalls', 's1');
    expect(stubs.map((stub) => [stub.role, stub.toolCallId, stub.toolName])).toEqual([
      ['tool', 'c1', 'tool_c1'],
      ['tool', 'c3', 'tool_c3'],
    ]);
    expect(write(connection, 'retireOpenToolCalls', 's1')).toEqual([]);
    expect(connection.db.prepare('SELECT message_count, tool_call_count FROM sessions').get()).toEqual({
      message_count: 5,
      tool_call_count: 3,
    });
  });
});

describe('ends', () => {
  test('the first stamp wins and the next message opens the row again', () => {
    const connection = open();
    begin(connection, 's1');
    expect(write(connection, 'endSession', 's1', 'tui_close')).toBe(true);
    expect(write(connection, 'endSession', 's1', 'cli_close')).toBe(false);
    expect(reads.sessionById(connection, 's1')?.endReason).toBe('tui_close');
    write(connection, 'appendMessage', 's1', { role: 'assistant', content: 'late result' });
    expect(reads.sessionById(connection, 's1')?.endReason).toBe('tui_close');
    write(connection, 'appendMessage', 's1', { role: 'user', content: 'again' });
    expect(reads.sessionById(connection, 's1')).not.toHaveProperty('endReason');
    expect(reads.sessionById(connection, 's1')).not.toHaveProperty('endedAt');
  });

  test.each([
    ['pending', false],
    ['running', false],
    ['completed', false],
    ['failed', true],
  ])('a row whose handoff is %s: stamped %s', (state, isStamped) => {
    const connection = open();
    begin(connection, 's1');
    connection.db.prepare('UPDATE sessions SET handoff_state = ?').run(state);
    expect(write(connection, 'endSession', 's1', 'tui_close')).toBe(isStamped);
  });

  test('opening again retires queued prompts and keeps siblings that only the reason told apart', () => {
    const connection = open();
    begin(connection, 's1');
    insertRow(connection, 'messages', {
      session_id: 's1',
      role: 'user',
      content: 'queued',
      timestamp: clock / 1000,
      display_metadata: '{"_queued_prompt": 1}',
    });
    connection.db.prepare("UPDATE sessions SET session_key = 'k', ended_at = ?, end_reason = 'session_reset'").run(clock / 1000);
    insertRow(connection, 'sessions', {
      id: 's2',
      source: 'tui',
      parent_session_id: 's1',
      session_key: 'k',
      started_at: clock / 1000,
      model_config: '{"a":1}',
    });
    write(connection, 'reopenSession', 's1');
    expect(reads.contextMessages(connection, 's1').map((message) => message.text)).toEqual(['hello']);
    expect(cell(connection, 'SELECT message_count FROM sessions WHERE id = ?', 's1')).toBe(1);
    expect(JSON.parse(String(cell(connection, 'SELECT model_config FROM sessions WHERE id = ?', 's2')))).toEqual({
      a: 1,
      _reset_from: 's1',
    });
  });

  test.each([
    ['automatically', 1, 0],
    ['by hand', 0, 1],
  ])('a lineage archived %s', (_, automatic, stays) => {
    const connection = open();
    begin(connection, 's1');
    compress(connection, 's1', 's2');
    connection.db.prepare('UPDATE sessions SET archived = 1, auto_archived = ?').run(automatic);
    write(connection, 'appendMessage', 's2', { role: 'user', content: 'back' });
    expect(connection.db.prepare('SELECT DISTINCT archived FROM sessions').pluck().all()).toEqual([automatic === 1 ? stays : 1]);
  });
});

describe('titles', () => {
  test('a name given by hand stands against every later automatic one', () => {
    const connection = open();
    begin(connection, 's1');
    expect(write(connection, 'setTitle', 's1', 'first line', 'derived')).toEqual({ kind: 'set', title: 'first line' });
    expect(write(connection, 'setTitle', 's1', 'a better one', 'llm')).toEqual({ kind: 'set', title: 'a better one' });
    expect(write(connection, 'setTitle', 's1', 'worse', 'derived')).toEqual({ kind: 'kept', title: 'a better one' });
    expect(write(connection, 'renameSession', 's1', `Q3 "alpha" & 雪's`)).toBe(`Q3 "alpha" & 雪's`);
    expect(write(connection, 'setTitle', 's1', 'late', 'llm')).toEqual({ kind: 'kept', title: `Q3 "alpha" & 雪's` });
    expect(cell(connection, 'SELECT title_source FROM sessions')).toBe('user');
  });

  test('collisions: a person is told, the model takes the next number, an instant one gives way', () => {
    const connection = open();
    begin(connection, 's1');
    begin(connection, 's2');
    write(connection, 'renameSession', 's1', 'taken');
    expect(refused(() => write(connection, 'renameSession', 's2', '  taken '))).toBe("Title 'taken' is already in use by session s1");
    expect(write(connection, 'setTitle', 's2', 'taken', 'derived')).toEqual({ kind: 'kept', title: undefined });
    expect(write(connection, 'setTitle', 's2', 'taken', 'llm')).toEqual({ kind: 'set', title: 'taken #2' });
    expect(refused(() => write(connection, 'renameSession', 's2', 'x'.repeat(101)))).toBe('Title too long (101 chars, max 100)');
    expect(refused(() => write(connection, 'renameSession', 's2', ' \u200b\n'))).not.toBe('');
  });

  test('the title of an earlier segment moves to the tip', () => {
    const connection = open();
    begin(connection, 's1');
    write(connection, 'renameSession', 's1', 'the work');
    compress(connection, 's1', 's2');
    expect(write(connection, 'renameSession', 's2', 'the work')).toBe('the work');
    expect(connection.db.prepare('SELECT id, title, title_source FROM sessions ORDER BY id').all()).toEqual([
      { id: 's1', title: null, title_source: null },
      { id: 's2', title: 'the work', title_source: 'user' },
    ]);
  });

  test('the reserved row keeps its name', () => {
    const connection = open();
    insertRow(connection, 'sessions', { id: 'bot', source: 'tui', started_at: 1, title: 'Bot Chat', hidden: 1 });
    expect(refused(() => write(connection, 'renameSession', 'bot', 'mine'))).toContain('Bot Chat');
  });
});

describe('flags, model, place, usage', () => {
  test('pin and archive reach the whole lineage', () => {
    const connection = open();
    begin(connection, 's1');
    compress(connection, 's1', 's2');
    connection.db.prepare('UPDATE sessions SET hidden = 1').run();
    write(connection, 'setPinned', 's2', true);
    write(connection, 'setArchived', 's1', true);
    expect(connection.db.prepare('SELECT pinned, hidden, archived, auto_archived FROM sessions').all()).toEqual(
      [1, 2].map(() => ({ pinned: 1, hidden: 0, archived: 1, auto_archived: 0 })),
    );
    write(connection, 'setPinned', 's1', false);
    write(connection, 'setArchived', 's2', false);
    expect(cell(connection, 'SELECT count(*) FROM sessions WHERE pinned = 0 AND archived = 0')).toBe(2);
  });

  test('model and place change, other keys stay', () => {
    const connection = open();
    begin(connection, 's1');
    connection.db.prepare(`UPDATE sessions SET model_config = '{"yolo_mode":true,"base_url":"old"}'`).run();
    write(connection, 'setModel', 's1', { model: 'gpt', provider: 'openrouter' });
    write(connection, 'setWorkspace', 's1', { cwd: '/w/b', gitRepoRoot: '/w', gitBranch: 'main' });
    expect(reads.sessionById(connection, 's1')).toMatchObject({
      model: 'gpt',
      modelConfig: { yolo_mode: true, model: 'gpt', provider: 'openrouter' },
      cwd: '/w/b',
      gitRepoRoot: '/w',
      gitBranch: 'main',
    });
  });

  test('usage adds up in the session and by model; auxiliary work stays out of the totals', () => {
    const connection = open();
    begin(connection, 's1');
    const usage = { model: 'gpt', provider: 'openrouter', baseUrl: 'https://x', inputTokens: 100, outputTokens: 20, cacheReadTokens: 5 };
    write(connection, 'addUsage', 's1', usage);
    write(connection, 'addUsage', 's1', { ...usage, estimatedCost: 0.5 });
    write(connection, 'addUsage', 's1', { ...usage, task: 'title_generation' });
    expect(
      connection.db
        .prepare(
          'SELECT input_tokens i, output_tokens o, cache_read_tokens r, api_call_count n, billing_provider p, estimated_cost_usd c FROM sessions',
        )
        .get(),
    ).toEqual({ i: 200, o: 40, r: 10, n: 2, p: 'openrouter', c: 0.5 });
    expect(connection.db.prepare('SELECT task, api_call_count n, input_tokens i FROM session_model_usage ORDER BY task').all()).toEqual([
      { task: '', n: 2, i: 200 },
      { task: 'title_generation', n: 1, i: 100 },
    ]);
  });

  test('the heartbeat never goes back, and a broken one is replaced', () => {
    const connection = open();
    begin(connection, 's1');
    write(connection, 'touch', 's1', clock + 5_000);
    write(connection, 'touch', 's1', clock - 50_000);
    expect(reads.sessionById(connection, 's1')?.lastActive).toBe(clock - 20 + 5_000);
    connection.db.prepare('UPDATE sessions SET last_activity_at = ?').run(clock);
    write(connection, 'touch', 's1', clock + 60_000);
    expect(cell(connection, 'SELECT last_activity_at FROM sessions')).toBe((clock - 10 + 60_000) / 1000);
  });
});

describe('branches', () => {
  test('a branch is a marked copy with the uids, times and next title of its original, which stays open', () => {
    const connection = open();
    begin(connection, 's1', 'question');
    write(connection, 'appendMessage', 's1', {
      role: 'assistant',
      content: 'answer',
      toolCalls: [{ id: 'c', name: 't', arguments: '{}' }],
    });
    write(connection, 'appendMessage', 's1', { role: 'tool', content: 'result', toolCallId: 'c', toolName: 't' });
    write(connection, 'renameSession', 's1', 'the work');
    const branch = write(connection, 'branchSession', 's1', { source: 'tui' });
    expect(branch).toMatchObject({
      parentId: 's1',
      title: 'the work #2',
      titleSource: 'user',
      messageCount: 3,
      toolCallCount: 1,
      cwd: '/w/a',
    });
    expect(branch.modelConfig).toEqual({ model: 'm', _branched_from: 's1' });
    const copies = (id: string) =>
      connection.db.prepare('SELECT role, content, timestamp, message_uid FROM messages WHERE session_id = ? ORDER BY id').all(id);
    expect(copies(branch.id)).toEqual(copies('s1'));
    expect(reads.sessionById(connection, 's1')).not.toHaveProperty('endedAt');
    expect(reads.tipOf(connection, 's1')).toBe('s1');
    expect(reads.rowCounts(connection)).toMatchObject({ total: 2, shown: 2 });
    expect(reads.lineageTree(connection, 's1')?.branches.map((one) => one.id)).toEqual([branch.id]);
    expect(reads.messagesBefore(connection, branch.id, undefined, 10).messages.length).toBe(3);
  });

  test('/branch ends what it leaves; a copy may stop earlier', () => {
    const connection = open();
    const { message } = begin(connection, 's1');
    write(connection, 'appendMessage', 's1', { role: 'assistant', content: 'answer' });
    const branch = write(connection, 'branchSession', 's1', { source: 'cli', endParent: true, upToMessage: message.id, title: 'apart' });
    expect(branch).toMatchObject({ title: 'apart', messageCount: 1 });
    expect(reads.sessionById(connection, 's1')?.endReason).toBe('branched');
  });
});

describe('leases', () => {
  const other = 'pid=999999:pidns=1:turn=theirs';

  test('one turn at a time in a lineage, by its root', () => {
    const connection = open();
    begin(connection, 's1');
    compress(connection, 's1', 's2');
    const mine = holderText('mine');
    expect(write(connection, 'claimTurn', 's2', other)).toEqual({ isOurs: true });
    expect(write(connection, 'claimTurn', 's1', mine)).toMatchObject({ isOurs: false, by: { holder: other } });
    expect(reads.turnLease(connection, 's1')?.holder).toBe(other);
    write(connection, 'releaseTurn', 's1', mine);
    expect(reads.turnLease(connection, 's1')?.holder).toBe(other);
    clock += 300_001;
    expect(reads.turnLease(connection, 's1')).toBeUndefined();
    expect(write(connection, 'claimTurn', 's1', mine)).toEqual({ isOurs: true });
    clock += 200_000;
    expect(write(connection, 'refreshTurn', 's2', mine)).toBe(true);
    clock += 200_000;
    expect(reads.turnLeases(connection).get('s1')?.holder).toBe(mine);
    write(connection, 'releaseTurn', 's2', mine);
    expect(write(connection, 'refreshTurn', 's2', mine)).toBe(false);
  });

  test('a holder is declared dead only in our own pid namespace', () => {
    const fields = parseHolder(holderText('x:y'));
    expect(fields['pid']).toBe(String(process.pid));
    expect(isDeadHolder(holderText('x'))).toBe(false);
    // Above the largest pid of any Linux.
    const dead = holderText('x').replace(/pid=\d+/, 'pid=99999999');
    expect(isDeadHolder(dead)).toBe(true);
    expect(isDeadHolder(dead.replace(/pidns=\d+/, 'pidns=1'))).toBe(fields['pidns'] === undefined);
    expect(isDeadHolder('somebody')).toBe(false);
    const connection = open();
    begin(connection, 's1');
    write(connection, 'claimTurn', 's1', dead);
    expect(write(connection, 'claimTurn', 's1', holderText('mine'))).toEqual({ isOurs: true });
  });

  test('compression is claimed by session', () => {
    const connection = open();
    begin(connection, 's1');
    expect(write(connection, 'claimCompression', 's1', other)).toEqual({ isOurs: true });
    expect(write(connection, 'claimCompression', 's1', holderText('mine'))).toMatchObject({ isOurs: false });
    expect(reads.compressionLock(connection, 's1')?.holder).toBe(other);
    write(connection, 'releaseCompression', 's1', other);
    expect(reads.compressionLock(connection, 's1')).toBeUndefined();
  });
});

describe.each([4, 6, 11, 17, 23, 30] as const)('a store of version %i', (era) => {
  test('is continued, renamed, branched and ended', () => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    const connection = open(path);
    const id = String(cell(connection, "SELECT id FROM sessions WHERE end_reason IS NOT 'compression' ORDER BY started_at LIMIT 1"));
    const before = reads.contextMessages(connection, id).length;
    write(connection, 'appendMessage', id, { role: 'user', content: '계속해 주세요' });
    const answer = write(connection, 'appendMessage', id, { role: 'assistant', content: '' });
    write(connection, 'checkpointMessage', answer.id, { content: '네', toolCalls: [] });
    write(connection, 'renameSession', id, '새 이름');
    write(connection, 'addUsage', id, { model: 'm', inputTokens: 1, outputTokens: 1 });
    write(connection, 'setPinned', id, true);
    expect(write(connection, 'claimTurn', id, holderText('t'))).toEqual({ isOurs: true });
    const branch = write(connection, 'branchSession', id, { source: 'tui' });
    write(connection, 'endSession', id, 'tui_close');
    expect(reads.contextMessages(connection, id).length).toBe(before + 2);
    expect(reads.contextMessages(connection, branch.id).length).toBe(before + 2);
    expect(reads.firstRows(connection, { limit: 10 }).rows[0]).toMatchObject({ id, title: '새 이름', pinned: true });
    expect(reads.resolveSession(connection, '새 이름')).toMatchObject({ kind: 'found' });
  });
});

describe.skipIf(!hasRealStores)('the real file of version 31', () => {
  test('every session is continued and renamed; rows that were not meant stay byte for byte', () => {
    const connection = open(copyRealStore('hermes-v31-40.db', temporaryFolder()));
    try {
      checkFts(connection, 'messages_fts_trigram', 1);
    } catch {
      foundBroken.set(connection, new Set(['messages_fts_trigram']));
    }
    const answers = readRealAnswers();
    clock = (answers.end_clock + 3600) * 1000;
    const columns = [...(connection.shape.columns.get('messages') ?? [])].map((name) => `quote(${name})`).join(" || '|' || ");
    const rows = () => connection.db.prepare(`SELECT ${columns} FROM messages WHERE id <= 512 ORDER BY id`).pluck().all();
    const messages = rows();
    const untouched = ['system_prompts', 'gateway_routing', 'compression_locks', 'session_model_usage', 'async_delegations'];
    const others = () => untouched.map((table) => JSON.stringify(connection.db.prepare(`SELECT * FROM ${table}`).all()));
    const before = others();
    for (const id of Object.values(answers.names)) {
      const target = reads.resumeTarget(connection, id);
      if (target === undefined || (target.hidden && target.title === 'Bot Chat')) continue;
      write(connection, 'appendMessage', target.id, { role: 'user', content: `weiter ${id}` });
      write(connection, 'appendMessage', target.id, { role: 'assistant', content: 'gern', finishReason: 'stop' });
      write(connection, 'renameSession', target.id, `renamed ${id}`);
      expect(reads.recapMessages(connection, target.id, { limit: 10 }).messages.at(-1)?.text).toBe('gern');
    }
    expect(rows()).toEqual(messages);
    expect(others()).toEqual(before);
  });
});
