import type { ForeignSession } from '../../session/foreign.ts';
import { importForeign, makeRoomForOrigin, type ForeignOutcome } from '../../store/writes/import-foreign.ts';
import { drawable } from '../../terminal/width.ts';
import { importText as text } from '../../text/en/import.ts';
import type { StoreWriter } from '../write-store.ts';

export interface LogImport {
  readonly session: ForeignSession;
  readonly outcome: ForeignOutcome;
}

/**
 * Imports one log, in one transaction.
 * @throws StoreError, HermesError `import-unreadable`
 */
export async function importLog(writer: StoreWriter, session: ForeignSession): Promise<LogImport> {
  const outcome = await writer.write((connection) => {
    makeRoomForOrigin(connection);
    return importForeign(connection, { session, title: (line) => text.title(text.tools[session.tool], line) });
  });
  return { session, outcome };
}

/** What became of a log, in a sentence. */
export function outcomeText({ session, outcome }: LogImport): string {
  switch (outcome.kind) {
    case 'imported':
      return text.imported(outcome.id, drawable(outcome.title ?? text.nothingSaid), outcome.messages);
    case 'same':
      return text.same(outcome.id, drawable(session.path));
    case 'grown':
      return text.grown(outcome.id, outcome.messages);
    case 'continued':
      return text.continuedHere(outcome.id, drawable(session.path));
    case 'busy':
      return text.busy(outcome.id);
    case 'empty':
      return text.nothingInIt(drawable(session.path));
  }
}

/** Line numbers that are named. */
const mostNamed = 10;

/** What could not be read of it; undefined when nothing was wrong. */
export function damageText({ count, named }: ForeignSession['broken']): string | undefined {
  if (count === 0) return undefined;
  return text.brokenLines(
    count,
    named.slice(0, mostNamed).map(({ line }) => line),
  );
}
