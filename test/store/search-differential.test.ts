import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { buildEra } from '../../fixtures/eras/build.ts';
import { ERAS } from '../../fixtures/eras/eras.ts';
import { createRandom } from '../../fixtures/random.ts';
import { parseQuery } from '../../src/session/query-parse.ts';
import { isEverything } from '../../src/session/query.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { search, type SearchResult } from '../../src/store/search/index.ts';
import { fillHostileStore } from '../support/hostile-texts.ts';
import { naiveStore } from '../support/naive-search.ts';
import { randomQuery } from '../support/random-query.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';

const now = 1_780_000_000_000;
const seed = Number(process.env['HERMES_SEED'] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'hermes-search-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Subject {
  readonly name: string;
  readonly queries: number;
  /** @returns the path of a store */
  make(folder: string): string;
}

function hostile(change: (connection: OpenConnection) => void = () => undefined, more = false): (folder: string) => string {
  return (into) => {
    const path = join(into, 'state.db');
    const connection = openForWriting(path, { now: () => now });
    const random = createRandom(seed);
    fillHostileStore(connection, random, 60, now);
    change(connection);
    if (more) fillHostileStore(connection, random, 20, now, 60);
    connection.close();
    return path;
  };
}

const dropTriggers = ({ db }: OpenConnection): void => {
  for (const name of ['insert', 'delete', 'update'])
    db.exec(`DROP TRIGGER messages_fts_${name}; DROP TRIGGER messages_fts_trigram_${name}`);
};
const meta = ({ db }: OpenConnection, key: string, value: string): unknown =>
  db.prepare('INSERT OR REPLACE INTO state_meta (key, value) VALUES (?, ?)').run(key, value);

const subjects: Subject[] = [
  { name: 'hostile texts', queries: 1600, make: hostile() },
  { name: 'hostile texts, half of them behind the end of the index', queries: 400, make: hostile(dropTriggers, true) },
  {
    name: 'hostile texts without an index',
    queries: 400,
    make: hostile((connection) => {
      dropTriggers(connection);
      connection.db.exec('DROP TABLE messages_fts; DROP TABLE messages_fts_trigram');
    }),
  },
  {
    name: 'an index marked as wrong, and emptied',
    queries: 200,
    make: hostile((c) => {
      c.db.exec(`INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')`);
      meta(c, 'fts_stale', '1');
    }),
  },
  {
    name: 'an index in the middle of its rebuilding',
    queries: 200,
    make: hostile((c) => {
      meta(c, 'fts_rebuild_high_water', '1000');
      meta(c, 'fts_rebuild_progress', '100');
    }, true),
  },
  {
    name: 'an index whose pages lie',
    queries: 300,
    make: hostile((c) => {
      c.db.unsafeMode();
      c.db.pragma('writable_schema = ON');
      c.db.exec(
        `UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id > 10; UPDATE messages_fts_trigram_data SET block = randomblob(40) WHERE id > 10`,
      );
    }),
  },
  {
    name: 'texts changed behind the back of the index',
    queries: 200,
    make: hostile((c) => {
      dropTriggers(c);
      c.db.exec(`UPDATE messages SET content = content || ' gateway 회의' WHERE id % 3 = 0; DELETE FROM messages WHERE id % 7 = 0`);
    }),
  },
  ...ERAS.map((era): Subject => ({
    name: `a store of version ${era}`,
    queries: 60,
    make: (into) => {
      const path = join(into, 'state.db');
      buildEra(path, era);
      return path;
    },
  })),
  ...(hasRealStores
    ? ([
        ['hermes-v31-40.db', 600],
        ['hermes-v31-empty.db', 20],
        ['hermes-v17-10.db', 400],
        ['hermes-v17-1000.db', 60],
      ] as [RealStore, number][])
    : []
  ).map(([name, queries]): Subject => ({ name, queries, make: (into) => copyRealStore(name, into) })),
];

interface Answer {
  readonly results: readonly SearchResult[];
  readonly lineages: number;
  readonly hits: number;
}

function answerOf(connection: OpenConnection, text: string, sort: 'best' | 'newest' | 'oldest', limit: number): Answer {
  let results: readonly SearchResult[] = [];
  let done: { lineages: number; hits: number } | undefined;
  for (const chunk of search(connection, { query: parseQuery(text, { now, times: 'said' }), sort, limit })) {
    if (chunk.type === 'results') results = chunk.results;
    if (chunk.type === 'done') done = chunk;
  }
  return { results, lineages: done?.lineages ?? -1, hits: done?.hits ?? -1 };
}

describe(`every query finds what going through all texts finds (HERMES_SEED=${seed})`, () => {
  let asked = 0;
  test.each(subjects)(
    '$name',
    ({ make, queries, name }) => {
      const own = mkdtempSync(join(folder, 'store-'));
      const connection = openForReading(make(own), { now: () => now });
      try {
        const wrong: unknown[] = [];
        const naive = naiveStore(connection);
        const random = createRandom(seed + name.length);
        for (let at = 0; at < queries; at++) {
          const text = randomQuery(random, naive.texts);
          const query = parseQuery(text, { now, times: 'said' });
          if (isEverything(query)) continue;
          asked += 1;
          const expected = naive.search(query);
          const limit = random.pick([5, 200]);
          const found = answerOf(connection, text, random.pick(['best', 'newest', 'oldest'] as const), limit);
          const wanted = new Map(
            [...expected].map(([root, { hits, isTitle }]) => [root, `${hits.length}${isTitle ? ' and the title' : ''}`]),
          );
          const shown = new Map(
            found.results.map((result) => [result.row.rootId, `${result.hits}${result.isTitleMatch ? ' and the title' : ''}`]),
          );
          const hits = [...expected.values()].reduce((sum, each) => sum + each.hits.length, 0);
          if (found.lineages !== expected.size || found.hits !== hits || found.results.length !== Math.min(limit, expected.size))
            wrong.push({ text, found: `${found.hits} in ${found.lineages}`, wanted: `${hits} in ${expected.size}` });
          for (const [root, each] of expected.size <= limit ? wanted : shown)
            if (shown.get(root) !== wanted.get(root))
              wrong.push({ text, root, found: shown.get(root), wanted: wanted.get(root), ids: expected.get(root)?.hits.join(' '), each });
          for (const { hit } of found.results) {
            for (const range of hit?.snippet.ranges ?? []) expect(range.end).toBeGreaterThan(range.start);
          }
        }
        expect(wrong.slice(0, 20)).toEqual([]);
      } finally {
        connection.close();
      }
    },
    120_000,
  );

  test('5,000 queries were asked', () => expect(asked).toBeGreaterThan(hasRealStores ? 5_000 : 4_000));
});
