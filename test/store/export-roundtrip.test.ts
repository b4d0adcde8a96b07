import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import DatabaseConstructor from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom, type Random } from '../../fixtures/random.ts';
import { openForWriting } from '../../src/store/open.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { dumpCells, importLines } from '../support/read-export.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** Exports `store`, reads the lines into an empty store, and expects every cell of it; then exports that one, and expects the same bytes. */
async function expectRoundTrip(store: string): Promise<string> {
  const folder = temporaryFolder();
  const first = join(folder, 'first.jsonl');
  expect(await runShell(['sessions', 'export', first], store)).toMatchObject({ code: 0 });
  const text = readFileSync(first, 'utf8');
  const copy = importLines(store, join(folder, 'state.db'), text);
  const expected = dumpCells(store).filter((line) => !line.startsWith('system_prompts'));
  expect(dumpCells(copy).filter((line) => !line.startsWith('system_prompts'))).toEqual(expected);
  const second = join(folder, 'second.jsonl');
  expect(await runShell(['sessions', 'export', second], copy)).toMatchObject({ code: 0 });
  expect(readFileSync(second).equals(readFileSync(first))).toBe(true);
  return text;
}

describe('what is exported and read again is what was stored, cell by cell', () => {
  test.each(ERAS)('a store of era %i', async (era) => {
    const file = join(temporaryFolder(), 'state.db');
    buildEra(file, era);
    await expectRoundTrip(file);
  });

  const real = hasRealStores ? (['hermes-v31-40.db', 'hermes-v17-10.db', 'hermes-v31-empty.db', 'hermes-v17-1000.db'] as const) : [];
  test.each(real)('Hermes Agent’s own %s', async (name) => {
    const text = await expectRoundTrip(copyRealStore(name, temporaryFolder()));
    for (const line of text.split('\n').slice(0, 50)) if (line !== '') expect(() => JSON.parse(line)).not.toThrow();
  });

  test.each([1, 2, 3])('lineages of every kind, seed %i', async (seed) => {
    const file = join(temporaryFolder(), 'state.db');
    const connection = openForWriting(file, { now: Date.now });
    fillRandomStore(connection, createRandom(seed), 120, Date.now());
    connection.close();
    await expectRoundTrip(file);
  });

  test.each(Array.from({ length: 12 }, (_, index) => 1000 + index))('hostile cells, seed %i', async (seed) => {
    const file = join(temporaryFolder(), 'state.db');
    openForWriting(file, { now: Date.now }).close();
    fillHostile(file, createRandom(seed));
    chmodSync(file, 0o600);
    await expectRoundTrip(file);
  });
});

const texts = [
  '',
  'plain',
  '# a heading\r\n```\nleft open',
  '---\n---\n',
  'NUL \u0000 inside, ESC \u001b[31m, BEL \u0007, DEL \u007f',
  '\u0000json:[{"type": "text", "text": "\\ud55c\\uad6d"}]',
  '\u0000json:[{"type":"text","text":"한국"}]',
  '\u0000json:[{"type": "text", "text": "한국"}]',
  '\u0000json:[ 1.0, 1e5, -0, 12345678901234567890]',
  '\u0000json:{"a": 1, "a": 2}',
  '\u0000json:{"2": 1, "1": 2, "__proto__": {"x": 1}}',
  '\u0000json:"a string"',
  '\u0000json:null',
  '\u0000json:[]',
  '\u0000json:{}',
  '\u0000json:[broken',
  `\u0000json:${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  'a lone half cannot be stored: \ufffd',
  '👩‍👩‍👧 🇰🇷 e\u0301 \u202ertl\u202c عربي',
  '\ufeffBOM \u2028 \u2029',
];
const calls = [
  '[]',
  '',
  '[{"id": "c1", "type": "function", "function": {"name": "x", "arguments": "{\\"p\\": \\"\\ud55c\\"}"}}]',
  '[{"id":"c1","type":"function","function":{"name":"x","arguments":"{}"}}]',
  '[{"id": "c1", "name": "한"}]',
  '"[{\\"id\\": \\"twice\\"}]"',
  '{"not": "a list"}',
  '[{"half"',
  '[1.50, 2]',
  '42',
];

function fillHostile(file: string, random: Random): void {
  const db = new DatabaseConstructor(file);
  db.pragma('foreign_keys = OFF');
  for (const name of ['messages', 'sessions']) {
    db.exec(`ALTER TABLE ${name} ADD COLUMN "odd "" name"`);
    db.exec(`ALTER TABLE ${name} ADD COLUMN _raw`);
    db.exec(`ALTER TABLE ${name} ADD COLUMN exporter TEXT`);
  }
  const broken = (): Buffer => Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62]);
  const odd = (): unknown =>
    random.pick([
      null,
      5n,
      5,
      5.5,
      -7n,
      2n ** 62n,
      -(2n ** 63n),
      1e300,
      Infinity,
      -Infinity,
      'text',
      Buffer.from([0, 1, 255]),
      9007199254740993n,
    ]);
  for (let index = 0; index < 6; index++) {
    const id = `s${index} ${random.pick(['', '"', 'ü', '\u0001'])}`;
    db.prepare(
      `INSERT INTO sessions (id, source, title, model_config, cwd, started_at, ended_at, input_tokens, "odd "" name", _raw, exporter, system_prompt)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      id,
      random.pick(['cli', '']),
      `${index} ${random.pick(texts)}`,
      random.pick(['{"_reset_from": "x", "n": 1.0}', '{broken_from"', '[1]', null]),
      random.pick([...texts, null]),
      random.pick([0, 1e9, 1.5e9 + 1 / 3]),
      random.pick([null, Infinity]),
      odd(),
      odd(),
      odd(),
      'mine',
      random.pick([null, 'inline']),
    );
    for (let at = 0; at < 12; at++) {
      db.prepare(
        `INSERT INTO messages (session_id, role, content, tool_calls, reasoning, timestamp, token_count, "odd "" name", _raw, exporter)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        id,
        random.pick(['user', 'assistant', 'tool', 'x']),
        random.pick([...texts, null, Buffer.from([1, 2])]),
        random.pick([...calls, null]),
        random.pick([...texts, null]),
        random.pick([1e9 + at, 0, 1e300, -1]),
        odd(),
        odd(),
        odd(),
        random.pick(['theirs', null]),
      );
    }
    db.prepare('UPDATE messages SET content = CAST(? AS TEXT) WHERE id = (SELECT max(id) FROM messages)').run(broken());
    db.prepare('UPDATE sessions SET git_branch = CAST(? AS TEXT) WHERE id = ?').run(broken(), id);
  }
  db.close();
}
