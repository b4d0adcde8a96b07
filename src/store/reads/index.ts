import { binEntries } from '../bin/entries.ts';
import { deletionSize } from '../bin/preview.ts';
import { retentionDue, vacuumDue } from '../retention/due.ts';
import type { Connection } from '../connection.ts';
import { contextAround, fieldValues, hitsIn, search, snippetsOf, someHits } from '../search/index.ts';
import { changedRows } from './changed-rows.ts';
import { compressionLock, health, stats, turnLease, turnLeases } from './facts.ts';
import { firstRows, pinnedRows } from './first-rows.ts';
import { userHistory } from './history.ts';
import { insights } from './insights.ts';
import { latest } from './latest.ts';
import { listRows, rowCounts } from './list-rows.ts';
import { matchMessages } from './match.ts';
import { contextMessages, fullMessage } from './messages.ts';
import { messageCounts } from './message-counts.ts';
import { recapMessages } from './recap.ts';
import { previewOf, statusesOf } from './row-details.ts';
import { messageHome, recallAround, recallEnds, recallText } from './recall.ts';
import { resolveSession, titleClash, titleHolder } from './resolve.ts';
import { lineageTree, resumeTarget, segmentIds, sessionById, tipOf } from './sessions.ts';
import { listForShell } from './shell-list.ts';
import { messagesAfter, messagesAround, messagesBefore } from './transcript.ts';

/**
 * Every question the rest of the program asks of the store, by name: plain synchronous functions of a connection and values that can be
 * cloned to another thread. `listRows` and `search` are generators; the others return at once.
 */
export const reads = {
  binEntries,
  changedRows,
  compressionLock,
  contextAround,
  contextMessages,
  deletionSize,
  fieldValues,
  firstRows,
  fullMessage,
  health,
  insights,
  hitsIn,
  latest,
  lineageTree,
  listForShell,
  listRows,
  matchMessages,
  messageCounts,
  messageHome,
  messagesAfter,
  messagesAround,
  messagesBefore,
  pinnedRows,
  previewOf,
  recallAround,
  recallEnds,
  recallText,
  recapMessages,
  resolveSession,
  resumeTarget,
  retentionDue,
  rowCounts,
  search,
  segmentIds,
  sessionById,
  someHits,
  snippetsOf,
  stats,
  vacuumDue,
  statusesOf,
  tipOf,
  titleClash,
  titleHolder,
  turnLease,
  turnLeases,
  userHistory,
} satisfies Record<string, (connection: Connection, ...args: never[]) => unknown>;

export type Reads = typeof reads;
