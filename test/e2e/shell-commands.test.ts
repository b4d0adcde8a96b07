import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeDemoStore } from '../../fixtures/stores/demo-store.ts';
import { renderHelp } from '../../src/commands/help.ts';
import { shellSpecs } from '../../src/commands/parse.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { version } from '../../src/text/version.ts';
import { spawnTui } from '../support/tui.ts';

const root = path.join(import.meta.dirname, '../..');
const hermes = path.join(root, 'bin/hermes');

let home: string;
let ids: string[];

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-e2e-shell-'));
  ids = makeDemoStore(path.join(home, 'state.db'), path.join(home, 'work'), Date.now());
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const environment = (own: string, extra: Record<string, string> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: own,
  HERMES_HOME: own,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  ...extra,
});

function run(args: readonly string[], options: { home?: string; env?: Record<string, string>; input?: string } = {}) {
  const own = options.home ?? home;
  const result = spawnSync(process.execPath, [hermes, ...args], {
    cwd: tmpdir(),
    env: environment(own, options.env),
    encoding: 'utf8',
    input: options.input ?? '',
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

function copyHome(): string {
  const own = mkdtempSync(path.join(tmpdir(), 'hermes-e2e-own-'));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  cpSync(path.join(home, 'state.db'), path.join(own, 'state.db'));
  return own;
}

describe('the shell command line', () => {
  test('--version, and --help of everything and of each command, as documented', () => {
    expect(run(['--version'])).toMatchObject({ code: 0, out: `hermes ${version}\n`, err: '' });
    expect(run(['--help'])).toMatchObject({ code: 0, out: renderHelp(undefined), err: '' });
    for (const spec of shellSpecs) expect(run([...spec.shell.split(' '), '--help']).out).toBe(renderHelp(spec.shell));
  });

  test.each<[string, string[]]>([
    ['an unknown option', ['--frobnicate']],
    ['an unknown command', ['frobnicate']],
    ['a missing value', ['--resume']],
    ['a wrong count', ['sessions', 'list', '--limit', 'x']],
    ['no choice of a shell', ['completion']],
  ])('%s: one sentence and a hint on stderr, exit 2', (_, args) => {
    const { code, out, err } = run(args);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
    expect(err).not.toMatch(/\n\s+at /);
  });

  test('an unknown command names another hermes on PATH and how to call it', () => {
    const own = copyHome();
    mkdirSync(path.join(own, 'bin'));
    const other = path.join(own, 'bin/hermes');
    writeFileSync(other, '#!/bin/sh\n', { mode: 0o755 });
    const { code, err } = run(['gateway', 'start'], { home: own, env: { PATH: `${path.dirname(other)}:${process.env['PATH']}` } });
    expect(code).toBe(2);
    expect(err).toContain(`${other} gateway start`);
  });

  test('a fresh machine: nothing is made by looking', () => {
    const own = mkdtempSync(path.join(tmpdir(), 'hermes-e2e-fresh-'));
    onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    expect(run(['sessions', 'list'], { home: path.join(own, 'none') })).toMatchObject({ code: 0, out: 'No sessions found.\n', err: '' });
    expect(run(['sessions', 'stats'], { home: own }).out).toContain('Total sessions: 0');
    expect(readdirSync(own)).toEqual([]);
  });
});

describe('hermes sessions list', () => {
  test('in a pipe: every column at its full width, ids whole, no colour, no escape sequence', () => {
    const { code, out, err } = run(['sessions', 'list', '--limit', '50']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(ids[0]);
    expect(out).not.toContain('\u001b');
    const [header, ...rows] = out.split('\n').filter((line) => line !== '' && !line.startsWith('─') && !line.startsWith('…'));
    const idColumn = stringWidth(header!.slice(0, header!.lastIndexOf('ID')));
    for (const row of rows) expect(stringWidth(row.slice(0, row.search(/\d{8}_\d{6}_/)))).toBe(idColumn);
  });

  test('a reader that closes the pipe early costs nothing', async () => {
    const child = spawn('bash', ['-c', `set -o pipefail; "$1" "$2" sessions list | head -1`, 'bash', process.execPath, hermes], {
      env: environment(home),
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(0);
    expect(out).toMatch(/^Title/);
    expect(err).toBe('');
  });

  test.runIf(existsSync('/dev/full')).each([['sessions', 'list'], ['sessions', 'show', 'ID'], ['sessions', 'export', '-'], ['--help']])(
    'a full disk behind standard output is one sentence: %s %s',
    (...line) => {
      const full = openSync('/dev/full', 'w');
      onTestFinished(() => closeSync(full));
      const args = [hermes, ...line.map((word) => (word === 'ID' ? ids[0]! : word))];
      const result = spawnSync(process.execPath, args, { env: environment(home), encoding: 'utf8', stdio: ['ignore', full, 'pipe'] });
      expect(result).toMatchObject({ status: 1, stderr: 'hermes: No room left on the disk that standard output goes to.\n' });
    },
  );

  test('on a terminal of 80 columns no row is broken', async () => {
    const tui = spawnTui({
      command: process.execPath,
      args: [hermes, 'sessions', 'list'],
      env: { HERMES_HOME: home, HOME: home },
      cols: 80,
      rows: 40,
    });
    expect((await tui.exited).code).toBe(0);
    const rows = tui.lines().filter((line) => /\d{8}_\d{6}_[0-9a-f]+/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) expect(row.trimEnd()).toMatch(/\d{8}_\d{6}_[0-9a-f]{6,8}$/);
  });

  test('rename, then the list and the resume text know the new title', () => {
    const own = copyHome();
    expect(run(['sessions', 'rename', ids[1]!, 'unused', '의존성'], { home: own })).toMatchObject({
      code: 0,
      out: `Session '${ids[1]}' renamed to: unused 의존성\n`,
      err: '',
    });
    expect(run(['sessions', 'list'], { home: own }).out).toContain('unused 의존성');
  });

  test.each<[string, (store: string) => void]>([
    ['text', (store) => writeFileSync(store, 'not a database\n'.repeat(50))],
    ['an empty file', (store) => writeFileSync(store, '')],
    ['half a page', (store) => writeFileSync(store, 'SQLite format 3\0'.padEnd(300, 'x'))],
  ])('a store that is %s: one plain sentence, exit 1, the file untouched', (_, damage) => {
    const own = copyHome();
    damage(path.join(own, 'state.db'));
    const { code, out, err } = run(['sessions', 'list'], { home: own });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain('state.db');
    expect(err).not.toMatch(/\n\s+at /);
    expect(existsSync(path.join(own, 'state.db'))).toBe(true);
  });

  test.runIf(process.getuid?.() !== 0)('a store that may not be read says so (root may read everything)', () => {
    const own = copyHome();
    chmodSync(path.join(own, 'state.db'), 0);
    expect(run(['sessions', 'list'], { home: own })).toMatchObject({ code: 1, out: '' });
  });
});

test('hermes completion bash is what bash can read', () => {
  const { out } = run(['completion', 'bash']);
  expect(spawnSync('bash', ['-n'], { input: out, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
});
