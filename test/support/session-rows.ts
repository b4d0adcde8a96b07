import type { SessionRow } from '../../src/session/types.ts';

/** A row of a picker with believable defaults; `id` alone is enough. */
export function makeRow(row: Partial<SessionRow> & { id: string }): SessionRow {
  return {
    rootId: row.id,
    ids: [row.id],
    source: 'tui',
    startedAt: 1_000_000,
    lastActive: 1_000_000,
    messageCount: 4,
    pinned: false,
    archived: false,
    hidden: false,
    class: 'shown',
    segments: 1,
    ...row,
  };
}

const subjects = [
  'refactoring auth',
  'login page',
  '결제 모듈 리팩터링',
  '明日の会議の準備',
  'deploy to staging',
  'regex for log lines',
  '👩‍👩‍👧 plan',
  'ｆｕｌｌ幅',
];

/** `count` rows, newest first, one minute apart; every subject comes in turn. */
export function makeRows(count: number, now: number): SessionRow[] {
  return Array.from({ length: count }, (_, index) =>
    makeRow({
      id: `20260301_${String(index).padStart(6, '0')}_abcd`,
      title: `${subjects[index % subjects.length]!} ${index}`,
      preview: 'Can you look at this please?',
      cwd: `/home/ann/code/p${index % 7}`,
      gitRepoRoot: `/home/ann/code/p${index % 7}`,
      gitBranch: 'main',
      startedAt: now - index * 60_000 - 1,
      lastActive: now - index * 60_000,
      messageCount: index + 1,
    }),
  );
}
