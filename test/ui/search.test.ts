import fc from 'fast-check';
import { queryOf } from '../../src/ui/screens/search/typed.ts';
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/session/match-text.ts';
import { parseQuery } from '../../src/session/query-parse.ts';
import { cutSnippet } from '../../src/session/snippet.ts';
import type { Message } from '../../src/session/types.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { createSearch, createSearchScreen, type Found, type Hit, type SearchEffect } from '../../src/ui/screens/search/index.ts';
import { searchText } from '../../src/text/en/search.ts';
import { makeRow } from '../support/session-rows.ts';
import { driveScreen, fixedNow as now } from '../support/screen.ts';

const hour = 3_600_000;
const day = 24 * hour;
const place = { keys: ['/home/ann/code/shop'], isRepository: true };

/** A store of a few conversations, matched by the reference matcher. */
const said: readonly { title?: string; cwd?: string; ago: number; lines: readonly (readonly [role: string, text: string])[] }[] = [
  {
    title: 'refactoring auth',
    cwd: '/home/ann/code/shop',
    ago: 2 * hour,
    lines: [
      ['user', 'where is the 토큰 만료 handled?'],
      ['assistant', `세션이 끝나기 전에 토큰 만료를 확인하고 갱신합니다. ${'두 갈래가 있고 '.repeat(30)}`],
      ['user', 'now add tests for the expiry path'],
      ['tool', '토큰 만료 60초 전'],
      ['assistant', 'done: 토큰 만료 is tested'],
    ],
  },
  { title: '결제 모듈 리팩터링', cwd: '/home/ann/code/pay', ago: 5 * hour, lines: [['assistant', '결제 토큰 만료 시 재시도하지 않는다']] },
  {
    title: 'my project #2',
    ago: 8 * day,
    lines: [
      ['user', 'the 토큰 만료 test fails only on CI 👩‍👩‍👧 ⚠️'],
      ['assistant', '로그에 토큰 만료가 남는 이유는'],
    ],
  },
  { ago: 15 * day, lines: [['user', 'match "토큰 만료" at line start']] },
  { title: '토큰 만료, only in the title', ago: 20 * day, lines: [['user', 'nothing here']] },
];

interface Row {
  readonly id: number;
  readonly session: number;
  readonly message: Message;
}
const rows: Row[] = said.flatMap((each, session) =>
  each.lines.map(([role, text], index): Row => {
    const id = session * 100 + index + 1;
    const message = {
      id,
      sessionId: `s${session}`,
      role,
      text,
      toolCalls: [],
      timestamp: now - each.ago + index,
      active: true,
      compacted: false,
      isSummary: false,
    };
    return { id, session, message };
  }),
);

type Driver = ReturnType<typeof open>;

function open(size: { width?: number; height?: number } = {}) {
  const { width = 80, height = 24 } = size;
  const screen = createSearchScreen({ now: () => now });
  const driver = driveScreen(screen, createSearch(place), { width, height });
  driver.send({ type: 'shown', recent: ['docker compose', '배포'] });
  return { ...driver, screen, log: [] as SearchEffect[] };
}

const hitOf = (row: Row, query: ReturnType<typeof parseQuery>): Hit => {
  const ranges = compileText(query).findRanges(row.message.text);
  return {
    messageId: row.id,
    sessionId: row.message.sessionId,
    role: row.message.role,
    timestamp: row.message.timestamp,
    snippet: cutSnippet(row.message.text, ranges),
  };
};

function foundBy(query: ReturnType<typeof parseQuery>): { results: Found[]; hits: number } {
  const matcher = compileText(query);
  const results = said.flatMap((each, session): Found[] => {
    const hits = rows.filter((row) => row.session === session && matcher.matches({ fields: [row.message.text] }));
    const isTitleMatch = each.title !== undefined && matcher.matches({ fields: [], title: each.title });
    if (hits.length === 0 && !isTitleMatch) return [];
    const row = makeRow({
      id: `s${session}`,
      lastActive: now - each.ago,
      ...(each.title === undefined ? { preview: 'first words' } : { title: each.title }),
      ...(each.cwd === undefined ? {} : { cwd: each.cwd, gitRepoRoot: each.cwd }),
    });
    const first = hits[0];
    return [
      {
        row,
        hits: hits.length,
        isTitleMatch,
        titleRanges: each.title === undefined ? [] : matcher.findRanges(each.title),
        ...(first === undefined ? {} : { hit: hitOf(first, query) }),
      },
    ];
  });
  return { results, hits: results.reduce((sum, each) => sum + each.hits, 0) };
}

/** Answers effects as the program does, at once. */
function answer(driver: Driver, effects: readonly SearchEffect[]): void {
  for (const effect of effects) {
    driver.log.push(effect);
    switch (effect.type) {
      case 'search': {
        const { token } = effect;
        const { results, hits } = foundBy(effect.query);
        driver.send({ type: 'loaded', what: 'index', token, index: { state: 'ready' } });
        answer(driver, driver.send({ type: 'loaded', what: 'results', token, results, lineages: results.length, hits }));
        answer(driver, driver.send({ type: 'loaded', what: 'done', token, lineages: results.length, hits }));
        break;
      }
      case 'load-hits': {
        const matcher = compileText(effect.query);
        const hits = rows.filter((row) => `s${row.session}` === effect.id && matcher.matches({ fields: [row.message.text] }));
        const { token, rootId } = effect;
        const known = hits.map((row) => hitOf(row, effect.query));
        answer(driver, driver.send({ type: 'loaded', what: 'hits', token, rootId, ids: hits.map((row) => row.id), known }));
        break;
      }
      case 'load-context': {
        const hit = rows.find((row) => row.id === effect.messageId)!;
        const messages = rows.filter((row) => row.session === hit.session).map((row) => row.message);
        const matcher = compileText(effect.query);
        const ranges = new Map(messages.map((message) => [message.id, matcher.findRanges(message.text)]));
        driver.send({ type: 'loaded', what: 'context', token: effect.token, context: { messageId: hit.id, messages, ranges } });
      }
    }
  }
}

const type = (driver: Driver, text: string): void => {
  for (const letter of text) answer(driver, driver.type(letter));
};
const press = (driver: Driver, ...keys: string[]): void => keys.forEach((key) => answer(driver, driver.press(key)));
/** Session and message under the cursor. */
const at = (driver: Driver): string => `${driver.state().cursor.rootId} ${driver.state().cursor.messageId ?? 'title'}`;
const barLine = (driver: Driver): string => driver.lines().find((line, y) => y > 3 && line.startsWith('▌')) ?? '';
const searches = (effects: readonly SearchEffect[]) => effects.filter((effect) => effect.type === 'search');

describe('the search looks like this', () => {
  it('at 80x24', () => {
    const search = open();
    type(search, '토큰 만료');
    expect(search.lines()).toEqual(
      [
        '▌Search   5 sessions · 8 hits   best first ^S   this workspace ▸ everywhere Tab',
        '',
        ' ❯ 토큰 만료',
        '─'.repeat(80),
        '  refactoring auth                                 ~/code/shop  4 hits    2h',
        '▌  ● where is the 토큰 만료 handled?',
        expect.stringMatching(/^ {3}◆ 세션이 끝나기 전에 토큰 만료를 확인하고 갱신합니다\..*…$/u),
        '   ▸ 토큰 만료 60초 전',
        '   ◆ done: 토큰 만료 is tested',
        '',
        '  결제 모듈 리팩터링                                ~/code/pay  1 hit    5h',
        '   ◆ 결제 토큰 만료 시 재시도하지 않는다',
        '',
        '  my project #2                                                  2 hits    1w',
        '   ● the 토큰 만료 test fails only on CI 👩‍👩‍👧 ⚠️',
        '',
        '  first words                                                     1 hit    2w',
        '   ● match "토큰 만료" at line start',
        '',
        '  토큰 만료, only in the title                             in the title    2w',
        '',
        '',
        '─'.repeat(80),
        ' Enter open  ^S order  Tab scope  Esc back  Ctrl+↓ session       F1 all actions',
      ].map((line) =>
        typeof line === 'string' ? expect.stringMatching(new RegExp(`^${escape(line).replaceAll(/ {3,}/gu, ' {2,}')}$`, 'u')) : line,
      ),
    );
  });

  it('at 40x12: every line of use', () => {
    const search = open({ width: 40, height: 12 });
    type(search, '토큰 만료');
    const lines = search.lines();
    expect(lines[0]).toContain('5 sessions · 8 hits');
    expect(lines[4]).toMatch(/^ {2}refactoring auth +4 hits +2h$/u);
    expect(barLine(search)).toContain('토큰 만료');
    expect(lines.at(-1)).toMatch(/^ Enter open {2}\^S order {2,}F1 all$/u);
    press(search, 'ctrl+s');
    expect(search.lines()[0]).toMatch(/^▌5 sessions · 8 hits +newest first$/u);
    press(search, 'tab');
    expect(search.lines()[0]).toMatch(/^▌\d sessions? · \d hits? +this workspace$/u);
  });

  it('at 40x12 the meaning of what can be typed is whole', () => {
    const lines = open({ width: 40, height: 12 }).lines();
    expect(lines.some((line) => line.includes('one or the other'))).toBe(true);
    for (const [example, meaning] of searchText.syntax) expect(stringWidth(`   ${example}`.padEnd(21) + meaning)).toBeLessThan(40);
  });

  it.each([
    [120, 40],
    [250, 70],
  ])('at %ix%i: with the messages around the hit, roles and marks', (width, height) => {
    const search = open({ width, height });
    type(search, '토큰 만료');
    press(search, 'down');
    const text = search.text();
    expect(text).toContain('hit 2 of 4');
    expect(text).toMatch(/│ ● where is the 토큰 만료 handled\?/u);
    expect(text).toMatch(/│ ◆ 세션이 끝나기 전에/u);
    const marked = search
      .view()
      .lines.flat()
      .filter((each) => each.style === 'accent bold')
      .map((each) => each.text);
    expect(new Set(marked.filter((word) => word !== '❯'))).toEqual(new Set(['토큰', '만료']));
  });

  it('what was found in the arguments of a call is marked in the line of the call, and not said twice', () => {
    const search = open({ width: 120, height: 40 });
    const [asked] = searches(search.type('npm'));
    const { token } = asked as { token: number };
    const call = '{"command":"npm test -- auth"}';
    const query = parseQuery('npm', { now, times: 'said' });
    const message: Message = {
      ...rows[0]!.message,
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'c1', name: 'terminal', arguments: call }],
    };
    const snippet = cutSnippet(call, compileText(query).findRanges(call));
    const hit: Hit = { messageId: message.id, sessionId: message.sessionId, role: 'assistant', timestamp: message.timestamp, snippet };
    const results: Found[] = [{ row: makeRow({ id: 's0', title: 'auth' }), hits: 1, isTitleMatch: false, titleRanges: [], hit }];
    const effects = search.send({ type: 'loaded', what: 'results', token, results, lineages: 1, hits: 1 });
    const wanted = effects.find((effect) => effect.type === 'load-context') as { token: number };
    search.send({
      type: 'loaded',
      what: 'context',
      token: wanted.token,
      context: { messageId: message.id, messages: [message], ranges: new Map() },
    });
    const right = search.lines().map((line) => line.split('│')[1] ?? '');
    expect(right.filter((line) => line.includes('npm'))).toEqual([' ◆ ▸ terminal   npm test -- auth']);
    const marks = search.view().lines.flat();
    expect(marks.filter((each) => each.style === 'accent bold' && each.text === 'npm')).toHaveLength(1);
  });

  it('with nothing typed it says what can be, and what was looked for before', () => {
    const search = open();
    const text = search.text();
    for (const [example] of searchText.syntax) expect(text).toContain(example);
    expect(text).toContain('docker compose');
    press(search, 'down', 'down', 'enter');
    expect(search.lines()[2]).toBe(' ❯ 배포');
  });

  it('with no hit it says what would find more', () => {
    const search = open();
    press(search, 'tab');
    type(search, 'zebra quantum');
    const text = search.text();
    expect(text).toContain(searchText.none('zebra quantum'));
    expect(text).toContain(searchText.noneHints.fewer);
    expect(search.lines()[0]).toContain('nothing found');
    expect(text).toContain(searchText.searchesEverywhere);
  });

  it('with a failure it says that, and never that nothing was found', () => {
    const search = open();
    const [effect] = searches(search.type('x'));
    search.send({
      type: 'failed',
      what: 'search',
      token: (effect as { token: number }).token,
      message: 'The store is damaged',
      hint: '`hermes sessions repair` helps',
    });
    expect(search.text()).toContain('The store is damaged');
    expect(search.text()).toContain('`hermes sessions repair` helps');
    expect(search.text()).not.toContain('Nothing was found');
    // The next look may do better.
    expect(searches(search.send({ type: 'store-changed' }))).toHaveLength(1);
  });

  it.each([
    [{ state: 'damaged' } as const, 'index is damaged: `hermes sessions repair`'],
    [{ state: 'behind', missing: 12 } as const, 'index is 12 messages behind'],
    [{ state: 'rebuilding', missing: 1 } as const, '1 message to go'],
    [{ state: 'none' } as const, 'no search index yet'],
    [{ state: 'stale' } as const, 'out of date'],
  ])('says how the index stands: %j', (index, words) => {
    const search = open();
    type(search, '토큰');
    search.send({ type: 'loaded', what: 'index', token: search.state().searching.token, index });
    expect(search.lines()[1]).toContain(words);
  });

  it('says how far back it has looked', () => {
    const search = open();
    const [effect] = searches(search.type('x')) as { token: number }[];
    search.send({ type: 'loaded', what: 'progress', token: effect!.token, lineages: 0, hits: 0, backTo: Date.UTC(2025, 4, 15) });
    expect(search.lines()[1]).toContain('searching back to May 2025 …');
  });

  it('in ASCII where the terminal draws the signs two cells wide', () => {
    const search = open({ width: 120 });
    type(search, 'token');
    for (const line of search.view(asciiGlyphs).lines) for (const each of line) expect(each.text).not.toMatch(/[●◆▸▌─│❯·★]/u);
  });
});

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/gu, '\\$&');

describe('moving', () => {
  it('goes hit by hit through all sessions, and back the same way', () => {
    const search = open();
    type(search, '토큰 만료');
    const way: string[] = [at(search)];
    for (let index = 0; index < 9; index++) {
      press(search, 'down');
      way.push(at(search));
      expect(barLine(search)).not.toBe('');
    }
    expect(way).toEqual(['s0 1', 's0 2', 's0 4', 's0 5', 's1 101', 's2 201', 's2 202', 's3 301', 's4 title', 's4 title']);
    for (const expected of way.slice(0, -2).toReversed()) {
      press(search, 'up');
      expect(at(search)).toBe(expected);
    }
  });

  it('goes session by session', () => {
    const search = open();
    type(search, '토큰 만료');
    press(search, 'down', 'ctrl+down', 'ctrl+down');
    expect(at(search)).toBe('s2 201');
    press(search, 'down', 'ctrl+up');
    expect(at(search)).toBe('s2 201');
    press(search, 'ctrl+up', 'ctrl+up');
    expect(at(search)).toBe('s0 1');
    press(search, 'end');
    expect(at(search)).toBe('s4 title');
    press(search, 'home');
    expect(at(search)).toBe('s0 1');
  });

  it('keys pressed before the hits are there are carried out when they are', () => {
    const search = open();
    const effects = search.type('토큰 만료');
    // Nothing has come: the keys wait, and do not act on what an earlier query found.
    search.press('down', 'down');
    const opened = (): SearchEffect[] => search.log.filter((effect) => effect.type === 'open');
    search.press('enter');
    answer(search, effects);
    answer(search, searchedAgain(search));
    expect(opened()).toEqual([expect.objectContaining({ messageId: 4 })]);
  });

  /** Effects that a wait left open: hits of the lineage under the cursor. */
  function searchedAgain(search: Driver): SearchEffect[] {
    const { wantedHits, pending, query } = search.state();
    return pending.length === 0 || wantedHits.rootId === undefined
      ? []
      : [{ type: 'load-hits', token: wantedHits.token, rootId: wantedHits.rootId, id: wantedHits.rootId, query, restMs: 0 }];
  }

  it('Tab changes the scope, Ctrl+S the order; both ask anew', () => {
    const search = open();
    type(search, '토큰');
    const [workspace] = searches(search.press('tab')) as (SearchEffect & { type: 'search' })[];
    expect(workspace?.scope).toBe('workspace');
    expect(search.lines()[0]).toContain('this workspace');
    const orders = ['newest', 'oldest', 'best'].map(
      () => (searches(search.press('ctrl+s')) as (SearchEffect & { type: 'search' })[])[0]?.sort,
    );
    expect(orders).toEqual(['newest', 'oldest', 'best']);
  });

  it('the cursor is in sight and on a hit wherever keys take it (property)', () => {
    const keys = ['down', 'up', 'ctrl+down', 'ctrl+up', 'pagedown', 'pageup', 'home', 'end', 'ctrl+s'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...keys), { maxLength: 30 }),
        fc.constantFrom([40, 12], [80, 24], [120, 40]),
        (pressed, [width, height]) => {
          const search = open({ width: width!, height: height! });
          type(search, '만료');
          press(search, ...pressed);
          expect(barLine(search)).toMatch(/만료/u);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a click selects a line, a second one on it opens it; the wheel scrolls with the cursor in sight', () => {
    const search = open();
    type(search, '토큰 만료');
    const mouse = (action: 'press' | 'wheel-down', y: number) =>
      search.send({ type: 'mouse', event: { type: 'mouse', action, button: 'left', x: 10, y, shift: false, alt: false, ctrl: false } });
    answer(search, mouse('press', 11));
    expect(at(search)).toBe('s1 101');
    const y = search.lines().findIndex((line, row) => row > 3 && line.startsWith('▌'));
    expect(mouse('press', y)).toEqual([expect.objectContaining({ type: 'open', messageId: 101 })]);
  });
});

describe('the query', () => {
  const chips = (search: Driver): string[] =>
    search
      .view()
      .lines[2]!.filter((each) => each.style === 'link on-code')
      .map((each) => each.text);

  it('a key is drawn before anything is answered, and what it outdates is dropped', () => {
    const search = open();
    const [first] = searches(search.type('토')) as { token: number }[];
    const [second] = searches(search.type('큰')) as { token: number }[];
    expect(search.lines()[2]).toBe(' ❯ 토큰');
    expect(second!.token).toBeGreaterThan(first!.token);
    search.send({
      type: 'loaded',
      what: 'results',
      token: first!.token,
      ...foundBy(parseQuery('토', { now, times: 'said' })),
      lineages: 9,
    });
    expect(search.state().results).toEqual([]);
  });

  it('the last word is the beginning of one while the caret stands at its end', () => {
    const search = open();
    const queries = (effects: readonly SearchEffect[]) =>
      (searches(effects) as (SearchEffect & { type: 'search' })[]).map(({ query }) => query);
    expect(queries(search.type('test'))).toEqual([{ type: 'text', text: 'test', isPhrase: false, isPrefix: true }]);
    expect(queries(search.type(' '))).toEqual([{ type: 'text', text: 'test', isPhrase: false, isPrefix: false }]);
    search.press('backspace');
    expect(queries(search.press('left'))).toEqual([{ type: 'text', text: 'test', isPhrase: false, isPrefix: false }]);
  });

  it('an operator at the end waits for its word, and does not empty the results', () => {
    const search = open();
    type(search, '토큰 OR');
    expect(search.state().results.length).toBeGreaterThan(0);
    type(search, ' NOT');
    expect(search.state().results.length).toBeGreaterThan(0);
  });

  it('a field becomes a chip; Backspace at its end takes it as text again', () => {
    const search = open();
    type(search, 'role:user');
    expect(chips(search)).toEqual([]);
    type(search, ' ');
    expect(chips(search)).toEqual(['role:user']);
    press(search, 'backspace');
    expect(chips(search)).toEqual(['role:user']);
    press(search, 'backspace');
    expect(chips(search)).toEqual([]);
    expect(search.lines()[2]).toBe(' ❯ role:user');
    press(search, 'backspace');
    expect(search.lines()[2]).toMatch(/^ ❯ role:use/u);
  });

  it('what is no field, or means nothing, stays text', () => {
    const search = open();
    for (const text of ['http://x ', 'role: ', 'before:never ', '"role:user" ']) {
      press(search, 'ctrl+u');
      type(search, text);
      expect(chips(search)).toEqual([]);
    }
  });

  it('half a value finds nothing else: it waits until it is whole', () => {
    const search = open();
    search.send({ type: 'loaded', what: 'values', values: { source: ['telegram', 'tui'] } });
    type(search, '토큰 ');
    const before = search.state().asked;
    type(search, 'source:tele');
    expect(search.state().asked).toBe(before);
    type(search, 'gram');
    expect(search.state().asked).not.toBe(before);
  });

  it('→ completes names and values, and the line says so', () => {
    const search = open();
    search.send({ type: 'loaded', what: 'values', values: { source: ['telegram', 'tui'] } });
    type(search, 'sou');
    expect(search.lines()[2]).toBe(' ❯ source:');
    press(search, 'right');
    expect(search.lines()[1]).toMatch(/^ telegram {2}tui {3}→ completes/u);
    type(search, 'te');
    press(search, 'right');
    expect(chips(search)).toEqual(['source:telegram']);
    expect(search.screen.disabledReason(search.state(), 'search.complete')).toBe(searchText.nothingToComplete);
  });

  it('stays as it was left, marked, and typing replaces it', () => {
    const search = open();
    type(search, '토큰 만료');
    press(search, 'down', 'down');
    const before = at(search);
    answer(search, search.send({ type: 'shown', recent: [] }));
    expect(at(search)).toBe(before);
    type(search, 'x');
    expect(search.lines()[2]).toBe(' ❯ x');
  });

  it('survives whatever is typed (property)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '"', '-', ':', '*', 'OR ', 'source:', 'is:live ', '한', '👩‍👩‍👧', '\u0301', 'NOT ') }),
        (text) => {
          const search = open();
          type(search, text);
          press(search, 'left', 'left', 'backspace', 'right');
          search.lines();
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('what others write meanwhile', () => {
  it('is shown when it is found; the cursor stays on its hit', () => {
    const search = open();
    type(search, '토큰 만료');
    press(search, 'ctrl+down');
    const [effect] = searches(search.send({ type: 'store-changed' })) as (SearchEffect & { type: 'search' })[];
    const { results } = foundBy(effect!.query);
    const fresh: Found = { ...results[0]!, row: makeRow({ id: 'fresh', title: 'just now' }) };
    search.send({ type: 'loaded', what: 'results', token: effect!.token, results: results.slice(0, 2), lineages: 2, hits: 5 });
    // A shorter page is on its way to be a longer one: nothing flickers.
    expect(search.state().results).toHaveLength(5);
    search.send({ type: 'loaded', what: 'results', token: effect!.token, results: [fresh, ...results], lineages: 6, hits: 8 });
    search.send({ type: 'loaded', what: 'done', token: effect!.token, lineages: 6, hits: 8 });
    expect(search.text()).toContain('just now');
    expect(at(search)).toBe('s1 101');
    expect(search.lines()[0]).toContain('6 sessions · 8 hits');
  });
});

it.each<[string, string, string]>([
  ['operators at the end wait for what they work on', 'a OR NOT ', 'a'],
  ['a minus behind them too', 'a AND NOT -', 'a'],
  ['as many as were pasted', `a ${'NOT '.repeat(100_000)}`, 'a'],
  ['nothing but operators is nothing yet', 'NOT OR AND', ''],
])('%s', (_what, typed, asked) => {
  const query = queryOf(typed, typed.length, { plainAt: undefined, values: {}, now: 0 });
  expect(query).toEqual(parseQuery(asked, { now: 0, times: 'said' }));
});
