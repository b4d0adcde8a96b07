import { emptyBin, eraseForever, moveToBin, restoreFromBin } from '../bin/index.ts';
import type { Connection } from '../connection.ts';
import { archiveIdle, pruneIdle, purgeBin } from '../retention/sweep.ts';
import { claimCompression, claimTurn, refreshTurn, releaseCompression, releaseTurn } from './leases.ts';
import { appendMessage, checkpointMessage, finishMessage, retireOpenToolCalls, startSession } from './messages.ts';
import { touch } from './rows.ts';
import { branchSession, createSession, endSession, reopenSession, setArchived, setModel, setPinned, setWorkspace } from './sessions.ts';
import { renameSession, setTitle } from './titles.ts';
import { addUsage } from './usage.ts';

/**
 * Every change the program makes to the store, by name. Each is the body of one transaction: the writer's thread begins and commits it, and
 * begins anew when the store was locked, so that a body reads what it needs itself and leaves nothing behind outside of the database.
 */
export const writes = {
  addUsage,
  appendMessage,
  archiveIdle,
  branchSession,
  checkpointMessage,
  claimCompression,
  claimTurn,
  createSession,
  emptyBin,
  endSession,
  eraseForever,
  finishMessage,
  moveToBin,
  pruneIdle,
  purgeBin,
  refreshTurn,
  releaseCompression,
  releaseTurn,
  renameSession,
  reopenSession,
  restoreFromBin,
  retireOpenToolCalls,
  setArchived,
  setModel,
  setPinned,
  setTitle,
  setWorkspace,
  startSession,
  touch,
} satisfies Record<string, (connection: Connection, ...args: never[]) => unknown>;

export type Writes = typeof writes;
