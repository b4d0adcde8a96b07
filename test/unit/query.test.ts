import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { evaluate } from '../../src/session/query-match.ts';
import { parseQuery } from '../../src/session/query-parse.ts';
import type { Facts, Query, Test } from '../../src/session/query.ts';
import { parseTime } from '../../src/session/time-span.ts';
import { formatQuery } from '../support/format-query.ts';

const now = Date.UTC(2026, 6, 20, 12);
const day = 86_400_000;
const hour = 3_600_000;
const options = { now, times: 'active' } as const;
const parse = (text: string): Query => parseQuery(text, options);

const word = (text: string, isPrefix = false): Query => ({ type: 'text', text, isPhrase: false, isPrefix });
const phrase = (text: string, isPrefix = false): Query => ({ type: 'text', text, isPhrase: true, isPrefix });
const is = (test: Test): Query => ({ type: 'test', test });
const and = (...nodes: Query[]): Query => ({ type: 'and', nodes });
const or = (...nodes: Query[]): Query => ({ type: 'or', nodes });
const not = (node: Query): Query => ({ type: 'not', node });

describe('what is typed', () => {
  test.each<[string, string, Query]>([
    ['nothing is every session', '  ', and()],
    ['words must all be there', 'foo bar', and(word('foo'), word('bar'))],
    ['AND may be written', 'foo AND bar', and(word('foo'), word('bar'))],
    ['a phrase stays together', '"foo  bar" baz', and(phrase('foo  bar'), word('baz'))],
    ['two quotes inside of a phrase are one', '"say ""hi"" now"', phrase('say "hi" now')],
    ['OR binds looser than AND', 'a b OR c', or(and(word('a'), word('b')), word('c'))],
    ['NOT and a minus take away', 'a NOT b -c', and(word('a'), not(word('b')), not(word('c')))],
    ['two NOTs take each other away', 'NOT NOT a NOT NOT -b NOT -c', and(word('a'), not(word('b')), word('c'))],
    ['a minus goes with phrases and fields', '-"a b" -source:cron', and(not(phrase('a b')), not(is({ field: 'source', is: 'cron' })))],
    ['a prefix ends with a star', 'migr* "data mig"*', and(word('migr', true), phrase('data mig', true))],
    [
      'fields take quotes',
      'title:"smoke test" source:cli',
      and(is({ field: 'title', contains: 'smoke test' }), is({ field: 'source', is: 'cli' })),
    ],
    ['names of fields in any case', 'IS:Pinned Role:User', and(is({ field: 'is', value: 'pinned' }), is({ field: 'role', is: 'user' }))],
    [
      'the other fields',
      'workspace:shop branch:feat/x model:gpt-5 tool:web_search',
      and(
        is({ field: 'workspace', contains: 'shop' }),
        is({ field: 'branch', contains: 'feat/x' }),
        is({ field: 'model', contains: 'gpt-5' }),
        is({ field: 'tool', is: 'web_search' }),
      ),
    ],
    [
      'times',
      'after:2d before:2026-07-19T00:00Z',
      and(is({ field: 'active', from: now - 2 * day }), is({ field: 'active', until: Date.UTC(2026, 6, 19) })),
    ],
    ['text is composed', 'cafe\u0301', word('café')],
    ['words of any script', '회의 OR 重启', or(word('회의'), word('重启'))],
  ])('%s: %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test.each<[string, string, Query]>([
    ['an operator alone', 'OR', phrase('OR')],
    ['an operator at the beginning', 'AND a', and(phrase('AND'), word('a'))],
    ['an operator at the end', 'a OR', and(word('a'), phrase('OR'))],
    ['NOT at the end', 'a NOT', and(word('a'), phrase('NOT'))],
    ['two operators in a row', 'a OR OR b', or(and(word('a'), phrase('OR')), word('b'))],
    ['operators in small letters', 'a or not b', and(word('a'), word('or'), word('not'), word('b'))],
    ['an operator that is taken away', 'a -OR b', and(word('a'), not(phrase('OR')), word('b'))],
    ['an unknown field', 'http://x color:red', and(word('http://x'), word('color:red'))],
    ['a field without a value', 'title: x', and(word('title:'), word('x'))],
    ['a state there is none of', 'is:green', word('is:green')],
    ['a time that is none', 'before:soon after:2026-02-30', and(word('before:soon'), word('after:2026-02-30'))],
    ['a quote that is never closed', '"foo bar', and(word('foo'), word('bar'))],
    ['a quoted value that is never closed', 'title:"foo', is({ field: 'title', contains: 'foo' })],
    ['a phrase without a word', '"" " " a', word('a')],
    ['a minus alone, and two', '- --resume', and(word('-'), word('--resume'))],
    ['a star alone', '* **', and(word('*'), word('**'))],
    ['signs', '(a) C++ a_b #4821 {x}', and(word('(a)'), word('C++'), word('a_b'), word('#4821'), word('{x}'))],
    ['a quote inside of a word', '5"', phrase('5"')],
  ])('is text where it is no syntax: %s', (_, text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  test('in a search, times are those of messages', () => {
    expect(parseQuery('after:1d', { now, times: 'said' })).toEqual(is({ field: 'said', from: now - day }));
  });

  const pieces = [
    'a',
    'OR',
    'NOT',
    'AND',
    '-',
    '--',
    '"',
    '""',
    '*',
    ':',
    'title:',
    'is:pinned',
    'before:2d',
    'before:',
    ' ',
    '\n',
    '회의',
    '\\',
    '(',
    ')',
  ];
  const typed = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((each) => each.join('')),
  );

  test('any text has a tree, and a tree can be typed again', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const tree = parse(text);
        expect(parse(formatQuery(tree, options))).toEqual(tree);
      }),
      { numRuns: 3_000 },
    );
  });

  test('no text by itself makes a filter that nothing can pass', () => {
    fc.assert(
      fc.property(typed, (text) => {
        const hasNoAnswer = (query: Query): boolean => query.type === 'or' && query.nodes.length < 2;
        const walk = (query: Query): boolean => {
          if (query.type === 'and' || query.type === 'or') return hasNoAnswer(query) || query.nodes.some(walk);
          return query.type === 'not' ? walk(query.node) : query.type === 'text' && query.text === '';
        };
        expect(walk(parse(text))).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('points in time', () => {
  const zone = process.env['TZ'];
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });

  test.each([
    ['90', 90 * day],
    ['0.5', day / 2],
    ['5h', 5 * hour],
    ['30m', hour / 2],
    ['2d', 2 * day],
    ['1w', 7 * day],
    ['90s', 90_000],
    ['1h 30m', 1.5 * hour],
    ['1h30m', 1.5 * hour],
    ['5 hours', 5 * hour],
    ['1 Week', 7 * day],
    ['10 mins', hour / 6],
  ])('%s ago', (text, span) => {
    expect(parseTime(text, now)).toBe(now - span);
  });

  test.each([
    ['2026-07-05T14:30Z', Date.UTC(2026, 6, 5, 14, 30)],
    ['2026-07-05 14:30:15.25Z', Date.UTC(2026, 6, 5, 14, 30, 15, 250)],
    ['2026-07-05T14:30+09:00', Date.UTC(2026, 6, 5, 5, 30)],
    ['2026-07-05T14:30-0330', Date.UTC(2026, 6, 5, 18)],
  ])('%s stands for itself in every zone', (text, time) => {
    process.env['TZ'] = 'America/New_York';
    expect(parseTime(text, now)).toBe(time);
  });

  test.each([
    ['summer', '2026-07-05 09:00', Date.UTC(2026, 6, 5, 13)],
    ['winter', '2026-01-05 09:00', Date.UTC(2026, 0, 5, 14)],
    ['a date alone is its first moment', '2026-07-05', Date.UTC(2026, 6, 5, 4)],
    ['the day the clocks go forward', '2026-03-08', Date.UTC(2026, 2, 8, 5)],
    ['that evening', '2026-03-08 20:00', Date.UTC(2026, 2, 9, 0)],
    ['an hour there was none of', '2026-03-08 02:30', Date.UTC(2026, 2, 8, 7, 30)],
    ['the day the clocks go back', '2026-11-01 12:00', Date.UTC(2026, 10, 1, 17)],
  ])('without a zone the local one counts, with the offset of that day: %s', (_, text, time) => {
    process.env['TZ'] = 'America/New_York';
    expect(parseTime(text, now)).toBe(time);
  });

  test.each(['', 'soon', '5 months', '5x', '-3', '2026-02-30', '2026-13-01', '2026-07-05T25:00', '20260705', '5h later', '2026-07-05T1'])(
    '%j is none',
    (text) => {
      expect(parseTime(text, now)).toBeUndefined();
    },
  );
});

describe('what matches', () => {
  const facts: Facts = {
    id: 'x',
    source: 'cli',
    title: 'Straße ÉCOLE',
    model: 'openai/GPT-5',
    cwd: '/w/shop/api',
    gitRepoRoot: '/w/shop',
    startedAt: now - 10 * day,
    lastActive: now - 2 * day,
    messages: 4,
    tokens: 100,
    toolCalls: 0,
    pinned: false,
    archived: false,
    ended: true,
  };
  type Changed = { [Name in keyof Facts]?: Facts[Name] | undefined };
  const passes = (test: Test, changed: Changed = {}): boolean | undefined => evaluate(is(test), { ...facts, ...changed } as Facts, { now });

  test.each<[string, Test, Changed, boolean]>([
    ['sources to the letter', { field: 'source', is: 'CLI' }, {}, false],
    ['titles in any case, composed or not', { field: 'title', contains: 'e\u0301cole' }, {}, true],
    ['parts of models', { field: 'model', contains: 'gpt-5' }, {}, true],
    ['a missing title contains nothing', { field: 'title', contains: 'a' }, { title: undefined }, false],
    ['the folder itself', { field: 'cwd', under: '/w/shop/api' }, {}, true],
    ['a folder below', { field: 'cwd', under: '/w/shop/' }, {}, true],
    ['a folder that begins alike', { field: 'cwd', under: '/w/sh' }, {}, false],
    ['everything is below the root', { field: 'cwd', under: '/' }, {}, true],
    ['bounds are inclusive', { field: 'messages', min: 4, max: 4 }, {}, true],
    ['an unknown cost is within no bounds', { field: 'cost', max: 1 }, {}, false],
    ['the beginning of a window is inside', { field: 'active', from: now - 2 * day }, {}, true],
    ['its end is not', { field: 'active', until: now - 2 * day }, {}, false],
    ['a time far ahead counts as now', { field: 'active', from: now - day }, { lastActive: now + 400 * day }, true],
    ['and is never old', { field: 'active', until: now - day }, { lastActive: now + 400 * day }, false],
    ['a time that can not be believed is never old', { field: 'active', until: now }, { lastActive: 0 }, false],
    ['nor is such a start', { field: 'started', until: now }, { startedAt: 0 }, false],
  ])('%s', (_, test, changed, expected) => {
    expect(passes(test, changed)).toBe(expected);
  });

  test('what nobody can answer stays open, and decides nothing that is settled', () => {
    const role = is({ field: 'role', is: 'user' });
    const yes = is({ field: 'source', is: 'cli' });
    const ask = (query: Query): boolean | undefined => evaluate(query, facts, { now });
    expect(ask(role)).toBeUndefined();
    expect(ask(not(role))).toBeUndefined();
    expect(ask(and(yes, role))).toBeUndefined();
    expect(ask(and(not(yes), role))).toBe(false);
    expect(ask(or(yes, word('x')))).toBe(true);
    expect(ask(or(not(yes), word('x')))).toBeUndefined();
    expect(evaluate(word('x'), facts, { now, text: (node) => node.text === 'x' })).toBe(true);
    expect(evaluate(is({ field: 'is', value: 'live' }), facts, { now, isLive: () => true })).toBe(true);
  });
});
