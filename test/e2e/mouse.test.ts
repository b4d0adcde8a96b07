import { describe, expect, test } from 'vitest';
import { agent, calls, result, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { makeMachine, startHermes, statusOf, untilComposer, untilGone, untilText } from '../support/hermes.ts';
import type { Tui } from '../support/tui.ts';

/** Case 24 of the situations: the wheel works everywhere, selecting is possible in two plain ways, a click by accident does nothing. */
const conversations = (work: string): Conversation[] => [
  {
    title: 'with tools',
    source: 'tui',
    cwd: work,
    age: 1,
    messages: [
      you('첫 질문 with words\n둘째 줄'),
      calls('terminal', { command: 'ls' }),
      result('alpha.txt\nomega.txt'),
      agent(
        `Two files, and a sentence that is so long that it has to be wrapped at the right edge of a screen of a hundred columns, 그리고 한글.\n\n${Array.from({ length: 30 }, (_, line) => `- point ${line + 1}`).join('\n')}`,
      ),
    ],
  },
  ...Array.from({ length: 50 }, (_, index): Conversation => ({
    title: `talk ${index + 1}x`,
    source: 'tui',
    cwd: work,
    age: index + 5,
    messages: [you('q'), agent('a')],
  })),
];

const clipboard = (tui: Tui): string[] =>
  [
    ...tui
      .raw()
      .toString('latin1')
      .matchAll(/\x1b\]52;c;([A-Za-z0-9+/=]*)\x07/gu),
  ].map((found) => Buffer.from(found[1] ?? '', 'base64').toString('utf8'));

/** The row that shows the text in its left half. */
const rowOf = (tui: Tui, text: string): number => {
  const y = tui.lines().findIndex((line) => line.slice(0, 45).includes(text));
  if (y === -1) throw new Error(`${text} is not on the screen:\n${tui.text()}`);
  return y;
};

async function reading(): Promise<Tui> {
  const machine = await makeMachine({ conversations });
  const tui = await startHermes(machine, { args: ['-c'] });
  await untilText(tui, 'Previous conversation');
  tui.press('pageup');
  await untilText(tui, 'point 30');
  return tui;
}

test('the wheel scrolls transcript, list and preview', async () => {
  const tui = await reading();
  tui.wheel(10, 10, -40);
  await untilText(tui, '첫 질문');
  tui.wheel(10, 10, 40);
  await untilText(tui, 'point 30');
  tui.press('ctrl+x');
  await untilText(tui, 'talk 20x');
  tui.wheel(10, 10, 3);
  await untilGone(tui, 'with tools   ');
  tui.wheel(80, 10, -3);
  await untilText(tui, 'with tools');
});

describe('dragging', () => {
  test('copies what was said, without gutters, wraps or padding, and says so', async () => {
    const tui = await reading();
    tui.wheel(10, 10, -40);
    await untilText(tui, '첫 질문');
    const first = rowOf(tui, '첫 질문');
    tui.drag([3, first], [20, first + 1]);
    await tui.until(
      (t) => clipboard(t).at(-1) === '첫 질문 with words\n둘째 줄',
      `the words on the clipboard (${JSON.stringify(clipboard(tui))})`,
    );
    await tui.until((t) => statusOf(t).includes('copied 2 lines'), 'what was copied, said');
    const sentence = rowOf(tui, 'Two files, and');
    tui.drag([3, sentence], [99, sentence + 1]);
    await tui.until(
      (t) =>
        clipboard(t).at(-1) ===
        'Two files, and a sentence that is so long that it has to be wrapped at the right edge of a screen of a hundred columns, 그리고 한글.',
      `the sentence as one line`,
    );
    // Half a wide character is the whole of it.
    tui.drag([4, first], [6, first]);
    await tui.until((t) => clipboard(t).at(-1) === '첫 질', `whole characters (${JSON.stringify(clipboard(tui).at(-1))})`);
  });

  test('in the line selects, and typing replaces it', async () => {
    const tui = await reading();
    tui.write('eins 둘 drei');
    await untilComposer(tui, 'eins 둘 drei');
    const y = tui.cursor().y;
    tui.drag([8, y], [10, y]);
    tui.write('zwei');
    await untilComposer(tui, 'eins zwei drei');
  });
});

test('a click on a tool row unfolds and folds it; a click elsewhere does nothing', async () => {
  const tui = await reading();
  tui.wheel(10, 10, -40);
  await untilText(tui, '▸ terminal');
  tui.click(6, rowOf(tui, '▸ terminal'));
  await untilText(tui, 'omega.txt');
  tui.click(6, rowOf(tui, 'terminal'));
  await untilGone(tui, 'omega.txt');
  const before = tui.lines().slice(0, -1);
  tui.click(6, rowOf(tui, '첫 질문'));
  tui.click(50, 0);
  await tui.waitIdle();
  expect(tui.lines().slice(0, -1)).toEqual(before);
  expect(clipboard(tui)).toEqual([]);
});

test('a click in the list moves the cursor; only a second one opens; the click that brings the window to the front opens nothing', async () => {
  const tui = await reading();
  tui.press('ctrl+x');
  await untilText(tui, 'talk 5x');
  const selected = (t: Tui): string => t.lines().find((line, y) => y > 3 && line.startsWith('▌')) ?? '';
  tui.click(8, rowOf(tui, 'talk 5x'));
  await tui.until((t) => selected(t).includes('talk 5x'), 'the row under the click');
  tui.write('\x1b[O');
  await tui.waitIdle();
  tui.write('\x1b[I');
  tui.click(8, rowOf(tui, 'talk 5x'));
  await tui.waitIdle();
  expect(tui.text()).toContain('Sessions');
  tui.click(8, rowOf(tui, 'talk 5x'));
  await tui.until((t) => t.lines()[0]!.includes('talk 5x'), 'the session');
});

test('/mouse off gives the terminal its own selection back, and is remembered', async () => {
  const machine = await makeMachine({ conversations });
  const tui = await startHermes(machine);
  expect(tui.modes()).toMatchObject({ mouse: 'drag', mouseSgr: true });
  tui.write('/mouse off');
  tui.press('enter');
  await tui.until((t) => t.modes().mouse === 'none' && !t.modes().mouseSgr, 'the mouse of the terminal');
  await untilText(tui, 'mouse off');
  await tui.kill('SIGTERM');
  const again = await startHermes(machine);
  expect(again.modes().mouse).toBe('none');
  again.write('/mouse on');
  again.press('enter');
  await again.until((t) => t.modes().mouse === 'drag', 'the mouse again');
});
