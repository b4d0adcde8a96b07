import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { countTests } from '../../scripts/count-tests.mjs';
import { findInstallReason, isBuildOlder } from '../../scripts/fresh.mjs';
import { findStartUpFaults, measureStartUp } from '../../scripts/start-up-set.mjs';

const root = path.join(import.meta.dirname, '../..');

/** A project as small as can be: the real start script, a program that says how it was called, one dependency. */
function makeProject(program = ''): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-start-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['scripts', 'bin', 'src', 'dist', 'node_modules', 'elsewhere']) mkdirSync(path.join(folder, name));
  for (const name of ['scripts/start.mjs', 'scripts/fresh.mjs', 'bin/hermes', 'bin/hermes-tui', 'bin/explain-failed-start.mjs']) {
    cpSync(path.join(root, name), path.join(folder, name));
  }
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  write('package.json', JSON.stringify({ name: 'x', version: '1.0.0', type: 'module', scripts: { start: 'node scripts/start.mjs' } }));
  const packages = { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0', optional: true } };
  write('package-lock.json', JSON.stringify({ packages }));
  write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }));
  write('src/main.ts', '');
  write(
    'scripts/build.mjs',
    "import { writeFileSync } from 'node:fs'; writeFileSync('dist/meta.json', '{}'); writeFileSync('dist/hermes.js', 'console.log(\"rebuilt\")');",
  );
  write('scripts/start-up-set.mjs', '');
  const says = 'console.log(JSON.stringify({ cwd: process.cwd(), argv: process.argv.slice(2) }));';
  write('dist/hermes.js', program === '' ? says : program);
  write('dist/meta.json', '{}');
  return folder;
}

function start(folder: string, ...args: string[]) {
  const env = { ...process.env, INIT_CWD: path.join(folder, 'elsewhere') };
  return spawnSync(process.execPath, ['scripts/start.mjs', ...args], { cwd: folder, env, encoding: 'utf8' });
}

describe('npm start', () => {
  test('opens the program in the directory of the caller, with its arguments', () => {
    const folder = makeProject();
    const result = start(folder, '-c', 'my project', '--', '-x');
    expect(JSON.parse(result.stdout)).toEqual({ cwd: path.join(folder, 'elsewhere'), argv: ['-c', 'my project', '--', '-x'] });
    expect(result.stderr).toBe('');
  });

  test('through npm: the same, and npm adds no words of its own to a failure', () => {
    const folder = makeProject('process.stderr.write("one sentence\\n"); process.exit(3);');
    const result = spawnSync('npm', ['start', '--prefix', folder, '--', '-c'], { cwd: path.join(folder, 'elsewhere'), encoding: 'utf8' });
    expect(result.status).toBe(3);
    expect(result.stderr).toBe('one sentence\n');
  });

  test('ends with the exit code of the program', () => {
    expect(start(makeProject('process.exit(7)')).status).toBe(7);
  });

  test('a signal reaches the program', async () => {
    const folder = makeProject('process.on("SIGTERM", () => process.exit(41)); setInterval(() => {}, 1000); console.log("ready");');
    const child = spawn(process.execPath, ['scripts/start.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(41);
  });

  test('builds when something in src is newer, and says so', () => {
    const folder = makeProject();
    const later = new Date(Date.now() + 5_000);
    utimesSync(path.join(folder, 'src/main.ts'), later, later);
    const result = start(folder);
    expect(result.stderr).toContain('building');
    expect(result.stdout).toBe('rebuilt\n');
  });

  test('a build that fails is told in its own words, with exit code 1 and no stack trace', () => {
    const folder = makeProject();
    rmSync(path.join(folder, 'dist/hermes.js'));
    writeFileSync(
      path.join(folder, 'scripts/build.mjs'),
      'process.stderr.write("build failed: src/main.ts:3 Expected ;\\n"); process.exitCode = 1;',
    );
    const result = start(folder);
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/build failed: src\/main.ts:3/);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  test('starting again costs less than half a second', () => {
    const folder = makeProject('process.exit(0)');
    const times = Array.from({ length: 5 }, () => {
      const began = performance.now();
      start(folder);
      return performance.now() - began;
    });
    expect(Math.min(...times)).toBeLessThan(500);
  });
});

describe('does node_modules match the lock', () => {
  const lock = (folder: string, packages: object): void =>
    writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));

  test('yes when every required package has the locked version; optional ones may be missing', () => {
    expect(findInstallReason(makeProject())).toBeUndefined();
  });

  test('no when nothing is installed', () => {
    const folder = makeProject();
    rmSync(path.join(folder, 'node_modules/.package-lock.json'));
    expect(findInstallReason(folder)).toMatch(/not installed yet/);
  });

  test('no when a version differs or a package is new', () => {
    const folder = makeProject();
    lock(folder, { 'node_modules/a': { version: '1.0.1' } });
    expect(findInstallReason(folder)).toBe('a 1.0.1 is not installed');
    lock(folder, { 'node_modules/a': { version: '1.0.0' }, 'node_modules/@x/c': { version: '3.0.0' } });
    expect(findInstallReason(folder)).toBe('@x/c 3.0.0 is not installed');
  });

  test('no when it was compiled for another Node', () => {
    const folder = makeProject();
    writeFileSync(path.join(folder, 'node_modules/.hermes-abi'), '1');
    expect(findInstallReason(folder)).toMatch(/another Node/);
  });
});

describe('is the build older than the source', () => {
  test('a removed file counts, by the time of its folder', () => {
    const folder = makeProject();
    expect(isBuildOlder(folder)).toBe(false);
    const later = new Date(Date.now() + 5_000);
    utimesSync(path.join(folder, 'src'), later, later);
    expect(isBuildOlder(folder)).toBe(true);
  });
});

describe('the launcher without a build', () => {
  test.each(['bin/hermes', 'bin/hermes-tui'])('%s says what to run, in one sentence', (bin) => {
    const folder = makeProject();
    rmSync(path.join(folder, 'dist'), { recursive: true });
    const result = spawnSync(process.execPath, [bin], { cwd: folder, encoding: 'utf8' });
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^hermes is not built yet: run `npm start`.*\n$/);
  });

  test('hermes-tui is hermes --tui', () => {
    const folder = makeProject();
    const result = spawnSync(process.execPath, ['bin/hermes-tui', '-c'], { cwd: folder, encoding: 'utf8' });
    expect((JSON.parse(result.stdout) as { argv: string[] }).argv).toEqual(['--tui', '-c']);
  });

  test('a dependency that is not installed is named', () => {
    const folder = makeProject("import 'no-such-package'");
    const result = spawnSync(process.execPath, ['bin/hermes'], { cwd: folder, encoding: 'utf8' });
    expect(result.status).toBe(1);
    expect(result.stderr).toMatch(/^A part of hermes is not installed: .*no-such-package.*\n$/);
  });

  test('a fault of the program itself keeps its stack trace', () => {
    const folder = makeProject("throw new TypeError('ours')");
    const result = spawnSync(process.execPath, ['bin/hermes'], { cwd: folder, encoding: 'utf8' });
    expect(result.stderr).toMatch(/TypeError: ours[\s\S]*\n\s+at /);
  });
});

describe('what start-up loads', () => {
  const outputs = {
    'dist/hermes.js': {
      bytes: 1000,
      entryPoint: 'src/main.ts',
      imports: [
        { path: 'dist/chunk-a.js', kind: 'import-statement' },
        { path: 'dist/chunk-lazy.js', kind: 'dynamic-import' },
        { path: 'better-sqlite3', kind: 'import-statement', external: true },
      ],
      inputs: { 'src/main.ts': {} },
    },
    'dist/chunk-a.js': {
      bytes: 500,
      imports: [{ path: 'dist/hermes.js', kind: 'import-statement' }],
      inputs: { 'node_modules/yaml/index.js': {} },
    },
    'dist/chunk-lazy.js': { bytes: 90_000, entryPoint: 'src/app/x.ts', imports: [], inputs: { 'node_modules/ai/index.js': {} } },
  };
  const sets = [{ name: 'main', modules: ['src/main.ts'], maxBytes: 2000 }];

  test('is the eager closure: what is loaded later does not count', () => {
    const [measured] = measureStartUp({ outputs }, sets);
    expect(measured).toMatchObject({ bytes: 1500, chunks: ['dist/hermes.js', 'dist/chunk-a.js'], missing: [] });
  });

  test('a lazy package, a size over budget and a module without a chunk are faults', () => {
    const faults = (given: typeof sets): string[] => findStartUpFaults(measureStartUp({ outputs }, given));
    expect(faults(sets)).toEqual([expect.stringContaining('loads yaml')]);
    expect(faults([{ ...sets[0]!, maxBytes: 1024 }])).toHaveLength(2);
    expect(faults([{ name: 'app', modules: ['src/app/x.ts'], maxBytes: 1e6 }])).toEqual([expect.stringContaining('loads ai ')]);
    expect(faults([{ name: 'gone', modules: ['src/gone.ts'], maxBytes: 1e6 }])).toEqual([expect.stringContaining('no chunk of its own')]);
  });
});

test('the closing count adds up tests; a file that cannot be loaded is one failure', () => {
  const report = {
    testResults: [
      { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'skipped', fullName: 'no data' }] },
      { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] },
      { status: 'failed', assertionResults: [] },
    ],
  };
  expect(countTests(JSON.stringify(report))).toEqual({ passed: 2, failed: 2, skipped: ['no data'] });
});
