import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { agent, you } from '../../fixtures/stores/conversation.ts';
import { hermesBin, makeMachine, startHermes, untilText } from '../support/hermes.ts';
import { makeHome, runHermes, type TestHome } from '../support/hermes-run.ts';
import { spawnTui } from '../support/tui.ts';

const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u;
const hostile = '\x1b]52;c;aGk=\x07\x1b[2J\u202e\x9b31m';

describe('what is quoted in an error reaches the terminal as symbols', () => {
  test.each<[string, string[]]>([
    ['an option', [`--${hostile}`]],
    ['a command', [hostile]],
    ['a subcommand', ['sessions', hostile]],
    ['a profile', ['-p', hostile]],
    ['a shell', ['completion', hostile]],
    ['a directory', ['-q', 'x', '--in', `/${hostile}`]],
    ['a session', ['-q', 'x', '-r', hostile]],
  ])('%s', async (_, args) => {
    const { code, out, err } = await runHermes(makeHome(undefined), args);
    expect(code).toBeGreaterThan(0);
    expect(out).toBe('');
    expect(err).toContain('␛');
    expect(err).not.toMatch(obeyed);
  });

  test('a model name of config.yaml', async () => {
    const home = makeHome(undefined, 'model: "\\e]52;c;aGk=\\a"\n');
    const { code, err } = await runHermes(home, ['-q', 'x']);
    expect(code).toBe(1);
    expect(err).toContain('␛]52');
    expect(err).not.toMatch(obeyed);
  });
});

describe('what stands under the name of a file and is none is not waited for', () => {
  const fifo = (path: string): unknown => execFileSync('mkfifo', [path]);
  test.each<[string, string, (path: string) => unknown, RegExp, number]>([
    ['config.yaml is a FIFO', 'config.yaml', fifo, /config\.yaml: can't be read \(not a file\)/u, 1],
    ['config.yaml is a device without an end', 'config.yaml', (path) => symlinkSync('/dev/zero', path), /can't be read \(not a file\)/u, 1],
    ['config.yaml is a circle', 'config.yaml', (path) => writeFileSync(path, 'a: &a [*a]\n'), /contains itself/u, 1],
    ['.env is a FIFO', '.env', fifo, /\.env: can't be read \(not a file\)/u, 1],
    ['the store is a FIFO', 'state.db', fifo, /state\.db should be the session store, but it is no file/u, 1],
  ])('%s', async (_, name, make, sentence, code) => {
    const home: TestHome = makeHome(undefined);
    rmSync(join(home.path, name), { force: true });
    make(join(home.path, name));
    const done = await runHermes(home, name === 'state.db' ? ['sessions', 'list'] : ['-q', 'x']);
    expect(done.err).toMatch(sentence);
    expect(done.err).not.toMatch(/\n\s+at /u);
    expect(done.code).toBe(code);
  });
});

describe('a directory that was deleted under the shell', () => {
  const inGone = (folder: string, args: string): string =>
    `mkdir '${folder}/gone' && cd '${folder}/gone' && rmdir '${folder}/gone' && exec '${process.execPath}' '${hermesBin}' ${args}`;

  test('the screen opens there, and a message is answered', async () => {
    const machine = await makeMachine();
    const tui = spawnTui({ command: '/bin/sh', args: ['-c', inGone(machine.work, '')], env: { HERMES_HOME: machine.home } });
    await untilText(tui, '❯');
    tui.write('hello\r');
    await untilText(tui, 'Understood.');
    expect(machine.messages().map((row) => row.content)).toContain('hello');
  });

  test('one question is answered there', async () => {
    const machine = await makeMachine();
    const tui = spawnTui({ command: '/bin/sh', args: ['-c', inGone(machine.work, '-q hello')], env: { HERMES_HOME: machine.home } });
    expect((await tui.exited).code).toBe(0);
    expect(tui.text()).toContain('Understood.');
  });
});

test('tables that are taken away while the store is open: one sentence, the text stays, no crash', async () => {
  const machine = await makeMachine({
    conversations: (cwd) => [{ title: 'one', source: 'tui', cwd, age: 1, messages: [you('question'), agent('answer')] }],
  });
  const tui = await startHermes(machine, { args: ['-c'] });
  await untilText(tui, 'Previous conversation');
  tui.write('first\r');
  await untilText(tui, 'Understood.');
  await tui.waitIdle();
  const db = new BetterSqlite3(join(machine.home, 'state.db'));
  db.exec('DROP TABLE messages');
  db.close();
  tui.write('hello\r');
  await tui.until((t) => /were\s+taken\s+away\s+while\s+it\s+was\s+open/u.test(t.text()), 'what happened');
  await untilText(tui, '❯ hello');
  tui.press('ctrl+x');
  await untilText(tui, 'Sessions');
  await tui.waitIdle();
  expect(tui.exitStatus()).toBeUndefined();
});

test('a store that is deleted while it is open: the list says so instead of being empty', async () => {
  const machine = await makeMachine({
    conversations: (cwd) => [{ title: 'one', source: 'tui', cwd, age: 1, messages: [you('question'), agent('answer')] }],
  });
  const tui = await startHermes(machine, { args: ['-c'] });
  await untilText(tui, 'Previous conversation');
  tui.write('first\r');
  await untilText(tui, 'Understood.');
  await tui.waitIdle();
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(machine.home, `state.db${suffix}`), { force: true });
  tui.press('ctrl+x');
  await tui.until(
    (t) => /Sessions[^]*(moved\s+or\s+deleted|There\s+is\s+no\s+session\s+store)/u.test(t.text()),
    'the list to say what happened',
  );
  expect(tui.text()).not.toContain('No sessions yet');
});

test('a recorded directory that is no path is one that is gone', async () => {
  const machine = await makeMachine({
    conversations: () => [{ title: 'one', source: 'tui', cwd: '/tmp/a\0b', age: 1, messages: [you('question'), agent('answer')] }],
  });
  const tui = await startHermes(machine, { args: ['-r', machine.ids[0]!] });
  await untilText(tui, "session's recorded dir is gone");
  mkdirSync(join(machine.work, 'x'));
  tui.write('hello\r');
  await untilText(tui, 'Understood.');
});
