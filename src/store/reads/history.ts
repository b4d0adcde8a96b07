import { isMachineSource } from '../../session/source.ts';
import type { SessionId } from '../../session/types.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { Connection } from '../connection.ts';
import { userTexts, type HistoryQuery } from './messages.ts';
import { newestLineages } from './newest.ts';
import { segmentIds } from './sessions.ts';

/** Sessions of a workspace whose input is remembered. */
const sessionsBack = 20;

/** The user's messages for ↑ in the composer, newest first: of this session, then of this workspace (product.md 2). No text twice in a row. */
export function userHistory(connection: Connection, query: HistoryQuery): string[] {
  const texts: string[] = [];
  const done = new Set<SessionId>();
  const add = (id: SessionId): void => {
    if (done.has(id) || texts.length >= query.limit) return;
    done.add(id);
    for (const message of userTexts(connection, id, query.limit - texts.length)) {
      if (texts[texts.length - 1] !== message.text) texts.push(message.text);
    }
  };
  if (query.sessionId !== undefined) for (const id of segmentIds(connection, query.sessionId).reverse()) add(id);
  const { workspaces } = query;
  if (workspaces === undefined || texts.length >= query.limit) return texts;
  const newest = newestLineages(connection, {
    limit: sessionsBack,
    accepts: ({ tip, class: kind }) => kind !== 'machine' && !isMachineSource(tip.source) && isInWorkspace(tip, workspaces),
    prove: false,
  });
  for (const lineage of newest.lineages) for (const segment of [...lineage.segments].reverse()) add(segment.id);
  return texts;
}
