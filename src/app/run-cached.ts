import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';

/** Functions that ran by then are in the cache too: what a first frame needs, and what the first moments after it need. Milliseconds. */
const writeAfterMs = 2_000;
const digestLength = 20;

/**
 * Runs a script of the bundle (CommonJS, ASCII) with the machine code that an earlier run left, which saves 10 ms of every start. The cache
 * stands beside the script, in `.cache`, one file per Node version; its first bytes are a digest of the rest and of the script, because V8
 * compares only the script's length. What is missing, damaged or refused by V8 is made anew; where it can't be written, the script runs
 * without it.
 *
 * @param url of the script
 * @param chunks what its `require` finds under the names of other files of the bundle
 * @param load `import()` as seen from the bundle
 * @returns what the script exports
 */
export function runCached(
  url: URL,
  chunks: Readonly<Record<string, unknown>>,
  load: (name: string) => Promise<unknown>,
): Record<string, unknown> {
  const file = fileURLToPath(url);
  const source = readFileSync(file, 'latin1');
  const cacheFile = join(dirname(file), '.cache', `${file.slice(dirname(file).length + 1)}-${process.version}-${process.arch}.bin`);
  const cachedData = readCache(cacheFile, source);
  const script = new Script(source, { filename: file, ...(cachedData === undefined ? {} : { cachedData }) });
  const run = script.runInThisContext() as (require: (name: string) => unknown, load: unknown, url: string) => Record<string, unknown>;
  const found = createRequire(url);
  const exports = run((name) => (Object.hasOwn(chunks, name) ? chunks[name] : found(name)), load, url.href);
  if (cachedData === undefined || script.cachedDataRejected === true) {
    setTimeout(() => writeCache(cacheFile, source, script.createCachedData()), writeAfterMs).unref();
  }
  return exports;
}

function digest(source: string, data: Buffer): Buffer {
  return createHash('sha1').update(source, 'latin1').update(data).digest();
}

function readCache(file: string, source: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(digestLength);
    return bytes.subarray(0, digestLength).equals(digest(source, data)) ? data : undefined;
  } catch {
    // No cache yet, or none that may be read: the script is compiled.
    return undefined;
  }
}

/** A reader sees a whole file or none, whoever else writes it at the same moment. */
function writeCache(file: string, source: string, data: Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, Buffer.concat([digest(source, data), data]));
    renameSync(temporary, file);
  } catch {
    // An installation that can't be written to, or a full disk: the next start compiles again.
    if (existsSync(temporary)) rmSync(temporary, { force: true });
  }
}
