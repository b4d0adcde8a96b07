import type { Query } from '../session/query.ts';
import { noSelections, type Selection } from '../session/selection.ts';
import type { SessionId } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { selectLineages } from '../store/reads/select.ts';
import { binText } from '../text/en/bin.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { printable } from '../text/printable.ts';
import { agreeTo } from './agree-to.ts';
import type { ShellContext } from './context.ts';
import { answerTexts, readFilters } from './filters.ts';
import { liveHolders } from './live-holders.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { chooseRemoval } from './removal.ts';
import { writeStore } from './write-store.ts';

const oneDay = 86_400_000;
/** Of a prune without any filter (the seeds). */
const defaultDays = 90;

/**
 * `hermes sessions prune [filters]`: whole ended lineages with their sub-agents go to the bin, or for good with `--forever` and where
 * `sessions.trash_days` is 0. Pinned and archived ones are spared unless asked for. Without a filter those idle for 90 days are meant.
 * Who was shown is who goes: what changed while the question stood stays.
 *
 * @returns the exit code: 1 when all that fits was refused
 * @throws UsageError, StoreError, HermesError `empty-window`
 */
export async function pruneSessions(context: ShellContext, flags: Flags): Promise<number> {
  const filters = readFilters(flags, context);
  const description = filters.isEmpty ? `older-than ${defaultDays}` : filters.description;
  const asked = filters.isEmpty ? { query: idleFor(defaultDays, context.now()) } : filters;
  const selected = readStore(context, (connection) => {
    const selection: Selection = {
      query: answerTexts(connection, asked),
      endedOnly: true,
      includeArchived: flags['include-archived'] === true,
      includePinned: flags['include-pinned'] === true,
    };
    return { selection, found: selectLineages(connection, selection) };
  });
  const found = selected?.found ?? noSelections;
  const count = found.lineages.length;
  const delegates = found.lineages.reduce((sum, each) => sum + each.delegates.length, 0);
  const removal = chooseRemoval(context, { isForever: flags['forever'] === true });
  const question = text.prune(count, delegates, binText.fate(count, removal.until));
  const change = { filters: description, would: text.wouldPrune(count), question };
  if (!(await agreeTo(context, flags, found, change)) || selected === undefined) return 0;
  const { selection } = selected;

  const shown = new Set(found.lineages.map((each) => each.id));
  const { moved, refused, changed } = await writeStore(context, (connection) => {
    const ids = stillSelected(connection, selection, shown);
    return { ...removal.remove(connection, { ids, held: liveHolders(context) }), changed: shown.size - ids.length };
  });
  for (const { message } of refused) context.err.write(`${printable(message)}\n`);
  if (changed > 0) context.err.write(`${text.changedMeanwhile(changed)}\n`);
  if (moved.length > 0) {
    context.out.write(`${text.pruned(moved.length)}\n${removal.where}\n`);
    removal.finish();
  }
  return moved.length === 0 && refused.length > 0 ? 1 : 0;
}

const idleFor = (days: number, now: number): Query => ({ type: 'test', test: { field: 'active', until: now - days * oneDay } });

/** Pinned, gone on with or archived since it was shown: not what was agreed to. */
function stillSelected(connection: Connection, selection: Selection, shown: ReadonlySet<SessionId>): SessionId[] {
  return selectLineages(connection, selection).lineages.flatMap((each) => (shown.has(each.id) ? [each.id] : []));
}
