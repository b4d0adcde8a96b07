import type { Session, SessionId } from '../session/types.ts';
import { isDeadHolder, parseHolder } from '../store/writes/holder.ts';
import { restoreDirectory } from './choose-session.ts';
import type { Opening } from './opening.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import { findWorkspace } from './workspace.ts';

/** A stored session as it opens while the program runs: the directory it was in, and its recap. @throws StoreError */
export async function reopen(run: Run, store: SessionStore, session: Session): Promise<Opening> {
  const place = restoreDirectory(session, findWorkspace(run.startedIn));
  const recap = await store.read.recapMessages(session.id, { limit: run.loaded().config.display.resumeExchanges });
  const { copiedAt } = await store.facts();
  return { plan: { session, ...place }, recap, copiedAt };
}

/** Another program that answers in a conversation. */
export interface Answering {
  /** 0 where it did not say. */
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * Who answers in the conversation of that root now, by the lease in the store (state-db.md 2.10). A killed program leaves its lease behind
 * for five minutes: it keeps nobody out, the first message takes it. @throws StoreError
 */
export async function whoAnswers(store: SessionStore, root: SessionId): Promise<Answering | undefined> {
  const lease = await store.read.turnLease(root);
  if (lease === undefined || isDeadHolder(lease.holder)) return undefined;
  return { pid: Number(parseHolder(lease.holder)['pid'] ?? 0), since: lease.acquiredAt };
}
