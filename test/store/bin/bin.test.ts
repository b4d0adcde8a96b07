import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ERAS } from '../../../fixtures/eras/eras.ts';
import { createRandom } from '../../../fixtures/random.ts';
import { buildEra } from '../../../fixtures/eras/build.ts';
import { binEntries } from '../../../src/store/bin/entries.ts';
import { moveToBin, restoreFromBin } from '../../../src/store/bin/index.ts';
import type { OpenConnection } from '../../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../../src/store/open.ts';
import { allLineages } from '../../../src/store/reads/list-rows.ts';
import { cellsOf, changing, indexChecks } from '../../support/bin.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../../support/real-stores.ts';
import { fillRandomStore } from '../../support/random-store.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';

const now = Date.UTC(2026, 9, 20, 12);
const clock = (): number => now;

function look(path: string) {
  const connection = openForWriting(path, { now: clock });
  try {
    return {
      cells: cellsOf(connection),
      checks: indexChecks(connection),
      tips: allLineages(connection).map((lineage) => lineage.tip.id),
      hits: hitsOf(connection),
    };
  } finally {
    connection.close();
  }
}

/** Rows found by some words, in both tables, each row once by its id. */
function hitsOf(connection: OpenConnection): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const table of ['messages_fts', 'messages_fts_trigram']) {
    if (!connection.has(table)) continue;
    for (const word of ['message', 'test', 'refactor', 'imported', '데이터베이스', 'the'])
      found[`${table} ${word}`] = connection.db
        .prepare(`SELECT rowid FROM ${table} WHERE ${table} MATCH ? ORDER BY rowid`)
        .pluck()
        .all(word);
  }
  return found;
}

const entriesOf = (path: string) => {
  const connection = openForReading(path, { now: clock });
  try {
    return binEntries(connection);
  } finally {
    connection.close();
  }
};

/** No index is worse than before; one that an older SQLite made may have been made anew. */
function expectSoundIndex(after: Record<string, string>, before: Record<string, string>): void {
  for (const [table, said] of Object.entries(after)) expect([before[table], 'ok'], table).toContain(said);
}

const deleteAll = (path: string, ids: readonly string[]) => changing(path, (connection) => moveToBin(connection, { ids, held: {} }), clock);
const restoreAll = (path: string, ids: readonly string[]) => changing(path, (connection) => restoreFromBin(connection, ids), clock);

const idsOf = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id).sort();

describe.runIf(hasRealStores)('stores that Hermes Agent wrote', () => {
  const names: RealStore[] = ['hermes-v31-40.db', 'hermes-v17-10.db'];

  // Of the large one every fourth lineage: all of it takes 5 s of CPU time.
  test.each<[string, RealStore, number]>([
    ...names.map((name): [string, RealStore, number] => ['everything', name, 1]),
    ['every fourth lineage', 'hermes-v17-1000.db', 4],
  ])('%s in %s goes and comes back to the byte, and search finds it again', (_, name, step) => {
    const path = copyRealStore(name, temporaryFolder());
    changing(path, () => undefined);
    const before = look(path);
    const { moved, refused } = deleteAll(
      path,
      before.tips.filter((_tip, index) => index % step === 0),
    );
    expect(moved.length).toBeGreaterThan(5);
    for (const { message } of refused) expect(message).toContain('Cannot delete active session');
    const left = look(path);
    expect(left.cells['sessions']!.length).toBe(
      before.cells['sessions']!.length - moved.flatMap((entry) => [...entry.ids, ...entry.delegates]).length,
    );
    expectSoundIndex(left.checks, before.checks);
    expect(idsOf(entriesOf(path))).toEqual(idsOf(moved));

    const back = restoreAll(path, idsOf(moved));
    expect(back).toMatchObject({ refused: [], retitled: [] });
    const after = look(path);
    expect(after.cells).toEqual(before.cells);
    expectSoundIndex(after.checks, before.checks);
    // An index made anew by this SQLite also has what follows a NUL.
    for (const [word, hits] of Object.entries(before.hits)) expect(after.hits[word], word).toEqual(expect.arrayContaining(hits));
    expect(entriesOf(path)).toEqual([]);
  });

  test.each(names)('each lineage of %s alone goes and comes back to the byte, the rest untouched', (name) => {
    const path = copyRealStore(name, temporaryFolder());
    changing(path, () => undefined);
    const before = look(path);
    for (const tip of before.tips) {
      const { moved } = deleteAll(path, [tip]);
      if (moved.length === 0) continue;
      restoreAll(path, idsOf(moved));
      const after = look(path);
      expect(after.cells, tip).toEqual(before.cells);
      expectSoundIndex(after.checks, before.checks);
      expect(after.hits, tip).toEqual(before.hits);
    }
  });
});

describe('every era', () => {
  test.each(ERAS)('a store of version %i gives everything back to the byte', (era) => {
    const path = join(temporaryFolder(), 'state.db');
    buildEra(path, era);
    changing(path, () => undefined);
    const before = look(path);
    const { moved, refused } = deleteAll(path, before.tips);
    expect(refused).toEqual([]);
    expect(look(path).cells['sessions']).toEqual([]);
    expect(look(path).cells['messages']).toEqual([]);
    const back = restoreAll(path, idsOf(moved));
    expect(back).toMatchObject({ refused: [], retitled: [] });
    const after = look(path);
    expect(after.cells).toEqual(before.cells);
    expect(after.checks).toEqual(before.checks);
    expect(after.hits).toEqual(before.hits);
  });
});

describe('random stores', () => {
  test.each([1, 2, 3, 4, 5, 6])('any lineages, in any order, seed %i', (seed) => {
    const random = createRandom(seed);
    const path = join(temporaryFolder(), 'state.db');
    const connection = openForWriting(path, { now: clock });
    fillRandomStore(connection, random, 120, now);
    connection.close();
    const before = look(path);
    const inBin = new Set<string>();
    for (let step = 0; step < 12; step += 1) {
      if (random.chance(0.6)) {
        const ids = look(path).tips.filter(() => random.chance(0.2));
        for (const { id } of deleteAll(path, ids).moved) inBin.add(id);
      } else {
        const ids = [...inBin].filter(() => random.chance(0.4));
        const { restored } = restoreAll(path, ids);
        expect(idsOf(restored)).toEqual([...ids].sort());
        for (const id of ids) inBin.delete(id);
      }
      expect(idsOf(entriesOf(path))).toEqual([...inBin].sort());
    }
    restoreAll(path, [...inBin]);
    const after = look(path);
    expect(after.cells['messages']).toEqual(before.cells['messages']);
    expect(after.cells['sessions']).toEqual(before.cells['sessions']);
    expect(after.checks).toEqual(before.checks);
    expect(after.hits).toEqual(before.hits);
  });
});
