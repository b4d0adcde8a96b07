import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionRow } from '../../src/session/types.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { lineText } from '../../src/ui/compose.ts';
import {
  createSessions,
  createSessionsScreen,
  loadFuzzyMatch,
  selectedItem,
  type LiveHolder,
  type SessionsEffect,
} from '../../src/ui/screens/sessions/index.ts';
import { countNumbers } from '../../src/ui/screens/sessions/visible.ts';
import { makeRow, makeRows } from '../support/session-rows.ts';
import { driveScreen, fixedNow as now } from '../support/screen.ts';

const hour = 3_600_000;
const day = 24 * hour;
const shop = '/home/ann/code/shop';
const workspace = { keys: [shop], isRepository: true };
const match = await loadFuzzyMatch();

const usual: SessionRow[] = [
  makeRow({
    id: 'a1',
    title: 'refactoring auth',
    preview: 'Help me refactor',
    cwd: shop,
    gitRepoRoot: shop,
    gitBranch: 'main',
    model: 'gpt-5-mini',
    lastActive: now - 2 * hour,
    messageCount: 41,
    pinned: true,
    segments: 3,
  }),
  makeRow({ id: 'a2', title: 'my project #3', cwd: shop, gitRepoRoot: shop, lastActive: now - 1000, messageCount: 120 }),
  makeRow({ id: 'a3', title: '결제 모듈 리팩터링', cwd: '/home/ann/code/pay', lastActive: now - 5 * hour, messageCount: 18 }),
  makeRow({
    id: 'a4',
    preview: 'Can you check the test failures in the suite?',
    cwd: shop,
    lastActive: now - day,
    messageCount: 9,
    status: 'interrupted',
  }),
  makeRow({ id: 'a5', title: 'deploy to staging', cwd: shop, lastActive: now - 3 * day, messageCount: 57, status: 'error' }),
  makeRow({ id: 'a6', title: '明日の会議の準備', cwd: '/home/ann/a/very/long/path/to/notes', lastActive: now - 4 * day, messageCount: 12 }),
  makeRow({ id: 'a7', title: 'weather check', cwd: '/home/ann', source: 'telegram', lastActive: now - 6 * day, messageCount: 4 }),
  makeRow({ id: 'a8', title: '👩‍👩‍👧 plan ⚠️ deploy ｆｕｌｌ幅', cwd: '/home/ann/code', lastActive: now - 20 * day, messageCount: 400 }),
];
const hidden: SessionRow[] = [
  ...Array.from({ length: 14 }, (_, index) =>
    makeRow({
      id: `arch${index}`,
      title: `old ${index}`,
      cwd: shop,
      class: 'archived',
      archived: true,
      lastActive: now - 40 * day - index,
    }),
  ),
  ...Array.from({ length: 52 }, (_, index) =>
    makeRow({ id: `cron_${index}_x`, cwd: shop, class: 'machine', source: 'cron', lastActive: now - 40 * day - index }),
  ),
  makeRow({ id: 'blank', cwd: shop, class: 'empty', lastActive: now - 50 * day, messageCount: 0 }),
];
const holder: LiveHolder = { id: 'a2', where: 'tmux %3', pid: 4242, since: now - hour, isOurs: false, isWorking: false };

/** A clock that lets a slice do only a little. */
function hastyClock(): () => number {
  let time = 0;
  return () => (time += 5);
}

interface Options {
  width?: number;
  height?: number;
  rows?: readonly SessionRow[];
  scope?: 'workspace' | 'everywhere';
  clock?: () => number;
  workspace?: { keys: string[]; isRepository: boolean };
}

function open(options: Options = {}) {
  const { width = 80, height = 24, rows = [...usual, ...hidden], clock = () => 0 } = options;
  const screen = createSessionsScreen({ clock });
  const driver = driveScreen(screen, createSessions(options.workspace ?? workspace), { width, height });
  const effects = driver.send({ type: 'shown' });
  const load = effects.find((effect) => effect.type === 'load-rows');
  if (load?.type !== 'load-rows') throw new Error('no rows were asked for');
  driver.send({ type: 'loaded', what: 'rows', token: load.token, rows, isLast: true, now });
  if (options.scope !== 'workspace' && driver.state().scope === 'workspace') driver.press('tab');
  settle(driver);
  return { ...driver, screen, load };
}

type Driver = Pick<ReturnType<typeof open>, 'state' | 'send'>;

/** Runs the slices that are left, and brings the fuzzy matcher where it is asked for. */
function settle(driver: Driver): void {
  for (let turns = 0; turns < 10_000; turns++) {
    const { work, filter, match: loaded } = driver.state();
    if (work.isPending) driver.send({ type: 'continue-filter', token: work.token });
    else if (filter.phase === 'waiting' && loaded === undefined) driver.send({ type: 'loaded', what: 'fuzzy', match });
    else return;
  }
  throw new Error('the filter never ends');
}

const selectedId = (driver: Driver): string | undefined => {
  const item = selectedItem(driver.state());
  return item?.kind === 'member' ? item.member.id : item?.entry.row.id;
};
const ofType = <T extends SessionsEffect['type']>(effects: readonly SessionsEffect[], type: T) =>
  effects.filter((effect): effect is SessionsEffect & { type: T } => effect.type === type);
/** Titles on screen, in order. */
const shownIds = (driver: Driver): string[] => {
  const { filter } = driver.state();
  return [...filter.exact, ...filter.fuzzy].map(({ row }) => row.id);
};

describe('the picker looks like this', () => {
  it('at 80x24', () => {
    const picker = open();
    picker.send({ type: 'live-changed', holders: [holder] });
    expect(picker.lines().slice(0, 13)).toEqual([
      '▌Sessions   8 of 8                              this workspace ▸ everywhere Tab',
      '                               14 archived, 52 machine-made, 1 empty hidden M-h',
      ' ❯',
      '─'.repeat(80),
      '▌★  refactoring auth                                ~/code/shop        2h    41',
      '  ● my project #3                        tmux %3    ~/code/shop       now   120',
      '    결제 모듈 리팩터링                              ~/code/pay         5h    18',
      '  … Can you check the test failures in the suite?   ~/code/shop        1d     9',
      '  ✗ deploy to staging                               ~/code/shop        3d    57',
      '    明日の会議の準備                                ~/a/v…h/to/notes   4d    12',
      '    weather check                        telegram   ~                  6d     4',
      '    👩‍👩‍👧 plan ⚠️ deploy ｆｕｌｌ幅                    ~/code             2w   400',
      '',
    ]);
    expect(picker.lines().slice(-2)).toEqual([
      '─'.repeat(80),
      ' ^D delete  ^R rename  M-a archive  ^T pin  M-c copy id  M-h hidden      F1 all',
    ]);
    expect(picker.view().cursor).toEqual({ x: 3, y: 2 });
  });

  it('names the scope in force by a mark, not by its colour alone', () => {
    const here = open({ scope: 'workspace' });
    expect(here.lines()[0]).toMatch(/ ▸ this workspace {2}everywhere Tab$/u);
    here.press('tab');
    expect(here.lines()[0]).toMatch(/ this workspace ▸ everywhere Tab$/u);
  });

  it('at 40x12, with the numbers kept and the columns dropped', () => {
    const picker = open({ width: 40, height: 12 });
    expect(picker.lines()).toEqual([
      '▌Sessions   8 of 8       everywhere Tab',
      '                          67 hidden M-h',
      ' ❯',
      '─'.repeat(40),
      '▌★  refactoring auth           2h    41',
      '    my project #3             now   120',
      '    결제 모듈 리팩터링         5h    18',
      '  … Can you check the test…    1d     9',
      '  ✗ deploy to staging          3d    57',
      '    明日の会議の準備           4d    12',
      '─'.repeat(40),
      ' ^D delete  ^R rename            F1 all',
    ]);
  });

  it('at 120x40, with a preview pane', () => {
    const picker = open({ width: 120, height: 40 });
    const wanted = picker.state().wantedPreview;
    expect(wanted.id).toBe('a1');
    picker.send({
      type: 'loaded',
      what: 'preview',
      token: wanted.token,
      preview: {
        id: 'a1',
        entries: [
          { role: 'user', text: 'Help me refactor the auth module please', isLast: false },
          {
            role: 'assistant',
            text: 'I read src/auth.ts and found three places where the token is checked twice',
            cut: 'lines',
            tools: { count: 3, names: ['terminal', 'web_search'] },
            isLast: false,
          },
          { role: 'user', text: '토큰 만료 처리는 어디서 하지?', isLast: true },
          { role: 'assistant', text: '만료는 refresh()에서 처리합니다', cut: 'characters', isLast: true },
        ],
        tokens: 12_400,
        cost: 0.12,
        segments: 3,
        branches: 1,
        delegates: 0,
      },
    });
    const pane = picker.lines().map((line) => line.split('│')[1]?.trim() ?? '');
    expect(pane.slice(4, 20)).toEqual([
      'refactoring auth',
      '41 messages · 12.4k tokens · $0.12',
      '~/code/shop main · gpt-5-mini',
      expect.stringMatching(/^1970-01-01 \d\d:16 to 2027-01-15 \d\d:\d\d$/),
      '',
      '● Help me refactor the auth module please',
      '◆ I read src/auth.ts and found three places',
      'where the token is checked twice …',
      '[3 tool calls: terminal, web_search]',
      '',
      '● 토큰 만료 처리는 어디서 하지?',
      '◆ 만료는 refresh()에서 처리합니다…',
      '',
      '3 segments, 1 branch → unfolds',
      'a1 · tui',
      '',
    ]);
    expect(picker.lines()[4]).toBe('▌★  refactoring auth                          ~/code/shop      2h    41 │ refactoring auth');
  });

  it('with borders straight for every odd title, cut only at character edges', () => {
    const titles = [
      '👩‍👩‍👧 plan',
      '⚠️ deploy',
      'ｆｕｌｌ幅',
      'नमस्ते',
      'مرحبا',
      'e\u0301tude',
      'zero\u200bwidth',
      '한'.repeat(60),
      '👨‍👩‍👧‍👦'.repeat(20),
      'a\tb\nc\u001b[31mred',
    ];
    for (const [width, height] of [
      [40, 12],
      [41, 12],
      [80, 24],
      [120, 40],
      [200, 50],
    ] as const) {
      const picker = open({
        width,
        height,
        rows: titles.map((title, index) =>
          makeRow({ id: `t${index}`, title, cwd: '/home/ann/프로젝트/결제/모듈', lastActive: now - index }),
        ),
      });
      const { listWidth } = width < 100 ? { listWidth: width } : { listWidth: Math.floor(width * 0.6) };
      for (const line of picker.view().lines.slice(4, 4 + Math.min(titles.length, height - 6))) {
        const text = lineText(line);
        if (width < 100) expect(stringWidth(text), text).toBe(listWidth);
        else expect(stringWidth(text.slice(0, text.lastIndexOf('│'))), text).toBe(listWidth);
      }
    }
  });

  it('in plain signs where the terminal has no others', () => {
    const picker = open({ width: 40, height: 12 });
    const text = picker.view(asciiGlyphs).lines.map(lineText).join('\n');
    expect(text).toContain('|*  refactoring auth');
    expect(text.replaceAll(/[가-힣ぁ-んァ-ン一-龯]/g, '')).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('numbers', () => {
  it('add up to the total of lineages whatever is hidden, out of scope and filtered', () => {
    const picker = open();
    for (const step of [
      () => picker.press('tab'),
      () => picker.type('shop'),
      () => picker.press('alt+h'),
      () => picker.press('alt+h'),
      () => picker.press('tab'),
      () => picker.type(' xyz'),
    ]) {
      step();
      settle(picker);
      const { hidden: kinds, elsewhere, filteredOut, shown, total } = countNumbers(picker.state());
      expect(kinds.archived + kinds.machine + kinds.empty + elsewhere + filteredOut + shown).toBe(total);
      expect(total).toBe(usual.length + hidden.length);
    }
  });

  it('say 300 of 300 when nothing hides', () => {
    expect(open({ rows: makeRows(300, now) }).lines()[0]).toContain('300 of 300');
  });

  it('name what the scope and the filter keep away', () => {
    const picker = open({ scope: 'workspace' });
    expect(picker.lines().slice(0, 2).join('\n')).toContain('4 of 8');
    expect(picker.lines()[1]).toContain('4 elsewhere');
    picker.type('auth');
    settle(picker);
    expect(picker.lines()[1]).toContain('3 filtered out, 4 elsewhere');
  });

  it('come from the store while rows still stream in', () => {
    const screen = createSessionsScreen({ clock: () => 0 });
    const picker = driveScreen(screen, createSessions(workspace), { width: 80, height: 24 });
    picker.send(
      { type: 'shown' },
      { type: 'loaded', what: 'counts', token: 1, counts: { total: 400, shown: 312, machine: 52, archived: 14, empty: 22 } },
    );
    picker.send({ type: 'loaded', what: 'rows', token: 1, rows: usual.slice(0, 2), isLast: false, now });
    expect(picker.lines()[0]).toContain('2 of 312  loading …');
    expect(picker.lines()[1]).toContain('14 archived, 52 machine-made, 22 empty hidden M-h');
  });
});

describe('what hides', () => {
  it('is shown kind by kind by one key, then all, then none', () => {
    const picker = open();
    const seen: string[] = [];
    for (let presses = 0; presses < 5; presses++) {
      picker.press('alt+h');
      seen.push(`${picker.state().revealed} ${shownIds(picker).length}`);
    }
    expect(seen).toEqual(['machine 60', 'archived 22', 'empty 9', 'all 75', 'none 8']);
  });

  it('says what is shown besides the usual kinds', () => {
    const picker = open();
    picker.press('alt+h');
    expect(picker.lines().slice(0, 2).join(' ')).toContain('showing machine-made, 14 archived, 1 empty hidden M-h');
  });

  it('passes over kinds that do not exist', () => {
    const picker = open({ rows: [...usual, ...hidden.slice(0, 2)] });
    picker.press('alt+h');
    expect(picker.state().revealed).toBe('archived');
    picker.press('alt+h');
    expect(picker.state().revealed).toBe('none');
  });

  it('never hides a source a person or an unknown program made', () => {
    const sources = ['cli', 'tui', 'telegram', 'webui', 'acp', 'webhook', 'acme-bot', 'oneshot'];
    const picker = open({
      rows: sources.map((source, index) => makeRow({ id: source, source, title: `from ${source}`, lastActive: now - index })),
    });
    for (const source of sources) expect(picker.text()).toContain(`from ${source}`);
  });

  it('answers Alt+H with a reason when nothing hides', () => {
    const picker = open({ rows: usual });
    expect(picker.screen.disabledReason(picker.state(), 'picker.hidden')).toBeDefined();
    picker.press('alt+h');
    expect(picker.state().revealed).toBe('none');
  });
});

describe('scope', () => {
  it('begins with this workspace, and Tab shows everything', () => {
    const picker = open({ scope: 'workspace' });
    expect(shownIds(picker)).toEqual(['a1', 'a2', 'a4', 'a5']);
    picker.press('tab');
    expect(shownIds(picker).length).toBe(8);
    picker.press('tab');
    expect(shownIds(picker).length).toBe(4);
  });

  it('is the directory outside any repository', () => {
    const picker = open({ scope: 'workspace', workspace: { keys: ['/home/ann/code/pay'], isRepository: false } });
    expect(shownIds(picker)).toEqual(['a3']);
    expect(picker.lines()[0]).toContain('this directory');
  });

  it('takes directories below, not neighbours whose names begin alike', () => {
    const rows = [
      makeRow({ id: 'below', cwd: `${shop}/src` }),
      makeRow({ id: 'neighbour', cwd: `${shop}2` }),
      makeRow({ id: 'inner-repo', cwd: `${shop}/vendor`, gitRepoRoot: `${shop}/vendor` }),
    ];
    expect(shownIds(open({ rows, scope: 'workspace' }))).toEqual(['below']);
  });

  it('skips an empty workspace and says so', () => {
    const picker = open({ scope: 'workspace', workspace: { keys: ['/home/ann/new'], isRepository: true } });
    expect(picker.state().scope).toBe('everywhere');
    expect(picker.lines()[1]).toContain('No session of ~/new yet, so all are shown');
    picker.press('tab');
    expect(picker.state().scope).toBe('everywhere');
    expect(picker.lines()[1]).toContain('No session of ~/new');
  });

  it('skips it before the rows are there when the store knows', () => {
    const picker = driveScreen(createSessionsScreen({ clock: () => 0 }), createSessions(workspace), { width: 80, height: 24 });
    picker.send(
      { type: 'shown' },
      { type: 'loaded', what: 'counts', token: 1, inWorkspace: 0, counts: { total: 3, shown: 3, machine: 0, archived: 0, empty: 0 } },
    );
    expect(picker.state().scope).toBe('everywhere');
  });
});

describe('typing', () => {
  it('filters in the tick the key arrives', () => {
    const picker = open();
    picker.type('결');
    expect(shownIds(picker)).toEqual(['a3']);
    picker.type('제');
    expect(picker.lines()[2]).toBe(' ❯ 결제');
    expect(picker.view().cursor).toEqual({ x: 7, y: 2 });
  });

  it('shows the first page before the rest is searched, and goes on by itself', () => {
    const picker = open({ rows: makeRows(3_000, now), clock: hastyClock(), height: 12 });
    const effects = picker.type('refactoring');
    expect(ofType(effects, 'continue-filter').length).toBe(1);
    expect(picker.lines()[4]).toContain('refactoring auth 0');
    const early = shownIds(picker).length;
    expect(early).toBeLessThan(375);
    settle(picker);
    expect(shownIds(picker).length).toBe(375);
  });

  it('drops a continuation of an older query', () => {
    const picker = open({ rows: makeRows(3_000, now), clock: hastyClock() });
    const [first] = ofType(picker.type('r'), 'continue-filter');
    picker.type('e');
    const before = picker.state();
    picker.send({ type: 'continue-filter', token: first!.token });
    expect(picker.state()).toBe(before);
  });

  it('asks for the fuzzy matcher once, after the frame, and fills in near matches below', () => {
    const picker = open();
    expect(ofType(picker.type('stagign'), 'load-fuzzy').length).toBe(1);
    expect(picker.text()).toContain('searching …');
    picker.send({ type: 'loaded', what: 'fuzzy', match });
    settle(picker);
    expect(shownIds(picker)).toEqual(['a5']);
    expect(ofType(picker.type('x'), 'load-fuzzy').length).toBe(0);
  });

  it('takes a pasted line without its line break, and never as Enter', () => {
    const picker = open();
    const effects = picker.send({ type: 'paste', text: 'deploy\nto staging\n' });
    expect(ofType(effects, 'resume')).toEqual([]);
    expect(picker.lines()[2]).toBe(' ❯ deploy to staging');
    expect(shownIds(picker)).toEqual(['a5']);
  });

  it('finds a session by its id whatever hides it, and says why it was hidden', () => {
    const picker = open({ scope: 'workspace' });
    picker.send({ type: 'paste', text: 'cron_7_x' });
    settle(picker);
    expect(selectedId(picker)).toBe('cron_7_x');
    expect(picker.lines()[1]).toContain('Found by its id; machine-made');
    picker.press('ctrl+u');
    picker.type('a3');
    settle(picker);
    expect(selectedId(picker)).toBe('a3');
    expect(picker.lines()[1]).toContain('Found by its id; of another workspace');
    expect(ofType(picker.press('enter'), 'resume')[0]).toMatchObject({ id: 'a3' });
  });

  it('finds a preview that came later, and the first words of a huge session', () => {
    const picker = open({ rows: [...makeRows(300, now), makeRow({ id: 'huge', messageCount: 2000, lastActive: now - 3 })] });
    picker.type('zebrafinch');
    settle(picker);
    expect(shownIds(picker)).toEqual([]);
    picker.send({ type: 'loaded', what: 'row-previews', previews: [{ id: 'huge', preview: 'zebrafinch first' }] });
    settle(picker);
    expect(shownIds(picker)).toEqual(['huge']);
  });

  it('says what would find more when nothing matches', () => {
    const picker = open({ scope: 'workspace' });
    picker.type('weather in Oslo');
    settle(picker);
    expect(picker.lines().slice(4, 12)).toEqual([
      '',
      '    No session matches weather in Oslo',
      '    Titles, first messages, directories, branches, sources and ids are',
      '    looked at, not all that was said.',
      '    Enter searches all that was said for these words',
      '    Tab searches everywhere',
      '    M-h shows hidden kinds',
      '',
    ]);
    picker.press('tab');
    settle(picker);
    expect(picker.text()).not.toContain('searches everywhere');
    expect(picker.text()).not.toContain('^F');
  });

  it('edits with readline keys, Home and End stay with the list', () => {
    const picker = open();
    picker.type('deploy staging');
    picker.press('ctrl+w', 'ctrl+a');
    expect(picker.view().cursor).toEqual({ x: 3, y: 2 });
    picker.press('ctrl+e', 'ctrl+u', 'end');
    expect(selectedId(picker)).toBe('a8');
    picker.press('home');
    expect(selectedId(picker)).toBe('a1');
  });

  it('leaves the cursor on its row when the filter is emptied', () => {
    const picker = open();
    picker.type('staging');
    picker.press('ctrl+u');
    expect(selectedId(picker)).toBe('a5');
  });
});

describe('moving', () => {
  it('goes by row, page and end, with every key of lists', () => {
    const picker = open({ rows: makeRows(100, now), height: 24 });
    picker.press('down', 'ctrl+n', 'ctrl+j', 'up', 'ctrl+p');
    expect(picker.state().selection.index).toBe(1);
    picker.press('pagedown');
    expect(picker.state().selection.index).toBe(18);
    picker.press('end');
    expect(picker.state().selection.index).toBe(99);
    picker.press('pageup', 'home');
    expect([picker.state().selection.index, picker.state().top]).toEqual([0, 0]);
  });

  it('asks for a preview only with a pane, once per row, and drops late answers', () => {
    expect(ofType(open({ width: 80 }).press('down'), 'load-preview')).toEqual([]);
    const picker = open({ width: 120, height: 40 });
    const [first] = ofType(picker.press('down'), 'load-preview');
    const [second] = ofType(picker.press('down'), 'load-preview');
    expect([first?.id, second?.id, second?.restMs]).toEqual(['a2', 'a3', 60]);
    const preview = { id: 'a2', entries: [], segments: 1, branches: 0, delegates: 0 };
    picker.send({ type: 'loaded', what: 'preview', token: first!.token, preview });
    expect(picker.state().previews.size).toBe(0);
    picker.send({ type: 'loaded', what: 'preview', token: second!.token, preview: { ...preview, id: 'a3' } });
    expect(ofType(picker.press('up', 'down'), 'load-preview').map(({ id }) => id)).toEqual(['a2']);
  });
});

describe('rows that change while the picker is open', () => {
  it('leave the cursor on its session, never on its place', () => {
    const picker = open();
    picker.press('down', 'down');
    expect(selectedId(picker)).toBe('a3');
    for (let index = 0; index < 20; index++) {
      picker.send({
        type: 'rows-changed',
        rows: [makeRow({ id: `new${index}`, title: `new ${index}`, cwd: shop, lastActive: now + index })],
        removed: [],
        now,
      });
    }
    expect(selectedId(picker)).toBe('a3');
    expect(ofType(picker.press('ctrl+r'), 'rename')).toEqual([{ type: 'rename', id: 'a3', title: '결제 모듈 리팩터링' }]);
  });

  it('keep the row at its height on screen when the list is scrolled', () => {
    const picker = open({ rows: makeRows(200, now), height: 24 });
    picker.press('pagedown', 'pagedown', 'pagedown');
    const height = (): number => picker.state().selection.index - picker.state().top;
    const before = height();
    picker.send({ type: 'rows-changed', rows: [makeRow({ id: 'newest', lastActive: now + 5 })], removed: [], now });
    expect(height()).toBe(before);
  });

  it('never lets a key act on another row while the filter runs anew', () => {
    const picker = open({ rows: makeRows(3_000, now), clock: hastyClock() });
    picker.type('deploy');
    settle(picker);
    picker.press('end');
    const target = selectedId(picker);
    picker.send({ type: 'rows-changed', rows: [makeRow({ id: 'n', title: 'deploy n', lastActive: now + 9 })], removed: [], now });
    expect([target, undefined]).toContain(selectedId(picker));
    settle(picker);
    expect(selectedId(picker)).toBe(target);
  });

  it('take the next row when the selected one is gone', () => {
    const picker = open();
    picker.press('down', 'down');
    picker.send({ type: 'rows-changed', rows: [], removed: ['a3'], now });
    expect(selectedId(picker)).toBe('a4');
  });

  it('follow a session to its new tip', () => {
    const picker = open();
    picker.press('down');
    picker.send({
      type: 'rows-changed',
      rows: [makeRow({ id: 'a2-next', rootId: 'a2', ids: ['a2', 'a2-next'], title: 'my project #4', lastActive: now, segments: 2 })],
      removed: [],
      now,
    });
    expect(selectedId(picker)).toBe('a2-next');
    expect(countNumbers(picker.state()).total).toBe(usual.length + hidden.length);
  });
});

describe('loading', () => {
  it('says so, answers keys, and drops rows of an older request', () => {
    const picker = driveScreen(createSessionsScreen({ clock: () => 0 }), createSessions(workspace), { width: 80, height: 24 });
    picker.send({ type: 'shown' });
    expect(picker.text()).toContain('Reading the sessions …');
    expect(ofType(picker.press('ctrl+c'), 'close').length).toBe(1);
    picker.send({ type: 'shown' });
    picker.send({ type: 'loaded', what: 'rows', token: 1, rows: usual, isLast: true, now });
    expect(picker.state().book.entries.length).toBe(0);
    picker.send({ type: 'loaded', what: 'rows', token: 2, rows: usual.slice(0, 3), isLast: false, now });
    picker.send({ type: 'loaded', what: 'rows', token: 2, rows: usual, isLast: true, now });
    expect(picker.state().book.entries.map(({ row }) => row.id)).toEqual(usual.map(({ id }) => id));
  });

  it('lets go of sessions that are gone when the picker is shown again', () => {
    const picker = open();
    const [again] = ofType(picker.send({ type: 'shown' }), 'load-rows');
    expect(picker.text()).toContain('deploy to staging');
    picker.send({ type: 'loaded', what: 'rows', token: again!.token, rows: usual.slice(0, 4), isLast: true, now });
    expect(picker.state().book.entries.map(({ row }) => row.id)).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('keeps list, filter, scope and cursor when it is shown again', () => {
    const picker = open();
    picker.type('e');
    picker.press('down', 'down');
    const before = picker.lines().slice(1);
    picker.press('escape');
    const [again] = ofType(picker.send({ type: 'shown' }), 'load-rows');
    picker.send({ type: 'loaded', what: 'rows', token: again!.token, rows: [...usual, ...hidden], isLast: true, now });
    settle(picker);
    expect(picker.lines().slice(1)).toEqual(before);
  });

  it('tells trouble of the store in its own words', () => {
    const picker = driveScreen(createSessionsScreen({ clock: () => 0 }), createSessions(workspace), { width: 80, height: 24 });
    picker.send(
      { type: 'shown' },
      { type: 'failed', what: 'rows', token: 1, message: 'The session store is damaged.', hint: 'Run hermes doctor.' },
    );
    expect(picker.text()).toContain('    The session store is damaged.\n    Run hermes doctor.');
    expect(picker.text()).not.toContain('No sessions yet');
  });

  it('says what to do when there are no sessions at all', () => {
    const picker = open({ rows: [] });
    expect(picker.text()).toContain('No sessions yet');
    expect(picker.text()).toContain('Esc goes back');
  });
});

describe('actions', () => {
  it('resume, rename, pin, copy the id of the row under the cursor', () => {
    const picker = open();
    picker.press('down', 'down');
    expect(picker.press('enter')).toEqual([{ type: 'resume', id: 'a3', isArchived: false }]);
    expect(picker.press('ctrl+t')).toMatchObject([{ type: 'pin', targets: [{ id: 'a3' }], isPinned: true }]);
    expect(picker.press('alt+c')).toEqual([{ type: 'copy', text: 'a3' }]);
    picker.press('home');
    expect(picker.press('ctrl+t')).toMatchObject([{ type: 'pin', targets: [{ id: 'a1' }], isPinned: false }]);
  });

  it('hand over who holds a live session', () => {
    const picker = open({ width: 120, height: 40 });
    picker.send({ type: 'live-changed', holders: [holder] });
    picker.press('down');
    expect(picker.press('enter')).toEqual([{ type: 'resume', id: 'a2', isArchived: false, holder }]);
    expect(picker.text()).toMatch(/open in tmux %3 · pid 4242/);
  });

  it('say that an archived one is archived', () => {
    const picker = open();
    picker.type('arch3');
    settle(picker);
    expect(picker.press('enter')).toEqual([{ type: 'resume', id: 'arch3', isArchived: true }]);
  });

  it('do nothing on an empty list, and say why', () => {
    const picker = open({ rows: [] });
    const actions = ['rename', 'pin', 'archive', 'delete', 'export', 'mark', 'copy-id', 'undo', 'unfold'] as const;
    for (const id of ['list.take', ...actions.map((name) => `picker.${name}` as const)] as const) {
      expect(picker.send({ type: 'command', id }), id).toEqual([]);
      expect(picker.screen.disabledReason(picker.state(), id), id).toBeDefined();
    }
  });

  it('Esc and Ctrl+C close without touching the filter', () => {
    const picker = open();
    picker.type('auth');
    expect(picker.press('escape')).toEqual([{ type: 'close' }]);
    expect(picker.press('ctrl+c')).toEqual([{ type: 'close' }]);
    expect(picker.lines()[2]).toBe(' ❯ auth');
  });

  it('leave commands of the program to the program, and never leave by Ctrl+D', () => {
    const picker = open();
    expect(picker.press('f1')).toEqual([{ type: 'run', id: 'app.help' }]);
    expect(picker.press('?')).toEqual([{ type: 'run', id: 'app.help' }]);
    expect(picker.press('ctrl+d')).toMatchObject([{ type: 'delete', targets: [{ id: 'a1' }] }]);
  });
});

describe('a lineage', () => {
  const members = [
    { id: 'a1-0', kind: 'segment' as const, title: 'refactoring auth', lastActive: now - 9 * day, messageCount: 80 },
    { id: 'a1-b', kind: 'branch' as const, title: 'other way', lastActive: now - day, messageCount: 6 },
    { id: 'a1-d', kind: 'delegate' as const, preview: 'look it up', lastActive: now - day, messageCount: 2 },
  ];

  it('unfolds with → at the end of the filter and folds with ←', () => {
    const picker = open();
    expect(picker.press('right')).toEqual([{ type: 'load-lineage', rootId: 'a1' }]);
    picker.send({ type: 'loaded', what: 'lineage', rootId: 'a1', members });
    expect(picker.lines().slice(4, 9)).toEqual([
      '▌★  refactoring auth                                ~/code/shop        2h    41',
      '      · segment 1 of 2  refactoring auth                               1w    80',
      '      · branch  other way                                              1d     6',
      '      · sub-agent  look it up                                          1d     2',
      '    my project #3                                   ~/code/shop       now   120',
    ]);
    picker.press('down', 'down');
    expect(picker.press('enter')).toEqual([{ type: 'resume', id: 'a1-b', member: 'branch', isArchived: false }]);
    expect(picker.screen.disabledReason(picker.state(), 'picker.rename')).toBeDefined();
    picker.press('left');
    expect([selectedId(picker), picker.state().blocks.length]).toEqual(['a1', 0]);
  });

  it('keeps the cursor on rows below an unfolded one', () => {
    const picker = open();
    picker.press('right');
    picker.press('end');
    picker.send({ type: 'loaded', what: 'lineage', rootId: 'a1', members });
    expect(selectedId(picker)).toBe('a8');
  });

  it('says so when there is nothing to unfold', () => {
    const picker = open();
    picker.press('down', 'right');
    picker.send({ type: 'loaded', what: 'lineage', rootId: 'a2', members: [] });
    expect(picker.lines()[1]).toContain('Only this one');
  });

  it('leaves ← and → to the filter while the caret stands inside it', () => {
    const picker = open();
    picker.type('ab');
    picker.press('left', 'left', 'right');
    expect(picker.view().cursor).toEqual({ x: 4, y: 2 });
    picker.press('right');
    expect(picker.press('right')).toEqual([]);
  });
});

describe('the mouse', () => {
  const at = (action: 'press' | 'wheel-down' | 'wheel-up', x: number, y: number) =>
    ({
      type: 'mouse',
      event: { type: 'mouse', action, button: action === 'press' ? 'left' : 'none', x, y, shift: false, alt: false, ctrl: false },
    }) as const;

  it('selects with a click and takes with a second one', () => {
    const picker = open();
    expect(picker.send(at('press', 10, 6))).toEqual([]);
    expect(selectedId(picker)).toBe('a3');
    expect(picker.send(at('press', 10, 6))).toMatchObject([{ type: 'resume', id: 'a3' }]);
  });

  it('opens nothing with the click that brings the window to the front', () => {
    const picker = open();
    picker.press('down');
    expect(picker.send(at('press', 10, 5))).toEqual([]);
    expect(picker.send({ type: 'focused' }, at('press', 10, 5))).toEqual([]);
    expect(picker.send(at('press', 10, 5))).toMatchObject([{ type: 'resume', id: 'a2' }]);
  });

  it('scrolls with the wheel, over list and preview, and keeps the cursor in sight', () => {
    const picker = open({ rows: makeRows(100, now), width: 120, height: 20 });
    picker.send(at('wheel-down', 5, 8), at('wheel-down', 100, 8));
    expect([picker.state().top, picker.state().selection.index]).toEqual([6, 6]);
    picker.send(at('wheel-up', 5, 8), at('wheel-up', 5, 8), at('wheel-up', 5, 8));
    expect(picker.state().top).toBe(0);
  });

  it('does nothing beside the rows', () => {
    const picker = open();
    for (const [x, y] of [
      [5, 0],
      [5, 3],
      [5, 20],
      [5, 23],
    ] as const)
      expect(picker.send(at('press', x, y))).toEqual([]);
    expect(selectedId(picker)).toBe('a1');
  });
});

describe('whatever is pressed while rows come, go and move', () => {
  const keys = [
    'up',
    'down',
    'pageup',
    'pagedown',
    'home',
    'end',
    'tab',
    'alt+h',
    'left',
    'right',
    'backspace',
    'ctrl+u',
    'ctrl+w',
  ] as const;
  const step = fc.oneof(
    fc.record({ kind: fc.constant('key' as const), key: fc.constantFrom(...keys) }),
    fc.record({ kind: fc.constant('type' as const), text: fc.constantFrom('e', 're', '결', '모듈', 'x', ' ', 'p3', '2026', '👩') }),
    fc.record({ kind: fc.constant('change' as const), id: fc.nat(80), age: fc.nat(90), pinned: fc.boolean(), machine: fc.boolean() }),
    fc.record({ kind: fc.constant('remove' as const), id: fc.nat(80) }),
    fc.record({ kind: fc.constant('wheel' as const), up: fc.boolean() }),
    fc.constant({ kind: 'slice' as const }),
    fc.constant({ kind: 'unfold' as const }),
  );

  it('the cursor is on screen, the numbers add up, no line is too wide, keys act on the row that shows', () => {
    fc.assert(
      fc.property(fc.constantFrom([40, 12], [80, 24], [120, 40]), fc.array(step, { maxLength: 60 }), ([width, height], steps) => {
        const picker = open({ width: width!, height: height!, rows: makeRows(60, now), clock: hastyClock() });
        for (const each of steps) {
          if (each.kind === 'key') picker.press(each.key);
          else if (each.kind === 'type') picker.type(each.text);
          else if (each.kind === 'change') {
            const row = makeRow({
              id: `20260301_${String(each.id).padStart(6, '0')}_abcd`,
              title: `결제 regex ${each.age}`,
              lastActive: now - each.age * 60_000,
              pinned: each.pinned,
              class: each.machine ? 'machine' : 'shown',
              cwd: '/home/ann/code/p3',
            });
            picker.send({ type: 'rows-changed', rows: [row], removed: [], now });
          } else if (each.kind === 'remove') {
            picker.send({ type: 'rows-changed', rows: [], removed: [`20260301_${String(each.id).padStart(6, '0')}_abcd`], now });
          } else if (each.kind === 'wheel') {
            const action = each.up ? 'wheel-up' : 'wheel-down';
            picker.send({
              type: 'mouse',
              event: { type: 'mouse', action, button: 'none', x: 1, y: 5, shift: false, alt: false, ctrl: false },
            });
          } else if (each.kind === 'unfold') {
            const [load] = ofType(picker.send({ type: 'command', id: 'picker.unfold' }), 'load-lineage');
            const members = [{ id: 'part', kind: 'segment' as const, lastActive: now, messageCount: 1 }];
            if (load !== undefined) picker.send({ type: 'loaded', what: 'lineage', rootId: load.rootId, members });
          } else picker.send({ type: 'continue-filter', token: picker.state().work.token });
          const { selection, top } = picker.state();
          const shown = picker.lines();
          const item = selectedItem(picker.state());
          if (item === undefined) continue;
          expect(selection.index).toBeGreaterThanOrEqual(top);
          expect(selection.index).toBeLessThan(top + height! - 6);
          const barred = shown.slice(4, height! - 2).filter((line) => line.startsWith('▌'));
          expect(barred.length).toBe(1);
          const resumed = ofType(picker.send({ type: 'command', id: 'list.take' }), 'resume');
          expect(resumed.map(({ id }) => id)).toEqual([selectedId(picker)]);
        }
        settle(picker);
        const { hidden: kinds, elsewhere, filteredOut, shown, total } = countNumbers(picker.state());
        expect(kinds.archived + kinds.machine + kinds.empty + elsewhere + filteredOut + shown).toBe(total);
        expect(total).toBe(picker.state().book.entries.length);
        const expected = picker.state().visible.map(({ row }) => row.id);
        expect(
          picker
            .state()
            .book.entries.map(({ row }) => row.id)
            .filter((id) => expected.includes(id)),
        ).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

describe('the picker opened again', () => {
  it('has the words of last time marked: typing replaces them', () => {
    const picker = open({ scope: 'everywhere' });
    picker.type('결제');
    settle(picker);
    expect(shownIds(picker)).toHaveLength(1);
    picker.send({ type: 'shown' });
    expect(shownIds(picker)).toHaveLength(1);
    picker.type('deploy');
    settle(picker);
    expect(picker.lines()[2]).toBe(' ❯ deploy');
  });

  it('keeps the scope for the same workspace, and begins with the workspace for another', () => {
    const picker = open({ scope: 'everywhere' });
    picker.send({ type: 'workspace', workspace: { ...workspace, keys: [...workspace.keys] } });
    expect(picker.state().scope).toBe('everywhere');
    picker.send({ type: 'workspace', workspace: { keys: ['/elsewhere'], isRepository: false } });
    expect(picker.state().scope).toBe('workspace');
  });
});

it.each(['enter', 'ctrl+r', 'ctrl+t', 'alt+c'])('%s on an empty list says why it does nothing', (key) => {
  const picker = open({ rows: [] });
  expect(picker.press(key)).toEqual([]);
  expect(picker.state().notice).toBe('no session is selected');
});
