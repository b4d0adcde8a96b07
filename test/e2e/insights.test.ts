import { describe, expect, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { makeMachine, startHermes, untilText } from '../support/hermes.ts';
import { makeHome, runHermes } from '../support/hermes-run.ts';

const conversations = (work: string): Conversation[] => [
  {
    title: '결제 화면 리팩터링',
    source: 'tui',
    cwd: work,
    age: 1,
    messages: [you('q'), agent('the long answer'), you('and?'), agent('so')],
  },
  { title: 'months ago', source: 'telegram', cwd: work, age: 60 * 24 * 60, messages: [you('q'), agent('a')] },
];

describe('hermes insights', () => {
  test('on a pipe: the report as text without colour, JSON, one line where there is nothing', async () => {
    const home = makeHome(undefined);
    expect(await runHermes(home, ['insights', '--days', '7'])).toEqual({
      code: 0,
      out: '  No sessions found in the last 7 days.\n',
      err: '',
    });
    const json = await runHermes(home, ['insights', '--json', '--source', 'slack']);
    expect(JSON.parse(json.out)).toMatchObject({ days: 30, source: 'slack', overview: { sessions: 0 }, cost: { usd: 0 } });
    const wrong = await runHermes(home, ['insights', '--days', 'ten']);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
  });

  test('the line mode prints the same text', async () => {
    const home = makeHome(undefined);
    const { out } = await runHermes(home, ['--cli'], '/insights 7\n/insights never\n/quit\n');
    expect(out).toContain('No sessions found in the last 7 days.');
  });
});

test('/insights opens the screen, → looks further back, Enter opens a notable session', async () => {
  const machine = await makeMachine({ conversations });
  const tui = await startHermes(machine);
  tui.write('/insights\r');
  await untilText(tui, '▌30 d');
  await untilText(tui, 'Notable Sessions');
  expect(tui.text()).not.toContain('telegram');
  tui.press('right');
  await untilText(tui, 'telegram');
  expect(tui.lines()[0]).toContain('▌90 d');
  tui.press('end');
  await tui.until((t) => t.lines().some((line) => line.startsWith('▌ ')), 'the cursor on a notable session');
  expect(tui.text()).toContain('결제 화면 리팩터링');
  tui.press('down');
  await tui.waitIdle();
  tui.press('enter');
  await tui.until((t) => t.lines()[0]!.includes('결제 화면 리팩터링') && t.text().includes('the long answer'), 'that session');
  tui.write('/insights 5x\r');
  await untilText(tui, 'Not a number of days: 5x');
});
