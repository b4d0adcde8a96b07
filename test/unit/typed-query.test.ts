import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { continueFilter, foundAt, foundCount, startFilter } from '../../src/ui/screens/sessions/filter.ts';
import { createBook, foldText, haystackOf, mergeRows, type RowBook } from '../../src/ui/screens/sessions/rows.ts';
import { readTyped, splitWords, wantedKinds } from '../../src/ui/screens/sessions/typed-query.ts';
import { makeRow, makeRows } from '../support/session-rows.ts';

const now = 1_800_000_000_000;
const day = 86_400_000;
const rows = [
  makeRow({
    id: 'a',
    title: 'Refactoring auth',
    source: 'tui',
    model: 'gpt-5-mini',
    cwd: '/w/shop',
    gitBranch: 'main',
    pinned: true,
    lastActive: now,
  }),
  makeRow({
    id: 'b',
    title: 'refund auth flow',
    source: 'telegram',
    model: 'claude-sonnet',
    cwd: '/w/pay',
    lastActive: now - day,
    ended: true,
  }),
  makeRow({
    id: 'c',
    title: '결제 모듈',
    source: 'tui',
    cwd: '/w/pay',
    gitBranch: 'feature/x',
    lastActive: now - 10 * day,
    archived: true,
    ended: true,
  }),
  makeRow({ id: 'd', preview: 'look at C++ and a_b', source: 'cron', cwd: '/w/ops', lastActive: now - 40 * day }),
];

function bookOf(all = rows): RowBook {
  const book = createBook();
  mergeRows(book, all, now);
  return book;
}

function find(query: string, live: readonly string[] = []): string[] {
  const book = bookOf();
  const filter = startFilter(query, book, book.entries, { asked: { now, isLive: (row) => live.includes(row.id) } });
  while (!continueFilter(filter, book, { clock: () => 0, budgetMs: 8 }, () => false));
  return Array.from({ length: foundCount(filter) }, (_, index) => foundAt(filter, index)!.row.id);
}

describe('what is typed in the filter of the sessions', () => {
  it.each<[query: string, ids: string[]]>([
    ['auth', ['a', 'b']],
    ['auth refactoring', ['a']],
    ['"refund auth"', ['b']],
    ['"auth refund"', []],
    ['refactoring OR 결제', ['a', 'c']],
    ['auth -refund', ['a']],
    ['auth NOT refund', ['a']],
    ['-auth', ['c', 'd']],
    ['ref*', ['a', 'b']],
    ['source:telegram', ['b']],
    ['source:tui 결제', ['c']],
    ['-source:tui', ['b', 'd']],
    ['model:sonnet', ['b']],
    ['branch:feature', ['c']],
    ['workspace:pay', ['b', 'c']],
    ['title:auth', ['a', 'b']],
    ['is:pinned', ['a']],
    ['is:archived', ['c']],
    ['is:ended', ['b', 'c']],
    ['before:7d', ['c', 'd']],
    ['after:7d', ['a', 'b']],
    ['after:7d is:pinned', ['a']],
    ['C++', ['d']],
    // Only search knows what was said: it hides nothing here.
    ['role:user auth', ['a', 'b']],
    // No syntax: text as it stands.
    ['nofield:auth', []],
    ['is:nothing', []],
    ['before:someday', []],
  ])('%s', (query, ids) => expect(find(query)).toEqual(ids));

  it('is:live are those that somebody has open now', () => {
    expect(find('is:live', ['b'])).toEqual(['b']);
    expect(find('-is:live', ['b'])).toEqual(['a', 'c', 'd']);
  });

  it('names kinds that hide otherwise', () => {
    expect(wantedKinds('is:archived')).toEqual({ archived: true, machine: false });
    expect(wantedKinds('deploy OR source:cron')).toEqual({ archived: false, machine: true });
    expect(wantedKinds('source:telegram')).toEqual({ archived: false, machine: false });
    expect(wantedKinds('archived cron')).toEqual({ archived: false, machine: false });
  });

  it('is words and nothing else, where nothing of it is syntax: every one a part of the text', () => {
    const book = bookOf(makeRows(60, now));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'rlo gn結제 모듈2.1/(') }), (query) => {
        const { words, accepts } = readTyped(query, { now, isLive: () => false });
        expect(accepts).toBeUndefined();
        expect(words).toEqual(splitWords(query));
        for (const entry of book.entries) {
          const isMatch = words.every((word) => haystackOf(entry).includes(word));
          expect(isMatch).toBe(query.split(/\s+/).every((word) => haystackOf(entry).includes(foldText(word))));
        }
      }),
    );
  });

  it('never fails, whatever is typed', () => {
    const piece = fc.oneof(fc.constantFrom('"', '-', 'OR', 'NOT', 'AND', 'is:', 'source:', 'before:', '*', ' ', '결', 'a'), fc.string());
    fc.assert(fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => void find(pieces.join(''))));
  });
});
