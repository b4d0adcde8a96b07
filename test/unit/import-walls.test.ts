import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { hermes, hermesRules } from '../../scripts/lint/plugin.mjs';

const root = path.join(import.meta.dirname, '../..');

// The planted files are in no tsconfig, so they are parsed without type information; the last test below ties this to the real set-up.
const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, plugins: { hermes }, rules: hermesRules }] as never,
});

async function complaints(file: string, text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: path.join(root, file) });
  return result!.messages.map((message) => `${message.ruleId}: ${message.message}`);
}

describe('what lint refuses, and where it says the code belongs', () => {
  test.each([
    [
      'a text leaf that knows the domain',
      'src/text/x.ts',
      "import { f } from '../session/recap.ts'; f();",
      /text may not import session\/recap: text\/ holds leaves/,
    ],
    [
      'a screen that reads the store',
      'src/ui/screens/chat/x.ts',
      "import { f } from '../../../store/open.ts'; f();",
      /ui may not import store\/open: a screen is handed functions/,
    ],
    ['a screen that loads the agent later', 'src/ui/x.ts', "void import('../agent/turn.ts');", /ui may not import agent\/turn/],
    ['a screen that passes the store on', 'src/ui/x.ts', "export { f } from '../store/open.ts';", /ui may not import store\/open/],
    ['a type from the store in a screen', 'src/ui/x.ts', "export type X = import('../store/open.ts').Y;", /ui may not import store\/open/],
    ['a value of the config in a screen', 'src/ui/x.ts', "import { load } from '../config/types.ts'; load();", /as types only/],
    [
      'the agent writing to the store',
      'src/agent/x.ts',
      "import { f } from '../store/open.ts'; f();",
      /agent\/ persists and reports through interfaces/,
    ],
    [
      'a shell command that opens a screen',
      'src/commands/x.ts',
      "import { f } from '../ui/frame.ts'; f();",
      /commands may not import ui\/frame: a shell command prints text/,
    ],
    ['anything that reaches up to main', 'src/app/x.ts', "import { f } from '../main.ts'; f();", /app may not import main/],
    [
      'a folder nobody thought about',
      'src/lib/x.ts',
      "import { f } from '../text/duration.ts'; f();",
      /no folder of docs\/architecture.md/,
    ],
    [
      'neo-blessed outside of the widgets',
      'src/ui/screens/chat/x.ts',
      "import blessed from 'neo-blessed'; blessed();",
      /stays in ui\/widgets/,
    ],
    [
      'a file of neo-blessed outside of the widgets',
      'src/terminal/x.ts',
      "import keys from 'neo-blessed/lib/keys.js'; keys();",
      /stays in ui\/widgets/,
    ],
    ['SQLite outside of the store', 'src/app/x.ts', "import D from 'better-sqlite3'; new D('x');", /opened in store\/ only/],
    ['a model client in the app', 'src/app/x.ts', "import { f } from '@ai-sdk/anthropic'; f();", /live in agent\//],
    ['process.env in the app', 'src/app/x.ts', "export const x = process.env['HOME'];", /env-at-the-edge/],
    ['process.env taken apart', 'src/app/x.ts', 'const { env } = process; env;', /env-at-the-edge/],
    ['env imported', 'src/app/x.ts', "import { env } from 'node:process'; env;", /env-at-the-edge/],
    ['an exit from below', 'src/commands/x.ts', 'process.exit(1);', /Only main.ts ends the process/],
    ['SQL in a command', 'src/commands/x.ts', "export const q = 'SELECT id FROM sessions';", /SQL stands in src\/store only/],
    ['SQL in a template', 'src/app/x.ts', 'export const q = `PRAGMA user_version`;', /SQL stands in src\/store only/],
    ['a pragma', 'src/app/x.ts', "export const q = 'PRAGMA data_version';", /SQL stands in src\/store only/],
    ['a clock that is not injected', 'src/session/x.ts', 'export const x = () => Date.now();', /The clock is injected/],
    ['today, made up', 'src/ui/x.ts', 'export const x = () => new Date();', /The clock is injected/],
    ['a name in camel case', 'src/ui/chatView.ts', 'export {};', /kebab-case/],
    ['a manager', 'src/ui/x.ts', 'export class SessionManager {}', /Name it after what it is/],
    ['an I in front', 'src/ui/x.ts', 'export interface IStore { a: 1 }', /plain noun/],
    ['an underscore in front', 'src/ui/x.ts', 'export class Store { _a = 1; }', /No underscore/],
  ])('%s', async (_, file, text, expected) => {
    const found = await complaints(file, text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test.each([
    ['types of the agent in a screen', 'src/ui/x.ts', "import type { TurnEvent } from '../agent/events.ts'; export type X = TurnEvent;"],
    ['the command table in a screen', 'src/ui/x.ts', "import { commands } from '../commands/table.ts'; commands;"],
    ['neighbours', 'src/store/reads/x.ts', "import { f } from '../rows.ts'; f();"],
    ['the app joining everything', 'src/app/x.ts', "import { f } from '../store/open.ts'; import { g } from '../ui/frame.ts'; f(g);"],
    [
      'an English sentence that begins like SQL',
      'src/text/en/x.ts',
      "export const x = ['Select a session from the list', 'Delete from here', 'Update the title'];",
    ],
    ['the clock as a default', 'src/store/x.ts', 'export const f = (now: () => number = Date.now) => now();'],
    ['process.env where it is read', 'src/config/x.ts', "export const x = process.env['HOME'];"],
    ['exit in main', 'src/main.ts', 'process.exit(0);'],
    ['SQL in the store', 'src/store/x.ts', "export const q = 'SELECT id FROM sessions';"],
    ['SQL in a test', 'test/store/x.test.ts', "export const q = 'SELECT id FROM sessions';"],
  ])('lets %s pass', async (_, file, text) => {
    expect(await complaints(file, text)).toEqual([]);
  });

  test('the real configuration has every one of these rules as an error, and refuses empty catches', async () => {
    const config = (await new ESLint({ cwd: root }).calculateConfigForFile(path.join(root, 'src/errors.ts'))) as {
      rules: Record<string, unknown[]>;
    };
    for (const name of Object.keys(hermesRules)) expect(config.rules[name]?.[0], name).toBe(2);
    expect(config.rules['no-empty']).toEqual([2, { allowEmptyCatch: false }]);
    expect(config.rules['@typescript-eslint/no-floating-promises']?.[0]).toBe(2);
  });
});
