import type { SessionRow } from '../session/types.ts';
import { isoTime } from '../transfer/times.ts';

/** A row of a list for programs: every key is always there, `null` where nothing is known; times are ISO, UTC. */
export function sessionJson(row: SessionRow): Record<string, unknown> {
  return {
    id: row.id,
    title: row.title ?? null,
    preview: row.preview ?? null,
    source: row.source,
    created_source: row.createdSource ?? null,
    started_at: isoTime(row.startedAt) ?? null,
    last_active: isoTime(row.lastActive) ?? null,
    message_count: row.messageCount,
    cwd: row.cwd ?? null,
    git_repo_root: row.gitRepoRoot ?? null,
    git_branch: row.gitBranch ?? null,
    model: row.model ?? null,
    pinned: row.pinned,
    archived: row.archived,
    status: row.status ?? null,
    /** Root to tip; one for most. */
    segments: [...row.ids],
  };
}

/** As `--json` prints it: indented by two, one line feed at the end. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
