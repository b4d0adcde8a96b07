import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findUnusedExports, findUnusedTexts } from '../../scripts/lint/unused.mjs';
import { temporaryFolder } from '../support/temp-folder.ts';

const root = path.join(import.meta.dirname, '../..');

/** Used where no import is written. */
const usedOutOfSight = [
  // The build writes its import into a chunk (scripts/cached-chunk.mjs).
  'src/app/run-cached.ts: runCached is used by tests alone',
];

/** A small project of these files. */
function project(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const name of ['src/text/en', 'scripts', 'fixtures', 'test']) mkdirSync(path.join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

test('every export of the program is used by another module, or by a test of what its own module uses', () => {
  expect(findUnusedExports(root)).toEqual(usedOutOfSight);
});

test('every sentence is said somewhere', () => {
  expect(findUnusedTexts(root)).toEqual([]);
});

test.each([
  ['an export nobody imports', { 'src/a.ts': 'export const a = 1;' }, ['src/a.ts: a is used by nobody']],
  [
    'an export that only its own module uses',
    { 'src/a.ts': 'export const a = 1; const b = a; b;' },
    ['src/a.ts: a is used in its own module alone: no export'],
  ],
  [
    'an export that only a test uses',
    { 'src/a.ts': 'export function a() {}', 'test/a.test.ts': "import { a } from '../src/a.ts'; a();" },
    ['src/a.ts: a is used by tests alone'],
  ],
  [
    'an export that an index hands on to nobody',
    { 'src/a.ts': 'export const a = 1;', 'src/index.ts': "export { a } from './a.ts';" },
    ['src/a.ts: a is used by nobody'],
  ],
])('finds %s', (_, files, expected) => {
  expect(findUnusedExports(project(files))).toEqual(expected);
});

test.each([
  ['imported by name', { 'src/b.ts': "import { a } from './a.ts'; a;" }],
  ['imported under another name', { 'src/b.ts': "import { a as c } from './a.ts'; c;" }],
  ['taken through an index', { 'src/index.ts': "export { a as z } from './a.ts';", 'src/b.ts': "import { z } from './index.ts'; z;" }],
  ['loaded later', { 'src/b.ts': "const { a } = await import('./a.ts'); a;" }],
  ['loaded later with its module', { 'src/b.ts': "const all = await import('./a.ts'); all;" }],
  ['used by a script', { 'scripts/b.ts': "import { a } from '../src/a.ts'; a;" }],
])('an export counts as used when it is %s', (_, files) => {
  expect(findUnusedExports(project({ 'src/a.ts': 'export const a = 1;', ...files }))).toEqual([]);
});

test('finds a sentence that no code names, however it is taken', () => {
  const folder = project({
    'src/text/en/x.ts': "export const xText = { one: '1', two: '2', three: '3', four: '4' };",
    'src/a.ts': "import { xText as words } from './text/en/x.ts'; words.one; words['two']; const { three } = words; three;",
  });
  expect(findUnusedTexts(folder)).toEqual(['x.ts: xText.four']);
});
