import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { shellSpecs } from '../../src/commands/parse.ts';
import { version } from '../../src/text/version.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');

describe('documents', () => {
  test('docs/commands.md and docs/keys.md are what the table says', () => {
    const result = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], { cwd: root, encoding: 'utf8' });
    expect(result.stderr).toBe('');
    expect(result.status).toBe(0);
  });

  test('every shell command, slash command and key is documented', () => {
    const page = read('docs/commands.md');
    for (const spec of shellSpecs) expect(page).toContain(`### hermes ${spec.shell}\n`);
    for (const row of commands) if ('slash' in row) expect(page, row.id).toContain(`\`/${row.slash[0]}`);
    const keys = read('docs/keys.md');
    for (const row of commands) if ('keys' in row) expect(keys, row.id).toContain(`\`${row.id}\``);
  });

  test('every setting of the screen and of sessions is documented with its default', () => {
    const page = read('docs/settings.md');
    const { display, session, sessions, database } = DEFAULTS;
    for (const [section, values] of Object.entries({ display, session, sessions, database })) {
      for (const [name, value] of Object.entries(values)) {
        const key = name === 'mouse' ? 'mouse_tracking' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
        expect(page, key).toMatch(new RegExp(`\\| \`${section}\\.${key}\` +\\| \`${String(value)}\` +\\|`));
      }
    }
  });

  test('the README begins with the two commands that work on a fresh clone', () => {
    const lines = read('README.md').split('\n').slice(0, 12).join('\n');
    expect(lines).toMatch(/npm start[\s\S]*npm test/);
  });

  test('the version is the one of package.json', () => {
    expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(version);
    expect(read('CHANGELOG.md')).toContain(`## ${version}`);
  });

  test('every relative link of a document leads somewhere', async () => {
    const { existsSync } = await import('node:fs');
    for (const name of ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/compatibility.md', 'docs/settings.md']) {
      for (const [, target] of read(name).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        expect(existsSync(path.join(root, path.dirname(name), target!)), `${name} → ${target}`).toBe(true);
      }
    }
  });
});
