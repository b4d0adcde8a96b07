import type { Selections } from '../../session/selection.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../../store/connection.ts';
import { companyOf, exportIds, inExportOrder } from '../../store/reads/export.ts';
import { latest } from '../../store/reads/latest.ts';
import { selectLineages } from '../../store/reads/select.ts';
import { tipOf } from '../../store/reads/sessions.ts';
import { findSession } from '../find-session.ts';
import { answerTexts } from '../filters.ts';
import type { ExportRequest } from './request.ts';

export interface ChosenSessions {
  /** One record, document or page entry for each, in the order in which they are written. */
  readonly ids: readonly SessionId[];
  /** What the filters fit, but an export by filters leaves alone. */
  readonly spared?: Selections['spared'];
}

/**
 * The sessions an export is for: the named one, those of the lineages that the filters fit (ended ones only), or everything that is stored, open
 * ones included. Sub-agents' sessions come with their conversation, except into traces and prompts, which are about what a person asked.
 *
 * @throws NotFoundError, AmbiguousIdError
 */
export function chooseSessions(connection: Connection, request: ExportRequest): ChosenSessions {
  const { format, span, filters, sessionId } = request;
  const isAboutPeople = format === 'trace' || format === 'prompts';
  // A document or a page can hold a whole lineage; rows and traces have one session each.
  const isJoined = span === 'logical' && format !== 'jsonl' && format !== 'trace';

  if (sessionId !== undefined) return { ids: ofOne(connection, findSession(connection, sessionId).id, request, isJoined) };
  if (format === 'trace' && filters.isEmpty) {
    const newest = latest(connection)?.id;
    return { ids: newest === undefined ? [] : ofOne(connection, newest, request, isJoined) };
  }
  if (filters.isEmpty && !isJoined && !isAboutPeople) return { ids: exportIds(connection) };
  const { lineages, spared } = selectLineages(connection, {
    query: answerTexts(connection, filters),
    endedOnly: !filters.isEmpty,
    includeArchived: true,
    includePinned: true,
  });
  const delegates = isAboutPeople ? [] : lineages.flatMap((lineage) => lineage.delegates);
  const ids = isJoined
    ? [...lineages.map((lineage) => lineage.id), ...delegates.filter((id) => tipOf(connection, id) === id)]
    : inExportOrder(connection, [...lineages.flatMap((lineage) => lineage.ids), ...delegates]);
  return { ids, spared };
}

/** The named session, with what the request wants along. */
function ofOne(connection: Connection, id: SessionId, request: ExportRequest, isJoined: boolean): SessionId[] {
  if (request.deletesVerified) {
    const { segments, delegates } = companyOf(connection, id);
    return [...(isJoined ? [segments.at(-1) ?? id] : segments), ...delegates];
  }
  if (request.span === 'single') return [id];
  return isJoined ? [tipOf(connection, id)] : [...companyOf(connection, id).segments];
}
