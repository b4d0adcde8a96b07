import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { renderCompletion, type CompletionShell } from '../../src/commands/completion.ts';
import { renderHelp } from '../../src/commands/help.ts';
import { flagsOf, shellSpecs } from '../../src/commands/parse.ts';
import { stringWidth } from '../../src/terminal/width.ts';

function scriptFile(shell: CompletionShell): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, `hermes.${shell}`);
  writeFileSync(file, renderCompletion(shell));
  return file;
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).error === undefined;

/** What bash offers for the last word of a line. */
function offeredByBash(...words: string[]): string[] {
  const call = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _hermes; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const result = spawnSync('bash', ['--norc', '-c', call, 'bash', scriptFile('bash'), 'hermes', ...words], { encoding: 'utf8' });
  expect(result.stderr).toBe('');
  return result.stdout.split('\n').filter((line) => line !== '');
}

describe('completion scripts', () => {
  test('bash offers commands, groups, options and choices at their place', () => {
    expect(offeredByBash('')).toEqual(expect.arrayContaining(['chat', 'sessions', 'doctor', 'completion', '--resume', '-c']));
    expect(offeredByBash('sessions', '')).toEqual(expect.arrayContaining(['list', 'browse', 'rename', 'stats']));
    expect(offeredByBash('sessions', 'list', '--l')).toEqual(['--limit']);
    expect(offeredByBash('--tui', 'sessions', 'ren')).toEqual(['rename']);
    expect(offeredByBash('sessions', 'search', 'words', '--sort', '')).toEqual(['best', 'newest', 'oldest']);
    expect(offeredByBash('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(offeredByBash('--in', '/et')).toEqual(['/etc']);
    expect(offeredByBash('--resume', '')).toEqual([]);
  });

  test.each<[CompletionShell, string]>([
    ['bash', '-n'],
    ['zsh', '-n'],
    ['fish', '-n'],
  ])('%s reads its script without complaint where it is installed', (shell, check) => {
    const script = renderCompletion(shell);
    expect(script).toContain('hermes-tui');
    // Read by eye where the shell is missing: quotes must balance on every line that has them.
    for (const line of script.split('\n')) expect((line.replaceAll("'\\''", '').match(/'/g) ?? []).length % 2, line).toBe(0);
    if (!isInstalled(shell)) return;
    const result = spawnSync(shell, [check, scriptFile(shell)], { encoding: 'utf8' });
    expect(result.stderr).toBe('');
    expect(result.status).toBe(0);
  });

  test('every command and option of the table is in every script', () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      const script = renderCompletion(shell);
      for (const spec of shellSpecs) {
        for (const word of spec.shell.split(' ')) expect(script, shell).toContain(word);
        for (const flag of flagsOf(spec)) expect(script, shell).toContain(shell === 'fish' ? `-l ${flag.name.slice(2)}` : flag.name);
      }
    }
  });
});

describe('help', () => {
  test('of everything names every command, and fits the width', () => {
    for (const width of [40, 80, 120]) {
      const lines = renderHelp(undefined, width).split('\n');
      for (const spec of shellSpecs) expect(lines.some((line) => line.trimStart().startsWith(spec.shell))).toBe(true);
      if (width >= 80) for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  test('of a command shows how it is typed, what it does and every option', () => {
    for (const spec of shellSpecs) {
      const help = renderHelp(spec.shell);
      expect(help).toContain(`hermes ${spec.shell}`);
      for (const flag of flagsOf(spec)) expect(help).toContain(flag.name);
    }
    expect(renderHelp('sessions rename')).toContain('hermes sessions rename ID TITLE…');
  });

  test('of a group lists its commands, of something unknown everything', () => {
    expect(renderHelp('sessions')).toContain('hermes sessions stats');
    expect(renderHelp('sessions')).not.toContain('doctor');
    expect(renderHelp('nonsense')).toBe(renderHelp(undefined));
  });
});
