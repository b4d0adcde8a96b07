import { evaluate } from '../../session/query-match.ts';
import type { Facts, Test } from '../../session/query.ts';
import { isMachineSource } from '../../session/source.ts';
import type { SessionId } from '../../session/types.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import type { Connection } from '../connection.ts';
import { columnOr } from '../reads/columns.ts';
import { factsOf, selectDetails, type Details } from '../reads/lineage-facts.ts';
import { lazySource, lineageOf, type Lineage } from '../reads/lineages.ts';
import { readText } from '../rows.ts';
import type { SearchRequest } from './types.ts';

/** What a search knows of the session a message belongs to. */
export interface Place {
  /** Root of the lineage: what results are grouped by. */
  readonly rootId: SessionId;
  readonly isMachine: boolean;
  /** The session before this one, where this one goes on with copies of its last messages. */
  readonly continues?: SessionId;
}

/** What tells whether a session stands alone; as stored. */
export interface BriefRow {
  readonly parentId: unknown;
  readonly endReason: unknown;
  readonly source: unknown;
}

export interface SearchedSessions {
  /** Undefined where the session is gone, or was not asked about. */
  placeOf(id: SessionId): Place | undefined;
  /** Tells what is known of a session's row already. */
  know(id: SessionId, row: BriefRow): void;
  lineageOf(id: SessionId): Lineage | undefined;
  /** What a test says of the lineage; undefined for tests of messages. */
  testLineage(id: SessionId, test: Test): boolean | undefined;
}

/**
 * Sessions as one search meets them, each looked up once. Most stand alone, and that is all one needs to know of them: a lineage is put
 * together only where something hangs on it.
 */
export function searchedSessions(
  connection: Connection,
  request: Pick<SearchRequest, 'workspaces' | 'withoutSources' | 'withoutSessions' | 'live'>,
): SearchedSessions {
  const source = lazySource(connection);
  const places = new Map<SessionId, Place | undefined>();
  const lineages = new Map<SessionId, Lineage | undefined>();
  const facts = new Map<SessionId, Facts>();
  const details = new Map<SessionId, Details | undefined>();
  const live = request.live === undefined ? undefined : new Set(request.live);
  const withoutSources = new Set(request.withoutSources);
  const without = new Set((request.withoutSessions ?? []).flatMap((id) => lineageFor(id)?.root.id ?? []));
  const { workspaces } = request;
  const column = (name: string): string => columnOr(connection, 'sessions', 's', name);
  const briefly = connection
    .statement(`SELECT ${column('parent_session_id')}, ${column('end_reason')}, s.source FROM sessions AS s WHERE s.id = ?`)
    .raw(true);

  function lineageFor(id: SessionId): Lineage | undefined {
    if (lineages.has(id)) return lineages.get(id);
    const node = source.node(id);
    const lineage = node === undefined ? undefined : lineageOf(connection, node, source);
    for (const segment of lineage?.segments ?? []) lineages.set(segment.id, lineage);
    lineages.set(id, lineage);
    return lineage;
  }

  function readBrief(id: SessionId): BriefRow | undefined {
    const row = briefly.get(id) as unknown[] | undefined;
    return row === undefined ? undefined : { parentId: row[0], endReason: row[1], source: row[2] };
  }

  function findPlace(id: SessionId, row: BriefRow | undefined): Place | undefined {
    if (row === undefined) return undefined;
    const isAlone = (row.parentId === null || row.parentId === '') && row.endReason !== 'compression';
    if (isAlone && workspaces === undefined) {
      const from = readText(row.source) ?? '';
      return without.has(id) || withoutSources.has(from) ? undefined : { rootId: id, isMachine: isMachineSource(from) };
    }
    const lineage = lineageFor(id);
    if (lineage === undefined || without.has(lineage.root.id) || withoutSources.has(lineage.tip.source)) return undefined;
    if (workspaces !== undefined && !isInWorkspace(lineage.tip, workspaces)) return undefined;
    const at = lineage.segments.findIndex((segment) => segment.id === id);
    const isMachine = lineage.class === 'machine' || isMachineSource(lineage.tip.source);
    return { rootId: lineage.root.id, isMachine, ...(at > 0 ? { continues: lineage.segments[at - 1]!.id } : {}) };
  }

  function detailsOf(id: SessionId): Details | undefined {
    if (!details.has(id)) details.set(id, selectDetails(connection, 'WHERE s.id = ?', id).get(id));
    return details.get(id);
  }

  return {
    placeOf(id) {
      if (!places.has(id)) places.set(id, findPlace(id, readBrief(id)));
      return places.get(id);
    },
    know(id, row) {
      if (!places.has(id)) places.set(id, findPlace(id, row));
    },
    lineageOf: lineageFor,
    testLineage(id, test) {
      const lineage = lineageFor(id);
      if (lineage === undefined) return false;
      let known = facts.get(lineage.root.id);
      if (known === undefined) facts.set(lineage.root.id, (known = factsOf(lineage, ({ id }) => detailsOf(id))));
      const isLive = live === undefined ? undefined : () => lineage.segments.some((segment) => live.has(segment.id));
      return evaluate({ type: 'test', test }, known, { now: connection.now(), ...(isLive === undefined ? {} : { isLive }) });
    },
  };
}
