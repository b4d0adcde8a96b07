import {
  chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, utimesSync,
  writeFileSync,
} from 'node:fs'; // prettier-ignore
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { fileNameOf, slugOf } from '../../src/transfer/file-names.ts';
import { appendManifest } from '../../src/transfer/manifest.ts';
import { appendLines, makeFolder, openTarget } from '../../src/transfer/target.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const modeOf = (path: string): number => lstatSync(path).mode & 0o777;
const fresh = { force: false };

async function writeFile(path: string, text: string, options = fresh): Promise<string> {
  const target = await openTarget(path, { ...options, hash: true });
  try {
    await target.write(text);
    return await target.commit();
  } finally {
    await target.discard();
  }
}

describe('a file that appears whole or not at all', () => {
  test('is 0600 in folders of 0700, and its hash is that of its bytes', async () => {
    const path = join(temporaryFolder(), 'a', 'b', 'out.jsonl');
    const sha = await writeFile(path, 'héllo 한국\n');
    expect(modeOf(path)).toBe(0o600);
    expect([modeOf(join(path, '..')), modeOf(join(path, '../..'))]).toEqual([0o700, 0o700]);
    expect(sha).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
  });

  test('a folder that is there keeps its mode', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    await writeFile(join(folder, 'x'), 'x');
    expect(modeOf(folder)).toBe(0o755);
  });

  test('has no name before it is committed, and leaves nothing when it is given up', async () => {
    const folder = temporaryFolder();
    const target = await openTarget(join(folder, 'out'), fresh);
    await target.write('x'.repeat(5_000_000));
    expect(existsSync(join(folder, 'out'))).toBe(false);
    await target.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is not overwritten without force, and is replaced with it', async () => {
    const path = join(temporaryFolder(), 'out');
    writeFileSync(path, 'old', { mode: 0o644 });
    await expect(openTarget(path, fresh)).rejects.toMatchObject({
      code: 'export-exists',
      message: expect.stringContaining('Pass --force') as string,
    });
    expect(readFileSync(path, 'utf8')).toBe('old');
    await writeFile(path, 'new', { force: true });
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['new', 0o600]);
  });

  test('of two that want one name the first has it, whenever the other began', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'out');
    const [one, other] = [await openTarget(path, fresh), await openTarget(path, fresh)];
    await Promise.all([one.write('one'), other.write('other')]);
    await one.commit();
    await expect(other.commit()).rejects.toMatchObject({ code: 'export-exists' });
    await other.discard();
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(readdirSync(folder)).toEqual(['out']);
  });

  test('a symbolic link planted under the name is refused, and with force replaced itself: what it points to stays', async () => {
    const folder = temporaryFolder();
    const victim = join(folder, 'victim');
    const path = join(folder, 'out');
    writeFileSync(victim, 'precious');
    symlinkSync(victim, path);
    await expect(openTarget(path, fresh)).rejects.toMatchObject({ code: 'export-exists' });
    await writeFile(path, 'mine', { force: true });
    expect(lstatSync(path).isSymbolicLink()).toBe(false);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('a link that points nowhere is a name that is taken too', async () => {
    const folder = temporaryFolder();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'out'));
    await expect(openTarget(join(folder, 'out'), fresh)).rejects.toMatchObject({ code: 'export-exists' });
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });

  test('a link planted while it is written gets nothing', async () => {
    const folder = temporaryFolder();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'precious');
    const target = await openTarget(join(folder, 'out'), fresh);
    await target.write('mine');
    symlinkSync(victim, join(folder, 'out'));
    await expect(target.commit()).rejects.toMatchObject({ code: 'export-exists' });
    await target.discard();
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('a folder, a FIFO, a device and a link to one are never replaced, and no --force is offered', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'dir'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    symlinkSync('/dev/null', join(folder, 'link'));
    for (const path of [join(folder, 'dir'), join(folder, 'fifo'), '/dev/null', join(folder, 'link')]) {
      for (const force of [true, false]) await expect(openTarget(path, { force })).rejects.toMatchObject({ code: 'export-refused' });
    }
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('a file where a folder should be is one sentence', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(openTarget(join(folder, 'file', 'out'), fresh)).rejects.toMatchObject({
      message: expect.stringMatching(/is no directory/) as string,
    });
    expect(() => makeFolder(join(folder, 'file'))).toThrow(/is no directory/);
    expect(() => makeFolder(join(folder, 'file', 'below'))).toThrow(/is no directory/);
  });

  test('what a killed export left is taken away an hour later, what a living one writes is not', async () => {
    const folder = temporaryFolder();
    const dead = spawnSync('true').pid;
    let drafts = 0;
    const left = (pid: number, minutes: number): string => {
      const name = `.hermes-export-${pid}-${String((drafts += 1)).padStart(12, '0')}`;
      writeFileSync(join(folder, name), 'half');
      utimesSync(join(folder, name), new Date(), new Date(Date.now() - minutes * 60_000));
      return name;
    };
    const kept = [left(dead, 10), left(process.ppid, 90), left(process.pid, 91)];
    left(dead, 90);
    writeFileSync(join(folder, '.hermes-export-notes'), 'mine');
    await writeFile(join(folder, 'out'), 'whole', fresh);
    expect(readdirSync(folder).sort()).toEqual([...kept, '.hermes-export-notes', 'out'].sort());
  });

  test('pieces of any size come out as one text', async () => {
    const random = createRandom(7);
    const path = join(temporaryFolder(), 'out');
    const target = await openTarget(path, fresh);
    const pieces = Array.from({ length: 60 }, () =>
      random.pick(['a', '한', '👩', 'é']).repeat(random.pick([1, 10, 5_000, 200_000, 900_000])),
    );
    for (const piece of pieces) await target.write(piece);
    await target.commit();
    expect(readFileSync(path, 'utf8') === pieces.join('')).toBe(true);
  });

  test('a full disk is one sentence, and nothing is left behind', async () => {
    const folder = mkdtempSync('/dev/shm/hermes-test-');
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder]);
      try {
        const target = await openTarget(join(folder, 'out'), fresh);
        const filled = (async () => {
          for (let at = 0; at < 20; at++) await target.write('x'.repeat(300_000));
          await target.commit();
        })();
        await expect(filled).rejects.toMatchObject({ code: 'export-failed', message: expect.stringMatching(/No room left/) as string });
        await target.discard();
        expect(readdirSync(folder)).toEqual([]);
      } finally {
        execFileSync('umount', [folder]);
      }
    } finally {
      execFileSync('rmdir', [folder]);
    }
  });
});

describe('the manifest', () => {
  const entry = { sessionId: 's', lineageIds: ['r', 's'], path: '/x', format: 'md', messages: 3, sha256: 'ab', exportedAt: 1500 };

  test('is appended to, its keys sorted, 0600', async () => {
    const path = join(temporaryFolder(), 'manifest.jsonl');
    await appendManifest(path, [entry]);
    await appendManifest(path, [entry]);
    const line =
      '{"exported_at":1.5,"format":"md","lineage_session_ids":["r","s"],"message_count":3,"path":"/x","session_id":"s","sha256":"ab"}\n';
    expect(readFileSync(path, 'utf8')).toBe(line + line);
    expect(modeOf(path)).toBe(0o600);
  });

  test('a line that was cut off is ended before the next one', async () => {
    const path = join(temporaryFolder(), 'manifest.jsonl');
    writeFileSync(path, '{"half');
    await appendLines(path, '{}\n');
    expect(readFileSync(path, 'utf8')).toBe('{"half\n{}\n');
  });

  test('a link in its place is not followed', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'victim'), 'precious');
    symlinkSync(join(folder, 'victim'), join(folder, 'manifest.jsonl'));
    await expect(appendManifest(join(folder, 'manifest.jsonl'), [entry])).rejects.toMatchObject({ code: 'export-refused' });
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('precious');
    expect(readlinkSync(join(folder, 'manifest.jsonl'))).toBe(join(folder, 'victim'));
  });
});

describe('names of files', () => {
  test.each([
    ['20250305_091523_a1b2c3d4', '20250305_091523_a1b2c3d4'],
    ['cron_x_20250305_091523', 'cron_x_20250305_091523'],
  ])('the id %s stands as it is', (id, name) => expect(fileNameOf(id)).toBe(name));

  test('no id leaves its folder, and two ids never share a name', () => {
    const ids = [
      '../../etc/passwd',
      '..',
      '.',
      '',
      '/',
      'a/b',
      'a_b',
      'a\\b',
      'a\u0000b',
      'x'.repeat(500),
      `${'x'.repeat(500)}y`,
      '😀😀',
      '한국',
      '한국'.repeat(90),
      '-rf',
      '.hidden',
    ];
    const names = ids.map(fileNameOf);
    for (const name of names) {
      expect(name).not.toMatch(/[/\\\u0000]|^\.{0,2}$/);
      expect(Buffer.byteLength(name)).toBeLessThan(255 - 64);
    }
    expect(new Set(names).size).toBe(names.length);
  });

  test.each([
    ['Fix the AUTH bug!', 'fix-the-auth-bug'],
    ['../../x', 'x'],
    ['한국어', 'session'],
    ['', 'session'],
    ['a'.repeat(80), 'a'.repeat(60)],
    ['--- .hidden ---', 'hidden'],
  ])('the title %j is the slug %s', (title, slug) => expect(slugOf(title)).toBe(slug));
});
