/* eslint-disable no-template-curly-in-string -- references of YAML values and .env, not templates */
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { applyConfigEdit, proposeModelChange, type ModelChange } from '../../src/config/edit.ts';
import { readState, statePath, writeState } from '../../src/config/state.ts';
import { ConfigError } from '../../src/errors.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

async function propose(before: string | undefined, change: ModelChange) {
  const path = join(temporaryFolder(), 'config.yaml');
  if (before !== undefined) writeFileSync(path, before);
  const edit = await proposeModelChange(path, change);
  return { path, edit, shown: edit.lines.map((line) => `${line.kind}${line.text}`) };
}

describe('changing the model in config.yaml', () => {
  const cases: { title: string; before: string | undefined; change: ModelChange; shown: string[] }[] = [
    { title: 'no file yet', before: undefined, change: { model: 'gpt-5' }, shown: ['+model: gpt-5'] },
    {
      title: 'no model yet',
      before: '# mine\ndisplay:   {theme: dark}   # keep',
      change: { model: 'qwen3:8b', provider: 'ollama' },
      shown: [' display:   {theme: dark}   # keep', '+model:', '+  default: qwen3:8b', '+  provider: ollama'],
    },
    {
      title: 'a name alone',
      before: 'a: 1\nmodel: old # the model\nb:   2\n',
      change: { model: 'new' },
      shown: [' a: 1', '-model: old # the model', '+model: new # the model', ' b:   2'],
    },
    {
      title: 'a name alone becomes a map',
      before: 'model: old\nb: 2\n',
      change: { model: 'new', baseUrl: 'http://127.0.0.1:1234/v1' },
      shown: ['-model: old', '+model:', '+  default: new', '+  base_url: http://127.0.0.1:1234/v1', ' b: 2'],
    },
    {
      title: 'a map keeps its comments, blank lines and odd spaces',
      before: 'model:\n    # which\n    default:   "old"   # here\n\n    provider: x\n    api_key:  ${KEY}\nlist:\n- a\n-   b\n',
      change: { model: 'new', provider: 'other' },
      shown: [
        '     # which',
        '-    default:   "old"   # here',
        '+    default:   new   # here',
        ' ',
        '-    provider: x',
        '+    provider: other',
        '     api_key:  ${KEY}',
      ],
    },
    {
      title: 'a map that calls it model, with a field to add',
      before: 'model:\n  model: old\n',
      change: { model: 'new', provider: 'other', apiMode: 'chat_completions' },
      shown: [' model:', '-  model: old', '+  model: new', '+  provider: other', '+  api_mode: chat_completions'],
    },
    {
      title: 'a map on one line',
      before: 'a: 1\nmodel: {default: old, provider: x}\n',
      change: { model: 'new' },
      shown: [' a: 1', '-model: {default: old, provider: x}', '+model: { default: new, provider: x }'],
    },
    {
      title: 'a field to take away',
      before: 'model:\n  default: old\n  base_url: http://a/v1\n',
      change: { model: 'new', baseUrl: null },
      shown: [' model:', '-  default: old', '-  base_url: http://a/v1', '+  default: new'],
    },
    { title: 'nothing to change', before: 'model: same\n', change: { model: 'same' }, shown: [] },
    {
      title: 'a name that YAML would take for something else',
      before: 'model: a\n',
      change: { model: 'on' },
      shown: ['-model: a', '+model: "on"'],
    },
    { title: 'an empty model', before: 'model:\nb: 1\n', change: { model: 'new' }, shown: ['-model:', '+model: new', ' b: 1'] },
  ];
  it.each(cases)('$title', async ({ before, change, shown }) => {
    const { path, edit, shown: actual } = await propose(before, change);
    expect(actual).toEqual(shown);
    expect(existsSync(path)).toBe(before !== undefined);
    applyConfigEdit(edit);
    const model = parse(readFileSync(path, 'utf8')).model as string | Record<string, string>;
    expect(typeof model === 'string' ? model : (model['default'] ?? model['model'])).toBe(change.model);
    if (before !== undefined) expect({ ...parse(readFileSync(path, 'utf8')), model: 0 }).toEqual({ ...parse(before), model: 0 });
    if (shown.length > 0) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('writes nothing over a change made in between', async () => {
    const { path, edit } = await propose('model: a\n', { model: 'b' });
    writeFileSync(path, 'model: c\n');
    expect(() => applyConfigEdit(edit)).toThrow(ConfigError);
    expect(readFileSync(path, 'utf8')).toBe('model: c\n');
  });
  it('does not edit what is no YAML', async () => {
    await expect(propose('model: "a\n', { model: 'b' })).rejects.toThrow(ConfigError);
  });
  it('writes through a link and leaves it one', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'real.yaml'), 'model: a\n');
    symlinkSync(join(folder, 'real.yaml'), join(folder, 'config.yaml'));
    applyConfigEdit(await proposeModelChange(join(folder, 'config.yaml'), { model: 'b' }));
    expect(lstatSync(join(folder, 'config.yaml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'real.yaml'), 'utf8')).toBe('model: b\n');
  });
});

describe('the state of /theme and /mouse', () => {
  it('is empty at first, and each change keeps the others', () => {
    const home = temporaryFolder();
    expect(readState(home)).toEqual({ terminals: {} });
    writeState(home, { theme: 'light' });
    writeState(home, { mouse: false });
    writeState(home, { terminal: { name: 'kitty 0.26', answers: { kittyKeys: true, colours: 24 } } });
    expect(readState(home)).toEqual({ theme: 'light', mouse: false, terminals: { 'kitty 0.26': { kittyKeys: true, colours: 24 } } });
    expect(statSync(statePath(home)).mode & 0o777).toBe(0o600);
  });
  it('keeps fields it does not know', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'tui'));
    writeFileSync(statePath(home), '{"v":1,"later":[1],"theme":"pink","terminals":{"a":{"x":1,"y":[2]},"b":3}}');
    expect(readState(home)).toEqual({ terminals: { a: { x: 1 } } });
    writeState(home, { mouse: true });
    expect(JSON.parse(readFileSync(statePath(home), 'utf8'))).toEqual({
      v: 1,
      later: [1],
      theme: 'pink',
      terminals: { a: { x: 1, y: [2] }, b: 3 },
      mouse: true,
    });
  });
  it("leaves a newer version's file alone and says so", () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'tui'));
    writeFileSync(statePath(home), '{"v":2}');
    expect(readState(home).problem?.path).toBe(statePath(home));
    expect(writeState(home, { mouse: true })).toBe(false);
    expect(readFileSync(statePath(home), 'utf8')).toBe('{"v":2}');
  });
  it('of a damaged file is said, and written anew at the next change', () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'tui'));
    writeFileSync(statePath(home), '{"v":1,"th');
    expect(readState(home)).toMatchObject({ terminals: {}, problem: expect.any(ConfigError) });
    expect(writeState(home, { theme: 'dark' })).toBe(true);
    expect(readState(home)).toEqual({ theme: 'dark', terminals: {} });
  });
  it('remembers the forty terminals seen last', () => {
    const home = temporaryFolder();
    for (let number = 0; number < 45; number += 1) writeState(home, { terminal: { name: `t${number}`, answers: {} } });
    writeState(home, { terminal: { name: 't10', answers: { seen: true } } });
    const names = Object.keys(readState(home).terminals);
    expect([names.length, names[0], names.at(-1)]).toEqual([40, 't5', 't10']);
  });
  it('that can not be written is an error with the file in it', () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'tui'), '');
    expect(() => writeState(home, { mouse: true })).toThrow(ConfigError);
  });
});
