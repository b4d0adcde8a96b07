import type { Random } from '../../fixtures/random.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { insertRow } from '../../src/store/writes/rows.ts';

const day = 86_400;

/**
 * Fills a store with sessions as several programs and versions leave them: heartbeats missing, late, broken or ahead; lineages of every
 * kind; empty and undone ones; message rows in another order than their times. Ties are common on purpose. `now` in milliseconds.
 */
export function fillRandomStore(connection: OpenConnection, random: Random, count: number, now: number): void {
  const seconds = now / 1000;
  const rows: { id: string; startedAt: number; endReason: string | null }[] = [];
  const messages: Record<string, unknown>[] = [];
  connection.db.transaction(() => {
    for (let index = 0; index < count; index++) {
      // Whole hours: many sessions share a start.
      const startedAt = random.chance(0.02) ? seconds + 5 * day : Math.round((seconds - random.between(0, 400 * 24) * 3600) / 3600) * 3600;
      const id = `2026${String(random.between(101, 1231)).padStart(4, '0')}_${String(index).padStart(6, '0')}_${random.hex(6)}`;
      const parent = rows.length > 0 && random.chance(0.3) ? random.pick(rows) : undefined;
      const endReason = random.pick([null, null, 'cli_close', 'compression', 'compression', 'branched', 'session_reset']);
      const marker = random.pick(['none', 'none', '_branched_from', '_delegate_from', '_reset_from', 'inherited']);
      const config: Record<string, unknown> = { model: 'm' };
      if (parent !== undefined && marker.startsWith('_')) config[marker] = parent.id;
      if (marker === 'inherited') config['_branched_from'] = 'somebody_else';
      const hasMessages = random.chance(0.9);
      const isUndone = random.chance(0.03);
      const isInMilliseconds = random.chance(0.15);
      const size = hasMessages ? random.between(1, 4) : 0;
      insertRow(connection, 'sessions', {
        id,
        source: random.pick(['cli', 'cli', 'tui', 'oneshot', 'telegram', 'acme-bot', 'cron', 'tool', 'subagent']),
        started_at: random.chance(0.01) ? startedAt * 1000 : startedAt,
        ended_at: endReason === null ? undefined : startedAt + 3600,
        end_reason: endReason ?? undefined,
        parent_session_id: parent?.id,
        session_key: random.chance(0.3) ? random.pick(['k1', 'k2']) : undefined,
        model_config: random.chance(0.02) ? '{broken' : JSON.stringify(config),
        cwd: random.pick(['/w/a', '/w/a/deep', '/w/ab', '/w/b', undefined]),
        git_repo_root: random.pick([undefined, undefined, '/w/a', '/w/b', '']),
        title: random.chance(0.5) ? `title ${index}` : undefined,
        message_count: isUndone ? 0 : size,
        last_activity_at: random.pick([undefined, undefined, startedAt, startedAt + 60, startedAt * 1000, 0, -5, seconds + 30 * day]),
        archived: random.chance(0.1) ? 1 : 0,
        hidden: random.chance(0.05) ? 1 : 0,
        pinned: random.chance(0.05) ? 1 : 0,
      });
      rows.push({ id, startedAt, endReason });
      for (let at = 0; at < size; at++) {
        messages.push({
          session_id: id,
          role: random.pick(['user', 'assistant', 'tool']),
          content: `message ${at} of ${index}`,
          timestamp: isInMilliseconds ? startedAt * 1000 : startedAt + (random.chance(0.2) ? random.between(1, 300) * day : at * 60),
          active: isUndone ? 0 : 1,
        });
      }
    }
    // Copies, imports and merged files: row ids say nothing about times.
    for (let index = messages.length - 1; index > 0; index--) {
      const other = random.between(0, index);
      [messages[index], messages[other]] = [messages[other]!, messages[index]!];
    }
    for (const message of messages) insertRow(connection, 'messages', message);
    // An import on top: the newest rows are the oldest messages.
    const imported = insertImport(connection, seconds - 900 * day);
    for (let at = 0; at < 2_100; at++) insertRow(connection, 'messages', { ...imported, timestamp: seconds - 900 * day + at });
  })();
}

function insertImport(connection: OpenConnection, startedAt: number): Record<string, unknown> {
  insertRow(connection, 'sessions', {
    id: 'import',
    source: 'claude-code',
    started_at: startedAt,
    model_config: '{}',
    message_count: 2_100,
  });
  return { session_id: 'import', role: 'user', content: 'imported', active: 1 };
}
