import { describe, expect, test } from 'vitest';
import { formatBytes } from '../../src/text/format-bytes.ts';
import { chooseStyle, renderGroup, summarize, type Finding, type Style } from '../../src/commands/doctor/report.ts';
import { stringWidth } from '../../src/terminal/width.ts';
import { runDoctorOn, wellOutside } from '../support/doctor.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const plain: Style = { hasColour: false, isAscii: true };
const utf8 = { LANG: 'C.UTF-8', TERM: 'xterm-256color' };
const sink = (isTTY: boolean, columns = 80) => ({ write: () => undefined, isTTY, columns });
/** Without colours. */
const bare = (line: string): string => line.replace(/\u001b\[\d+m/gu, '');

const findings: Finding[] = [
  { id: 'identity', mark: 'ok', text: 'tmux %3', details: ['셸이 세션을 이끈다 '.repeat(8).trim()] },
  {
    id: 'home',
    mark: 'look',
    text: '/home/안나/에르메스/프로필/연구실 '.repeat(4).trim(),
    hint: 'Try: chmod 700 /home/안나/에르메스/프로필/연구실-그리고-아주-긴-이름의-폴더',
  },
  { id: 'problem', mark: 'wrong', text: 'one' },
  { id: 'problem', mark: 'wrong', text: 'two' },
  { id: 'local', mark: 'note', text: 'none' },
];

describe('the report', () => {
  test.each<[string, Style]>([
    ['in a pipe', plain],
    ['80 cells wide', { hasColour: true, isAscii: false, columns: 80 }],
    ['60 cells wide', { hasColour: true, isAscii: false, columns: 60 }],
  ])('%s: marks, names and texts begin in the same column, Hangul or not; only a command may be longer than the line', (_title, style) => {
    const lines = renderGroup('config', findings, style).map(bare);
    const texts = ['tmux', '/home/', 'one', 'two', 'none'].map((text) => lines.find((line) => line.includes(text)) as string);
    const columns = texts.map((line, index) =>
      stringWidth(line.slice(0, line.indexOf(['tmux', '/home/', 'one', 'two', 'none'][index] as string))),
    );
    expect(new Set(columns).size).toBe(1);
    for (const line of lines) if (!line.includes('chmod')) expect(stringWidth(line)).toBeLessThanOrEqual(style.columns ?? 200);
    expect(lines.filter((line) => line.includes('chmod 700 /home/안나/에르메스/프로필/연구실-그리고-아주-긴-이름의-폴더'))).toHaveLength(1);
  });

  test('a name is written once for lines that share it', () => {
    expect(renderGroup('config', findings, plain).filter((line) => line.includes('problem'))).toHaveLength(1);
  });

  test.each<[string, boolean, Record<string, string>, Style]>([
    ['a terminal', true, utf8, { hasColour: true, isAscii: false, columns: 80 }],
    ['a pipe', false, { ...utf8, FORCE_COLOR: '3' }, { hasColour: false, isAscii: true, columns: undefined }],
    ['NO_COLOR', true, { ...utf8, NO_COLOR: '1' }, { hasColour: false, isAscii: true, columns: 80 }],
    ['TERM=dumb', true, { ...utf8, TERM: 'dumb' }, { hasColour: false, isAscii: true, columns: 80 }],
    ['a locale without UTF-8', true, { ...utf8, LANG: 'C' }, { hasColour: true, isAscii: true, columns: 80 }],
  ])('%s', (_title, isTTY, env, style) => {
    expect(chooseStyle(sink(isTTY), env)).toEqual(style);
  });

  test('a pipe gets ASCII marks and no escape sequence; a terminal gets signs and colours', () => {
    expect(renderGroup('config', findings, plain).join('')).not.toMatch(/[\u001b✓✗·→]/u);
    expect(renderGroup('config', findings, { hasColour: true, isAscii: false }).join('')).toMatch(/\u001b\[32m✓\u001b\[0m/u);
  });

  test('escape sequences in names and values are not sent on', () => {
    const line = renderGroup('terminal', [{ id: 'term', mark: 'ok', text: 'x\u001b[2Jy', hint: '\u001b]0;z\u0007' }], plain).join('\n');
    expect(line).not.toMatch(/[\u001b\u0007]/u);
  });

  test.each<[Finding[], string]>([
    [[], 'Nothing is wrong.'],
    [findings, '2 things are wrong, 1 is worth a look.'],
    [findings.slice(0, 3), '1 thing is wrong, 1 is worth a look.'],
  ])('sums up', (of, sentence) => expect(summarize(of)).toBe(sentence));

  test.each<[number, string]>([
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1.0 kB'],
    [150 * 1024 * 1024, '150 MB'],
  ])('%i bytes', (count, text) => expect(formatBytes(count)).toBe(text));
});

describe('hermes doctor', () => {
  test('what is worth a look does not fail; what is wrong gives 1', async () => {
    const home = temporaryFolder();
    expect(await runDoctorOn(home, wellOutside({ askTmux: () => '500' }))).toMatchObject({
      code: 0,
      out: expect.stringContaining('escape-time 10') as string,
    });
    expect((await runDoctorOn(home, wellOutside({ nodeVersion: '18.0.0' }))).code).toBe(1);
  });

  test('a part that fails is named and the others are still shown', async () => {
    const outside = wellOutside({
      findServers: () => {
        throw new Error('the roof is on fire');
      },
    });
    const { code, out } = await runDoctorOn(temporaryFolder(), outside);
    expect(code).toBe(1);
    expect(out).toContain('the roof is on fire');
    expect(out).not.toContain('    at ');
    expect(out).toContain('\nProgram\n');
  });
});
