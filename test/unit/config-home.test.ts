/* eslint-disable no-template-curly-in-string -- references of YAML values and .env, not templates */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, NotFoundError, UsageError } from '../../src/errors.ts';
import { listProfiles, resolveHome } from '../../src/config/home.ts';
import { parseEnv } from '../../src/config/env.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

function scene(profiles: string[] = [], active?: string) {
  const user = temporaryFolder();
  const root = join(user, '.hermes');
  for (const name of profiles) mkdirSync(join(root, 'profiles', name), { recursive: true });
  if (active !== undefined) {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'active_profile'), active);
  }
  const home = (changes: { env?: Record<string, string>; profile?: string } = {}) =>
    resolveHome({ env: {}, userHome: user, cwd: '/work', ...changes });
  return { user, root, home };
}

describe('the home', () => {
  it('is ~/.hermes, and looking creates nothing', () => {
    const { user, root, home } = scene();
    expect(home()).toEqual({ path: root, storePath: join(root, 'state.db') });
    expect(readdirSync(user)).toEqual([]);
  });
  it.each([
    ['absolute', '/srv/h', '/srv/h'],
    ['relative', 'h', '/work/h'],
    ['padded', ' /srv/h ', '/srv/h'],
  ])('is HERMES_HOME, %s', (_title, value, path) => expect(scene().home({ env: { HERMES_HOME: value } }).path).toBe(path));
  it('knows ~ in HERMES_HOME, and takes an empty one for none', () => {
    const { user, root, home } = scene();
    expect(home({ env: { HERMES_HOME: '~/other' } }).path).toBe(join(user, 'other'));
    expect(home({ env: { HERMES_HOME: '' } }).path).toBe(root);
  });
});

describe('profiles', () => {
  it('-p takes one, default is the root, the active one is taken without -p', () => {
    const { root, home } = scene(['work', 'play'], 'work\n');
    const at = (name: string) => join(root, 'profiles', name);
    expect(home({ profile: 'play' })).toEqual({ path: at('play'), profile: 'play', storePath: join(at('play'), 'state.db') });
    expect(home({ profile: 'default' })).toEqual({ path: root, storePath: join(root, 'state.db') });
    expect(home()).toMatchObject({ path: at('work'), profile: 'work' });
  });
  it.each(['', ' \n', 'default', '\uFEFFdefault\n'])('active_profile %j is the root', (text) => {
    const { root, home } = scene([], text);
    expect(home().path).toBe(root);
  });
  it('a HERMES_HOME that is a profile stays one, and -p names another beside it', () => {
    const { root, home } = scene(['work', 'play'], 'play');
    const env = { HERMES_HOME: join(root, 'profiles', 'work') };
    expect(home({ env })).toMatchObject({ profile: 'work' });
    expect(home({ env, profile: 'play' })).toMatchObject({ path: join(root, 'profiles', 'play') });
    expect(home({ env, profile: 'default' }).path).toBe(root);
  });
  it.each(['hermes', 'test', 'tmp', 'root', 'sudo', 'Work', '-x', '../x', 'a/b', '', 'x'.repeat(65), 'ä'])(
    '%j can be no profile',
    (name) => {
      expect(() => scene([]).home({ profile: name })).toThrow(UsageError);
    },
  );
  it('one that is not there is named with those that are, and not created', () => {
    const { root, home } = scene(['work', 'play']);
    expect(() => home({ profile: 'wrok' })).toThrow(NotFoundError);
    try {
      home({ profile: 'wrok' });
    } catch (error) {
      expect((error as NotFoundError).hint).toContain('play, work');
    }
    expect(listProfiles(root)).toEqual(['play', 'work']);
  });
  it('a broken active_profile opens no other conversations', () => {
    expect(() => scene([], '../else').home()).toThrow(ConfigError);
    expect(() => scene([], 'gone').home()).toThrow(NotFoundError);
  });
});

describe('.env', () => {
  const cases: [title: string, text: string, variables: Record<string, string>][] = [
    ['plain, export and blanks', 'A=1\nexport B = two words \n  C=3', { A: '1', B: 'two words', C: '3' }],
    ['comments', '# c\nA=1 # c\nB=a#b\nC="a # b" # c\nD=#\n', { A: '1', B: 'a#b', C: 'a # b', D: '' }],
    ['quotes', `A='a\\n$B'\nB="a\\n\\"b\\" \\\\ \\$"\nC=""\n`, { A: 'a\\n$B', B: 'a\n"b" \\ $', C: '' }],
    ['several lines', 'A="one\ntwo\n# three"\nB=\'x\ny\'\nC=3\n', { A: 'one\ntwo\n# three', B: 'x\ny', C: '3' }],
    ['carriage returns and a byte order mark', '\uFEFFA=1\r\nB="x\r\ny"\r\n', { A: '1', B: 'x\ny' }],
    [
      'references',
      'A=1\nB=${A}2\nC="${A}${OUT}"\nD=\'${A}\'\nE=${NO:-else}\nF=$A ${NO}\n',
      { A: '1', B: '12', C: '1out', D: '${A}', E: 'else', F: '$A ${NO}' },
    ],
    ['the last of equal names', 'A=1\nA=2\n', { A: '2' }],
    ['an equals sign inside', 'A=b=c==\n', { A: 'b=c==' }],
  ];
  it.each(cases)('%s', (_title, text, variables) => {
    expect(parseEnv(text, '.env', { OUT: 'out' })).toEqual({ variables, problems: [] });
  });
  it('counts lines over values of several lines', () => {
    const { problems } = parseEnv('A="1\n2\n3"\n!\nB=1\n?\n', '.env');
    expect(problems.map((problem) => problem.line)).toEqual([4, 6]);
  });
});
