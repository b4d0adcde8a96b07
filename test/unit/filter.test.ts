import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/session/types.ts';
import {
  continueFilter,
  extendFilter,
  foundAt,
  foundCount,
  foundIndex,
  fuzzyCandidates,
  isNarrowing,
  prepareHaystacks,
  startFilter,
  type Filter,
} from '../../src/ui/screens/sessions/filter.ts';
import { splitWords } from '../../src/ui/screens/sessions/typed-query.ts';
import { allowedMistakes, fuzzyDistance, loadFuzzyMatch } from '../../src/ui/screens/sessions/fuzzy.ts';
import {
  compareEntries,
  countRows,
  createBook,
  foldText,
  mergeRows,
  removeRows,
  type RowBook,
} from '../../src/ui/screens/sessions/rows.ts';
import { makeRow, makeRows } from '../support/session-rows.ts';

const now = 1_800_000_000_000;
const match = await loadFuzzyMatch();
const atOnce = { clock: () => 0, budgetMs: 8 };

/** A clock that passes a slice's budget whenever it is looked at again. */
function hastyClock(): { clock: () => number; budgetMs: number } {
  let time = 0;
  return { clock: () => (time += 5), budgetMs: 8 };
}

function bookOf(rows: readonly SessionRow[]): RowBook {
  const book = createBook();
  mergeRows(book, rows, now);
  return book;
}

function find(book: RowBook, query: string, previous?: Filter): Filter {
  const filter = startFilter(query, book, previous?.visible ?? book.entries.slice(), { previous });
  while (!continueFilter(filter, book, hastyClock(), match));
  return filter;
}

const idsOf = (filter: Filter): string[] => Array.from({ length: foundCount(filter) }, (_, index) => foundAt(filter, index)!.row.id);

describe('the order of sessions', () => {
  it('is pinned first, then last activity, newest first, whatever the start', () => {
    const minute = 60_000;
    const book = bookOf([
      makeRow({ id: 'c', startedAt: now - 50 * minute, lastActive: now - 50 * minute }),
      makeRow({ id: 'b', startedAt: now - 180 * minute, lastActive: now - 120 * minute }),
      makeRow({ id: 'a', startedAt: now - 40 * 1440 * minute, lastActive: now - minute }),
      makeRow({ id: 'p', lastActive: now - 9_000 * minute, pinned: true }),
    ]);
    expect(book.entries.map(({ row }) => row.id)).toEqual(['p', 'a', 'c', 'b']);
  });

  it('sorts a row more than a day in the future as now', () => {
    const book = bookOf([
      makeRow({ id: 'wrong-clock', lastActive: now + 900 * 86_400_000 }),
      makeRow({ id: 'soon', lastActive: now + 3_600_000 }),
    ]);
    expect(book.entries.map(({ row }) => row.id)).toEqual(['soon', 'wrong-clock']);
  });

  it('is the same however the rows stream in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.boolean(), fc.nat(40)), { maxLength: 120 }),
        fc.integer({ min: 1, max: 40 }),
        (seeds, size) => {
          const rows = seeds.map(([time, pinned, id]) => makeRow({ id: `s${id}`, lastActive: now - time, pinned }));
          const book = createBook();
          for (let at = 0; at < rows.length; at += size) mergeRows(book, rows.slice(at, at + size), now);
          const lastOf = new Map(rows.map((row) => [row.id, row]));
          expect(book.entries.length).toBe(lastOf.size);
          expect(book.entries).toEqual([...book.entries].sort(compareEntries));
          for (const { row } of book.entries) expect(row).toBe(lastOf.get(row.id));
          expect(countRows(book)).toMatchObject({ total: lastOf.size, shown: lastOf.size });
        },
      ),
    );
  });

  it('keeps a lineage one row when its tip changes, and the preview until a new one comes', () => {
    const book = bookOf([makeRow({ id: 'root', preview: 'hello' })]);
    mergeRows(book, [makeRow({ id: 'tip', rootId: 'root', ids: ['root', 'tip'], segments: 2 })], now);
    expect(book.entries.map(({ row }) => [row.id, row.preview])).toEqual([['tip', 'hello']]);
    expect(book.byId.get('root')).toBe(book.byId.get('tip'));
    removeRows(book, ['root', 'nobody']);
    expect([book.entries.length, book.byId.size, countRows(book).total]).toEqual([0, 0, 0]);
  });
});

describe('the filter finds', () => {
  const book = bookOf([
    makeRow({
      id: '20260101_101010_aaaa',
      title: 'Refactoring Auth',
      cwd: '/home/ann/code/shop',
      gitRepoRoot: '/home/ann/code/shop',
      gitBranch: 'main',
    }),
    makeRow({ id: '20260101_101011_bbbb', title: '\u1100\u1167\u11af\u110c\u1166 모듈', source: 'telegram' }),
    makeRow({ id: '20260101_101012_cccc', preview: '明日の会議は桜井さん', gitBranch: 'feature/expiry' }),
    makeRow({ id: 'tip-9', rootId: 'root-9', ids: ['root-9', 'middle-9', 'tip-9'], title: 'long lineage', segments: 3 }),
  ]);
  it.each([
    ['a word of the title, any case', 'refactoring', ['20260101_101010_aaaa']],
    ['all words, in any order and field', 'shop AUTH', ['20260101_101010_aaaa']],
    ['a composed word in a decomposed title', '결제', ['20260101_101011_bbbb']],
    ['a decomposed word in a composed title', '\u1106\u1169\u1103\u1172\u11af', ['20260101_101011_bbbb']],
    ['one syllable of the preview', '桜', ['20260101_101012_cccc']],
    ['a branch', 'feature/exp', ['20260101_101012_cccc']],
    ['a source', 'telegram', ['20260101_101011_bbbb']],
    ['an id', '20260101_101012_cccc', ['20260101_101012_cccc']],
    ['the beginning of an id', '20260101_101010', ['20260101_101010_aaaa']],
    ['an id inside a lineage', 'middle-9', ['tip-9']],
    ['nothing', 'zebrafinch', []],
  ])('%s', (_, query, ids) => {
    expect(idsOf(find(book, query)).sort()).toEqual(ids);
  });

  it('every row while nothing is typed', () => {
    expect(idsOf(find(book, '  ')).length).toBe(4);
  });

  it('no word across two fields', () => {
    expect(foundCount(find(book, 'auth/home'))).toBe(0);
  });
});

describe('an id or a unique beginning of one', () => {
  const rows = [...makeRows(300, now), makeRow({ id: 'cron_77_beef', class: 'machine', lastActive: 1 })];
  const book = bookOf(rows);
  const visible = book.entries.filter(({ row }) => row.class === 'shown');

  it('finds its row whatever kind and scope hide, and says that it lies outside', () => {
    for (const query of ['cron_77_beef', 'cron_77', 'c']) {
      const filter = startFilter(query, book, visible);
      while (!continueFilter(filter, book, hastyClock(), match));
      expect(filter.hit?.entry.row.id, query).toBe('cron_77_beef');
      expect(filter.hit?.isOutside, query).toBe(true);
    }
  });

  it('comes first when the whole id was typed, even where other rows mention it', () => {
    const mention = makeRow({ id: 'newer', title: `see ${rows[7]!.id}`, lastActive: now });
    const full = bookOf([mention, ...rows]);
    expect(idsOf(find(full, rows[7]!.id))).toEqual([rows[7]!.id, 'newer']);
  });

  it('is not guessed when two share the beginning', () => {
    const two = bookOf([...rows, makeRow({ id: 'cron_78_cafe', class: 'machine' })]);
    const filter = startFilter('cron_7', two, visible);
    while (!continueFilter(filter, two, hastyClock(), match));
    expect(filter.hit).toBeUndefined();
  });

  it('finds each of 300 full ids and each unique beginning', () => {
    for (const { id } of rows.slice(0, 300)) {
      expect(idsOf(find(book, id))[0]).toBe(id);
      expect(idsOf(find(book, id.slice(0, 15)))).toContain(id);
    }
  });
});

describe('a growing query', () => {
  it('reads only what was found before', () => {
    expect(isNarrowing(['re'], ['ref'])).toBe(true);
    expect(isNarrowing(['ref'], ['ref', 'a'])).toBe(true);
    expect(isNarrowing(['ref'], ['re'])).toBe(false);
    expect(isNarrowing(['ref', 'x'], ['ref'])).toBe(false);
  });

  it('ends with the same rows as the same query typed at once, wherever a slice was cut and rows streamed in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('refactoring 1', 'login', '리팩터링 2', 'p3 main', '20260301_0001', 'xyz'),
        fc.array(fc.nat(3), { maxLength: 14 }),
        (query, cuts) => {
          const all = makeRows(700, now);
          const book = bookOf(all.slice(0, 500));
          const visible = book.entries.slice();
          let late = 500;
          let filter = startFilter('', book, visible);
          for (let length = 1; length <= query.length; length++) {
            filter = startFilter(query.slice(0, length), book, visible, { previous: filter });
            for (let slices = cuts[length % (cuts.length || 1)] ?? 1; slices > 0; slices--)
              continueFilter(filter, book, hastyClock(), match);
            if (late < 700 && length % 2 === 0) {
              const { appended } = mergeRows(book, all.slice(late, late + 50), now);
              visible.push(...appended);
              extendFilter(filter, appended, []);
              late += 50;
            }
          }
          while (!continueFilter(filter, book, hastyClock(), match));
          expect(idsOf(filter)).toEqual(idsOf(find(bookOf(all.slice(0, late)), query)));
        },
      ),
    );
  });

  it('takes in rows whose texts change, and lets go of those that no longer match', () => {
    const book = bookOf([makeRow({ id: 'a', title: 'alpha' }), makeRow({ id: 'b' })]);
    const filter = find(book, 'alpha');
    const { touched } = mergeRows(book, [makeRow({ id: 'a', title: 'omega' }), makeRow({ id: 'b', preview: 'alpha too' })], now);
    extendFilter(filter, [], touched);
    while (!continueFilter(filter, book, atOnce, match));
    expect(idsOf(filter)).toEqual(['b']);
  });
});

describe('near matches', () => {
  const book = bookOf([
    makeRow({ id: 'again', title: 'add that again', lastActive: 9 }),
    makeRow({ id: 'login', title: 'login page is slow', lastActive: 8 }),
    makeRow({ id: 'scattered', title: 'large ogre in the garden inn', lastActive: 7 }),
    makeRow({ id: 'korean', title: '결제 모듈 리팩터링', lastActive: 6 }),
  ]);

  it('find swapped letters, and no noise', () => {
    expect(idsOf(find(book, 'lgoin'))).toEqual(['login']);
    expect(idsOf(find(book, '리펙터링'))).toEqual(['korean']);
  });

  it('come after the exact ones: a contiguous word ranks above scattered letters', () => {
    const rows = bookOf([
      makeRow({ id: 'near', title: 'loging in', lastActive: 99 }),
      makeRow({ id: 'nearer', title: 'a lgoin', lastActive: 98 }),
      makeRow({ id: 'exact', title: 'the login page', lastActive: 1 }),
    ]);
    expect(idsOf(find(rows, 'login page'))).toEqual(['exact']);
    // `loging in` holds the word whole, `lgoin` has two letters swapped: newest first does not count between the two kinds.
    expect(idsOf(find(rows, 'login'))).toEqual(['near', 'exact', 'nearer']);
    expect(idsOf(find(rows, 'logins'))).toEqual(['near', 'exact']);
  });

  it('keep the rank of an edit inside a word below one at its beginning', () => {
    expect(fuzzyDistance('logn', 'the login')).toBeLessThan(fuzzyDistance('logn', 'thelogin'));
    expect(fuzzyDistance('lgoin', 'login')).toBe(1);
    expect([allowedMistakes('abc'), allowedMistakes('abcd'), allowedMistakes('abcdef')]).toEqual([0, 1, 2]);
  });

  it('wait for their library, which never holds up the first frame', () => {
    const filter = startFilter('lgoin', book, book.entries);
    expect(continueFilter(filter, book, atOnce)).toBe(true);
    expect([filter.phase, foundCount(filter)]).toEqual(['waiting', 0]);
    expect(continueFilter(filter, book, atOnce, match)).toBe(true);
    expect(idsOf(filter)).toEqual(['login']);
  });

  it('are looked for in 500 rows while there are exact matches, in all rows when there are none', () => {
    const many = bookOf(makeRows(3_000, now));
    const some = startFilter('refactoring 0', many, many.entries);
    const few = startFilter('deploy 1204', many, many.entries);
    const none = startFilter('dpeloy', many, many.entries);
    for (const filter of [some, few, none]) continueFilter(filter, many, atOnce);
    expect(few.fuzzyScan.candidates.length).toBe(fuzzyCandidates);
    expect(none.fuzzyScan.candidates.length).toBe(3_000);
    expect([some.exact.length > 0, few.exact.length]).toEqual([true, 1]);
  });
});

describe('a slice', () => {
  it('ends when its time is over and goes on where it stopped', () => {
    const book = bookOf(makeRows(2_000, now));
    const filter = startFilter('refactoring', book, book.entries);
    let slices = 1;
    while (!continueFilter(filter, book, hastyClock())) slices++;
    expect(slices).toBeGreaterThan(5);
    expect(filter.exact.length).toBe(250);
  });

  it('finds the first page before the rest', () => {
    const book = bookOf(makeRows(2_000, now));
    const filter = startFilter('refactoring', book, book.entries);
    expect(continueFilter(filter, book, hastyClock())).toBe(false);
    expect(foundAt(filter, 0)!.row.title).toBe('refactoring auth 0');
    expect(filter.exact.length).toBeLessThan(250);
  });

  it('prepares texts ahead of the first key', () => {
    const book = bookOf(makeRows(1_000, now));
    let position = 0;
    let slices = 0;
    while (position < book.entries.length) {
      position = prepareHaystacks(book, position, hastyClock());
      slices++;
    }
    expect(slices).toBeGreaterThan(2);
    expect(book.entries.every(({ haystack }) => haystack !== undefined)).toBe(true);
  });
});

describe('the place of a row in the result', () => {
  it('is the place it is read from', () => {
    const book = bookOf(makeRows(400, now));
    for (const query of ['', 'login', 'lgoin', book.entries[9]!.row.id, 'p3']) {
      const filter = find(book, query);
      for (let index = 0; index < foundCount(filter); index++) expect(foundIndex(filter, foundAt(filter, index)!)).toBe(index);
    }
    expect(foundIndex(find(book, 'login'), book.entries[0]!)).toBeUndefined();
  });

  it('splits and folds words of any script', () => {
    expect(splitWords('  Ａ１ \t İstanbul　결제 ')).toEqual([foldText('Ａ１'), foldText('İstanbul'), '결제']);
  });
});
