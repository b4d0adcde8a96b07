import path from 'node:path';
import { AmbiguousIdError, NotFoundError, UsageError } from '../errors.ts';
import type { Session, SessionId } from '../session/types.ts';
import { start as text } from '../text/en/start.ts';
import { findWorkspace, isDirectory, realPathOf, type Workspace } from './workspace.ts';

/** What the command line asked for, as far as it decides which conversation opens. */
export interface StartRequest {
  /** `-c` alone, `-c NAME`. */
  continue?: true | string;
  /** `-r SESSION`; `latest` in any case is the newest local one. */
  resume?: string;
  /** Id of a message of that conversation, to open at; `-r SESSION#MESSAGE` says both. */
  at?: number;
  in?: string;
  restoreCwd: boolean;
  createIfMissing: boolean;
  /** How messages name the front end: CLI or TUI. */
  front: 'CLI' | 'TUI';
}

/** The questions this decision asks of the store, answered by `src/store/reads` on whatever connection is open. */
export interface ResumeReads {
  session(id: SessionId): Session | undefined;
  /** What resume opens for that row: the tip of its compression lineage. */
  target(id: SessionId): Session | undefined;
  /** Newest local session (cli, tui, oneshot; never archived, hidden, delegate or machine-made), of these workspaces or of any. */
  latest(workspaceKeys: readonly string[] | undefined): Session | undefined;
  /** Exact id, title (newest of its `#N` lineage), unique id prefix; then the tip. */
  resolve(name: string): { kind: 'found'; session: Session } | { kind: 'ambiguous'; candidates: readonly SessionId[] } | { kind: 'none' };
}

/** What this pane's breadcrumb says, or why there is none to follow. */
export type PaneMemory = { sessionId: SessionId; cwd: string } | { none: string };

export interface StartPlan {
  /** Absent: a new conversation. */
  session?: Session;
  /** Why this one, in one line; absent when it was named. */
  reason?: string;
  workspace: Workspace;
  /** `↪ restored workspace dir: …` and the like, for the transcript. */
  notices: readonly string[];
  /** The recorded directory does not exist any more; tools stay off until one is chosen. */
  goneDirectory?: string;
  /** Id of the message it opens at; whether that is one of the conversation is for the store to say. */
  at?: number;
  /** Title of a session that is to be created. */
  title?: string;
}

/**
 * Decides which conversation opens and where (product.md 1). `--in` beats everything that could set a directory; a bare `-c` follows this
 * pane's breadcrumb, then the newest local session of the workspace, then the newest local one; a name is an exact id, a title, a unique
 * id prefix. Never picks another conversation than the one asked for: a miss is an error.
 *
 * @throws NotFoundError, AmbiguousIdError, UsageError (`--in` names no directory: exit code 1 as state-db.md 3 has it)
 */
export function chooseSession(request: StartRequest, here: string, reads: ResumeReads, pane: () => PaneMemory): StartPlan {
  const pinned = request.in === undefined ? undefined : directoryOf(request.in, here);
  const workspace = findWorkspace(pinned ?? here);
  let messageId = request.at;
  const plan = (session: Session | undefined, reason?: string): StartPlan => {
    const at = session === undefined ? undefined : messageId;
    const base = {
      ...(session === undefined ? {} : { session }),
      ...(reason === undefined ? {} : { reason }),
      ...(at === undefined ? {} : { at }),
    };
    if (session === undefined || pinned !== undefined || !request.restoreCwd) return { ...base, workspace, notices: [] };
    return { ...base, ...restoreDirectory(session, workspace) };
  };

  if (request.resume !== undefined) {
    if (request.resume.toLowerCase() === 'latest') return latest();
    // A title may end in #2: what is called so as a whole comes first.
    const parts = /^(.+)#(\d{1,15})$/u.exec(request.resume);
    if (parts === null || reads.resolve(request.resume).kind !== 'none') return plan(named(request.resume, reads));
    messageId ??= Number(parts[2]);
    return plan(named(parts[1]!, reads));
  }
  if (typeof request.continue === 'string') {
    const found = reads.resolve(request.continue);
    if (found.kind === 'none' && request.createIfMissing) return { workspace, notices: [], title: request.continue };
    return plan(named(request.continue, reads));
  }
  if (request.continue === true) {
    if (pinned !== undefined) return latest();
    const memory = pane();
    if ('none' in memory) return latest(memory.none);
    const session = reads.target(memory.sessionId);
    return session === undefined ? latest(text.paneSessionGone(memory.sessionId)) : plan(session, text.thisPane);
  }
  return { workspace, notices: [] };

  function latest(because?: string): StartPlan {
    const prefix = because === undefined ? '' : `${because} `;
    const ofWorkspace = reads.latest(workspace.keys);
    if (ofWorkspace !== undefined) return plan(ofWorkspace, prefix + text.newestHere(nameOf(workspace)));
    if (pinned !== undefined) return { workspace, notices: [text.noneInDirectory(workspace.cwd)] };
    const anywhere = reads.latest(undefined);
    if (anywhere !== undefined) return plan(anywhere, prefix + text.newestAnywhere(nameOf(workspace)));
    if (request.resume !== undefined) throw new NotFoundError(text.noneToResume, text.seeList);
    throw new NotFoundError(text.noneToContinue(request.front), text.startOrList);
  }
}

/** The name of a workspace as one word of a sentence: its folder. */
function nameOf(workspace: Workspace): string {
  return path.basename(workspace.gitRoot ?? workspace.realCwd) || '/';
}

function named(name: string, reads: ResumeReads): Session {
  if (name.trim() === '') throw new UsageError(text.emptyName, text.seeList);
  const found = reads.resolve(name);
  if (found.kind === 'found') return found.session;
  if (found.kind === 'ambiguous') throw new AmbiguousIdError(name, found.candidates);
  throw new NotFoundError(text.noMatch(name), text.seeListOrCreate);
}

function directoryOf(named: string, here: string): string {
  const directory = path.resolve(here, named);
  if (!isDirectory(directory)) throw new NotFoundError(text.directoryMissing(named), text.directoryHint);
  return directory;
}

/** Where a resumed conversation goes on: its recorded directory, or here with a word on why not. */
export function restoreDirectory(session: Session, here: Workspace): Pick<StartPlan, 'workspace' | 'notices' | 'goneDirectory'> {
  const recorded = session.cwd;
  if (recorded === undefined || recorded === '') return { workspace: here, notices: [] };
  if (!isDirectory(recorded)) return { workspace: here, notices: [text.directoryGone(recorded, here.cwd)], goneDirectory: recorded };
  if (realPathOf(recorded) === here.realCwd) return { workspace: here, notices: [] };
  return { workspace: findWorkspace(recorded), notices: [text.restored(recorded)] };
}
