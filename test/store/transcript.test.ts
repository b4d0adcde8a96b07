import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom } from '../../fixtures/random.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { reads } from '../../src/store/reads/index.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { cpuNow } from '../support/cpu.ts';

const now = 1_790_000_000_000;

function open(): OpenConnection {
  const connection = openForWriting(join(temporaryFolder(), 'state.db'), { now: () => now });
  onTestFinished(() => connection.close());
  return connection;
}

function session(connection: OpenConnection, id: string, more: Record<string, unknown> = {}): void {
  insertRow(connection, 'sessions', { id, source: 'cli', started_at: 1000, model_config: '{}', ...more });
}

let time = 1000;
function say(connection: OpenConnection, id: string, role: string, content: unknown, more: Record<string, unknown> = {}): number {
  time += 1;
  return insertRow(connection, 'messages', { session_id: id, role, content, timestamp: time, ...more });
}

const texts = (connection: OpenConnection, id: string, limit = 100): string[] =>
  reads.messagesBefore(connection, id, undefined, limit).messages.map((message) => message.text);

describe('what a transcript shows', () => {
  test('compacted rows yes; undone, hidden, model-only and bookkeeping rows no', () => {
    const connection = open();
    session(connection, 's');
    say(connection, 's', 'user', 'compacted', { active: 0, compacted: 1 });
    say(connection, 's', 'user', 'undone', { active: 0 });
    say(connection, 's', 'user', 'hidden', { display_kind: 'hidden' });
    say(connection, 's', 'user', 'for the model', { display_metadata: '{"model_only": true}' });
    say(connection, 's', 'user', 'reacted', { display_metadata: '{"reactions": [], "model_only": false}' });
    say(connection, 's', 'session_meta', '{}');
    say(connection, 's', 'oracle', 'an unknown role');
    expect(texts(connection, 's')).toEqual(['compacted', 'reacted', 'an unknown role']);
    expect(reads.contextMessages(connection, 's').map((message) => message.text)).toEqual([
      'hidden',
      'for the model',
      'reacted',
      'an unknown role',
    ]);
  });

  test('one row of each display order: the live one, else the newest', () => {
    const connection = open();
    session(connection, 's');
    const first = say(connection, 's', 'user', 'one', { active: 0, compacted: 1 });
    const second = say(connection, 's', 'assistant', 'two', { active: 0, compacted: 1 });
    say(connection, 's', 'user', 'summary', { _compressed_summary: 1 });
    say(connection, 's', 'assistant', 'two again', { display_order: second });
    say(connection, 's', 'user', 'one older copy', { active: 0, compacted: 1, display_order: first });
    say(connection, 's', 'user', 'last');
    expect(texts(connection, 's')).toEqual(['one older copy', 'two again', 'summary', 'last']);
  });

  test('a row whose order was emptied by an edit stands at its own place', () => {
    const connection = open();
    session(connection, 's');
    say(connection, 's', 'user', 'a');
    const edited = say(connection, 's', 'assistant', 'b');
    say(connection, 's', 'user', 'c');
    connection.db.prepare("UPDATE messages SET content = 'b edited' WHERE id = ?").run(edited);
    expect(connection.db.prepare('SELECT display_order FROM messages WHERE id = ?').pluck().get(edited)).toBeNull();
    expect(texts(connection, 's')).toEqual(['a', 'b edited', 'c']);
    expect(texts(connection, 's', 2)).toEqual(['b edited', 'c']);
  });

  test('rows whose active is NULL count as live', () => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, 12);
    const connection = openForWriting(path, { now: () => now });
    onTestFinished(() => connection.close());
    const id = String(connection.db.prepare('SELECT session_id FROM messages LIMIT 1').pluck().get());
    const before = texts(connection, id).length;
    expect(before).toBeGreaterThan(0);
    const isNullable = (connection.db.pragma('table_info(messages)') as { name: string; notnull: number }[]).some(
      (c) => c.name === 'active' && c.notnull === 0,
    );
    if (isNullable) connection.db.prepare('UPDATE messages SET active = NULL').run();
    expect(texts(connection, id).length).toBe(before);
  });

  test('a compressed lineage reads on from segment to segment, copies once', () => {
    const connection = open();
    session(connection, 's1', { end_reason: 'compression', ended_at: 2000 });
    session(connection, 's2', { parent_session_id: 's1', started_at: 2000 });
    say(connection, 's1', 'user', 'first');
    const kept = say(connection, 's1', 'assistant', 'kept');
    say(connection, 's2', 'user', 'summary', { _compressed_summary: 1 });
    connection.db
      .prepare(
        "INSERT INTO messages (session_id, role, content, timestamp, message_uid) SELECT 's2', role, content, timestamp, message_uid FROM messages WHERE id = ?",
      )
      .run(kept);
    say(connection, 's2', 'user', 'new');
    for (const id of ['s1', 's2']) expect(texts(connection, id)).toEqual(['first', 'kept', 'summary', 'new']);
    const recap = reads.recapMessages(connection, 's2', { limit: 1 });
    expect(recap.messages.map((message) => message.text)).toEqual(['new']);
    expect(recap.earlier).toBe(2);
  });

  test('a window around a hit holds it, whatever became of its neighbours', () => {
    const connection = open();
    session(connection, 's');
    const ids = Array.from({ length: 30 }, (_, index) => say(connection, 's', index % 2 ? 'assistant' : 'user', `m${index}`));
    const window = reads.messagesAround(connection, ids[15] ?? 0, 3, 3);
    expect(window?.messages.map((message) => message.text)).toEqual(['m12', 'm13', 'm14', 'm15', 'm16', 'm17', 'm18']);
    expect([window?.hasBefore, window?.hasAfter]).toEqual([true, true]);
    expect(reads.messagesAround(connection, 99_999, 3, 3)).toBeUndefined();
  });
});

describe('contents', () => {
  test('a long one crosses as beginning and end, and whole when asked for', () => {
    const connection = open();
    session(connection, 's');
    const id = say(connection, 's', 'tool', `begin ${'가나다라'.repeat(100_000)} end`);
    const message = reads.messagesBefore(connection, 's', undefined, 1).messages[0];
    expect(message?.text.startsWith('begin 가나')).toBe(true);
    expect(message?.text.length).toBe(65_536);
    expect(message?.cut?.tail.endsWith('라 end')).toBe(true);
    expect(message?.cut?.bytes).toBe(1_200_010);
    expect(reads.fullMessage(connection, id)?.text.length).toBe(400_010);
  });

  test.each([
    ['plain text', 'a\n b', 'a\n b'],
    ['parts', '\u0000json:[{"type":"text","text":"look"},{"type":"input_image","name":"/tmp/a b.png"}]', 'look\n[image: a b.png]'],
    ['one part that is no list', '\u0000json:{"type":"text","text":"only"}', 'only'],
    ['an unknown part', '\u0000json:[{"type":"audio"}]', '[audio]'],
    ['broken JSON behind the prefix', '\u0000json:[{', '\u0000json:[{'],
    ['a number', 42n, '42'],
    ['bytes that are text', Buffer.from('héllo'), 'héllo'],
    ['bytes that are none', Buffer.from([0xff, 0xfe, 0x00]), 'binary, 3 bytes'],
    ['nothing', null, ''],
  ])('%s', (_, stored, expected) => {
    const connection = open();
    session(connection, 's');
    say(connection, 's', 'assistant', stored);
    expect(texts(connection, 's')).toEqual([expected]);
  });

  test.each([
    ['a list', '[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}]', [{ id: 'c', name: 'ls', arguments: '{}' }]],
    [
      'a list stored as a string',
      JSON.stringify('[{"id":"c","function":{"name":"ls","arguments":{"a":1}}}]'),
      [{ id: 'c', name: 'ls', arguments: '{"a":1}' }],
    ],
    ['broken text', '[{', []],
    ['nothing', null, []],
  ])('tool calls as %s', (_, stored, expected) => {
    const connection = open();
    session(connection, 's');
    say(connection, 's', 'assistant', '', { tool_calls: stored });
    expect(reads.messagesBefore(connection, 's', undefined, 1).messages[0]?.toolCalls).toEqual(expected);
  });
});

describe('recap', () => {
  test('two asks, sixty turns of tools alone and a long answer', () => {
    const connection = open();
    session(connection, 's');
    for (let index = 0; index < 40; index++) say(connection, 's', index % 2 ? 'assistant' : 'user', `early ${index}`);
    say(connection, 's', 'user', 'first ask');
    say(connection, 's', 'assistant', 'first answer');
    say(connection, 's', 'user', 'second ask');
    for (let index = 0; index < 60; index++) {
      say(connection, 's', 'assistant', '', { tool_calls: `[{"id":"c${index}","function":{"name":"t","arguments":"{}"}}]` });
      say(connection, 's', 'tool', 'x'.repeat(1000), { tool_call_id: `c${index}`, tool_name: 't' });
    }
    say(connection, 's', 'assistant', 'line\n'.repeat(40));
    const recap = reads.recapMessages(connection, 's', { limit: 2 });
    expect(recap.messages.filter((message) => message.text !== '').map((message) => message.text.slice(0, 12))).toEqual([
      'first ask',
      'first answer',
      'second ask',
      'line\nline\nli',
    ]);
    expect(recap.messages.length).toBe(64);
    expect(recap.earlier).toBe(40);
  });

  test('fifteen thousand messages, twenty of them half a megabyte', () => {
    const connection = open();
    session(connection, 's');
    const long = 'tool output '.repeat(42_000);
    connection.db.transaction(() => {
      for (let index = 0; index < 15_000; index++) {
        const role = ['user', 'assistant', 'tool'][index % 3] ?? 'user';
        say(connection, 's', role, index % 750 === 2 ? long : `m${index}`);
      }
    })();
    const path = connection.path;
    const reader = openForReading(path, { now: () => now });
    onTestFinished(() => reader.close());
    const started = cpuNow();
    const recap = reads.recapMessages(reader, 's', { limit: 10 });
    const spent = cpuNow() - started;
    expect(recap.messages.length + recap.earlier).toBe(10_000);
    console.info(`recap of 15,000 messages: ${spent.toFixed(1)} ms`);
    // Far above what is measured (15 ms), far below what reading the contents takes.
    expect(spent).toBeLessThan(150);
    let count = 0;
    let longest = 0;
    for (let window = reads.messagesBefore(reader, 's', undefined, 100); ;) {
      count += window.messages.length;
      if (!window.hasBefore) break;
      const at = cpuNow();
      window = reads.messagesBefore(reader, 's', window.start, 100);
      longest = Math.max(longest, cpuNow() - at);
    }
    expect(count).toBe(15_000);
    console.info(`longest window of 100: ${longest.toFixed(1)} ms`);
    expect(longest).toBeLessThan(200);
  });
});

test('input history: this session first, then the workspace, newest first, no text twice in a row', () => {
  const connection = open();
  session(connection, 'here', { cwd: '/w/a' });
  session(connection, 'there', { cwd: '/w/a/sub' });
  session(connection, 'elsewhere', { cwd: '/w/b' });
  say(connection, 'elsewhere', 'user', 'of another place');
  say(connection, 'there', 'user', 'from there');
  for (const text of ['one', 'two', 'two']) say(connection, 'here', 'user', text);
  say(connection, 'here', 'assistant', 'answer');
  say(connection, 'here', 'user', 'scaffold', { display_kind: 'hidden' });
  expect(reads.userHistory(connection, { sessionId: 'here', workspaces: ['/w/a'], limit: 10 })).toEqual(['two', 'one', 'from there']);
  expect(reads.userHistory(connection, { workspaces: ['/w/b'], limit: 10 })).toEqual(['of another place']);
  expect(reads.userHistory(connection, { sessionId: 'here', limit: 1 })).toEqual(['two']);
});

describe('matches for the words of a message that could not be sent', () => {
  const fill = (connection: OpenConnection): void => {
    const said: [string, string][] = [
      ['a', 'the parser drops the last token of a line'],
      ['b', 'meeting notes: 회의록정리완료 and nothing else'],
      ['c', '修复gateway重启问题'],
      ['d', 'parser and token and gateway together'],
    ];
    for (const [id, text] of said) {
      session(connection, id);
      say(connection, id, 'user', text);
    }
    session(connection, 'e', { archived: 1 });
    say(connection, 'e', 'user', 'parser token gateway in the archive');
  };

  test.each([
    ['the most words first', 'Parser for the token of the gateway?', 'd'],
    ['a Korean word of three syllables', '회의록', 'b'],
    ['a Korean word of two', '회의', 'b'],
    ['a Chinese word of two', '重启', 'c'],
    ['text that looks like a query', 'parser" OR NEAR( * ^:- token', 'd'],
  ])('%s', (_, text, expected) => {
    const connection = open();
    fill(connection);
    const found = reads.matchMessages(connection, text, 3);
    expect(found[0]?.row.id).toBe(expected);
    expect(found.map((match) => match.row.id)).not.toContain('e');
  });

  test('nothing to go by is no match', () => {
    const connection = open();
    fill(connection);
    for (const text of ['', '?!', '🦓', 'zebrafinch']) expect(reads.matchMessages(connection, text, 3)).toEqual([]);
  });
});

describe.each(ERAS)('a store of version %i', (era) => {
  test('answers every question unchanged', () => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    const connection = openForReading(path, { now: () => now });
    onTestFinished(() => connection.close());
    const rows = [...reads.listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : []));
    expect(rows.flatMap((row) => row.ids).length).toBe(reads.stats(connection).sessions);
    expect(reads.firstRows(connection, { limit: 500 }).rows.map((row) => row.id)).toEqual(
      rows.filter((row) => row.class === 'shown').map((row) => row.id),
    );
    reads.latest(connection, { workspaces: ['/nowhere'] });
    reads.health(connection);
    expect(reads.turnLeases(connection) instanceof Map).toBe(true);
    const word = createRandom(era).pick(['the', '설정', 'build']);
    reads.matchMessages(connection, word, 3);
    for (const row of rows) {
      const window = reads.messagesBefore(connection, row.id, undefined, 1000);
      expect(row.class === 'empty' || window.messages.length > 0).toBe(true);
      reads.recapMessages(connection, row.id, { limit: 3 });
      reads.messagesAround(connection, window.messages[0]?.id ?? 0, 1, 1);
      reads.userHistory(connection, { sessionId: row.id, workspaces: ['/w'], limit: 5 });
      expect(reads.resolveSession(connection, row.title ?? row.id)).toMatchObject({ kind: 'found' });
      expect(reads.lineageTree(connection, row.id)?.segments.length).toBe(row.segments);
    }
  });
});
