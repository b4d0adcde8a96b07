/* eslint-disable no-template-curly-in-string -- references of YAML values and .env, not templates */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { loadConfig } from '../../src/config/load.ts';
import { cachePath } from '../../src/config/yaml-cache.ts';
import type { LoadedConfig } from '../../src/config/types.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** Well after any file of a test was written: files are settled. */
const LATER = Date.now() + 60_000;

interface Files {
  yaml?: string;
  env?: string;
  variables?: Record<string, string>;
}

function homeWith({ yaml, env }: Files): string {
  const home = temporaryFolder();
  if (yaml !== undefined) writeFileSync(join(home, 'config.yaml'), yaml);
  if (env !== undefined) writeFileSync(join(home, '.env'), env);
  return home;
}

const load = (home: string, variables: Record<string, string> = {}): Promise<LoadedConfig> =>
  loadConfig({ path: home, storePath: join(home, 'state.db') }, { env: variables, now: LATER });
const loadFiles = (files: Files): Promise<LoadedConfig> => load(homeWith(files), files.variables);
/** `line: rest` of each problem, without the folder. */
const said = (loaded: LoadedConfig): string[] =>
  loaded.problems.map((problem) => `${problem.line ?? '-'}: ${problem.message.replace(/^.*?\/(config\.yaml|\.env)(:\d+)?: /, '')}`);

describe('aliases that can not be unfolded', () => {
  it.each([
    [
      'an anchor within itself',
      'model: m\na: &a\n  b: *a\n',
      '3: is not YAML: an anchor (&) contains itself (*); the run goes on with the defaults',
    ],
    [
      'in a section that is read',
      'model: &a\n  default: *a\n',
      '2: is not YAML: an anchor (&) contains itself (*); the run goes on with the defaults',
    ],
    ['in a list', 'x: &a [1, *a]\n', '1: is not YAML: an anchor (&) contains itself (*); the run goes on with the defaults'],
  ])('%s', async (_, yaml, sentence) => {
    const loaded = await loadFiles({ yaml });
    expect(said(loaded)).toEqual([sentence]);
    expect(loaded.config).toEqual(DEFAULTS);
  });

  it('an anchor that is used elsewhere is as good as ever', async () => {
    const loaded = await loadFiles({ yaml: 'x: &a {default: m}\nmodel: *a\n' });
    expect(said(loaded)).toEqual([]);
    expect(loaded.config.model).toMatchObject({ model: 'm' });
  });
});

describe('a home without settings', () => {
  it('has the defaults and gets no file', async () => {
    const home = temporaryFolder();
    const loaded = await load(home);
    expect(loaded).toEqual({ config: DEFAULTS, problems: [], env: {}, configPath: join(home, 'config.yaml'), keyLines: {} });
    expect(readdirSync(home)).toEqual([]);
  });
  it.each([
    ['missing altogether', 'gone'],
    ['empty', ''],
  ])('is fine when the folder or file is %s', async (title, what) => {
    const home = homeWith({ yaml: '' });
    expect(said(await load(title === 'empty' ? home : join(home, what)))).toEqual([]);
  });
});

describe('settings', () => {
  it('are read in full', async () => {
    const { config, problems } = await loadFiles({
      yaml: `
_config_version: 30
model:
  default: gpt-5-mini
  provider: custom:box
  base_url: http://127.0.0.1:8080/v1/
  api_key: sk-1
  api_mode: chat_completions
  context_length: 128000
  max_tokens: 4096
  persist_switch_by_default: true
  aliases: {fast: gpt-5-nano, slow: {model: gpt-5}}
model_aliases:
  big: {model: kimi-k2, provider: kimi, key_env: KIMI_API_KEY}
  small: qwen3
display:
  interface: cli
  resume_display: minimal
  resume_exchanges: 4
  resume_max_user_chars: 100
  resume_max_assistant_chars: 90
  resume_max_assistant_lines: 2
  resume_skip_tool_only: no
  ambiguous_width: wide
  theme: light
  mouse_tracking: off
  skin: hermes
session: {terminal_continue: false}
sessions: {max_resume_messages: 0, trash_days: 0, auto_prune: yes, retention_days: 30, vacuum_after_prune: no, min_vacuum_interval_days: 7,
  min_interval_hours: 1, auto_archive: true, auto_archive_days: 14}
database: {journal_mode: DELETE}
session_search: {mode: Summary}
auxiliary:
  vision: {provider: auto, api_key: sk-of-another-task}
  session_search: {provider: openrouter, model: gemini-flash, base_url: '', api_key: sk-2, timeout: 30, max_concurrency: 2, extra_body: {x: 1}}
tui:
  keys:
    session.rename: ctrl+r
    app.help: y
terminal: {backend: local}
`,
    });
    expect(problems).toEqual([]);
    expect(config).toEqual({
      model: {
        model: 'gpt-5-mini',
        provider: 'custom:box',
        baseUrl: 'http://127.0.0.1:8080/v1',
        apiKey: 'sk-1',
        apiMode: 'chat_completions',
        contextLength: 128000,
        maxTokens: 4096,
        aliases: { fast: 'gpt-5-nano', slow: 'gpt-5' },
      },
      providers: [],
      modelAliases: { big: { model: 'kimi-k2', provider: 'kimi', keyEnv: 'KIMI_API_KEY' }, small: { model: 'qwen3' } },
      display: {
        interface: 'cli',
        resumeDisplay: 'minimal',
        resumeExchanges: 4,
        resumeMaxUserChars: 100,
        resumeMaxAssistantChars: 90,
        resumeMaxAssistantLines: 2,
        resumeSkipToolOnly: false,
        ambiguousWidth: 'wide',
        theme: 'light',
        mouse: false,
      },
      session: { terminalContinue: false },
      sessions: {
        maxResumeMessages: 0,
        trashDays: 0,
        autoPrune: true,
        retentionDays: 30,
        vacuumAfterPrune: false,
        minVacuumIntervalDays: 7,
        minIntervalHours: 1,
        autoArchive: true,
        autoArchiveDays: 14,
      },
      database: { journalMode: 'delete' },
      sessionSearch: {
        mode: 'summary',
        model: { provider: 'openrouter', model: 'gemini-flash', apiKey: 'sk-2' },
        timeoutMs: 30_000,
        atOnce: 2,
      },
      keys: { 'session.rename': 'ctrl+r', 'app.help': 'y' },
    });
  });

  it.each([
    ['a word', 'soon'],
    ['a negative number', '-1'],
    ['a list', '[90]'],
  ])('%s for a number of days turns the sweep off', async (_what, value) => {
    const { config, problems } = await loadFiles({
      yaml: `sessions: {auto_prune: true, retention_days: ${value}, auto_archive: true, auto_archive_days: ${value}, trash_days: ${value}}\n`,
    });
    expect(config.sessions).toMatchObject({ retentionDays: 0, autoArchiveDays: 0, trashDays: 30 });
    expect(problems).toHaveLength(3);
  });

  it('model may be a name alone', async () => {
    expect((await loadFiles({ yaml: 'model: gpt-5\n' })).config.model).toEqual({ model: 'gpt-5', aliases: {} });
    expect((await loadFiles({ yaml: 'model: {model: gpt-5}\n' })).config.model).toEqual({ model: 'gpt-5', aliases: {} });
    expect((await loadFiles({ yaml: 'model: ""\n' })).config.model).toEqual({ aliases: {} });
  });

  it('providers come as a list and as a map, and are the same', async () => {
    const { config, problems } = await loadFiles({
      yaml: `
custom_providers:
  - {name: box, base_url: http://box:1234/v1, key_env: BOX_KEY, model: m1, models: [m1, m2]}
  - name: cloud
    base_url: https://cloud.example/v1/
    api_key: sk-cloud
    api_mode: anthropic_messages
    models: {c1: {context_length: 1}, c2: {}}
    headers: {x-secret: abc}
providers:
  third:
    url: https://third.example/v1
    default_model: t1
    models: [{id: t1}, {name: t2}]
  openrouter: {request_timeout_seconds: 30}
  off:
`,
    });
    expect(problems).toEqual([]);
    expect(config.providers).toEqual([
      { name: 'box', baseUrl: 'http://box:1234/v1', keyEnv: 'BOX_KEY', model: 'm1', models: ['m1', 'm2'] },
      { name: 'cloud', baseUrl: 'https://cloud.example/v1', apiKey: 'sk-cloud', apiMode: 'anthropic_messages', models: ['c1', 'c2'] },
      { name: 'third', baseUrl: 'https://third.example/v1', model: 't1', models: ['t1', 't2'] },
      { name: 'openrouter', models: [] },
    ]);
  });

  it('variables are put in, the process before .env', async () => {
    const { config, problems } = await loadFiles({
      yaml: 'model: {default: "${MODEL}", base_url: "http://${HOST}:80/v1", context_length: "${LENGTH}"}\n',
      env: 'MODEL=from-file\nHOST=box\nLENGTH=1000\n',
      variables: { MODEL: 'from-process' },
    });
    expect(problems).toEqual([]);
    expect(config.model).toEqual({ model: 'from-process', baseUrl: 'http://box:80/v1', contextLength: 1000, aliases: {} });
  });

  it('this run has the last word', async () => {
    const variables = { HERMES_INFERENCE_MODEL: 'm2', HERMES_TUI_THEME: 'Light' };
    const { config } = await loadFiles({ yaml: 'model: m1\ndisplay: {theme: dark}\n', variables });
    expect([config.model.model, config.display.theme]).toEqual(['m2', 'light']);
    expect(said(await loadFiles({ variables: { HERMES_TUI_THEME: 'pink' } }))).toEqual([
      '-: environment: HERMES_TUI_THEME: expected auto or dark or light or dark-16 or light-16 or none, found "pink"',
    ]);
  });

  it('merge keys and a byte order mark are read as Hermes Agent reads them', async () => {
    const { config, problems } = await loadFiles({ yaml: '\uFEFFbase: &b {resume_exchanges: 3}\ndisplay:\n  <<: *b\n  theme: dark\n' });
    expect(problems).toEqual([]);
    expect(config.display).toMatchObject({ resumeExchanges: 3, theme: 'dark' });
  });
});

describe('what is wrong is said with line, key and what was expected, and the default stands', () => {
  const cases: [title: string, files: Files, problems: string[]][] = [
    ['a word that is no choice', { yaml: 'display:\n  interface: gui\n' }, ['2: display.interface: expected tui or cli, found "gui"']],
    [
      'a text for a number',
      { yaml: 'display:\n\n  resume_exchanges: many\n' },
      ['3: display.resume_exchanges: expected a whole number from 1, found "many"'],
    ],
    [
      'a number too small',
      { yaml: 'sessions: {max_resume_messages: -1}\n' },
      ['1: sessions.max_resume_messages: expected a whole number from 0, found -1'],
    ],
    ['half a number', { yaml: 'model: {max_tokens: 1.5}\n' }, ['1: model.max_tokens: expected a whole number from 1, found 1.5']],
    [
      'a text for yes or no',
      { yaml: 'session: {terminal_continue: maybe}\n' },
      ['1: session.terminal_continue: expected true or false, found "maybe"'],
    ],
    ['a list for a map', { yaml: 'display: [a]\n' }, ['1: display: expected a map, found a list']],
    ['a map for a name', { yaml: 'model:\n  default: {a: 1}\n' }, ['2: model.default: expected a text, found a map']],
    ['a list as the model', { yaml: 'model: [a, b]\n' }, ['1: model: expected a text, found a list']],
    [
      'no address',
      { yaml: 'model: {base_url: localhost}\n' },
      ['1: model.base_url: expected an address like https://host/v1, found "localhost"'],
    ],
    ['an unknown key in our section', { yaml: 'tui:\n  keys: {}\n  colour: red\n' }, ['3: tui.colour: unknown setting (known here: keys)']],
    ['a list of keys', { yaml: 'tui: {keys: {app.help: [a]}}\n' }, ['1: tui.keys.app.help: expected a text, found a list']],
    [
      'a provider without a name',
      { yaml: 'custom_providers:\n  - base_url: http://a/v1\n' },
      ['2: custom_providers[1]: a provider needs a name'],
    ],
    [
      'a provider that is a text',
      { yaml: 'custom_providers: [box]\n' },
      ['1: custom_providers[1]: expected a map with name and base_url, found "box"'],
    ],
    [
      'a provider that is there twice',
      { yaml: 'custom_providers: [{name: a}]\nproviders: {A: {}}\n' },
      ['2: providers.A: a provider named A is there already; the first one counts'],
    ],
    [
      'an alias without a model',
      { yaml: 'model_aliases: {a: {provider: x}}\n' },
      ['1: model_aliases.a.model: expected the name of a model, found nothing'],
    ],
    [
      'a variable that is not set',
      { yaml: 'model:\n  default: m\n  api_key: ${NO_KEY}\n' },
      ['3: model.api_key: the variable NO_KEY is not set, neither in the environment nor in .env'],
    ],
    [
      'a key of the wrong kind is not shown',
      { yaml: 'model: {api_key: [sk-secret]}\n' },
      ['1: model.api_key: expected a text, found something else'],
    ],
    ['a key that stands there twice', { yaml: 'model: a\nmodel: b\n' }, ['2: model stands there twice; the last one counts']],
    [
      'a file that is a list',
      { yaml: '- a\n' },
      ["1: expected settings as 'name: value' lines, found a list; the run goes on with the defaults"],
    ],
    ['a line of .env that is none', { env: 'A=1\nnonsense here\n' }, ['2: expected NAME=value; the line is skipped']],
    ['a quote that is not closed', { env: 'A="1\nB=2\n' }, ['1: A: the quote is not closed; the variable is skipped']],
  ];
  it.each(cases)('%s', async (_title, files, problems) => expect(said(await loadFiles(files))).toEqual(problems));

  it.each([
    ['a tab', 'display:\n\tinterface: cli\n', 2],
    ['an open quote', 'model: "abc\ndisplay: {}\n', 3],
    ['an open bracket', 'model: gpt\nproviders: {a: {b\n', 3],
    ['an alias to nothing', 'model: *nothing\n', 1],
  ])('%s is not YAML: every default stands', async (_title, yaml, line) => {
    const loaded = await loadFiles({ yaml });
    expect(loaded.config).toEqual(DEFAULTS);
    expect(loaded.problems).toHaveLength(1);
    expect(loaded.problems[0]?.message).toContain('is not YAML');
    expect(Math.abs((loaded.problems[0]?.line ?? 99) - line)).toBeLessThanOrEqual(1);
  });

  it('other values stay as they were set', async () => {
    const { config } = await loadFiles({ yaml: 'display: {interface: gui, resume_display: minimal}\nmodel: m\n' });
    expect([config.display.interface, config.display.resumeDisplay, config.model.model]).toEqual(['tui', 'minimal', 'm']);
  });

  it('a folder in place of a file is a problem, not a crash', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'config.yaml'));
    mkdirSync(join(home, '.env'));
    const loaded = await load(home);
    expect(loaded.config).toEqual(DEFAULTS);
    expect(loaded.problems.map((problem) => problem.message.replace(/^.*\//, ''))).toEqual([
      ".env: can't be read (EISDIR); the run goes on without it",
      "config.yaml: can't be read (EISDIR); the run goes on without it",
    ]);
  });

  it('knows the lines of keys, for messages about clashes', async () => {
    expect((await loadFiles({ yaml: 'tui:\n  keys:\n    app.help: f2\n    app.quit: f2\n' })).keyLines).toEqual({
      'app.help': 3,
      'app.quit': 4,
    });
  });
});

describe('the cache', () => {
  const yaml = `model: {default: m, api_key: sk-plain}
custom_providers:
  - {name: a, api_key: 'sk-single', headers: {authorization: sk-header}}
  - name: b
    api_key: "sk-double" # mine
  - {name: c, api_key: "\${NO_KEY}"}
display:
  interface: gui
`;
  it('answers the same as the file, problems and keys included', async () => {
    const home = homeWith({ yaml });
    const first = await load(home);
    expect(first.cache).toBe('written');
    const second = await load(home);
    expect(second).toEqual({ ...first, cache: 'hit' });
    expect(second.config.model.apiKey).toBe('sk-plain');
    expect(second.config.providers.map((provider) => provider.apiKey)).toEqual(['sk-single', 'sk-double', undefined]);
    expect(said(second)).toEqual([
      '6: custom_providers[3].api_key: the variable NO_KEY is not set, neither in the environment nor in .env',
      '8: display.interface: expected tui or cli, found "gui"',
    ]);
  });
  it('holds no key and is for nobody else to read', async () => {
    const home = homeWith({ yaml });
    await load(home);
    expect(readFileSync(cachePath(home), 'utf8')).not.toContain('sk-');
    expect(statSync(cachePath(home)).mode & 0o777).toBe(0o600);
  });
  it.each([
    ['escapes', 'model: {api_key: "sk\\u002d1"}\n', 'sk-1'],
    ['an anchor', 'k: &k sk-1\nmodel: {api_key: *k}\n', 'sk-1'],
    ['a merge', 'k: &k {api_key: sk-1}\nmodel:\n  <<: *k\n', 'sk-1'],
    ['several lines', 'model:\n  api_key: >-\n    sk\n    1\n', 'sk 1'],
  ])('is not written for a key in %s', async (_title, text, key) => {
    const home = homeWith({ yaml: text });
    const loaded = await load(home);
    expect([loaded.config.model.apiKey, loaded.cache]).toEqual([key, 'off']);
    expect(existsSync(cachePath(home))).toBe(false);
  });
  it('is not written for a password in an address', async () => {
    expect((await loadFiles({ yaml: 'model: {base_url: "http://me:secret@box/v1"}\n' })).cache).toBe('off');
  });
  it('counts no more when the file changed, even with the same size and time', async () => {
    const home = homeWith({ yaml: 'model: aaa\n' });
    const path = join(home, 'config.yaml');
    utimesSync(path, 1000, 1000);
    await load(home);
    writeFileSync(path, 'model: bbb\n');
    utimesSync(path, 1000, 1000);
    expect((await load(home)).config.model.model).toBe('bbb');
    writeFileSync(join(home, 'other'), 'model: ccc\n');
    utimesSync(join(home, 'other'), 1000, 1000);
    renameSync(join(home, 'other'), path);
    expect((await load(home)).config.model.model).toBe('ccc');
  });
  it('is not written while the file is so young that a change could go unseen', async () => {
    const home = homeWith({ yaml: 'model: a\n' });
    const { mtimeMs } = statSync(join(home, 'config.yaml'));
    expect((await loadConfig({ path: home, storePath: '' }, { env: {}, now: mtimeMs + 10 })).cache).toBe('off');
  });
  it.each([
    ['damaged', '{"v": 1, "fi'],
    ['empty', ''],
    ['without content', '{"v": 2}'],
  ])('may be %s', async (_title, text) => {
    const home = homeWith({ yaml: 'model: a\n' });
    mkdirSync(join(home, 'tui'));
    writeFileSync(cachePath(home), text);
    expect(await load(home)).toMatchObject({ cache: 'written', config: { model: { model: 'a' } } });
    expect((await load(home)).cache).toBe('hit');
  });
  it('of an older hermes is written anew: it lacks what is read now', async () => {
    const home = homeWith({ yaml: 'session_search: {mode: summary}\n' });
    mkdirSync(join(home, 'tui'));
    writeFileSync(cachePath(home), '{"v": 1, "file": {}, "parsed": {}}');
    const { config, cache } = await load(home);
    expect([config.sessionSearch.mode, cache]).toEqual(['summary', 'written']);
  });
  it('of a newer hermes is left alone', async () => {
    const home = homeWith({ yaml: 'model: a\n' });
    mkdirSync(join(home, 'tui'));
    writeFileSync(cachePath(home), '{"v": 3}');
    expect((await load(home)).cache).toBe('newer');
    expect(readFileSync(cachePath(home), 'utf8')).toBe('{"v": 3}');
  });
  it('that can not be written costs nothing', async () => {
    const home = homeWith({ yaml: 'model: a\n' });
    writeFileSync(join(home, 'tui'), 'a file where the folder should be');
    expect(await load(home)).toMatchObject({ cache: 'off', problems: [], config: { model: { model: 'a' } } });
  });
});

describe('in the bundle', () => {
  it('the YAML parser is a chunk of its own, loaded only where it is needed', async () => {
    const home = homeWith({ yaml: 'model: gpt-5\n' });
    const out = temporaryFolder();
    const banner = { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" };
    const entry = `
      import { loadConfig } from './src/config/load.ts';
      const { config, cache } = await loadConfig({ path: process.argv[2], storePath: '' }, { env: {}, now: Number(process.argv[3]) });
      console.log(JSON.stringify({ model: config.model.model, cache }));`;
    const { outputs } = (
      await build({
        stdin: { contents: entry, resolveDir: join(import.meta.dirname, '../..'), loader: 'ts' },
        outdir: out,
        outExtension: { '.js': '.mjs' },
        bundle: true,
        splitting: true,
        minify: true,
        platform: 'node',
        format: 'esm',
        target: 'node20',
        metafile: true,
        banner,
      })
    ).metafile;
    const start = Object.values(outputs).find((output) => output.entryPoint === '<stdin>');
    expect(Object.keys(start?.inputs ?? {}).filter((input) => input.includes('node_modules/yaml'))).toEqual([]);
    const run = (): unknown =>
      JSON.parse(execFileSync(process.execPath, [join(out, 'stdin.mjs'), home, String(LATER)], { encoding: 'utf8' }));
    expect([run(), run()]).toEqual([
      { model: 'gpt-5', cache: 'written' },
      { model: 'gpt-5', cache: 'hit' },
    ]);
  });
});
