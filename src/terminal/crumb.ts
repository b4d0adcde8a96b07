import type { ProcessMark } from './identity.ts';
import type { TerminalWindow } from './tmux.ts';

/** Our object `hermes_tui` in a breadcrumb, version 1 (product.md 4). */
export interface CrumbMark {
  readonly identity: string;
  readonly leader?: ProcessMark;
  readonly host: string | undefined;
  readonly boot: string | undefined;
  readonly sessions: readonly string[];
  readonly window?: TerminalWindow;
}

/** One breadcrumb file. `mark` is absent in Hermes Agent's, `newer` when its version is not one this program knows. */
export interface Crumb {
  readonly sessionId: string;
  readonly cwd?: string;
  /** Milliseconds since the epoch; the file has seconds. */
  readonly timeMs: number;
  readonly mark: CrumbMark | 'newer' | undefined;
}

export type CrumbFault = 'not-json' | 'no-session' | 'no-time';

type Fields = Readonly<Record<string, unknown>>;

/** The text of one breadcrumb file; `id` = what is wrong with it. A byte order mark and unknown fields are tolerated. */
export function parseCrumb(source: string): Crumb | { id: CrumbFault } {
  let fields: unknown;
  try {
    fields = JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch {
    // Half-written or not ours: said as a reason, not as an error.
    return { id: 'not-json' };
  }
  if (!isObject(fields)) return { id: 'not-json' };
  const { session_id: sessionId, cwd, ts, hermes_tui: own } = fields;
  if (typeof sessionId !== 'string' || sessionId.trim() === '') return { id: 'no-session' };
  if (typeof ts !== 'number' || !Number.isFinite(ts)) return { id: 'no-time' };
  return { sessionId, timeMs: ts * 1000, mark: parseMark(own), ...(typeof cwd === 'string' && cwd !== '' ? { cwd } : {}) };
}

function parseMark(own: unknown): CrumbMark | 'newer' | undefined {
  if (!isObject(own)) return undefined;
  if (own['v'] !== 1) return 'newer';
  const { identity, leader, host, boot, sessions, window } = own;
  if (typeof identity !== 'string') return undefined;
  const mark = isObject(leader) && typeof leader['pid'] === 'number' && typeof leader['start'] === 'number';
  const place = isObject(window) && typeof window['name'] === 'string' && typeof window['index'] === 'number';
  return {
    identity,
    host: typeof host === 'string' ? host : undefined,
    boot: typeof boot === 'string' ? boot : undefined,
    sessions: Array.isArray(sessions) ? sessions.filter((id): id is string => typeof id === 'string') : [],
    ...(mark ? { leader: { pid: leader['pid'] as number, start: leader['start'] as number } } : {}),
    ...(place
      ? { window: { name: window['name'] as string, index: window['index'] as number, isAutomatic: window['automatic'] === true } }
      : {}),
  };
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
