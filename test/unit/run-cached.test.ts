import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCached } from '../../src/app/run-cached.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const script = (answer: number): string =>
  `(function(require,__load,__url){const other=require('./other.js');return {answer:${answer},other:other.name,join:require('node:path').join,load:()=>__load('./lazy.js'),url:__url}})\n`;

describe('a script of the bundle with its machine code kept', () => {
  let folder: string;
  const start = () => runCached(pathToFileURL(join(folder, 'a.cjs')), { './other.js': { name: 'other' } }, (name) => Promise.resolve(name));
  const cacheFile = (): string => join(folder, '.cache', readdirSync(join(folder, '.cache'))[0]!);
  const restAWhile = (): void => void vi.advanceTimersByTime(3_000);

  beforeEach(() => {
    vi.useFakeTimers();
    folder = temporaryFolder();
    writeFileSync(join(folder, 'a.cjs'), script(1));
  });
  afterEach(() => void vi.useRealTimers());

  it('runs with chunks, packages and import() of the bundle', async () => {
    const found = start();
    expect(found).toMatchObject({ answer: 1, other: 'other', join, url: pathToFileURL(join(folder, 'a.cjs')).href });
    expect(await (found['load'] as () => Promise<unknown>)()).toBe('./lazy.js');
  });

  it('leaves its machine code after the first moments, and a later run takes it as it is', () => {
    start();
    expect(existsSync(join(folder, '.cache'))).toBe(false);
    restAWhile();
    const written = statSync(cacheFile());
    expect(start()['answer']).toBe(1);
    restAWhile();
    expect(statSync(cacheFile())).toMatchObject({ ino: written.ino, mtimeMs: written.mtimeMs });
    expect(readdirSync(join(folder, '.cache'))).toHaveLength(1);
  });

  it('does not run the code of another script of the same length', () => {
    start();
    restAWhile();
    writeFileSync(join(folder, 'a.cjs'), script(2));
    expect(start()['answer']).toBe(2);
    restAWhile();
    expect(start()['answer']).toBe(2);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
    [
      'changed in one byte',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 200), Buffer.from([bytes[200]! ^ 1]), bytes.subarray(201)]),
    ],
  ])('makes machine code anew that is %s', (_, damage) => {
    start();
    restAWhile();
    const sound = readFileSync(cacheFile());
    writeFileSync(cacheFile(), damage(sound));
    expect(start()['answer']).toBe(1);
    restAWhile();
    expect(readFileSync(cacheFile()).length).toBeGreaterThan(sound.length >> 1);
    expect(readFileSync(cacheFile()).equals(damage(sound))).toBe(false);
  });

  it('runs where nothing can be written', () => {
    // A file in the folder's place refuses root as well, which modes do not.
    writeFileSync(join(folder, '.cache'), '');
    chmodSync(join(folder, '.cache'), 0o400);
    expect(start()['answer']).toBe(1);
    restAWhile();
    expect(statSync(join(folder, '.cache')).isFile()).toBe(true);
  });
});
