import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, calls, result, you, type Conversation, type Line } from '../../fixtures/stores/conversation.ts';
import {
  composerOf,
  hermesBin,
  makeMachine,
  startHermes,
  statusOf,
  untilComposer,
  untilGone,
  untilText,
  type Machine,
} from '../support/hermes.ts';
import { spawnTui, type Tui } from '../support/tui.ts';

/** Every key of product.md 7 in the built program: as bytes of an older terminal, and as a terminal with kitty keys sends them. */
const terminals = [
  ['an older terminal', false],
  ['kitty keys', true],
] as const;

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
const long: readonly Line[] = numbers.flatMap((word) => [
  you(`question ${word}`),
  agent(`answer ${word}\n\n${Array.from({ length: 12 }, (_, line) => `- ${word} line ${line + 1}`).join('\n')}`),
]);

const history = (work: string): Conversation[] => [
  { title: 'long talk', source: 'tui', cwd: work, age: 3, messages: long },
  { title: '결제 모듈', source: 'tui', cwd: work, age: 60, messages: [you('결제 모듈을 봐 줘'), agent('네.')] },
];

const key = async (tui: Tui, name: string, until: (t: Tui) => boolean, what: string): Promise<void> => {
  tui.press(name);
  await tui.until(until, `${name}: ${what}`);
};

/** Presses a key and waits for the line and the caret it must leave. */
async function edits(tui: Tui, steps: readonly (readonly [name: string, text: string, caret: number])[]): Promise<void> {
  for (const [name, text, caret] of steps) {
    await key(
      tui,
      name,
      (t) => composerOf(t).text === text.trimEnd() && composerOf(t).caret === caret,
      `the line ${JSON.stringify(text)} with the caret at ${caret}`,
    );
  }
}

async function opened(kitty: boolean, args: readonly string[] = [], machine?: Machine): Promise<{ machine: Machine; tui: Tui }> {
  const made = machine ?? (await makeMachine({ conversations: history }));
  return { machine: made, tui: await startHermes(made, { kitty, args }) };
}

describe.each(terminals)('text fields, %s', (_name, kitty) => {
  test('the keys mean what readline means, on characters as they are seen', async () => {
    const { tui } = await opened(kitty);
    const whole = 'alpha 한글 beta😀';
    tui.write(whole);
    await untilComposer(tui, whole);
    await edits(tui, [
      ['ctrl+a', whole, 0],
      ['right', whole, 1],
      ['ctrl+e', whole, 17],
      ['ctrl+b', whole, 15],
      ['left', whole, 14],
      ['end', whole, 17],
      ['home', whole, 0],
      ['end', whole, 17],
      ['backspace', 'alpha 한글 beta', 15],
      ['ctrl+w', 'alpha 한글 ', 11],
      ['ctrl+y', 'alpha 한글 beta', 15],
      ['alt+b', 'alpha 한글 beta', 11],
      ['alt+left', 'alpha 한글 beta', 6],
      ['alt+f', 'alpha 한글 beta', 10],
      ['ctrl+left', 'alpha 한글 beta', 6],
      ['ctrl+right', 'alpha 한글 beta', 10],
      ['ctrl+h', 'alpha 한 beta', 8],
      ['alt+d', 'alpha 한', 8],
      ['ctrl+_', 'alpha 한 beta', 8],
      ['ctrl+a', 'alpha 한 beta', 0],
      ['delete', 'lpha 한 beta', 0],
      ['ctrl+k', '', 0],
      ['ctrl+y', 'lpha 한 beta', 12],
      ['alt+backspace', 'lpha 한 ', 8],
      ['ctrl+u', '', 0],
      ['ctrl+_', 'lpha 한 ', 8],
      ['ctrl+backspace', kitty ? 'lpha ' : 'lpha 한', kitty ? 5 : 7],
    ]);
  });

  test('Backspace takes one visible character, whatever it is made of', async () => {
    const { tui, machine } = await opened(kitty);
    for (const piece of ['👨‍👩‍👧', '🇰🇷', '⚠️', '👍🏽', '각'.normalize('NFD'), 'e\u0301', 'ที่', '한', 'ｱﾞ', '1️⃣']) {
      tui.write(`a${piece}`);
      await tui.until((t) => composerOf(t).text.startsWith('a') && composerOf(t).caret > 1, `${piece} in the line`);
      tui.press('backspace');
      await tui.until((t) => composerOf(t).text === 'a' && composerOf(t).caret === 1, `${piece} to be gone at once`);
      tui.press('backspace');
      await untilComposer(tui, '');
    }
    tui.write('x👨‍👩‍👧y');
    tui.press('left', 'backspace', 'enter');
    await tui.until(() => machine.messages().some((row) => row.content === 'xy'), 'the message in the store');
  });

  test('selection with Shift, and typing replaces it', async () => {
    const { tui } = await opened(kitty);
    tui.write('one 둘 three');
    await untilComposer(tui, 'one 둘 three');
    tui.press('ctrl+shift+left');
    tui.write('셋');
    await untilComposer(tui, 'one 둘 셋');
    tui.press('shift+left', 'shift+left');
    tui.press('backspace');
    await untilComposer(tui, 'one 둘');
  });

  test('new lines by Ctrl+J, Alt+Enter, a backslash before Enter, and Shift+Enter where the terminal tells it', async () => {
    const { tui, machine } = await opened(kitty);
    tui.write('a');
    tui.press('ctrl+j');
    tui.write('b');
    tui.press('alt+enter');
    tui.write('c\\');
    await untilComposer(tui, 'a\nb\nc\\');
    tui.press('enter');
    await untilComposer(tui, 'a\nb\nc\n');
    tui.write('d');
    if (kitty) tui.press('shift+enter');
    else tui.pressAs('modifyOtherKeys', 'shift+enter');
    tui.write('e');
    await untilComposer(tui, 'a\nb\nc\nd\ne');
    expect(statusOf(tui)).toContain(kitty ? 'Shift+Enter new line' : '^J new line');
    tui.press('enter');
    await tui.until(() => machine.messages().some((row) => row.content === 'a\nb\nc\nd\ne'), 'the message in the store');
  });
});

describe.each(terminals)('history and completion, %s', (_name, kitty) => {
  test('↑ and ↓ go through what was said, and give the line back', async () => {
    const { tui } = await opened(kitty);
    tui.write('unfinished');
    await untilComposer(tui, 'unfinished');
    await edits(tui, [
      ['up', 'question eight', 14],
      ['up', 'question seven', 14],
      ['down', 'question eight', 14],
      ['down', 'unfinished', 10],
      ['down', 'unfinished', 10],
    ]);
    tui.press('ctrl+j');
    tui.write('second');
    await untilComposer(tui, 'unfinished\nsecond');
    await key(tui, 'up', (t) => composerOf(t).row === 0 && composerOf(t).text === 'unfinished\nsecond', 'the first line, not the history');
    await key(tui, 'up', (t) => composerOf(t).text === 'question eight', 'the history');
  });

  test('Ctrl+R finds an earlier message by its words', async () => {
    const { tui } = await opened(kitty);
    tui.write('kept');
    await untilComposer(tui, 'kept');
    await key(tui, 'ctrl+r', (t) => t.text().includes('my messages:'), 'the search');
    tui.write('결제');
    await tui.until((t) => t.text().includes('결제 모듈을 봐 줘') && !t.text().includes('question seven'), 'the one match');
    await key(tui, 'escape', (t) => composerOf(t).text === 'kept', 'the line as it was');
    await key(tui, 'ctrl+r', (t) => t.text().includes('my messages:'), 'the search');
    tui.write('question');
    await untilText(tui, 'question seven');
    tui.press('up', 'ctrl+p', 'ctrl+n', 'enter');
    await tui.until((t) => /^question (seven|nine|six)$/u.test(composerOf(t).text), 'a chosen message in the line');
  });

  test('Tab completes a slash command, arrows choose', async () => {
    const { tui } = await opened(kitty);
    tui.write('/st');
    await untilText(tui, 'Show session, model');
    tui.press('tab');
    await untilComposer(tui, '/status');
    tui.press('ctrl+u');
    tui.write('/');
    await untilText(tui, '/title');
    tui.press('down', 'tab');
    await tui.until((t) => /^\/\w+$/u.test(composerOf(t).text.trim()) && composerOf(t).text !== '/', 'a name');
    await key(tui, 'escape', (t) => composerOf(t).text.startsWith('/'), 'Esc never clears text');
  });
});

describe.each(terminals)('reading, %s', (_name, kitty) => {
  test('PgUp, PgDn, wheel, and Home and End on the empty line', async () => {
    const { tui } = await opened(kitty, ['-c']);
    await untilText(tui, 'Previous conversation');
    await key(
      tui,
      'pageup',
      (t) => !t.text().includes('Previous conversation') && t.text().includes('eight line 12'),
      'the transcript at its end',
    );
    await key(tui, 'pageup', (t) => !t.text().includes('eight line 12'), 'a page back');
    await key(tui, 'pagedown', (t) => t.text().includes('eight line 12'), 'the end');
    tui.wheel(10, 8, -2);
    await untilGone(tui, 'eight line 12');
    tui.wheel(10, 8, 2);
    await untilText(tui, 'eight line 12');
    await key(tui, 'home', (t) => t.text().includes('question one'), 'the beginning');
    await key(tui, 'end', (t) => t.text().includes('eight line 12'), 'the end');
    tui.write('text');
    await untilComposer(tui, 'text');
    await key(tui, 'home', (t) => composerOf(t).caret === 0 && t.text().includes('eight line 12'), 'the start of the line only');
    await key(tui, 'pageup', (t) => !t.text().includes('eight line 12'), 'PgUp scrolls with text in the line');
    expect(composerOf(tui).text).toBe('text');
    expect(statusOf(tui)).not.toContain('reading');
  });

  test('Shift+Tab reads message by message; any other letter returns and is typed', async () => {
    const { tui } = await opened(kitty, ['-c']);
    await key(tui, 'shift+tab', (t) => statusOf(t).includes('reading'), 'reading mode');
    const bar = (t: Tui) => t.lines().findIndex((line, y) => y > 1 && line.startsWith('▌'));
    await tui.until((t) => bar(t) > 0, 'the accent bar');
    const current = (t: Tui) => t.lines()[bar(t)] ?? '';
    await key(tui, 'g', (t) => current(t).includes('question one'), 'the first message');
    await key(tui, 'down', (t) => current(t).includes('answer one'), 'the message after');
    await key(tui, 'end', (t) => t.text().includes('eight line 12') && current(t).includes('newest session'), 'the last one');
    await key(tui, 'home', (t) => current(t).includes('question one'), 'the first message');
    await key(tui, 'pagedown', (t) => !t.text().includes('question one') && bar(t) > 0, 'a page on, the bar in sight');
    await key(tui, 'pageup', (t) => t.text().includes('question one') && bar(t) > 0, 'a page back');
    await key(tui, 'G', (t) => t.text().includes('eight line 12') && current(t).includes('newest session'), 'the end');
    await key(tui, 'up', (t) => current(t).includes('answer eight'), 'the message before');
    await key(tui, 'up', (t) => current(t).includes('question eight'), 'the message before');
    await key(tui, 'down', (t) => current(t).includes('answer eight'), 'the message after');
    tui.press('y');
    await tui.until((t) => decodedClipboard(t).at(-1)?.startsWith('answer eight') === true, 'the copied message');
    await key(tui, '/', (t) => t.text().includes('find:'), 'the find line');
    tui.write('three line 3');
    await untilText(tui, 'find: three line 3');
    await key(
      tui,
      'enter',
      (t) => t.text().includes('- three line 3') || t.text().includes('• three line 3') || t.text().includes('three line 4'),
      'the match',
    );
    await key(tui, 'escape', (t) => !t.text().includes('find:') && statusOf(t).includes('reading'), 'reading mode again');
    await key(tui, 'escape', (t) => !statusOf(t).includes('reading'), 'the line');
    await key(tui, 'shift+tab', (t) => statusOf(t).includes('reading'), 'reading mode');
    tui.write('x');
    await tui.until((t) => composerOf(t).text === 'x' && !statusOf(t).includes('reading'), 'the letter typed in the line');
  });

  test('n and N go from match to match, Hangul letters of the same keys do too', async () => {
    const { tui } = await opened(kitty, ['-c']);
    await key(tui, 'shift+tab', (t) => statusOf(t).includes('reading'), 'reading mode');
    tui.write('/');
    await untilText(tui, 'find:');
    tui.write('question');
    await untilText(tui, 'find: question');
    const shown = (t: Tui) => numbers.filter((word) => t.text().includes(`question ${word}`));
    const visits: string[][] = [];
    for (const letter of ['enter', 'enter', 'enter']) {
      tui.press(letter);
      await tui.waitIdle();
      visits.push(shown(tui));
    }
    tui.press('up', 'up', 'up', 'up', 'up', 'up');
    await tui.waitIdle();
    await key(tui, 'ctrl+c', (t) => !t.text().includes('find:'), 'Ctrl+C closes');
    expect(visits.length).toBe(3);
    tui.write('ㅎ'); // g
    await tui.until((t) => t.text().includes('question one'), 'ㅎ is g');
    tui.write('ㅛ'); // y
    await tui.until((t) => decodedClipboard(t).length > 0, 'ㅛ is y');
    expect(composerOf(tui).text).toBe('');
    tui.write('ㅂ'); // q means nothing here: typed
    await untilComposer(tui, 'ㅂ');
  });

  test('Enter folds and unfolds a tool call', async () => {
    const machine = await makeMachine({
      conversations: (work) => [
        {
          title: 'tools',
          source: 'tui',
          cwd: work,
          age: 3,
          messages: [you('list it'), calls('terminal', { command: 'ls' }), result('alpha.txt\nomega.txt'), agent('Two files.')],
        },
      ],
    });
    const { tui } = await opened(kitty, ['-c'], machine);
    await key(tui, 'shift+tab', (t) => statusOf(t).includes('reading'), 'reading mode');
    tui.press('up');
    await key(tui, 'up', (t) => t.lines().some((line) => line.startsWith('▌') && line.includes('terminal')), 'the tool call');
    await key(tui, 'enter', (t) => t.text().includes('omega.txt'), 'its result');
    await key(tui, 'enter', (t) => !t.text().includes('omega.txt'), 'folded again');
  });
});

/** Texts the program put on the clipboard by OSC 52. */
function decodedClipboard(tui: Tui): string[] {
  return [
    ...tui
      .raw()
      .toString('latin1')
      .matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)\x07/gu),
  ].map((found) => Buffer.from(found[1] ?? '', 'base64').toString('utf8'));
}

describe.each(terminals)('the program, %s', (_name, kitty) => {
  test('Ctrl+G writes in $EDITOR, and an editor that fails keeps the line', async () => {
    const machine = await makeMachine({ conversations: history });
    const editor = join(machine.home, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nprintf "%s und 한글\\nzwei\\n" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"\n');
    chmodSync(editor, 0o700);
    const tui = await startHermes(machine, { kitty, env: { EDITOR: editor, VISUAL: undefined } });
    tui.write('eins');
    await untilComposer(tui, 'eins');
    await key(tui, 'ctrl+g', (t) => composerOf(t).text === 'eins und 한글\nzwei', 'the edited text');
    expect(tui.modes()).toMatchObject({ alternateScreen: true, bracketedPaste: true, mouse: 'drag' });
    writeFileSync(editor, '#!/bin/sh\nexit 3\n');
    await key(tui, 'ctrl+g', (t) => statusOf(t).includes('could not be run'), 'the refusal');
    expect(composerOf(tui).text).toBe('eins und 한글\nzwei');
    if (kitty) expect(tui.modes().kittyDepth).toBe(1);
  });

  test('Ctrl+L draws everything again', async () => {
    const { tui } = await opened(kitty);
    tui.write('kept');
    await untilComposer(tui, 'kept');
    const before = tui.lines();
    await tui.emulator.write('\x1b[5;1Hrubbish of another program\x1b[12;3H####');
    expect(tui.text()).toContain('rubbish');
    await key(tui, 'ctrl+l', (t) => !t.text().includes('rubbish'), 'a clean screen');
    expect(tui.lines()).toEqual(before);
  });

  test('Esc closes, then leaves reading, then interrupts, and never clears text', async () => {
    const { tui, machine } = await opened(kitty);
    machine.model.script(['part one ', 'part two ']);
    machine.model.hold();
    tui.write('go');
    tui.press('enter');
    await untilText(tui, 'part two');
    tui.write('my text');
    await untilComposer(tui, 'my text');
    await key(tui, 'ctrl+x', (t) => t.text().includes('Sessions'), 'the sessions');
    await key(tui, 'escape', (t) => composerOf(t).text === 'my text', 'the conversation');
    expect(statusOf(tui)).toContain('working');
    await key(
      tui,
      'shift+tab',
      (t) => !statusOf(t).includes('new line') && t.lines().some((l, y) => y > 1 && l.startsWith('▌')),
      'reading',
    );
    await key(tui, 'escape', (t) => !t.lines().some((l, y) => y > 1 && l.startsWith('▌')), 'no reading any more');
    expect(statusOf(tui)).toContain('working');
    await key(tui, 'escape', (t) => !statusOf(t).includes('working'), 'the turn interrupted');
    expect(composerOf(tui).text).toBe('my text');
    tui.press('escape', 'escape');
    await tui.waitIdle();
    expect(composerOf(tui).text).toBe('my text');
  });

  test('Ctrl+C closes, else interrupts, else clears the line, else leaves when pressed twice', async () => {
    const { tui, machine } = await opened(kitty);
    machine.model.script(['part ']);
    machine.model.hold();
    tui.write('go');
    tui.press('enter');
    await untilText(tui, 'part');
    tui.write('cleared text');
    await untilComposer(tui, 'cleared text');
    await key(tui, 'ctrl+x', (t) => t.text().includes('Sessions'), 'the sessions');
    await key(tui, 'ctrl+c', (t) => composerOf(t).text === 'cleared text' && statusOf(t).includes('working'), 'closed, still working');
    await key(tui, 'ctrl+c', (t) => !statusOf(t).includes('working'), 'interrupted');
    expect(composerOf(tui).text).toBe('cleared text');
    await key(tui, 'ctrl+c', (t) => composerOf(t).text === '', 'the line cleared');
    await key(tui, 'up', (t) => composerOf(t).text === 'cleared text', 'the cleared text as the newest entry of the history');
    await key(tui, 'ctrl+c', (t) => composerOf(t).text === '', 'the line cleared');
    await key(tui, 'ctrl+c', (t) => statusOf(t).includes('^C again leaves'), 'the warning');
    await tui.until((t) => !statusOf(t).includes('again leaves'), 'the warning to go after 2 s', 4000);
    await key(tui, 'ctrl+c', (t) => statusOf(t).includes('^C again leaves'), 'the warning');
    tui.press('ctrl+c');
    expect((await tui.exited).code).toBe(0);
  });

  test('Ctrl+D leaves on an empty idle line only', async () => {
    const { tui } = await opened(kitty);
    tui.write('a');
    await untilComposer(tui, 'a');
    tui.press('ctrl+d');
    await tui.waitIdle();
    expect(tui.exitStatus()).toBeUndefined();
    expect(composerOf(tui).text).toBe('a');
    tui.press('backspace');
    await untilComposer(tui, '');
    tui.press('ctrl+d');
    expect((await tui.exited).code).toBe(0);
  });
});

describe.each(terminals)('lists, %s', (_name, kitty) => {
  const many = (work: string): Conversation[] => [
    ...Array.from({ length: 60 }, (_, index): Conversation => ({
      title: `talk ${String(index + 1).padStart(2, '0')}x`,
      source: 'tui',
      cwd: work,
      age: index + 1,
      messages: [you('q'), agent('a')],
    })),
    { title: 'base', source: 'tui', cwd: work, age: 200, messages: [you('root question'), agent('a')] },
    { title: 'base side', source: 'tui', cwd: work, age: 190, messages: [you('q'), agent('a')], parent: { index: 60, kind: 'branch' } },
    { title: 'robot', source: 'cron', cwd: work, age: 3.5, messages: [you('tick'), agent('tock')] },
    { title: 'far away', source: 'tui', cwd: '/somewhere/else', age: 2.5, messages: [you('q'), agent('a')] },
  ];
  const selected = (t: Tui): string => t.lines().find((line, y) => y > 3 && line.startsWith('▌')) ?? '';

  test('moving, taking, going back', async () => {
    const machine = await makeMachine({ conversations: many });
    const tui = await startHermes(machine, { kitty });
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 01'), 'the list');
    await key(tui, 'down', (t) => selected(t).includes('talk 02'), 'a row down');
    await key(tui, 'ctrl+n', (t) => selected(t).includes('talk 03'), 'a row down');
    await key(tui, 'ctrl+j', (t) => selected(t).includes('talk 04'), 'a row down');
    await key(tui, 'ctrl+p', (t) => selected(t).includes('talk 03'), 'a row up');
    await key(tui, 'up', (t) => selected(t).includes('talk 02'), 'a row up');
    await key(tui, 'pagedown', (t) => /talk (2|3)\d/u.test(selected(t)), 'a page down');
    await key(tui, 'pageup', (t) => /talk 0[12]/u.test(selected(t)), 'a page up');
    await key(tui, 'end', (t) => selected(t).includes('base'), 'the last row');
    await key(tui, 'home', (t) => selected(t).includes('talk 01'), 'the first row');
    tui.write('talk 07x');
    await tui.until((t) => selected(t).includes('talk 07'), 'the filtered row');
    await key(tui, 'escape', (t) => composerOf(t).row === 0 && statusOf(t).includes('F1 help'), 'back');
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 07'), 'the list as it was left');
    await key(tui, 'enter', (t) => t.lines()[0]!.includes('talk 07') && t.text().includes('Previous conversation'), 'the session');
  });

  test('sessions browse holds the newest of the source it was asked for', async () => {
    const machine = await makeMachine({ conversations: many });
    const tui = await startHermes(machine, { kitty, args: ['sessions', 'browse', '--source', 'tui', '--limit', '3'] });
    await tui.until((t) => t.text().includes('2 of 3'), 'three rows, one of them elsewhere');
    await key(tui, 'tab', (t) => t.text().includes('3 of 3') && t.text().includes('far away'), 'all three');
    expect(tui.text()).toContain('talk 02');
    expect(tui.text()).not.toContain('talk 03');
  });

  test('a title that is taken away leaves the header of the conversation below', async () => {
    const machine = await makeMachine({ conversations: many });
    const tui = await startHermes(machine, { kitty });
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 01'), 'the list');
    await key(tui, 'enter', (t) => t.lines()[0]!.includes('talk 01'), 'the session');
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 01'), 'the list again');
    await key(tui, 'ctrl+r', (t) => t.text().includes('Title of the session'), 'the question');
    tui.press('ctrl+u');
    await key(tui, 'enter', (t) => !t.text().includes('talk 01'), 'no title in the list');
    expect(machine.ask('SELECT title FROM sessions WHERE id = ?', machine.ids[0])).toBeNull();
    await key(tui, 'escape', (t) => t.lines()[0]!.includes(machine.ids[0]!), 'the id in the header');
  });

  test('scope, hidden kinds, pin, rename, copy id, unfold and fold', async () => {
    const machine = await makeMachine({ conversations: many });
    const tui = await startHermes(machine, { kitty });
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 01'), 'the list');
    await key(tui, 'tab', (t) => t.text().includes('far away'), 'everywhere');
    await key(tui, 'tab', (t) => !t.text().includes('far away'), 'this directory');
    await key(tui, 'alt+h', (t) => t.text().includes('robot'), 'machine-made ones');
    await key(tui, 'alt+h', (t) => !t.text().includes('robot'), 'hidden again');
    await key(tui, 'ctrl+t', (t) => selected(t).includes('★'), 'the pin');
    expect(machine.ask('SELECT pinned FROM sessions WHERE id = ?', machine.ids[0])).toBe(1);
    await key(tui, 'ctrl+t', (t) => !selected(t).includes('★'), 'no pin');
    await key(tui, 'alt+c', (t) => t.text().includes(`id copied: ${machine.ids[0]}`), 'the id');
    expect(decodedClipboard(tui).at(-1)).toBe(machine.ids[0]);
    await key(tui, 'ctrl+r', (t) => t.text().includes('Title of the session'), 'the question');
    tui.press('ctrl+u');
    tui.write('새 제목');
    await untilText(tui, '새 제목');
    await key(tui, 'enter', (t) => selected(t).includes('새 제목'), 'the new title');
    expect(machine.ask('SELECT title FROM sessions WHERE id = ?', machine.ids[0])).toBe('새 제목');
    tui.write('root question');
    await tui.until((t) => selected(t).includes('base'), 'the lineage');
    await key(tui, 'right', (t) => t.text().includes('base side'), 'the branch under it');
    await key(tui, 'left', (t) => !t.text().includes('base side'), 'one row again');
    await key(tui, 'left', (t) => t.cursor().x < 3 + 'root question'.length, 'the caret moves where there is nothing to fold');
  });

  test('an Alt key sent as ESC and a letter apart, but within the wait, is still that key', async () => {
    const machine = await makeMachine({ conversations: many });
    const tui = await startHermes(machine, { kitty, env: { SSH_CONNECTION: '1 2 3 4' } });
    await key(tui, 'ctrl+x', (t) => selected(t).includes('talk 01'), 'the list');
    if (kitty) {
      tui.press('alt+ㅗ');
    } else {
      tui.write('\x1b');
      await new Promise((resolve) => setTimeout(resolve, 40));
      tui.write('ㅗ');
    }
    await untilText(tui, 'robot');
  });
});

describe('sequences in pieces', () => {
  test.each([
    ['an arrow', ['\x1b', '[A']],
    ['Ctrl+→', ['\x1b[', '1;5C']],
    ['Delete', ['\x1b', '[3', '~']],
    ['F1 of an older terminal', ['\x1bO', 'P']],
    ['a mouse report', ['\x1b', '[<0;5;', '5M', '\x1b[<0;5', ';5m']],
    ['a kitty key', ['\x1b[1', '3;2', 'u']],
    ['a cursor report', ['\x1b[1', '2;40R']],
    ['a colour', ['\x1b]11;rgb:1010', '/1010/1010\x1b', '\\']],
    ['device attributes', ['\x1b', '[?62;', '22c']],
    ['XTVERSION', ['\x1bP>|', 'kitty(0.26)', '\x1b\\']],
    ['a focus report', ['\x1b', '[I']],
  ])('%s with 150 ms between its parts types nothing', async (_name, parts) => {
    const machine = await makeMachine({ isFresh: true });
    const tui = await startHermes(machine);
    tui.write('x');
    await untilComposer(tui, 'x');
    for (const part of parts) {
      tui.write(part);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    // F1 opened its menu, the others nothing.
    if (tui.text().includes('Help  ')) {
      tui.press('escape');
      await untilGone(tui, 'Help  ');
    }
    tui.press('end');
    tui.write('y');
    await tui.until((t) => composerOf(t).text.endsWith('y'), 'the letter after it');
    // Shift+Enter is a new line; everything else left the text alone.
    expect(composerOf(tui).text.replaceAll('\n', '')).toBe('xy');
  });

  test('every answer a terminal may give is no text', async () => {
    const machine = await makeMachine({ isFresh: true });
    const tui = await startHermes(machine);
    const replies = [
      '\x1b[?1;2c',
      '\x1b[>1;95;0c',
      '\x1b[24;80R',
      '\x1b]11;rgb:ffff/ffff/ffff\x07',
      '\x1b]52;c;aGVsbG8=\x1b\\',
      '\x1bP>|XTerm(390)\x1b\\',
      '\x1bP1+r544e=787465726d\x1b\\',
      '\x1b[?2026;2$y',
      '\x1b[?1u',
      '\x1b[8;24;80t',
      '\x1b_Gi=1;OK\x1b\\',
      '\x1b[O\x1b[I',
    ];
    tui.write(`a${replies.join('')}b`);
    for (const reply of replies) tui.write(reply);
    tui.write('c');
    await untilComposer(tui, 'abc');
  });

  test('a lone Esc is Esc, and what is typed half a second later is text', async () => {
    const machine = await makeMachine({ isFresh: true });
    const tui = await startHermes(machine);
    tui.write('/');
    await untilText(tui, '/title');
    tui.write('\x1b');
    await untilGone(tui, '/title');
    await new Promise((resolve) => setTimeout(resolve, 600));
    tui.write('[A');
    await untilComposer(tui, '/[A');
  });
});

describe('keys of one’s own', () => {
  test('a command answers to the key of config.yaml, hints show it, and its old key is free', async () => {
    const machine = await makeMachine({
      conversations: history,
      config: ['tui:', '  keys:', '    picker.rename: f2', '    app.sessions: ctrl+s f3'],
    });
    const tui = await startHermes(machine);
    expect(statusOf(tui)).toContain('^S sessions');
    tui.press('f3');
    await untilText(tui, 'F2 rename');
    tui.press('ctrl+r');
    await tui.waitIdle();
    expect(tui.text()).not.toContain('Title of the session');
    tui.press('f2');
    await untilText(tui, 'Title of the session');
  });

  test('/reload takes new keys at once', async () => {
    const machine = await makeMachine({ conversations: history, config: ['tui:', '  keys:', '    app.sessions: ctrl+s'] });
    const tui = await startHermes(machine);
    expect(statusOf(tui)).toContain('^S sessions');
    const file = join(machine.home, 'config.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('ctrl+s', 'f4'));
    tui.write('/reload');
    tui.press('enter');
    await tui.until((t) => statusOf(t).includes('F4 sessions'), 'the new key in the footer');
    tui.press('f4');
    await untilText(tui, '결제 모듈');
  });

  test('a clash names both commands and the file, and the default stays', async () => {
    const machine = await makeMachine({
      conversations: history,
      config: ['tui:', '  keys:', '    picker.rename: ctrl+t', '    nonsense.row: f2', '    composer.editor: alt+['],
    });
    const tui = await startHermes(machine);
    await untilText(tui, 'picker.rename');
    const shown = tui.text().replaceAll(/\s+/gu, ' ');
    expect(shown).toContain('picker.pin');
    expect(shown).toContain('config.yaml');
    expect(shown).toContain('nonsense.row');
    expect(shown).toMatch(/alt\+\[/u);
    tui.press('ctrl+x');
    await untilText(tui, '^R rename');
  });
});

test('Esc right after the first frame is taken, with the answers of the terminal right behind it', async () => {
  const machine = await makeMachine({ conversations: history });
  const env = { HERMES_HOME: machine.home };
  const tui = spawnTui({ command: hermesBin, args: ['sessions', 'browse'], env, cwd: machine.work, answers: false });
  await tui.until((t) => t.text().includes('long talk'), 'the list');
  tui.write('\x1b\x1b[2;2R\x1b]11;rgb:1616/1616/1a1a\x1b\\\x1b[?2026;2$y\x1b[?62;4c');
  expect((await tui.exited).code).toBe(0);
});
