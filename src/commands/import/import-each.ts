import { HermesError, StoreError } from '../../errors.ts';
import { foreignCopies } from '../../store/reads/foreign-copies.ts';
import { drawable } from '../../terminal/width.ts';
import { importText as text } from '../../text/en/import.ts';
import type { Origin } from '../../transfer/import/detect.ts';
import { readLog } from '../../transfer/import/read-log.ts';
import type { ForeignSession } from '../../session/foreign.ts';
import { showProgress } from '../progress.ts';
import type { ShellContext } from '../context.ts';
import { readStore } from '../read-store.ts';
import { openWriter, type StoreWriter } from '../write-store.ts';
import { damageText, importLog, outcomeText, type LogImport } from './import-log.ts';
import { countRecords, importRecords, recordsText } from './import-records.ts';

/** A file that is to be imported. */
export interface Source {
  readonly path: string;
  readonly tool: Origin;
  /** Named or chosen: else sub-agents' logs and empty ones are passed over without a word. */
  readonly isMeant: boolean;
}

export interface ImportReport {
  /** What is said of it on standard output. */
  readonly lines: readonly string[];
  /** What is said of it on standard error. */
  readonly troubles: readonly string[];
  /** The same for `--json`. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** Sessions that were stored, and that were here before. */
  readonly imported: number;
  readonly known: number;
  readonly isFailure: boolean;
}

/** Imports one file after the other; one that can't be imported does not keep the others from it. @throws StoreError */
export async function* importEach(
  context: ShellContext,
  sources: readonly Source[],
  { isDryRun }: { isDryRun: boolean },
): AsyncGenerator<ImportReport> {
  // One file shows its own.
  const progress = sources.length === 1 ? undefined : showProgress(context, text.label, sources.length);
  let writer: StoreWriter | undefined;
  try {
    for (const [index, source] of sources.entries()) {
      const { tool, path } = source;
      try {
        if (tool === 'hermes') yield isDryRun ? reportCount(path) : reportRecords(await importRecords(context, path));
        else {
          const session = readLog(tool, { path }, [context.cwd]);
          if (session.isDelegate && !source.isMeant) continue;
          if (!isDryRun && saysSomething(session)) writer ??= await openWriter(context);
          const report = writer === undefined ? reportPlan(context, source, session) : reportLog(source, await importLog(writer, session));
          if (report !== undefined) yield report;
        }
      } catch (error) {
        // The store itself is in the way, or a person is: the next file would fare no better.
        const isOfThisFile =
          error instanceof StoreError ? error.trouble === 'refused' : error instanceof HermesError && error.code !== 'interrupted';
        if (!isOfThisFile) throw error;
        yield {
          lines: [],
          troubles: [drawable((error as HermesError).message)],
          facts: { path, tool, error: (error as HermesError).message },
          imported: 0,
          known: 0,
          isFailure: true,
        };
      }
      progress?.step(index + 1);
    }
  } finally {
    progress?.end();
    writer?.close();
  }
}

/** A log in which nobody said anything makes no store. */
function saysSomething(session: ForeignSession): boolean {
  for (const _ of session.turns()) return true;
  return false;
}

function reportLog({ path, tool, isMeant }: Source, done: LogImport): ImportReport | undefined {
  const { outcome, session } = done;
  const isEmpty = outcome.kind === 'empty';
  if (isEmpty && !isMeant && session.broken.count === 0) return undefined;
  const damage = damageText(session.broken);
  return {
    lines: [outcomeText(done)],
    troubles: damage === undefined ? [] : [`${drawable(path)}: ${damage}`],
    facts: { path, tool, foreign_session_id: session.foreignId, ...factsOf(outcome), broken: session.broken.named },
    imported: outcome.kind === 'imported' ? 1 : 0,
    known: outcome.kind === 'imported' || isEmpty ? 0 : 1,
    isFailure: isEmpty && isMeant,
  };
}

const factsOf = ({ kind, ...facts }: LogImport['outcome']): Record<string, unknown> => ({ outcome: kind, ...facts });

function reportRecords(done: Awaited<ReturnType<typeof importRecords>>): ImportReport {
  const { damage, path, ...facts } = done;
  const broken = damageText(damage);
  const known = done.equal.length + done.merged.length + done.refused.length;
  return {
    lines: recordsText(done),
    troubles: broken === undefined ? [] : [`${drawable(path)}: ${broken}`],
    facts: { path, tool: 'hermes', ...facts, broken: damage.named },
    imported: done.imported.length,
    known,
    isFailure: done.failed.length > 0 || done.imported.length + known === 0,
  };
}

function reportCount(path: string): ImportReport {
  const { records, messages, damage } = countRecords(path);
  const broken = damageText(damage);
  return {
    lines: [text.wouldRestore(drawable(path), records, messages)],
    troubles: broken === undefined ? [] : [`${drawable(path)}: ${broken}`],
    facts: { path, tool: 'hermes', outcome: 'planned', sessions: records, messages, broken: damage.named },
    imported: records,
    known: 0,
    isFailure: records === 0,
  };
}

function reportPlan(context: ShellContext, { path, isMeant }: Source, session: ForeignSession): ImportReport | undefined {
  const { tool } = session;
  let messages = 0;
  for (const _ of session.turns()) messages += 1;
  if (messages === 0 && !isMeant && session.broken.count === 0) return undefined;
  const copy = readStore(context, (connection) => foreignCopies(connection, tool).get(session.foreignId));
  const damage = damageText(session.broken);
  const line = messages === 0 ? text.nothingInIt(drawable(path)) : text.wouldImport(drawable(path), messages);
  return {
    lines: [copy === undefined ? line : text.wouldGrow(copy, drawable(path))],
    troubles: damage === undefined ? [] : [`${drawable(path)}: ${damage}`],
    facts: {
      path,
      tool,
      foreign_session_id: session.foreignId,
      outcome: 'planned',
      messages,
      ...(copy === undefined ? {} : { id: copy }),
      broken: session.broken.named,
    },
    imported: copy === undefined && messages > 0 ? 1 : 0,
    known: copy === undefined ? 0 : 1,
    isFailure: messages === 0 && isMeant,
  };
}
