import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findOtherHermes } from '../../src/commands/other-hermes.ts';
import { countFlag, parseArguments, type ParsedCommand } from '../../src/commands/parse.ts';
import { HermesError, UsageError } from '../../src/errors.ts';

const run = (line: readonly string[]): Extract<ParsedCommand, { kind: 'run' }> => {
  const parsed = parseArguments(line);
  if (parsed.kind !== 'run') throw new Error(`not a run: ${JSON.stringify(parsed)}`);
  return parsed;
};

function fault(line: readonly string[], other?: string): UsageError {
  try {
    parseArguments(line, () => other);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('reading the words after hermes', () => {
  test.each<[string, string[], string, Record<string, string | true>, string[]]>([
    ['nothing starts a conversation', [], 'shell.chat', {}, []],
    ['-c alone continues', ['-c'], 'shell.chat', { continue: true }, []],
    ['-c takes the next word as a name', ['-c', 'my project'], 'shell.chat', { continue: 'my project' }, []],
    ['-c does not take an option', ['-c', '--in', 'x'], 'shell.chat', { continue: true, in: 'x' }, []],
    ['--continue=NAME', ['--continue=#3'], 'shell.chat', { continue: '#3' }, []],
    ['-r with a space', ['-r', '20250305'], 'shell.chat', { resume: '20250305' }, []],
    ['-rVALUE', ['-rlatest'], 'shell.chat', { resume: 'latest' }, []],
    ['--resume=latest', ['--resume=latest'], 'shell.chat', { resume: 'latest' }, []],
    [
      'the whole line of the seed',
      ['--tui', '--resume', 'latest', '--in', './proj'],
      'shell.chat',
      { tui: true, resume: 'latest', in: './proj' },
      [],
    ],
    [
      'the same after chat',
      ['chat', '--resume', 'latest', '--no-restore-cwd'],
      'shell.chat',
      { resume: 'latest', 'no-restore-cwd': true },
      [],
    ],
    ['options on both sides of chat', ['-p', 'work', 'chat', '-c'], 'shell.chat', { profile: 'work', continue: true }, []],
    ['a question that begins with a dash', ['-q', '-5 + 3 = ?'], 'shell.chat', { query: '-5 + 3 = ?' }, []],
    ['a value with = in it', ['--query=a=b'], 'shell.chat', { query: 'a=b' }, []],
    ['the last of two wins', ['--source', 'a', '--source', 'b'], 'shell.chat', { source: 'b' }, []],
    ['a subcommand of two words', ['sessions', 'list', '--limit', '5'], 'shell.sessions-list', { limit: '5' }, []],
    [
      'options before a subcommand that knows them',
      ['--source', 'telegram', 'sessions', 'list'],
      'shell.sessions-list',
      { source: 'telegram' },
      [],
    ],
    ['hermes-tui in front of a subcommand', ['--tui', 'sessions', 'browse'], 'shell.sessions-browse', { tui: true }, []],
    [
      'a title of several words',
      ['sessions', 'rename', 'id1', 'debugging', 'auth', 'flow'],
      'shell.sessions-rename',
      {},
      ['id1', 'debugging', 'auth', 'flow'],
    ],
    ['-- ends the options', ['sessions', 'rename', '--', 'id1', '--tui'], 'shell.sessions-rename', {}, ['id1', '--tui']],
    [
      'an option in the middle',
      ['sessions', 'rename', 'id1', '-p', 'work', 'new'],
      'shell.sessions-rename',
      { profile: 'work' },
      ['id1', 'new'],
    ],
    ['one of the choices', ['completion', 'zsh'], 'shell.completion', {}, ['zsh']],
  ])('%s', (_, line, id, flags, args) => {
    expect(run(line)).toEqual({ kind: 'run', id, flags, args });
  });

  test.each<[string, string[], ParsedCommand]>([
    ['--help', ['--help'], { kind: 'help' }],
    ['-h after a command', ['sessions', 'list', '-h'], { kind: 'help', topic: 'sessions list' }],
    ['help and a command', ['help', 'sessions', 'list'], { kind: 'help', topic: 'sessions list' }],
    ['a group alone', ['sessions'], { kind: 'help', topic: 'sessions' }],
    ['help', ['help'], { kind: 'help' }],
    ['--version', ['--version'], { kind: 'version' }],
    ['-V', ['-V'], { kind: 'version' }],
  ])('%s', (_, line, expected) => {
    expect(parseArguments(line)).toEqual(expected);
  });

  test.each<[string, string[], string, RegExp]>([
    ['a misspelt option names the nearest', ['--resum', 'x'], 'Unknown option --resum.', /--resume/],
    ['an option nothing is near to', ['--frobnicate'], 'Unknown option --frobnicate.', /hermes --help/],
    ['an unknown short option', ['-x'], 'Unknown option -x.', /--help/],
    ['a missing value at the end', ['--resume'], '--resume needs a value: --resume SESSION.', /--help/],
    ['a missing value before another option', ['--resume', '--tui'], '--resume needs a value: --resume SESSION.', /--help/],
    ['an empty value', ['--in='], '--in needs a value: --in DIR.', /--help/],
    ['an empty name', ['-c', ''], '--continue needs a value: --continue NAME.', /--help/],
    ['a value for a switch', ['--tui=yes'], '--tui takes no value.', /--help/],
    [
      'an option of another command',
      ['sessions', 'list', '--resume', 'x'],
      '--resume does not go with `hermes sessions list`.',
      /sessions list --help/,
    ],
    [
      'an option in front of a command that does not know it',
      ['-c', '--', 'sessions', 'stats'],
      '--continue does not go with `hermes sessions stats`.',
      /--help/,
    ],
    ['a misspelt group', ['sesions', 'list'], "Unknown command 'sesions'.", /Did you mean hermes sessions\?/],
    ['a command without its group', ['list'], "Unknown command 'list'.", /Did you mean hermes sessions list\?/],
    ['a question in place of a command', ['fix', 'the build'], "Unknown command 'fix'.", /hermes -q 'fix the build'[^]*--help/],
    ['one word that is no command', ['fix'], "Unknown command 'fix'.", /^`hermes --help`/],
    ['an unknown command of a group', ['sessions', 'lst'], "Unknown command 'sessions lst'.", /hermes sessions list/],
    ['an argument too many', ['sessions', 'stats', 'x'], "`hermes sessions stats` does not take 'x'.", /--help/],
    ['a word after chat', ['chat', 'hello'], "`hermes` does not take 'hello'.", /--help/],
    ['a missing argument', ['sessions', 'rename', 'id1'], '`hermes sessions rename` needs TITLE.', /--help/],
    ['an empty argument', ['sessions', 'export', ''], '`hermes sessions export` got an empty output.', /--help/],
    [
      'two values of one option',
      ['sessions', 'list', '--source', 'cli', '--source=telegram'],
      "--source was given twice, as 'cli' and 'telegram'.",
      /one/,
    ],
    ['none of the choices', ['completion', 'csh'], "'csh' is no shell.", /bash, zsh, fish/],
    ['-c and -r', ['-c', '-r', 'x'], "--continue and --resume don't go together.", /one/],
    ['--tui and --cli', ['--tui', '--cli'], "--tui and --cli don't go together.", /one/],
  ])('%s', (_, line, message, hint) => {
    const error = fault(line);
    expect(error.message).toBe(message);
    expect(error.hint).toMatch(hint);
    expect(error.exitCode).toBe(2);
  });

  test('an unknown command names another hermes and the line to type there, quoted', () => {
    expect(fault(['gateway', 'start now'], '/opt/bin/hermes').hint).toContain("/opt/bin/hermes gateway 'start now'");
  });

  test('any words at all give a command or a usage error, never another fault', () => {
    const words = fc.array(
      fc.oneof(
        fc.constantFrom('-c', '-r', '--', '--in', 'sessions', 'list', 'rename', 'help', '-', '=', '--=', '-h', '--limit=3'),
        fc.string(),
      ),
      { maxLength: 7 },
    );
    const seed = Date.now() % 1_000_000;
    fc.assert(
      fc.property(words, (line) => {
        try {
          return ['run', 'help', 'version'].includes(parseArguments(line).kind);
        } catch (error) {
          return error instanceof HermesError && error.exitCode === 2 && !error.message.includes('\n');
        }
      }),
      { seed, numRuns: 500 },
    );
  });

  test.each(['0', '-1', '1.5', 'ten', '', '1e3', '99999999999'])('--limit %s is refused', (value) => {
    expect(() => countFlag({ limit: value }, 'limit')).toThrow(/--limit needs a whole number/);
  });

  test('a count is read, and absent when not given', () => {
    expect(countFlag({ limit: '50' }, 'limit')).toBe(50);
    expect(countFlag({}, 'limit')).toBeUndefined();
  });
});

describe('another hermes on PATH', () => {
  test('is found in the order of PATH; links to ourselves, folders and files that cannot run are not others', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'hermes-path-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const make = (name: string, mode: number): string => {
      mkdirSync(path.join(folder, name), { recursive: true });
      const file = path.join(folder, name, 'hermes');
      writeFileSync(file, '#!/bin/sh\n', { mode });
      return file;
    };
    const own = make('own', 0o755);
    const other = make('other', 0o755);
    make('plain', 0o644);
    mkdirSync(path.join(folder, 'folder/hermes'), { recursive: true });
    mkdirSync(path.join(folder, 'linked'));
    symlinkSync(own, path.join(folder, 'linked/hermes'));
    const searchPath = ['linked', 'plain', 'missing', 'folder', 'other', 'own'].map((name) => path.join(folder, name)).join(':');
    expect(findOtherHermes(searchPath, path.join(folder, 'linked/hermes'))).toEqual([other]);
    expect(findOtherHermes(undefined, own)).toEqual([]);
  });
});
