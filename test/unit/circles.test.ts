import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findCircles } from '../../scripts/lint/circles.mjs';
import { temporaryFolder } from '../support/temp-folder.ts';

const root = path.join(import.meta.dirname, '../..');

/** A small project of these modules. */
function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'src/x'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, 'src', name), text);
  return folder;
}

test('no modules of the program import one another in a circle', () => {
  expect(findCircles(root)).toEqual([]);
});

test.each<[string, Record<string, string>, string[]]>([
  ['two modules', { 'a.ts': "import { b } from './x/b.ts';", 'x/b.ts': "import { a } from '../a.ts';" }, ['a.ts → x/b.ts → a.ts']],
  [
    'three, with the one outside of it left out',
    { 'a.ts': "import './b.ts';", 'b.ts': "import './c.ts';", 'c.ts': "import './d.ts';", 'd.ts': "import './b.ts';" },
    ['b.ts → c.ts → d.ts → b.ts'],
  ],
  [
    'a circle through an index',
    { 'a.ts': "import { b } from './x/index.ts';", 'x/index.ts': "export * from '../a.ts';" },
    ['a.ts → x/index.ts → a.ts'],
  ],
  [
    'types marked one by one, which still load the module',
    { 'a.ts': "import { type B } from './b.ts';", 'b.ts': "import { a } from './a.ts';" },
    ['a.ts → b.ts → a.ts'],
  ],
  ['a module that imports itself', { 'a.ts': "import './a.ts';" }, ['a.ts → a.ts']],
])('finds %s', (_, files, expected) => {
  expect(findCircles(project(files))).toEqual(expected);
});

test.each<[string, Record<string, string>]>([
  ['types alone', { 'a.ts': "import type { B } from './b.ts';", 'b.ts': "import { a } from './a.ts';" }],
  ['types that are handed on', { 'a.ts': "export type { B } from './b.ts';", 'b.ts': "import { a } from './a.ts';" }],
  ['an import that runs later', { 'a.ts': "export const load = () => import('./b.ts');", 'b.ts': "import { a } from './a.ts';" }],
  ['two ways to one module', { 'a.ts': "import './b.ts'; import './c.ts';", 'b.ts': "import './c.ts';", 'c.ts': '' }],
])('%s make no circle', (_, files) => {
  expect(findCircles(project(files))).toEqual([]);
});
