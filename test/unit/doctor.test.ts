import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelChoice } from '../../src/agent/events.ts';
import { checkClipboard } from '../../src/commands/doctor/clipboard.ts';
import { checkConfig } from '../../src/commands/doctor/config.ts';
import { checkModels } from '../../src/commands/doctor/models.ts';
import type { Outside } from '../../src/commands/doctor/outside.ts';
import { checkProgram, neededNode } from '../../src/commands/doctor/program.ts';
import type { Finding, FindingId } from '../../src/commands/doctor/report.ts';
import { checkTerminal } from '../../src/commands/doctor/terminal.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/types.ts';
import { AgentError, type AgentTrouble } from '../../src/errors.ts';
import { identifyTerminal, paneCrumbName } from '../../src/terminal/identity.ts';
import { openLiveRegister } from '../../src/terminal/live-register.ts';
import { writeBreadcrumb } from '../../src/terminal/breadcrumbs.ts';
import packageFile from '../../package.json' with { type: 'json' };
import { contextOf, doctorNow, processTable, wellOutside } from '../support/doctor.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const minute = 60_000;
const pick = (findings: readonly Finding[], id: FindingId): Finding => {
  const found = findings.find((finding) => finding.id === id);
  if (found === undefined) throw new Error(`no finding ${id} among ${findings.map((finding) => finding.id).join(', ')}`);
  return found;
};

describe('terminal', () => {
  const check = (home: string, outside: Outside, config: Config = DEFAULTS, isStored: boolean | undefined = true): Finding[] =>
    checkTerminal(contextOf(home), outside, config, () => isStored);

  test('a tmux pane: who it is, and what was accepted', () => {
    const identity = pick(check(temporaryFolder(), wellOutside()), 'identity');
    expect(identity).toMatchObject({ mark: 'ok', text: 'tmux %3 on pts/4' });
    expect(identity.details?.join('\n')).toContain('TMUX names tmux: server (100): accepted');
  });

  test('an inherited variable is named as ignored', () => {
    const outside = wellOutside({ env: { KITTY_PID: '7', KITTY_WINDOW_ID: '1' } });
    expect(pick(check(temporaryFolder(), outside), 'identity').details?.join('\n')).toContain('KITTY_PID=7 does not name');
  });

  test('no terminal at all is worth a look, not wrong, and tmux is not asked', () => {
    const outside = wellOutside({
      env: { TMUX: undefined },
      facts: { stdinTty: undefined, stdoutTty: undefined, pid: 5 },
      askTmux: () => {
        throw new Error('asked');
      },
    });
    const findings = check(temporaryFolder(), outside);
    expect(pick(findings, 'identity')).toMatchObject({ mark: 'look', hint: expect.any(String) as string });
    expect(findings.filter((finding) => finding.mark === 'wrong')).toEqual([]);
  });

  describe('breadcrumb', () => {
    const leave = (home: string, at: number): void => {
      writeBreadcrumb(home, identifyTerminal(wellOutside().facts), { sessionId: 's-1', cwd: '/work' }, at);
    };

    test('found: session, age and file', () => {
      const home = temporaryFolder();
      leave(home, doctorNow - 5 * minute);
      const file = paneCrumbName(identifyTerminal(wellOutside().facts).identity);
      const found = pick(check(home, wellOutside()), 'breadcrumb');
      expect(found.mark).toBe('ok');
      expect(found.text).toMatch(new RegExp(`^s-1, 5m ago, .*${file}$`));
    });

    test('one whose session is not in the store is worth a look; a store that can not be asked says nothing', () => {
      const home = temporaryFolder();
      leave(home, doctorNow - minute);
      expect(pick(check(home, wellOutside(), DEFAULTS, false), 'breadcrumb')).toMatchObject({ mark: 'look' });
      expect(
        pick(
          checkTerminal(contextOf(home), wellOutside(), DEFAULTS, () => undefined),
          'breadcrumb',
        ),
      ).toMatchObject({ mark: 'ok' });
    });

    test('too old: not followed, with the reason for each file', () => {
      const home = temporaryFolder();
      leave(home, doctorNow - 40 * 24 * 60 * minute);
      const found = pick(check(home, wellOutside()), 'breadcrumb');
      expect(found.mark).toBe('look');
      expect(found.details).toHaveLength(2);
      expect(found.details?.[0]).toContain('older than 30 days');
    });

    test('switched off in config.yaml: said', () => {
      const config = { ...DEFAULTS, session: { terminalContinue: false } };
      expect(pick(check(temporaryFolder(), wellOutside(), config), 'breadcrumb')).toMatchObject({ mark: 'note' });
    });
  });

  test('another hermes with a session open in this terminal is named with pid and session', () => {
    const home = temporaryFolder();
    const { identity, label, host, boot } = identifyTerminal(wellOutside().facts);
    const register = openLiveRegister({
      home,
      self: { pid: 901, start: 9010, host, boot, identity, label },
      proc: processTable,
      now: () => doctorNow,
    });
    register.claim('대화-1', 'working');
    const live = pick(check(home, wellOutside()), 'live');
    expect(live.details).toEqual([expect.stringMatching(/tmux %3, pid 901, in this terminal: 대화-1 \(working/) as string]);
    register.release('대화-1');
    expect(pick(check(home, wellOutside()), 'live').details).toEqual([]);
  });

  test.each<[string, FindingId, Parameters<typeof wellOutside>[0], Finding['mark'], RegExp?]>([
    ['escape-time of 50 is fine', 'escape-time', { askTmux: () => '50' }, 'ok'],
    ['escape-time of 500 names the line for tmux.conf', 'escape-time', { askTmux: () => '500' }, 'look', /set -s escape-time 10$/],
    ['a tmux that does not answer is said', 'escape-time', { askTmux: () => undefined }, 'look'],
    ['extended-keys off names the line for tmux.conf', 'extended-keys', { askTmux: () => 'off' }, 'look', /set -s extended-keys on$/],
    ['extended-keys always is fine', 'extended-keys', { askTmux: () => 'always' }, 'ok'],
    [
      'an old tmux without extended-keys',
      'extended-keys',
      { askTmux: (_, option) => (option === 'escape-time' ? '0' : undefined) },
      'note',
    ],
    ['TERM unset', 'term', { env: { TERM: '' } }, 'look', /TERM=/],
    ['TERM=dumb', 'term', { env: { TERM: 'dumb' } }, 'look', /--cli/],
    ['a screen of 40 x 12', 'size', { size: { columns: 40, rows: 12 } }, 'ok'],
    ['a screen of 39 x 12', 'size', { size: { columns: 39, rows: 12 } }, 'look', /40 x 12/],
    ['no screen', 'size', { size: undefined }, 'note'],
    ['a locale without UTF-8', 'locale', { env: { LANG: 'ko_KR.EUC-KR' } }, 'look', /UTF-8/],
    ['LC_ALL wins over LANG', 'locale', { env: { LC_ALL: 'C' } }, 'look'],
    ['no locale', 'locale', { env: { LANG: '' } }, 'look'],
    ['utf8 without a dash', 'locale', { env: { LANG: 'en_US.utf8' } }, 'ok'],
    ['NO_COLOR is named', 'colours', { env: { NO_COLOR: '1' } }, 'ok'],
  ])('%s', (_title, id, changes, mark, hint) => {
    const found = pick(check(temporaryFolder(), wellOutside(changes)), id);
    expect(found.mark).toBe(mark);
    if (hint !== undefined) expect(found.hint).toMatch(hint);
    else if (mark === 'ok') expect(found.hint).toBeUndefined();
  });

  test('outside of tmux, tmux is no subject', () => {
    const outside = wellOutside({ env: { TMUX: undefined, TMUX_PANE: undefined } });
    expect(check(temporaryFolder(), outside).map((finding) => finding.id)).not.toContain('escape-time');
  });
});

test.each<[string, Record<string, string | undefined>, string[], FindingId]>([
  ['inside tmux, tmux is used first', {}, ['ok', 'note', 'ok'], 'clipboard-tmux'],
  ['on a desktop, the system', { TMUX: undefined, DISPLAY: ':0' }, ['note', 'ok', 'ok'], 'clipboard-system'],
  ['over ssh, the terminal', { TMUX: undefined, DISPLAY: ':10', SSH_CONNECTION: 'a 1 b 2' }, ['note', 'note', 'ok'], 'clipboard-osc52'],
])('clipboard: %s', (_title, env, marks, first) => {
  const findings = checkClipboard(wellOutside({ env }));
  expect(findings.map((finding) => finding.mark)).toEqual(marks);
  expect(findings.filter((finding) => finding.text.startsWith('used first')).map((finding) => finding.id)).toEqual([first]);
});

describe('config', () => {
  const check = async (home: string, outside = wellOutside()): Promise<Finding[]> =>
    checkConfig(contextOf(home), outside, await loadConfig(contextOf(home).home, { env: outside.facts.env, now: doctorNow }));
  const privateHome = (): string => {
    const home = temporaryFolder();
    chmodSync(home, 0o700);
    return home;
  };

  test('a fresh machine: nothing there, nothing wrong', async () => {
    const findings = await check(join(temporaryFolder(), '없는 집'));
    expect(findings.every((finding) => finding.mark === 'ok')).toBe(true);
  });

  test('every problem, with file, line and key', async () => {
    const home = privateHome();
    writeFileSync(join(home, 'config.yaml'), 'display:\n  interface: web\ntui:\n  colour: red\n', { mode: 0o600 });
    writeFileSync(join(home, '.env'), 'A=secret-value\nthis is no line\n', { mode: 0o600 });
    const problems = (await check(home)).filter((finding) => finding.id === 'problem');
    expect(problems.map((finding) => finding.mark)).toEqual(['wrong', 'wrong', 'wrong']);
    expect(problems[0]?.text).toContain(`${join(home, 'config.yaml')}:2: display.interface`);
    expect(problems[1]?.text).toContain(`${join(home, 'config.yaml')}:4: tui.colour`);
    expect(problems[2]?.text).toContain(`${join(home, '.env')}:2:`);
    expect(JSON.stringify(await check(home))).not.toContain('secret-value');
  });

  test('a home and a .env that others may read, with what to type', async () => {
    const home = privateHome();
    chmodSync(home, 0o755);
    writeFileSync(join(home, '.env'), 'A=1\n');
    chmodSync(join(home, '.env'), 0o644);
    const findings = await check(home);
    expect(pick(findings, 'home')).toMatchObject({ mark: 'look', hint: expect.stringContaining(`chmod 700 ${home}`) as string });
    expect(pick(findings, 'env')).toMatchObject({ mark: 'look', hint: expect.stringContaining('chmod 600') as string });
  });

  test('a home of another user is only read', async () => {
    const home = privateHome();
    expect(pick(await check(home, wellOutside({ uid: 424_242 })), 'home')).toMatchObject({ mark: 'look' });
  });

  test('a file where the home should be is wrong', async () => {
    const home = join(temporaryFolder(), 'file');
    writeFileSync(home, '');
    expect(pick(await check(home), 'home')).toMatchObject({ mark: 'wrong', hint: expect.stringContaining('HERMES_HOME') as string });
  });

  test('the profile, and those beside it', async () => {
    const root = privateHome();
    for (const name of ['work', 'lab']) mkdirSync(join(root, 'profiles', name), { recursive: true });
    const home = { path: join(root, 'profiles', 'lab'), profile: 'lab', storePath: join(root, 'profiles', 'lab', 'state.db') };
    const loaded = await loadConfig(home, { env: {}, now: doctorNow });
    expect(pick(checkConfig({ ...contextOf(root), home }, wellOutside(), loaded), 'profile').text).toMatch(/^lab; others: work /);
  });
});

describe('models', () => {
  const key = 'sk-never-show-this';
  const config: Config = {
    ...DEFAULTS,
    model: { aliases: {}, model: 'qwen3:8b', provider: 'custom:연구실' },
    providers: [{ name: '연구실', baseUrl: 'http://ann:hidden@lab.example:81/v1?token=hidden', keyEnv: 'LAB_KEY', models: [] }],
  };
  const check = (changes: Parameters<typeof wellOutside>[0] = {}, of = config): Promise<Finding[]> =>
    checkModels(contextOf(temporaryFolder()), wellOutside({ env: { LAB_KEY: key }, ...changes }), of);

  test('nothing set up is worth a look, names local servers, and asks no endpoint', async () => {
    const server = { kind: 'ollama', label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b'] } as const;
    const findings = await check({ env: {}, findServers: () => Promise.resolve([{ ...server, models: [...server.models] }]) }, DEFAULTS);
    expect(pick(findings, 'model')).toMatchObject({ mark: 'look', hint: expect.stringContaining('/model') as string });
    expect(pick(findings, 'local')).toMatchObject({ mark: 'ok', text: 'Ollama at http://127.0.0.1:11434/v1: qwen3:8b' });
  });

  test('a model that answers: where its key stands, and neither key nor password', async () => {
    const asked: ModelChoice[] = [];
    const findings = await check({ listModels: (choice) => Promise.resolve((asked.push(choice), ['qwen3:8b', 'other'])) });
    expect(findings.map((finding) => finding.mark)).toEqual(['ok', 'ok', 'ok', 'note']);
    expect(pick(findings, 'model').text).toBe('qwen3:8b of custom:연구실');
    expect(pick(findings, 'key').text).toBe('from LAB_KEY');
    expect(asked).toMatchObject([{ apiKey: key }]);
    expect(JSON.stringify(findings)).not.toMatch(/sk-never|hidden/);
  });

  test.each<[string, string[]]>([
    ['a model the endpoint does not list', ['other']],
    ['an endpoint that lists nothing', []],
  ])('%s is worth a look', async (_title, models) => {
    expect(pick(await check({ listModels: () => Promise.resolve(models) }), 'endpoint')).toMatchObject({
      mark: 'look',
      hint: expect.any(String) as string,
    });
  });

  test.each<[AgentTrouble, Finding['mark']]>([
    ['unauthorized', 'wrong'],
    ['network', 'wrong'],
    ['server', 'wrong'],
    ['bad-request', 'wrong'],
    ['rate-limited', 'look'],
  ])('an endpoint in trouble (%s): one sentence and what to try, without the key', async (trouble, mark) => {
    const error = new AgentError(trouble, `It said no to ${key}.`, { hint: 'Your message is stored.' });
    const found = pick(await check({ listModels: () => Promise.reject(error) }), 'endpoint');
    expect(found).toMatchObject({ mark, text: 'It said no to ***.' });
    expect(found.hint).toBeTruthy();
    expect(found.hint).not.toContain('message is stored');
  });

  test('a configured model without its key is wrong, and nothing is asked', async () => {
    const found = pick(await check({ env: {} }), 'model');
    expect(found).toMatchObject({ mark: 'wrong', hint: expect.stringContaining('LAB_KEY') as string });
  });
});

describe('program', () => {
  function place(folder: string): string {
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'hermes');
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
    return file;
  }
  const check = (folders: string[], file: string, nodeVersion = '20.20.2'): Finding[] =>
    checkProgram(wellOutside({ env: { PATH: folders.join(':') }, file, nodeVersion }));

  test('another earlier on PATH is named with how to call each', () => {
    const root = realpathSync(temporaryFolder());
    const other = place(join(root, '다른 것'));
    const own = place(join(root, 'own'));
    const found = pick(check([join(root, '다른 것/'), join(root, 'own')], own), 'other');
    expect(found.mark).toBe('look');
    expect(found.text).toContain(other);
    expect(found.hint).toContain(own);
    expect(found.hint).toContain(`'${other}'`);
  });

  test('another later on PATH: this one is `hermes`, also through a link', () => {
    const root = realpathSync(temporaryFolder());
    const own = place(join(root, 'real'));
    const other = place(join(root, 'later'));
    mkdirSync(join(root, 'bin'));
    symlinkSync(own, join(root, 'bin/hermes'));
    const found = pick(check([join(root, 'bin'), join(root, 'later')], own), 'other');
    expect(found.mark).toBe('note');
    expect(found.text).toContain(other);
    expect(found.text).toMatch(/this one hermes$/);
  });

  test('called by its path while another is on PATH', () => {
    const root = realpathSync(temporaryFolder());
    const own = place(join(root, 'clone/bin'));
    place(join(root, 'bin'));
    expect(pick(check([join(root, 'bin')], own), 'other')).toMatchObject({ mark: 'look', hint: expect.stringContaining(own) as string });
  });

  test('alone', () => {
    expect(pick(check(['', '/nowhere'], '/opt/hermes'), 'other').mark).toBe('ok');
  });

  test.each<[string, Finding['mark']]>([
    ['20.10.9', 'wrong'],
    ['18.20.0', 'wrong'],
    ['20.11.0', 'ok'],
    ['22.1.0', 'ok'],
  ])('node %s is %s, by the number in package.json', (nodeVersion, mark) => {
    expect(packageFile.engines.node).toBe(`>=${neededNode}`);
    expect(pick(check([], '/opt/hermes', nodeVersion), 'node').mark).toBe(mark);
  });
});
