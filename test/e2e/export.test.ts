import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateStore } from '../../fixtures/stores/generate.ts';

const hermes = path.resolve(import.meta.dirname, '../../bin/hermes');
const sessions = 1500;

let home: string;
let out: string;

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), 'hermes-e2e-export-'));
  generateStore(path.join(home, 'state.db'), { sessions, messagesPerSession: 20, now: Date.now(), hasSearchIndex: false });
});
afterAll(() => rmSync(home, { recursive: true, force: true }));
beforeEach(() => {
  out = mkdtempSync(path.join(home, 'out-'));
});

const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  HERMES_HOME: home,
  LANG: 'C.UTF-8',
  HERMES: hermes,
  NODE: process.execPath,
});
const shell = (script: string) =>
  spawnSync('bash', ['-o', 'pipefail', '-c', script], { cwd: out, env: env(), encoding: 'utf8', maxBuffer: 1 << 30 });
const start = (args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [hermes, 'sessions', 'export', ...args], { cwd: out, env: env(), stdio: ['ignore', 'pipe', 'pipe'] });

async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
  let err = '';
  child.stderr?.on('data', (piece: Buffer) => (err += piece.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, err };
}

/** Resolves when the export has begun to write into `out`. */
async function begun(): Promise<void> {
  const watcher = watch(out);
  if (!readdirSync(out).some((name) => name.startsWith('.hermes-export-'))) await once(watcher, 'change');
  watcher.close();
}

describe('an export that is stopped', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s in the middle of a file leaves nothing of it', async (signal) => {
    const child = start(['page.html', '--format', 'html']);
    const end = ended(child);
    await begun();
    child.kill(signal);
    const { code, err } = await end;
    expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(err).toContain('no file was left behind half written');
    expect(readdirSync(out)).toEqual([]);
  });

  test('SIGINT between documents leaves whole ones, each in the manifest', async () => {
    const child = start(['docs', '--format', 'md', '--min-messages', '1']);
    const end = ended(child);
    while (!existsSync(path.join(out, 'docs/manifest.jsonl'))) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
    const names = readdirSync(path.join(out, 'docs'));
    const listed = readFileSync(path.join(out, 'docs/manifest.jsonl'), 'utf8').trim().split('\n').map((line) => path.basename((JSON.parse(line) as { path: string }).path)); // prettier-ignore
    expect(names.filter((name) => name !== 'manifest.jsonl').sort()).toEqual([...listed].sort());
    expect(listed.length).toBeLessThan(sessions);
    for (const name of listed) expect(readFileSync(path.join(out, 'docs', name), 'utf8')).toMatch(/- SHA256: `[0-9a-f]{64}`\n$/);
  });

  test('a pipe that nobody reads holds up neither Ctrl+C nor the end', async () => {
    const child = start(['-']);
    const end = ended(child);
    await once(child.stdout!, 'readable');
    child.kill('SIGINT');
    expect((await end).code).toBe(130);
  });

  test('SIGKILL leaves no file under the name', async () => {
    const child = start(['page.html', '--format', 'html']);
    const end = ended(child);
    await begun();
    child.kill('SIGKILL');
    await end;
    expect(existsSync(path.join(out, 'page.html'))).toBe(false);
  });
});

describe('standard output', () => {
  test('has the bytes of a file', () => {
    expect(shell('"$NODE" "$HERMES" sessions export a.jsonl && "$NODE" "$HERMES" sessions export - > b.jsonl')).toMatchObject({
      status: 0,
    });
    const file = readFileSync(path.join(out, 'a.jsonl'));
    expect(file.equals(readFileSync(path.join(out, 'b.jsonl')))).toBe(true);
    expect(file.toString().split('\n')).toHaveLength(sessions + 1);
  });

  test('a slow reader gets all of it', () => {
    const result = shell('"$NODE" "$HERMES" sessions export - | (sleep 0.3; wc -l)');
    expect(result).toMatchObject({ status: 0, stdout: expect.stringMatching(new RegExp(`^\\s*${sessions}\\n$`)) as string });
  });

  test('a reader that has seen enough ends it without a word', () => {
    const result = shell('"$NODE" "$HERMES" sessions export - | head -c 100');
    expect(result).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\{"id":/) as string });
    expect(result.stderr).toBe('');
  });
});

test('a file that may not grow is one sentence, and nothing is left of it', () => {
  const result = shell('ulimit -f 64; "$NODE" "$HERMES" sessions export a.jsonl');
  expect(result.status).toBe(1);
  expect(result.stderr).toMatch(/a\.jsonl could not be written \(EFBIG\)/);
  expect(result.stderr).not.toMatch(/at .*\.(?:js|ts):/);
  expect(readdirSync(out)).toEqual([]);
});

test('what others write meanwhile is not in it: one state of the store', async () => {
  const child = start(['page.html', '--format', 'html']);
  const end = ended(child);
  await begun();
  const db = new Database(path.join(home, 'state.db'));
  db.prepare("UPDATE sessions SET title = 'renamed meanwhile ' || rowid").run();
  db.close();
  expect((await end).code).toBe(0);
  expect(readFileSync(path.join(out, 'page.html'), 'utf8')).not.toContain('renamed meanwhile');
});
