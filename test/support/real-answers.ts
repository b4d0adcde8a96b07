import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../shared/data/hermes-v31-expected.json', import.meta.url));

/** What Hermes Agent itself answers about hermes-v31-40.db; sessions are named in `names`. */
export interface RealAnswers {
  /** Seconds; the questions were asked one hour later. */
  end_clock: number;
  names: Record<string, string>;
  list: Record<string, unknown[]> & {
    by_last_active_default: {
      name: string;
      id: string;
      title: string | null;
      preview: string;
      message_count: number;
      last_active: number;
      started_at: number;
      pinned: number;
    }[];
  };
  tips: Record<string, { tip: string; resume: string; chain: string[]; lineage: string[] }>;
  latest: Record<string, string[]>;
  resolve_title: Record<string, { resolve: string | null; next_in_lineage: string }>;
  resolve_id: Record<string, string | null>;
  counts: Record<string, number>;
  statuses: Record<string, string>;
  titles: Record<string, [string | null, string | null]>;
  display: Record<string, { live: number; display: number; row_message_count: number; row_tool_calls: number }>;
  display_order_inplace: { id: number; role: string; head: string }[];
}

export const hasRealAnswers = existsSync(FILE);

export function readRealAnswers(): RealAnswers {
  return JSON.parse(readFileSync(FILE, 'utf8')) as RealAnswers;
}
