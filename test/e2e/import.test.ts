import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leave, makePlace, program, ready, say, type Place } from '../support/place.ts';
import type { Tui } from '../support/tui.ts';

const fixture = join(import.meta.dirname, '../../fixtures/transcripts/claude-code.jsonl');

/** A place with one log of Claude Code beside it. */
async function withLog(): Promise<{ place: Place; open(...args: string[]): Tui }> {
  const place = await makePlace();
  const config = place.directory('claude');
  const project = join(config, 'projects/-home-ann-code-shop');
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, '5e1f0c1a.jsonl'), readFileSync(fixture, 'utf8').replaceAll('/home/ann/code/shop', place.folder));
  return { place, open: (...args) => place.open(args, { env: { CLAUDE_CONFIG_DIR: config, HOME: place.folder } }) };
}

const asked = (tui: Tui): Promise<number> => tui.until((shown) => shown.text().includes('(Enter: none)'), 'the question');

test('--resume @claude: a log is chosen by its number, imported and gone on with; the next time it is the same session', async () => {
  const { place, open } = await withLog();
  const tui = open('--tui', '--resume', '@claude');
  await asked(tui);
  expect(tui.text()).toContain('Checkout total in the shop');
  tui.write('1\r');
  await ready(tui);
  expect(tui.text()).toContain('Yes, round at the end.');
  await say(tui, 'and in Korean?');
  await leave(tui);
  const [row] = place.rows<{ id: string; source: string; message_count: number }>('SELECT id, source, message_count FROM sessions');
  expect(row).toMatchObject({ source: 'claude-code', message_count: 6 });
  const screen = tui.lines().join('\n');
  expect(screen).toContain(`✓ Imported as ${row!.id} — resuming it now.`);
  expect(screen).toContain(`  (later: hermes --resume ${row!.id})`);

  const again = open('--tui', '--resume', '@claude');
  await asked(again);
  again.write('1\r');
  await ready(again);
  expect(again.text()).toContain('Answer to: and in Korean?');
  await leave(again);
  expect(place.rows('SELECT count(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
});

test('--resume @claude: Enter chooses none, and the program ends with 1', async () => {
  const { place, open } = await withLog();
  const tui = open('--resume', '@claude');
  await asked(tui);
  tui.write('\r');
  expect((await tui.exited).code).toBe(1);
  expect(tui.text()).toContain('Nothing chosen, nothing imported.');
  expect(existsSync(place.store)).toBe(false);
});

test('--resume @claude without a terminal says what to do instead, and imports nothing', async () => {
  const { place } = await withLog();
  const done = spawnSync(process.execPath, [program, '--resume', '@claude'], {
    cwd: place.folder,
    encoding: 'utf8',
    input: '1\n',
    env: { PATH: process.env['PATH'], HOME: place.folder, HERMES_HOME: place.home, LANG: 'C.UTF-8' },
  });
  expect(done.status).toBe(1);
  expect(done.stderr).toContain('Choosing a log needs a terminal.');
  expect(done.stderr).toContain('hermes sessions import --from claude');
});
