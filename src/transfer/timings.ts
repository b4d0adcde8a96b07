import { isSaneTime } from '../session/order.ts';
import type { StoredRow } from '../session/stored.ts';

/** How the time of a session was spent, as lines of an export carry it (state-db.md 6.2, docs/export-formats.md). Milliseconds. */
export interface Timings {
  available: boolean;
  unavailable_reason?: 'no_timestamps';
  complete: false;
  wall_clock_ms: number;
  largest_gap_ms: number;
  role_counts: Record<string, number>;
  tool_calls_emitted: number;
  /** The longest pauses between neighbours, longest first; row ids. */
  intervals: { after: number; before: number; ms: number }[];
}

const mostIntervals = 10;

/** Works them out row by row; undone rows don't count. */
export function createTimings(): { add(row: StoredRow): void; result(): Timings } {
  const roles = new Map<string, number>();
  const intervals: Timings['intervals'] = [];
  let calls = 0;
  let earliest = Infinity;
  let latest = -Infinity;
  let previous: { id: number; time: number } | undefined;

  const note = (id: number, time: number): void => {
    earliest = Math.min(earliest, time);
    latest = Math.max(latest, time);
    const ms = previous === undefined ? 0 : Math.max(0, Math.round(time - previous.time));
    const shortest = intervals.length < mostIntervals ? 0 : (intervals[mostIntervals - 1]?.ms ?? 0);
    if (previous !== undefined && ms > shortest) {
      intervals.push({ after: previous.id, before: id, ms });
      intervals.sort((a, b) => b.ms - a.ms || a.after - b.after);
      intervals.length = Math.min(intervals.length, mostIntervals);
    }
    previous = { id, time };
  };

  return {
    add(row) {
      if (row['active'] === 0 && row['compacted'] !== 1) return;
      const role = typeof row['role'] === 'string' ? row['role'] : '';
      roles.set(role, (roles.get(role) ?? 0) + 1);
      const stored = row['tool_calls'];
      if (typeof stored === 'string' && role === 'assistant') calls += countCalls(stored);
      const seconds = row['timestamp'];
      if (typeof seconds === 'number' && isSaneTime(seconds * 1000)) note(Number(row['id']), seconds * 1000);
    },
    result() {
      const available = latest >= earliest;
      return {
        available,
        ...(available ? {} : { unavailable_reason: 'no_timestamps' as const }),
        complete: false,
        wall_clock_ms: available ? Math.round(latest - earliest) : 0,
        largest_gap_ms: intervals[0]?.ms ?? 0,
        role_counts: Object.fromEntries([...roles].sort(([a], [b]) => (a < b ? -1 : 1))),
        tool_calls_emitted: calls,
        intervals,
      };
    },
  };
}

function countCalls(stored: string): number {
  try {
    const value: unknown = JSON.parse(stored);
    const list: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return Array.isArray(list) ? list.length : 0;
  } catch {
    // Broken text is no calls, here as everywhere.
    return 0;
  }
}
