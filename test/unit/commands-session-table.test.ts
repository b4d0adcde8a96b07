import { describe, expect, test } from 'vitest';
import { renderSessionTable } from '../../src/commands/session-table.ts';
import type { SessionRow } from '../../src/session/types.ts';
import { stringWidth } from '../../src/terminal/width.ts';

const now = Date.UTC(2026, 2, 10, 12);
const hour = 3_600_000;

const row = (fields: Partial<SessionRow>): SessionRow => ({
  id: '20250305_091523_a1b2c3',
  rootId: '20250305_091523_a1b2c3',
  source: 'cli',
  startedAt: now - 3 * hour,
  lastActive: now - 2 * hour,
  messageCount: 4,
  pinned: false,
  archived: false,
  hidden: false,
  class: 'shown',
  segments: 1,
  ids: ['20250305_091523_a1b2c3'],
  ...fields,
});

describe('the table of sessions list', () => {
  test('titles and workspaces', () => {
    const lines = renderSessionTable(
      [
        row({ title: 'refactoring auth', gitRepoRoot: '/home/ann/code/shop', preview: 'Help me' }),
        row({ id: '20250303_101500_f00001d4', source: 'telegram', lastActive: now - 30 * hour, preview: 'weather' }),
      ],
      now,
    );
    expect(lines).toEqual([
      'Title                       Workspace         Last Active  Src             ID',
      '─'.repeat(99),
      'refactoring auth            shop              2h ago       cli             20250305_091523_a1b2c3',
      '—                           —                 yesterday    telegram        20250303_101500_f00001d4',
    ]);
  });

  test('workspaces without titles show the preview', () => {
    const [header, , first] = renderSessionTable(
      [row({ cwd: '/home/ann/notes', preview: 'Can you check the test failures in here?' })],
      now,
    );
    expect(header).toBe('Preview                               Workspace         Last Active  Src             ID');
    expect(first).toBe('Can you check the test failures in…   notes             2h ago       cli             20250305_091523_a1b2c3');
  });

  test('titles without workspaces show both, neither shows the preview alone', () => {
    expect(renderSessionTable([row({ title: 'a' })], now)[0]).toBe(
      `${'Title'.padEnd(32)}${'Preview'.padEnd(40)}Last Active  Src             ID`,
    );
    expect(renderSessionTable([row({})], now)[0]).toBe(`${'Preview'.padEnd(50)}Last Active  Src             ID`);
  });

  test('Korean, Japanese, emoji and combining marks keep the columns straight', () => {
    const titles = [
      '로그인 모듈 리팩터링과 데이터베이스 이전 계획',
      '請求書の出力',
      '👩‍👩‍👧 plan',
      '⚠️ deploy',
      'cafe\u0301 menu',
      'ｆｕｌｌ幅',
      'नमस्ते',
    ];
    const lines = renderSessionTable(
      titles.map((title) => row({ title, cwd: '/home/ann/논문-정리' })),
      now,
    );
    for (const line of lines.slice(2)) expect(stringWidth(line.slice(0, line.indexOf('20250305')))).toBe(75);
  });

  test('a title that holds escape sequences or line breaks is drawn, never sent', () => {
    const [, , line] = renderSessionTable([row({ title: 'a\u001b[31mb\nc\u202ed' })], now);
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  test('a session that moved shows both sources, the rest is cut at a character', () => {
    expect(renderSessionTable([row({ source: 'tui', createdSource: 'cli' })], now)[2]).toContain('cli→tui');
    expect(renderSessionTable([row({ source: 'tui', createdSource: 'homeassistant-voice' })], now)[2]).toContain('homeassistant…  2025');
  });

  test('a narrow terminal gets a table that fits, ids whole', () => {
    const rows = [
      row({ title: 'refactoring the whole auth module', gitRepoRoot: '/home/ann/code/shop' }),
      row({ title: '결제 화면 리팩터링' }),
    ];
    for (const line of renderSessionTable(rows, now, 80)) expect(stringWidth(line)).toBeLessThanOrEqual(80);
    for (const line of renderSessionTable(rows, now, 80).slice(2)) expect(line).toMatch(/20250305_091523_a1b2c3$/);
    expect(renderSessionTable(rows, now, 200)[0]).toBe(renderSessionTable(rows, now)[0]);
  });

  test('on a terminal pins and archived ones are marked, and one without a title shows how it begins; in a pipe nothing of that stands', () => {
    const rows = [
      row({ title: '회의록 정리', cwd: '/home/ann/notes', pinned: true }),
      row({ preview: 'Which of our dependencies are unused?' }),
      row({ title: 'old notes', archived: true }),
    ];
    expect(renderSessionTable(rows, now, 140).slice(2)).toEqual([
      '★ 회의록 정리               notes             2h ago       cli             20250305_091523_a1b2c3',
      '— Which of our dependenci…  —                 2h ago       cli             20250305_091523_a1b2c3',
      'old notes                   —                 2h ago       cli             20250305_091523_a1b2c3  archived',
    ]);
    // Too narrow for the word behind the id, it stands before the title, or before what stands in its place.
    expect(renderSessionTable(rows, now, 80).at(-1)).toMatch(/^arch\. old no.*20250305_091523_a1b2c3$/);
    const untitled = [row({ preview: 'Which of our dependencies?', archived: true, cwd: '/home/ann/notes' })];
    expect(renderSessionTable(untitled, now, 80).at(-1)).toMatch(/^arch\. Which .*20250305_091523_a1b2c3$/);
    const plain = [row({ title: 'old notes', preview: 'Which of our dependencies?', archived: true })];
    expect(
      renderSessionTable(plain, now, 60)
        .at(-1)!
        .match(/arch\./g),
    ).toHaveLength(1);
    const piped = renderSessionTable(rows, now).slice(2).join('\n');
    expect(piped).not.toMatch(/★|Which|archived/);
  });
});
