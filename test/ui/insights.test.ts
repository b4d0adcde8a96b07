import { describe, expect, it } from 'vitest';
import { stringWidth } from '../../src/terminal/width.ts';
import { buildInsights, noFacts, type InsightFacts, type Insights } from '../../src/session/insights.ts';
import { renderInsights } from '../../src/commands/insights-text.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { lineText } from '../../src/ui/compose.ts';
import { createInsights, createInsightsScreen } from '../../src/ui/screens/insights/index.ts';
import { driveScreen, fixedNow } from '../support/screen.ts';

const source = (name: string, sessions: number, tokens: number) => ({
  ...{ source: name, sessions, messages: sessions * 10, toolCalls: sessions, inputTokens: tokens, outputTokens: tokens },
  ...{ cacheReadTokens: 0, cacheWriteTokens: 0 },
});
const model = (name: string, sessions: number, inputTokens: number) => ({
  ...{ model: name, sessions, inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, isEstimate: false },
});

const facts: InsightFacts = {
  ...noFacts,
  sources: [source('tui', 12, 1_200_000), source('위챗-고객센터', 3, 40)],
  models: [model('gpt-5-mini', 12, 2_000_000), model('사내모델-한국어-대화형-초거대-언어모델-버전-칠', 3, 5000)],
  starts: Array.from({ length: 15 }, (_, index) => new Date(2027, 0, 4 + (index % 5), 9 + (index % 3)).getTime()),
  userMessages: 70,
  activeMs: 9_000_000,
  tools: [
    { name: 'terminal', calls: 30 },
    { name: '파일읽기', calls: 10 },
  ],
  notable: [
    {
      kind: 'longest',
      id: '20270104_090000_aaaa01',
      title: '결제 화면 리팩터링 👩🏽‍💻',
      startedAt: new Date(2027, 0, 4).getTime(),
      value: 3_600_000,
    },
    { kind: 'messages', id: '20270105_090000_aaaa02', startedAt: new Date(2027, 0, 5).getTime(), value: 40 },
  ],
  undated: 2,
};
const report = (days: number, of = facts): Insights => buildInsights(of, { days }, fixedNow);

function open(size = { width: 80, height: 24 }, of = facts) {
  const screen = driveScreen(createInsightsScreen(), createInsights(30), size);
  expect(screen.send({ type: 'shown' })).toEqual([{ type: 'load', days: 30, token: 1 }]);
  screen.send({ type: 'loaded', token: 1, report: report(30, of) });
  return screen;
}

describe('the screen of insights', () => {
  it('looks like this at 80x24', () => {
    const lines = open().lines();
    expect(lines[0]).toMatch(/^▌Insights {3}\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d +7 d {2}▌30 d {3}90 d {3}1 y$/);
    expect(lines.slice(1, 17)).toEqual([
      '─'.repeat(80),
      '',
      '  Overview',
      '  Sessions                        15      Messages                       150',
      '  User messages                   70      Tool calls                      15',
      '  Input tokens                  1.2M      Output tokens                 1.2M',
      '  Total tokens                  2.4M      Cost                       ≈ $0.50',
      '  Active time             2 h 30 min      Avg session                 10 min',
      '  Avg msgs/session              10.0',
      '',
      '  Models Used                                        Sessions  Tokens     Cost',
      '  gpt-5-mini                                               12      2M  ≈ $0.50',
      '  사내모델-한국어-대화형-초거대-언어모델-버전-칠            3      5k  unknown',
      '',
      '  Platforms                                         Sessions  Messages  Tokens',
      '  tui                                                     12       120    2.4M',
    ]);
    expect(lines[23]).toBe(' ← → period  ↑ ↓ scroll  Esc back                                       F1 help');
  });

  it.each([
    { width: 40, height: 12 },
    { width: 80, height: 24 },
    { width: 120, height: 40 },
  ])('keeps its columns straight and every line inside $width cells, scrolled to the end and back', (size) => {
    const screen = open(size);
    const seen = new Set<string>();
    for (let step = 0; step < 60; step++) {
      for (const line of screen.lines()) seen.add(line);
      screen.press('down');
    }
    const all = [...seen].join('\n');
    for (const title of ['Overview', 'Models Used', 'Platforms', 'Top Tools', 'Activity Patterns', 'Weekday by hour', 'Notable Sessions'])
      expect(all).toContain(title);
    expect(all).toContain('2 sessions have a start');
    for (const glyphs of [asciiGlyphs]) {
      const chrome = screen.view(glyphs).lines.map(lineText).join('');
      expect(chrome).not.toMatch(/[·•●━─▌≈…]/u);
    }
    screen.press('home');
    expect(screen.lines()[size.width < 60 ? 2 : 3]).toContain('Overview');
  });

  it('draws four steps of heat with a sign and a weight of their own', () => {
    const starts = [1, 2, 2, 3, 3, 3, 3].flatMap((day) => [new Date(2027, 0, 3 + day, 5).getTime()]);
    const screen = open({ width: 120, height: 40 }, { ...facts, starts });
    const row = (day: string): string =>
      screen
        .lines()
        .find((line) => line.includes(`${day}  ·`))
        ?.slice(60) ?? '';
    expect(row('Mon')).toContain('· · · · · • · ·');
    expect(row('Tue')).toContain('· · · · · ● · ·');
    expect(row('Wed')).toContain('· · · · · ● · ·');
    const style = (day: string) => {
      const line = screen.view().lines.find((each) => lineText(each).includes(`${day}  ·`)) ?? [];
      return line.find((each) => /^[•●]/u.test(each.text))?.style;
    };
    expect([style('Mon'), style('Tue'), style('Wed')]).toEqual(['soft', 'soft', 'accent bold']);
  });

  it('turns to the next period, and drops the answer for the one before', () => {
    const screen = open();
    expect(screen.press('right')).toEqual([{ type: 'load', days: 90, token: 2 }]);
    expect(screen.lines()[0]).toContain('counting …');
    expect(screen.press('tab')).toEqual([{ type: 'load', days: 365, token: 3 }]);
    screen.send({ type: 'loaded', token: 2, report: report(90, noFacts) });
    expect(screen.text()).toContain('gpt-5-mini');
    screen.send({ type: 'loaded', token: 3, report: report(365) });
    expect(screen.lines()[0]).toContain('▌1 y');
    expect(screen.press('right')).toEqual([]);
    expect(screen.press('left')).toEqual([{ type: 'load', days: 90, token: 4 }]);
  });

  it('shows a period that was asked for among the usual ones', () => {
    const screen = driveScreen(createInsightsScreen(), createInsights(45), { width: 80, height: 24 });
    screen.send({ type: 'shown' }, { type: 'loaded', token: 1, report: report(45) });
    expect(screen.lines()[0]).toContain('7 d   30 d  ▌45 d   90 d   1 y');
    expect(screen.press('left')).toEqual([{ type: 'load', days: 30, token: 2 }]);
  });

  it('opens the notable session under the cursor, by key and by two clicks', () => {
    const screen = open();
    expect(screen.press('enter')).toEqual([]);
    screen.press('end');
    expect(screen.lines().find((line) => line.startsWith('▌ '))).toContain('결제 화면 리팩터링');
    expect(screen.lines()[23]).toContain('Enter open');
    screen.press('down', 'down');
    expect(screen.press('enter')).toEqual([{ type: 'open', id: '20270105_090000_aaaa02' }]);
    const y = screen.lines().findIndex((line) => line.includes('결제'));
    const click = { type: 'mouse', action: 'press', button: 'left', x: 5, y, shift: false, alt: false, ctrl: false } as const;
    expect(screen.send({ type: 'mouse', event: click })).toEqual([]);
    expect(screen.send({ type: 'mouse', event: click })).toEqual([{ type: 'open', id: '20270104_090000_aaaa01' }]);
  });

  it('says what to do where there is nothing, and where the store does not answer', () => {
    const screen = open(undefined, noFacts);
    expect(screen.text()).toContain('No sessions found in the last 30 days.');
    expect(screen.text()).toContain('→ looks further back.');
    screen.press('right');
    screen.send({ type: 'failed', token: 2, reason: 'The store is damaged.', hint: 'Run: hermes sessions repair' });
    expect(screen.text()).toContain('The store is damaged.');
    expect(screen.text()).toContain('Run: hermes sessions repair');
    expect(screen.press('escape')).toEqual([{ type: 'close' }]);
  });
});

describe('the text of hermes insights', () => {
  it.each([24, 40, 60, 80, 200])('keeps every line within %i cells, whatever the script', (width) => {
    for (const ascii of [false, true]) {
      const lines = renderInsights(report(30), { width, ascii });
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(Math.min(width, 80));
      if (ascii) expect(lines.join('').replace('📊', '')).not.toMatch(/[━─│╭≈…]/u);
      expect(lines.join('\n')).not.toMatch(/ $/mu);
    }
  });

  it('puts numbers one below the other, wide letters or not', () => {
    const lines = renderInsights(report(30));
    const ends = lines.filter((line) => /gpt-5-mini|사내모델|Cost$/u.test(line)).map(stringWidth);
    expect(new Set(ends.slice(-3)).size).toBe(1);
    expect(lines.filter((line) => /^ {2}[╭│╰]/u.test(line)).map(stringWidth)).toEqual([78, 78, 78, 78, 78]);
  });

  it('is one line where there is nothing', () => {
    expect(renderInsights(report(7, noFacts))).toEqual(['  No sessions found in the last 7 days.']);
    expect(renderInsights(buildInsights(noFacts, { days: 7, source: 'slack' }, fixedNow))).toEqual([
      '  No sessions found in the last 7 days (source: slack).',
    ]);
  });
});
