import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, symlinkSync, ftruncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlainFile, toAppend } from '../../src/text/plain-file.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

test('a file is read as it is, through a link too', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '한글\n');
  symlinkSync('file', join(folder, 'link'));
  expect(readPlainFile(join(folder, 'link'))).toBe('한글\n');
});

test.each<[string, string, (path: string) => void]>([
  ['nothing', 'ENOENT', () => undefined],
  ['a folder', 'EISDIR', (path) => mkdirSync(path)],
  ['a FIFO without a writer', 'not a file', (path) => execFileSync('mkfifo', [path])],
  ['a device without an end', 'not a file', (path) => symlinkSync('/dev/zero', path)],
  ['a link to itself', 'ELOOP', (path) => symlinkSync('it', path)],
  [
    'a file of a gigabyte',
    'EFBIG',
    (path) => {
      const descriptor = openSync(path, 'w');
      ftruncateSync(descriptor, 2 ** 30);
      closeSync(descriptor);
    },
  ],
])('%s is refused at once with %s', (_, code, make) => {
  const path = join(temporaryFolder(), 'it');
  make(path);
  expect(() => readPlainFile(path)).toThrow(expect.objectContaining({ code }) as Error);
});

test('a line is appended to a file, and not waited for at a FIFO', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  appendFileSync(file, 'a', { flag: toAppend as unknown as string, mode: 0o600 });
  appendFileSync(file, 'b', { flag: toAppend as unknown as string, mode: 0o600 });
  expect(readFileSync(file, 'utf8')).toBe('ab');
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  expect(() => appendFileSync(join(folder, 'fifo'), 'a', { flag: toAppend as unknown as string })).toThrow(
    expect.objectContaining({ code: 'ENXIO' }) as Error,
  );
});
