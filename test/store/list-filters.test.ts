import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { generateStore } from '../../fixtures/stores/generate.ts';
import { readFilters } from '../../src/commands/filters.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { listRows } from '../../src/store/reads/list-rows.ts';
import { listForShell } from '../../src/store/reads/shell-list.ts';
import { makeFlags } from '../support/random-flags.ts';
import { naiveLineages } from '../support/naive-select.ts';
import { fillRandomStore } from '../support/random-store.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const now = 1_790_000_000_000;
const machine = new Set(['tool', 'kanban', 'subagent', 'cron', 'batch']);

function openFilled(fill: (path: string) => void): OpenConnection {
  const path = join(temporaryFolder(), 'state.db');
  fill(path);
  const connection = openForReading(path, { now: () => now });
  onTestFinished(() => connection.close());
  return connection;
}

/** The list once more: every row of the full listing that a filter fits and that is not put away, pinned ones beside the limit. */
function naiveList(rows: readonly SessionRow[], fits: ReadonlySet<string>, flags: Record<string, string>, includeArchived: boolean) {
  return rows.filter((row) => {
    if (!fits.has(row.id) || row.class === 'empty' || row.hidden || (row.archived && !includeArchived)) return false;
    return machine.has(row.source) ? flags['source'] === row.source : row.isDelegate !== true;
  });
}

describe.each([
  [
    'of several programs, read exactly',
    600,
    (path: string, random: ReturnType<typeof createRandom>) => {
      const writer = openForWriting(path, { now: () => now });
      fillRandomStore(writer, random, 350, now);
      writer.close();
    },
  ],
  [
    'so large that heartbeats are trusted',
    60,
    (path: string) => generateStore(path, { sessions: 21_000, messagesPerSession: 2, hasSearchIndex: false, now }),
  ],
] as const)('a store %s', (_, cases, fill) => {
  test('every page of every filter is the beginning of the one found by going through all rows', () => {
    const seed = Number(process.env['SELECT_SEED'] ?? Date.now() % 1_000_000);
    const random = createRandom(seed);
    const connection = openFilled((path) => fill(path, random));
    const rows = [...listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : []));
    const lineages = naiveLineages(connection, { includeHosted: true });
    const flagsOf = makeFlags(connection);
    let hits = 0;
    for (let tried = 0; tried < cases;) {
      const flags = tried === 0 ? {} : flagsOf(random);
      let query;
      try {
        query = readFilters(flags, { cwd: '/', userHome: '/home/ann', now: () => now }).query;
      } catch (error) {
        if ((error as { code?: string }).code !== 'empty-window') throw error;
        continue;
      }
      tried += 1;
      const includeArchived = random.chance(0.3);
      const limit = random.pick([1, 3, 20, 200]);
      const fits = new Set(lineages.filter((each) => each.fits(flags)).map((each) => each.id));
      const expected = naiveList(rows, fits, flags, includeArchived);
      const pinned = expected.filter((row) => row.pinned).length;
      const label = `seed ${seed}: ${JSON.stringify(flags)} limit ${limit}${includeArchived ? ' with archived' : ''}`;
      const found = listForShell(connection, { limit, query, includeArchived, countAtMost: 30 });
      expect(
        found.rows.map((row) => row.id),
        label,
      ).toEqual(expected.slice(0, pinned + limit).map((row) => row.id));
      const left = Math.max(0, expected.length - pinned - limit);
      expect(found.isAtLeast ? Math.min(left, found.more) : found.more, label).toBe(found.isAtLeast ? found.more : left);
      hits += found.rows.length;
    }
    expect(hits).toBeGreaterThan(0);
  }, 120_000);
});

test('a large store is given an index of our own with the first write, and the pages stay the same', () => {
  const path = join(temporaryFolder(), 'state.db');
  generateStore(path, { sessions: 20_100, messagesPerSession: 1, hasSearchIndex: false, now });
  const filters = [{}, { 'older-than': '90' }, { 'newer-than': '20d' }, { title: 'refactor' }, { 'min-messages': '3' }];
  const open = (): OpenConnection => openForReading(path, { now: () => now });
  const pages = (connection: OpenConnection) =>
    filters.map((flags) => {
      const { query } = readFilters(flags, { cwd: '/', userHome: '/home/ann', now: () => now });
      const { rows, more } = listForShell(connection, { limit: 20, query, countAtMost: 30 });
      return { ids: rows.map((row) => row.id), more };
    });
  const before = open();
  const expected = pages(before);
  expect(before.shape.indexes).not.toContain('idx_hermes_tui_sessions_apart');
  before.close();
  openForWriting(path, { now: () => now }).close();
  const after = open();
  expect(after.shape.indexes).toContain('idx_hermes_tui_sessions_apart');
  expect(pages(after)).toEqual(expected);
  after.close();
});
