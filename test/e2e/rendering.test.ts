import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, calls, result, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { composerOf, hermesBin, makeMachine, startHermes, untilComposer, untilText, type Machine } from '../support/hermes.ts';
import { startTmux } from '../support/tmux.ts';
import type { Tui } from '../support/tui.ts';
import { seededRandom, widePieces } from '../support/wide-text.ts';

const titles = [
  '👩‍👩‍👧 plan',
  '⚠️ deploy',
  'ｆｕｌｌ幅 テスト',
  'नमस्ते दुनिया',
  'مرحبا بالعالم',
  'e\u0301te\u0301',
  'zero\u200bwidth',
  '한글'.normalize('NFD'),
];

/** Conversations whose every text is hard to draw. */
function hostile(seed: number): (work: string) => Conversation[] {
  const random = seededRandom(seed);
  const text = (pieces: number): string =>
    Array.from({ length: 1 + random.below(pieces) }, () => random.pick(widePieces)).join(random.pick(['', ' ', '\n']));
  return (work) =>
    Array.from({ length: 24 }, (_, index): Conversation => ({
      title: `${titles[index % titles.length]} ${text(4)} ${index}`,
      source: 'tui',
      cwd: random.below(3) === 0 ? `${work}/프로젝트 ${index} 日本` : work,
      branch: 'main',
      age: index * 7 + 1,
      messages: [
        you(text(12)),
        calls('terminal', { command: text(3) }),
        result(text(20)),
        agent(
          `${text(20)}\n\n- ${text(6)}\n- ${text(6)}\n\n| ${text(2).replaceAll('\n', ' ')} | b |\n|---|---|\n| ${text(2).replaceAll('\n', ' ')} | 2 |\n\n\`\`\`ts\nconst x = '${text(3).replaceAll('\n', ' ')}';\n\`\`\`\n`,
        ),
        you(text(30)),
        agent(text(60)),
      ],
    }));
}

const isWorking = (tui: Tui): boolean => /^ (working|waiting)/u.test(tui.lines().at(-1) ?? '');

/** Everything that was sent is taken in and drawn; after a message, its answer too. */
async function settled(tui: Tui, isAnswerDue = false): Promise<void> {
  await tui.waitIdle();
  await tui.quiet(isAnswerDue ? 150 : 25);
  if (!isWorking(tui)) return;
  await tui.until((t) => !isWorking(t), 'the answer to be there');
  await tui.quiet(150);
}

const fullRepaint = '\x1b[?2026h\x1b[?25l\x1b[0m\x1b[H\x1b[J';

/** What has come onto the screen behind its first `from` bytes, without the idle signals. */
function shownSince(tui: Tui, from: number): string {
  return withoutSignals(tui.raw().subarray(from, tui.stats.shownBytes));
}

const withoutSignals = (bytes: Buffer): string => bytes.toString('latin1').replace(/\x1b\]7777;[^\x07]*\x07/gu, '');

/** One full repaint and nothing else: anything more, be it the cursor alone, is of another state. */
const isOneRepaint = (sent: string): boolean =>
  sent.startsWith(fullRepaint) && sent.indexOf('\x1b[?2026l') === sent.length - '\x1b[?2026l'.length;

interface Compared {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Undefined where the cursor is hidden. */
  readonly cursors: readonly [object | undefined, object | undefined];
}

/**
 * The screen as it came about step by step, and the same after Ctrl+L. Where another frame came in between (a word that went by itself, rows
 * that another look at the store brought) the two are not of one state: undefined.
 */
async function compare(tui: Tui, isAnswerDue: boolean): Promise<Compared | undefined> {
  const look = () => ({ cells: tui.emulator.snapshot(), cursor: tui.modes().cursorVisible ? tui.cursor() : undefined });
  await settled(tui, isAnswerDue);
  const first = look();
  const from = tui.stats.shownBytes;
  tui.press('ctrl+l');
  await tui.until(() => shownSince(tui, from).includes(fullRepaint), 'the full repaint');
  await settled(tui);
  const second = look();
  return isOneRepaint(shownSince(tui, from))
    ? { before: first.cells, after: second.cells, cursors: [first.cursor, second.cursor] }
    : undefined;
}

const sizes = [
  [40, 12],
  [80, 24],
  [120, 40],
  [61, 17],
  [101, 30],
] as const;

/** One random thing a person may do. Nothing here leaves the program. */
function step(tui: Tui, machine: Machine, random: ReturnType<typeof seededRandom>): string {
  const kinds = ['type', 'type', 'key', 'key', 'key', 'scroll', 'overlay', 'resize', 'wheel', 'send', 'edit', 'drag'] as const;
  const kind = random.pick(kinds);
  switch (kind) {
    case 'type': {
      const text = random.pick(widePieces.filter((piece) => !/[\p{Cc}]/u.test(piece)));
      tui.write(text);
      return `type ${JSON.stringify(text)}`;
    }
    case 'send': {
      machine.model.script([
        random.pick(widePieces),
        ' ',
        random.pick(widePieces),
        '\n\n```js\nlet a = 1;\n```\n',
        random.pick(widePieces),
      ]);
      tui.press('ctrl+j');
      tui.write(random.pick(['질문 하나', 'hello 👨‍👩‍👧', '明日']));
      tui.press('enter');
      return 'send';
    }
    case 'resize': {
      const [cols, rows] = random.pick(sizes.filter(([width]) => width !== tui.emulator.cols));
      tui.resize(cols, rows);
      return `resize ${cols}x${rows}`;
    }
    case 'wheel': {
      const notches = random.below(7) - 3 || 1;
      tui.wheel(random.below(tui.emulator.cols), random.below(tui.emulator.rows), notches);
      return `wheel ${notches}`;
    }
    case 'drag': {
      const at = (): [number, number] => [random.below(tui.emulator.cols), random.below(tui.emulator.rows)];
      tui.drag(at(), at());
      return 'drag';
    }
    default: {
      const keys = {
        key: ['up', 'down', 'left', 'right', 'home', 'end', 'tab', 'pagedown', 'pageup'],
        scroll: ['pageup', 'pagedown', 'home', 'end', 'shift+tab', 'g', 'G'],
        overlay: ['ctrl+x', 'f1', 'ctrl+p', 'escape', 'escape', 'ctrl+r', 'alt+h'],
        edit: ['backspace', 'ctrl+w', 'ctrl+u', 'ctrl+y', 'ctrl+j', 'ctrl+_', 'delete', 'ctrl+left', 'shift+left'],
      }[kind];
      const name = random.pick(keys);
      tui.press(name);
      return name;
    }
  }
}

describe('what was drawn step by step is what a full repaint draws', () => {
  const stepsEach = 60;
  test.each([101, 202, 303, 404, 505, 606, 707, 808])(
    `seed %i, ${stepsEach} steps`,
    async (seed) => {
      const machine = await makeMachine({ conversations: hostile(seed) });
      const random = seededRandom(seed);
      const tui = await startHermes(machine, { args: random.below(2) === 0 ? ['-c'] : [], cols: 80, rows: 24 });
      const done: string[] = [];
      let count = 0;
      for (let index = 0; index < stepsEach; index++) {
        done.push(step(tui, machine, random));
        const where = `seed ${seed}, step ${index + 1}, after ${done.slice(-6).join(' | ')}`;
        const compared = await compare(tui, done.at(-1) === 'send');
        if (compared === undefined) continue;
        count += 1;
        expect(compared.before, where).toEqual(compared.after);
        expect(compared.cursors[0], where).toEqual(compared.cursors[1]);
        expect(tui.exitStatus(), where).toBeUndefined();
      }
      expect(count).toBeGreaterThan(0.9 * stepsEach);
    },
    120_000,
  );
});

describe.each([
  [40, 12],
  [80, 24],
  [120, 40],
])('%i×%i', (cols, rows) => {
  test('the line: the caret stands behind wide text and at the edge of a row, and goes on in the next', async () => {
    const machine = await makeMachine({ isFresh: true });
    const tui = await startHermes(machine, { cols, rows });
    const room = cols - 4;
    const typed: [text: string, cells: number][] = [
      ['한글', 4],
      ['😀', 2],
      ['ｶﾅ', 2],
      ['ab', 2],
      ['👨‍👩‍👧', 2],
      ['🇰🇷', 2],
    ];
    let cells = 0;
    for (const [text, width] of typed) {
      cells += width;
      tui.write(text);
      const at = cells;
      await tui.until((t) => composerOf(t).caret === at, `the caret at ${at} behind ${text}`);
    }
    tui.press('ctrl+u');
    await untilComposer(tui, '');
    // Wide characters up to the edge, where one cell is kept for the caret; the next one does not fit and opens the next row.
    const wide = '가'.repeat(Math.floor((room - 1) / 2));
    tui.write(wide);
    await tui.until((t) => composerOf(t).text.replaceAll('\n', '') === wide, 'a full row');
    const edge = composerOf(tui);
    expect(edge).toMatchObject({ row: 0, caret: 2 * wide.length });
    tui.write('나');
    await tui.until((t) => composerOf(t).row === 1 && composerOf(t).caret === 2, 'the next row');
    tui.press('backspace');
    await tui.until((t) => composerOf(t).text.replaceAll('\n', '') === wide, 'the row alone again');
    tui.press('home');
    await tui.until((t) => composerOf(t).caret === 0 && composerOf(t).row === 0, 'its beginning');
  });

  test('the panel, the list and a dialog keep straight borders over wide text', async () => {
    const machine = await makeMachine({ conversations: hostile(9) });
    const tui = await startHermes(machine, { cols, rows, args: ['-c'] });
    await untilText(tui, 'Previous conversation');
    await settled(tui);
    const panel = tui
      .lines()
      .map((_, y) => y)
      .filter((y) => ['│', '╭', '╰'].includes(tui.cell(1, y).text));
    const right = panel.map((y) => Array.from({ length: cols }, (_, x) => x).findLast((x) => /[│╮╯]/u.test(tui.cell(x, y).text)));
    // In twelve rows a box would have nothing in it: one line stands for it.
    if (rows <= 12) expect(panel).toEqual([]);
    else {
      expect(panel.length).toBeGreaterThanOrEqual(2);
      expect(new Set(right).size).toBe(1);
    }
    tui.press('ctrl+x');
    await untilText(tui, 'Sessions');
    await settled(tui);
    if (cols >= 100) {
      // The list ends at one rule, whatever stands left and right of it.
      const body = Array.from({ length: rows - 7 }, (_, index) => 5 + index);
      const columns = body.map((y) => Array.from({ length: cols }, (_, x) => x).filter((x) => tui.cell(x, y).text === '│'));
      const shared = columns[0]!.filter((x) => columns.every((each) => each.includes(x)));
      expect(shared.length).toBeGreaterThanOrEqual(1);
    }
    tui.press('ctrl+r');
    await untilText(tui, 'Title of the session');
    await settled(tui);
    const box = tui
      .lines()
      .map((_, y) => y)
      .filter((y) => tui.lines()[y]!.match(/[╭╰]/u) !== null);
    const corner = (y: number, pattern: RegExp) =>
      Array.from({ length: cols }, (_, x) => x).filter((x) => pattern.test(tui.cell(x, y).text));
    const [left] = corner(box[0]!, /╭/u);
    const [end] = corner(box[0]!, /╮/u);
    expect(corner(box.at(-1)!, /╰/u)).toEqual([left]);
    expect(corner(box.at(-1)!, /╯/u)).toEqual([end]);
    for (let y = box[0]! + 1; y < box.at(-1)!; y++) {
      expect(tui.cell(left!, y).text, `row ${y}`).toBe('│');
      expect(tui.cell(end!, y).text, `row ${y}`).toBe('│');
    }
  });
});

test.each([
  [39, 12],
  [40, 11],
  [20, 5],
  [10, 2],
])('below 40×12 one line says so, and nothing is lost (%i×%i)', async (cols, rows) => {
  const machine = await makeMachine({ conversations: hostile(3) });
  const tui = await startHermes(machine, { cols: 80, rows: 24 });
  tui.write('초안 draft');
  await untilComposer(tui, '초안 draft');
  tui.resize(cols, rows);
  await tui.until((t) => t.lines().filter((line) => line !== '').length === 1 && t.text().includes('hermes'), 'the notice alone');
  tui.write('!');
  tui.resize(80, 24);
  await untilComposer(tui, '초안 draft!');
});

test('control characters of titles and messages are drawn as symbols, never sent', async () => {
  const machine = await makeMachine({
    conversations: (work) => [
      {
        title: 'bad \x1b[31mtitle\x07',
        source: 'tui',
        cwd: work,
        age: 1,
        messages: [you('\x1b]0;owned\x07 \x1b[2J \u202egnirts \x9b31m'), agent('answer \x1b[?1049l \x1b[5;5H \x00 end')],
      },
    ],
  });
  const tui = await startHermes(machine, { args: ['-c'] });
  await untilText(tui, 'Previous conversation');
  tui.press('pageup');
  await tui.until((t) => t.text().includes('␛[?1049l'), 'the symbols');
  tui.press('ctrl+x');
  await untilText(tui, 'Sessions');
  await settled(tui);
  const sent = tui.raw().toString('utf8');
  expect(sent).not.toContain('\x1b]0;');
  expect(sent).not.toContain('\x1b[31mtitle');
  expect(sent).not.toContain('\u202e');
  expect(sent).not.toContain('\u009b');
  expect(tui.modes().alternateScreen).toBe(true);
});

test('in a real tmux: the pane is the same after a full repaint', async () => {
  const machine = await makeMachine({ conversations: hostile(42) });
  const tmux = await startTmux({
    cols: 80,
    rows: 24,
    cwd: machine.work,
    env: { HERMES_HOME: machine.home, HERMES_TEST_IDLE: '1' },
    command: `${process.execPath} ${hermesBin}`,
  });
  await tmux.until((lines) => lines.some((line) => line.includes('❯')), 'the line');
  const output = join(machine.home, 'pane-output');
  await tmux.command('pipe-pane', '-O', `cat >> ${output}`);
  await tmux.until(() => existsSync(output), 'the copy of what the pane is sent');
  const sentSince = (from: number): string => withoutSignals(readFileSync(output).subarray(from));
  const random = seededRandom(42);
  let compared = 0;
  const quiet = async (): Promise<string[]> => {
    // tmux tells cells that were erased from cells that hold a blank; a person can't.
    const capture = async (): Promise<string[]> => (await tmux.capture()).map((line) => line.trimEnd());
    let before = await capture();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 120));
      const now = await capture();
      if (now.join('\n') === before.join('\n')) return now;
      before = now;
    }
  };
  for (let index = 0; index < 20; index++) {
    const move = random.below(4);
    if (move === 0) await tmux.type(random.pick(['한글 입력', '👨‍👩‍👧', '⚠️ x', 'ｆｕｌｌ', 'e\u0301']));
    else if (move === 1) await tmux.send(random.pick(['C-x', 'Escape', 'F1', 'C-p']));
    else if (move === 2) await tmux.send(random.pick(['Down', 'Up', 'NPage', 'PPage', 'BSpace', 'Left']));
    else await tmux.command('resize-window', '-x', String(random.pick([60, 80, 110])), '-y', String(random.pick([18, 24, 33])));
    const shown = await quiet();
    const from = statSync(output).size;
    await tmux.send('C-l');
    await tmux.until(() => sentSince(from).includes(fullRepaint), 'the full repaint');
    const repainted = await quiet();
    if (!isOneRepaint(sentSince(from))) continue;
    compared += 1;
    expect(repainted, `step ${index}`).toEqual(shown);
  }
  expect(compared).toBeGreaterThanOrEqual(16);
}, 120_000);
