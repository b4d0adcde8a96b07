import { HermesError, UsageError } from '../errors.ts';
import type { Query } from '../session/query.ts';
import { noSelections, type Selection } from '../session/selection.ts';
import type { SessionId } from '../session/types.ts';
import { selectLineages } from '../store/reads/select.ts';
import { isStored } from '../store/reads/sessions.ts';
import { setArchived } from '../store/writes/sessions.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { agreeTo } from './agree-to.ts';
import type { ShellContext } from './context.ts';
import { answerTexts, readFilters } from './filters.ts';
import { findSession, unknownSession } from './find-session.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions archive ID…` or `archive [filters]`, and `unarchive` the same way: whole lineages, taken out of the lists or brought back.
 * Filters match ended sessions, and spare pinned ones unless asked for; ids are taken as named. Without either it refuses.
 *
 * @returns the exit code
 * @throws UsageError, NotFoundError, AmbiguousIdError, StoreError, HermesError `every-session`
 */
export async function archiveFromShell(
  context: ShellContext,
  names: readonly string[],
  flags: Flags,
  isArchived: boolean,
): Promise<number> {
  const filters = readFilters(flags, context);
  const { isEmpty, description } = filters;
  if (names.length > 0 && !isEmpty) throw new UsageError(text.idsOrFilters);
  if (names.length > 0) return archiveNamed(context, names, isArchived);
  if (isEmpty) throw new HermesError('every-session', isArchived ? text.refusesAll : text.refusesUnarchive, { hint: text.refusesAllHint });

  const selectionOf = (query: Query): Selection =>
    isArchived
      ? { query, endedOnly: true, includeArchived: false, includePinned: flags['include-pinned'] === true }
      : { query: onlyArchived(query), endedOnly: false, includeArchived: true, includePinned: true };
  const { lineages, spared } =
    readStore(context, (connection) => selectLineages(connection, selectionOf(answerTexts(connection, filters)))) ?? noSelections;
  const count = lineages.length;
  // What is archived already was not spared from anything.
  const found = { lineages, spared: { ...spared, archived: 0 } };
  const change = isArchived
    ? { filters: description, would: text.wouldArchive(count), question: text.archive(count) }
    : { filters: description, would: text.wouldUnarchive(count), question: text.unarchive(count) };
  if (!(await agreeTo(context, flags, found, change))) return 0;
  const done = await setAll(
    context,
    lineages.map((each) => each.id),
    isArchived,
  );
  context.out.write(`${isArchived ? text.archived(done) : text.unarchived(done)}\n`);
  return 0;
}

const onlyArchived = (query: Selection['query']): Selection['query'] => ({
  type: 'and',
  nodes: [query, { type: 'test', test: { field: 'is', value: 'archived' } }],
});

async function archiveNamed(context: ShellContext, names: readonly string[], isArchived: boolean): Promise<number> {
  const ids = readStore(context, (connection) => names.map((name) => findSession(connection, name).tip.id));
  if (ids === undefined) throw unknownSession(names[0]!);
  const done = await setAll(context, [...new Set(ids)], isArchived);
  context.out.write(`${isArchived ? text.archived(done) : text.unarchived(done)}\n`);
  return 0;
}

/** @returns how many there still were: what was deleted since it was found is passed over */
const setAll = (context: ShellContext, ids: readonly SessionId[], isArchived: boolean): Promise<number> =>
  writeStore(context, (connection) => {
    const stored = ids.filter((id) => isStored(connection, id));
    for (const id of stored) setArchived(connection, id, isArchived);
    return stored.length;
  });
