import { describe, expect, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { commands, type CommandSpec } from '../../src/commands/table.ts';
import { composerOf, makeMachine, startHermes, statusOf, untilComposer, untilGone, untilText, type Machine } from '../support/hermes.ts';
import type { Tui } from '../support/tui.ts';

const specs: readonly CommandSpec[] = commands;

const conversations = (work: string): Conversation[] => [
  { title: 'first', source: 'tui', cwd: work, age: 1, messages: [you('q'), agent('the answer')] },
  { title: 'second', source: 'tui', cwd: work, age: 2, messages: [you('q'), agent('a')] },
  { title: 'second side', source: 'tui', cwd: work, age: 3, messages: [you('q'), agent('a')], parent: { index: 1, kind: 'branch' } },
  { title: 'robot', source: 'cron', cwd: work, age: 4, messages: [you('tick'), agent('tock')] },
  { title: 'far away', source: 'tui', cwd: '/somewhere/else', age: 5, messages: [you('q'), agent('a')] },
];

const selected = (t: Tui): string => t.lines().find((line, y) => y > 3 && line.startsWith('▌')) ?? '';

/** F1, the name of a row, Enter: nothing else. */
async function choose(tui: Tui, name: string): Promise<void> {
  tui.press('f1');
  await tui.until((t) => t.lines()[0]!.startsWith('▌Help'), 'the menu');
  for (let row = 0; row < 60 && !selected(tui).startsWith(`▌ ${name} `); row++) {
    const before = selected(tui);
    tui.press('down');
    await tui.until((t) => selected(t) !== before || selected(t).startsWith(`▌ ${name} `), `a row below ${before}`);
  }
  tui.press('enter');
  await tui.until((t) => !t.lines()[0]!.startsWith('▌Help'), `${name} to run`);
}

test('every action of the list through its F1 menu alone', async () => {
  const machine = await makeMachine({ conversations });
  const tui = await startHermes(machine);
  await choose(tui, 'Sessions');
  await tui.until((t) => selected(t).includes('first'), 'the list');
  await choose(tui, 'Down');
  await tui.until((t) => selected(t).includes('second'), 'Down');
  await choose(tui, 'Up');
  await tui.until((t) => selected(t).includes('first'), 'Up');
  await choose(tui, 'Last');
  await tui.until((t) => selected(t).includes('second'), 'Last');
  await choose(tui, 'First');
  await tui.until((t) => selected(t).includes('first'), 'First');
  await choose(tui, 'Page down');
  await tui.until((t) => selected(t).includes('second'), 'Page down');
  await choose(tui, 'Up');
  await tui.until((t) => /second {3}/u.test(selected(t)), 'the one with a branch');
  // The branch is a row of its own, and one under its origin while that is unfolded.
  const sides = (t: Tui): number => t.lines().filter((line) => line.slice(0, 45).includes('second side')).length;
  await choose(tui, 'Unfold');
  await tui.until((t) => sides(t) === 2, 'Unfold');
  await choose(tui, 'Fold');
  await tui.until((t) => sides(t) === 1, 'Fold');
  await choose(tui, 'Page up');
  await tui.until((t) => selected(t).includes('first'), 'Page up');
  await choose(tui, 'Scope');
  await untilText(tui, 'far away');
  await choose(tui, 'Hidden kinds');
  await untilText(tui, 'robot');
  await choose(tui, 'Pin');
  await tui.until((t) => selected(t).includes('★'), 'Pin');
  await choose(tui, 'Archive');
  await untilText(tui, 'Archived “first”');
  await choose(tui, 'Undo');
  await untilText(tui, 'Undone: the archiving of “first”');
  await choose(tui, 'Mark');
  await untilText(tui, '1 marked');
  await choose(tui, 'Mark downwards');
  await untilText(tui, '3 marked');
  await choose(tui, 'Mark upwards');
  await untilText(tui, '2 marked');
  await choose(tui, 'Back');
  await untilGone(tui, 'marked');
  await choose(tui, 'First');
  await choose(tui, 'Delete');
  await untilText(tui, 'Delete this session?');
  tui.press('escape');
  await untilGone(tui, 'Delete this session?');
  await choose(tui, 'Export');
  await untilText(tui, 'Export this session');
  tui.press('escape');
  await untilGone(tui, 'Export this session');
  await choose(tui, 'Copy id');
  await untilText(tui, machine.ids[0]!);
  await choose(tui, 'Rename');
  await untilText(tui, 'Title of the session');
  tui.write('!');
  tui.press('enter');
  await tui.until((t) => selected(t).includes('first!'), 'Rename');
  await choose(tui, 'Take');
  await tui.until((t) => t.lines()[0]!.includes('first!') && t.text().includes('Previous conversation'), 'Take');
});

describe('the palette', () => {
  const listed = specs.filter((spec) => spec.surfaces.includes('palette'));
  /** Ends by itself: one that is killed with the program would leave the file it was given. */
  const editor = `sh -c 'printf edited > "$0"'`;

  test.each(listed.map((spec) => [spec.id, spec.name]))('%s runs', async (id, name) => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'], env: { VISUAL: undefined, EDITOR: editor } });
    await untilText(tui, 'Previous conversation');
    tui.press('ctrl+p');
    await tui.until((t) => t.lines()[0]!.startsWith('▌Commands'), 'the palette');
    tui.write(name);
    await tui.until((t) => selected(t).includes(` ${name} `), `${name} under the cursor`);
    tui.press('enter');
    await tui.until((t) => !t.lines()[0]!.startsWith('▌Commands'), 'the palette to close');
    await (outcomes[id] ?? (() => Promise.reject(new Error(`nothing is said here about what ${id} does`))))(tui, machine);
    expect(tui.exitStatus()?.code ?? 0).toBe(0);
  });

  const outcomes: Record<string, (tui: Tui, machine: Machine) => Promise<unknown>> = {
    'session.new': (tui) => untilText(tui, 'new conversation'),
    'session.title': (tui) => untilText(tui, 'Title: first'),
    'session.status': (tui, machine) => untilText(tui, machine.ids[0]!),
    'session.pin': (tui) => untilText(tui, 'Pinned “first”'),
    'session.archive': (tui) => untilText(tui, 'Archived “first”'),
    'session.delete': (tui) => untilText(tui, 'Delete this session?'),
    'session.export': (tui) => untilText(tui, 'Exported'),
    'session.save': (tui) => untilText(tui, 'Saved to'),
    'session.history': (tui) => untilGone(tui, 'Previous conversation'),
    'session.directory': (tui, machine) => untilText(tui, machine.work),
    'model.choose': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Model'), 'the models'),
    'message.copy': (tui) => tui.until((t) => statusOf(t).includes('copied'), 'the copy'),
    'composer.editor': (tui) => untilComposer(tui, 'edited'),
    'composer.search': (tui) => untilText(tui, 'my messages:'),
    'app.sessions': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Sessions'), 'the list'),
    'app.insights': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Insights'), 'the insights'),
    'app.search': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Search'), 'the search'),
    'session.resume': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Sessions'), 'the list'),
    'reading.enter': (tui) => tui.until((t) => statusOf(t).includes('reading'), 'reading mode'),
    'app.help': (tui) => tui.until((t) => t.lines()[0]!.startsWith('▌Help'), 'the menu'),
    'app.theme': (tui) => tui.until((t) => statusOf(t).includes('theme '), 'the theme'),
    'app.mouse': (tui) => tui.until((t) => t.modes().mouse === 'none', 'the mouse off'),
    'app.reload': (tui) => tui.until((t) => statusOf(t).includes('read again'), 'the config'),
    'app.redraw': (tui) =>
      tui.until(
        (t) => t.raw().toString('latin1').split('\x1b[H\x1b[J').length > 3 && t.text().includes('Previous conversation'),
        'a full repaint',
      ),
    // The pane's own process can't be stopped: it says so and goes on.
    'app.suspend': (tui) => tui.until((t) => statusOf(t).includes('not suspended') && t.modes().alternateScreen, 'the refusal'),
    'app.quit': (tui) => tui.exited,
  };
});

describe('slash commands', () => {
  test('an unknown one keeps the text, shows the nearest, and Enter again sends it', async () => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine);
    tui.write('/sesions now');
    await untilComposer(tui, '/sesions now');
    tui.press('enter');
    await tui.until((t) => statusOf(t).includes('/sessions'), 'the nearest');
    expect(composerOf(tui).text).toBe('/sesions now');
    expect(machine.messages().length).toBe(10);
    tui.press('enter');
    await tui.until(() => machine.messages().some((row) => row.content === '/sesions now'), 'the message');
  });

  test.each(['/etc/hosts is wrong', '/한글', '/ hello', '//', '/new line\nsecond line', ' /help'])('%j is a message', async (text) => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine);
    tui.paste(text);
    await tui.until((t) => composerOf(t).text.trim() !== '', 'the line');
    tui.press('enter');
    await tui.until(() => machine.messages().some((row) => row.content === text), 'the message');
  });

  test('a unique beginning, another case and an alias are enough', async () => {
    const machine = await makeMachine({ conversations });
    const tui = await startHermes(machine, { args: ['-c'] });
    await untilText(tui, 'Previous conversation');
    for (const [line, shown] of [
      ['/TITLE Neuer Titel', 'Title set: Neuer Titel'],
      ['/stat', machine.ids[0]!],
      ['/clear', 'new conversation'],
    ] as const) {
      tui.paste(line);
      await untilComposer(tui, line);
      tui.press('enter');
      await untilText(tui, shown);
      await untilComposer(tui, '');
    }
    expect(machine.messages().length).toBe(10);
    // Kept for the next run, apart from the messages.
    tui.press('ctrl+d');
    expect((await tui.exited).code).toBe(0);
    const again = await startHermes(machine);
    again.write('/');
    await untilText(again, '/title');
    again.press('escape');
    await untilGone(again, '/title');
    again.press('up');
    await untilComposer(again, '/clear');
    again.press('up');
    // As the completion made it.
    await untilComposer(again, '/status');
  });
});
