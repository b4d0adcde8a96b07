import type { Message, Session, SessionId } from '../../session/types.ts';
import type { Connection } from '../../store/connection.ts';
import { exportMessages, exportPrompts, exportRow, exportRowCount, exportRows, exportUsage } from '../../store/reads/export.ts';
import { previewOf } from '../../store/reads/row-details.ts';
import { segmentIds, sessionById } from '../../store/reads/sessions.ts';
import { isBrokenText } from '../../session/stored.ts';
import type { StoredRow, TransferSession } from '../../transfer/types.ts';

/** Whose messages a reader is given: those of the row alone, or of the whole conversation it belongs to. */
export type Span = 'single' | 'logical';

/**
 * One session on its way out of the store. What a format does not ask for is not read; all of it is read through `connection`, so that an open
 * transaction makes it one state of the store.
 *
 * @returns undefined when it is not stored (any more)
 */
export function transferSession(connection: Connection, id: SessionId, span: Span): TransferSession | undefined {
  const row = exportRow(connection, id);
  if (row === undefined) return undefined;
  const session = lazy(() => sessionById(connection, id) as Session);
  const lineage = lazy(() => segmentIds(connection, id));
  const preview = lazy(
    () =>
      previewOf(connection, span === 'single' ? [id] : lineage())
        .values()
        .next().value,
  );
  return {
    get session() {
      return session();
    },
    row,
    rows: () => batches<StoredRow>(() => exportRows(connection, id)),
    messages: () => batches<Message>(() => exportMessages(connection, span === 'single' ? [id] : lineage())),
    usage: exportUsage(connection, id),
    prompts: exportPrompts(connection, row),
    get lineageIds() {
      return lineage();
    },
    get rowCount() {
      return (span === 'single' ? [id] : lineage()).reduce((sum, segment) => sum + exportRowCount(connection, segment), 0);
    },
    get preview() {
      return preview();
    },
  };
}

function lazy<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

async function* batches<Item>(read: () => Iterable<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  // The database answers at once; asynchronous is only what stands between two batches.
  await Promise.resolve();
  yield* read();
}

/**
 * The same without what a redactor can't look into: texts that are no valid UTF-8 become text, and prompts that are known by their hash alone are
 * left out.
 */
export function readableSession(session: TransferSession): TransferSession {
  return {
    ...session,
    row: readableRow(session.row),
    usage: session.usage.map(readableRow),
    prompts: [],
    rows: () => readableRows(session.rows()),
  };
}

async function* readableRows(batches: AsyncIterable<readonly StoredRow[]>): AsyncGenerator<readonly StoredRow[]> {
  for await (const batch of batches) yield batch.map(readableRow);
}

function readableRow(row: StoredRow): StoredRow {
  if (!Object.values(row).some(isBrokenText)) return row;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, isBrokenText(value) ? decoder.decode(value) : value]));
}
