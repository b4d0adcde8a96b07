import type { Message, Session, SessionId } from '../../session/types.ts';
import type { Connection } from '../../store/connection.ts';
import { exportMessages, exportPrompts, exportRow, exportRowCount, exportRows, exportUsage } from '../../store/reads/export.ts';
import { previewOf } from '../../store/reads/row-details.ts';
import { segmentIds, sessionById } from '../../store/reads/sessions.ts';
import { isBrokenText } from '../../session/stored.ts';
import type { StoredRow, TransferSession } from '../../transfer/types.ts';

/** Whose messages a reader is given: those of the row alone, or of the whole conversation it belongs to. */
export type Span = 'single' | 'logical';

/** What is waited for between two batches, so that signals reach the process; undefined where nothing is due. */
export type Pause = () => Promise<void> | undefined;

/**
 * One session on its way out of the store. What a format does not ask for is not read; all of it is read through `connection`, so that an open
 * transaction makes it one state of the store.
 *
 * @returns undefined when it is not stored (any more)
 */
export function transferSession(connection: Connection, id: SessionId, span: Span, pause?: Pause): TransferSession | undefined {
  const row = exportRow(connection, id);
  return row === undefined ? undefined : new StoredSession(connection, id, row, span, pause);
}

/** A class, since getters of an object literal are made anew with each of 10,000 sessions, and kept until the next full collection: 40 MB. */
class StoredSession implements TransferSession {
  readonly row: StoredRow;
  readonly usage: readonly StoredRow[];
  readonly prompts: readonly StoredRow[];
  readonly #connection: Connection;
  readonly #id: SessionId;
  readonly #span: Span;
  readonly #pause: Pause | undefined;
  #session: Session | undefined;
  #lineageIds: readonly SessionId[] | undefined;

  constructor(connection: Connection, id: SessionId, row: StoredRow, span: Span, pause: Pause | undefined) {
    this.row = row;
    this.usage = exportUsage(connection, id);
    this.prompts = exportPrompts(connection, row);
    this.#connection = connection;
    this.#id = id;
    this.#span = span;
    this.#pause = pause;
  }

  get session(): Session {
    return (this.#session ??= sessionById(this.#connection, this.#id) as Session);
  }

  get lineageIds(): readonly SessionId[] {
    return (this.#lineageIds ??= segmentIds(this.#connection, this.#id));
  }

  get rowCount(): number {
    return this.#segments().reduce((sum, segment) => sum + exportRowCount(this.#connection, segment), 0);
  }

  get preview(): string | undefined {
    return previewOf(this.#connection, this.#segments()).values().next().value;
  }

  rows(): AsyncIterable<readonly StoredRow[]> {
    return batches(exportRows(this.#connection, this.#id), this.#pause);
  }

  messages(): AsyncIterable<readonly Message[]> {
    return batches(exportMessages(this.#connection, this.#segments()), this.#pause);
  }

  /** Whose messages a reader is given. */
  #segments(): readonly SessionId[] {
    return this.#span === 'single' ? [this.#id] : this.lineageIds;
  }
}

/** The database answers at once; asynchronous is only what stands between two batches. */
async function* batches<Item>(read: Iterable<readonly Item[]>, pause: Pause | undefined): AsyncGenerator<readonly Item[]> {
  for (const batch of read) {
    yield batch;
    await pause?.();
  }
}

/**
 * The same without what a redactor can't look into: texts that are no valid UTF-8 become text, and prompts that are known by their hash alone are
 * left out.
 */
export function readableSession(session: TransferSession): TransferSession {
  const { preview, lineageIds, rowCount } = session;
  return {
    session: session.session,
    preview,
    lineageIds,
    ...(rowCount === undefined ? {} : { rowCount }),
    row: readableRow(session.row),
    usage: session.usage.map(readableRow),
    prompts: [],
    rows: () => readableRows(session.rows()),
    messages: () => session.messages(),
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
