import { digestSession, type Digest } from '../session/digest.ts';
import type { Session } from '../session/types.ts';
import { appText } from '../text/en/app.ts';
import { tildePath } from '../text/paths.ts';
import { localTime, relativeTime } from '../text/relative-time.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import type { Seat } from './seat.ts';

/** What `/status` says beyond what the seat knows; absent parts are left out. */
export interface StatusFacts {
  /** The stored row; absent before the first message. */
  readonly session?: Session;
  readonly digest?: Digest;
  /** Size of the context as shown. */
  readonly tokens?: string;
}

/** Messages read for the recap: far more than its 20 turns need, and one short query. */
const windowSize = 200;

/** Reads what `/status` shows of a stored conversation. */
export async function readStatusFacts(store: SessionStore, seat: Seat): Promise<StatusFacts> {
  const id = seat.id();
  if (id === undefined) return {};
  const [session, window] = await Promise.all([store.read.sessionById(id), store.read.messagesBefore(id, undefined, windowSize)]);
  return { ...(session === undefined ? {} : { session }), digest: digestSession(window.messages) };
}

/** `/status` as aligned lines: which session, which model, where, since when, and what went on lately (state-db.md 5, 7). */
export function statusLines(run: Run, seat: Seat, facts: StatusFacts = {}): string {
  const names = appText.status;
  const { session, digest, tokens } = facts;
  const model = modelOf(seat);
  const workspace = seat.workspace();
  const now = run.now();
  const when = (time: number): string => `${localTime(time, now)} (${relativeTime(time, now)})`;
  const shorten = (file: string): string =>
    file.startsWith(`${workspace.cwd}/`) ? file.slice(workspace.cwd.length + 1) : tildePath(file, run.userHome);
  const rows: readonly (readonly [string, string])[] = [
    [names.model, model?.model ?? seat.modelName() ?? names.none],
    [names.provider, model?.provider ?? names.none],
    [names.profile, run.home.profile ?? 'default'],
    [names.session, seat.id() ?? names.notStored],
    [names.title, seat.title() ?? names.none],
    [names.directory, `${tildePath(workspace.cwd, run.userHome)}${workspace.gitBranch === undefined ? '' : ` (${workspace.gitBranch})`}`],
    [names.terminal, run.terminal().label],
    [names.started, when(session?.startedAt ?? seat.startedAt)],
    ...(session === undefined ? [] : [[names.lastActive, when(session.lastActive)] as const]),
    [names.messages, String(session?.messageCount ?? seat.said())],
    ...(tokens === undefined ? [] : [[names.tokens, tokens] as const]),
    [names.state, seat.conversation.isBusy ? names.working : names.idle],
  ];
  const recent = digest === undefined || digest.asks + digest.replies === 0 ? [] : recentRows(digest, shorten);
  const width = Math.max(...[...rows, ...recent].map(([name]) => name.length));
  const aligned = (each: readonly (readonly [string, string])[]): string[] =>
    each.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...aligned(rows), ...(recent.length === 0 ? [] : ['', ...aligned(recent)])].join('\n');
}

function recentRows(digest: Digest, shorten: (file: string) => string): (readonly [string, string])[] {
  const names = appText.status;
  const tools = digest.tools.map(({ name, count }) => (count === 1 ? name : `${name}×${count}`));
  if (digest.moreTools > 0) tools.push(names.more(digest.moreTools));
  return [
    [names.recent, names.recentCounts(digest.asks, digest.replies, digest.results)],
    ...(tools.length === 0 ? [] : [[names.tools, tools.join(', ')] as const]),
    ...(digest.files.length === 0 ? [] : [[names.files, digest.files.map(shorten).join(', ')] as const]),
    ...(digest.lastAsk === undefined ? [] : [[names.lastAsk, digest.lastAsk] as const]),
    ...(digest.lastReply === undefined ? [] : [[names.lastReply, digest.lastReply] as const]),
  ];
}

function modelOf(seat: Seat): { model: string; provider: string } | undefined {
  try {
    return seat.model();
  } catch {
    // No model is set up: the lines say none.
    return undefined;
  }
}
