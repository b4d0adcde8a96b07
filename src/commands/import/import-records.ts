import { StoreError } from '../../errors.ts';
import type { SessionId } from '../../session/types.ts';
import { finishImport, importRecord, prepareImport, type RecordOutcome } from '../../store/writes/import-record.ts';
import { drawable } from '../../terminal/width.ts';
import { importText as text } from '../../text/en/import.ts';
import { noteDamage, type Damage } from '../../transfer/import/broken.ts';
import { readRecords } from '../../transfer/import/hermes.ts';
import { throwIfStopped } from '../ask.ts';
import type { ShellContext } from '../context.ts';
import { showProgress } from '../progress.ts';
import { openWriter } from '../write-store.ts';

export interface RecordsImport {
  readonly path: string;
  /** Ids of sessions that were stored. */
  readonly imported: readonly SessionId[];
  readonly messages: number;
  /** Ids that were here already, with all their messages. */
  readonly equal: readonly SessionId[];
  readonly merged: readonly Extract<RecordOutcome, { kind: 'merged' }>[];
  readonly refused: readonly Extract<RecordOutcome, { kind: 'refused' }>[];
  /** Sessions the store did not take, and why. */
  readonly failed: readonly { readonly id: SessionId; readonly message: string }[];
  readonly retitled: readonly { readonly id: SessionId; readonly from: string; readonly to: string | undefined }[];
  readonly lostColumns: readonly string[];
  readonly damage: Damage;
}

/**
 * Imports every session of our own JSON Lines, each in a transaction of its own; stops between two of them.
 * @throws StoreError, HermesError `import-unreadable`, `interrupted`
 */
export async function importRecords(context: ShellContext, path: string): Promise<RecordsImport> {
  const damage = noteDamage();
  const outcomes: RecordOutcome[] = [];
  const failed: { id: SessionId; message: string }[] = [];
  const progress = showProgress(context, text.label, undefined);
  const writer = await openWriter(context, { prepare: prepareImport, finish: finishImport });
  try {
    for (const record of readRecords(path, damage)) {
      throwIfStopped(context.signal, text.stopped(outcomes.length));
      try {
        outcomes.push(await writer.write((connection) => importRecord(connection, record)));
      } catch (error) {
        // A session the store can't take (a trigger of another program, a cell too large) keeps no other from it.
        if (!(error instanceof StoreError) || error.trouble !== 'refused') throw error;
        failed.push({ id: String(record.row['id']), message: error.message });
      }
      progress.step(outcomes.length);
    }
  } catch (error) {
    if (error instanceof StoreError && outcomes.length > 0) context.err.write(`${text.doneBefore(outcomes.length)}\n`);
    throw error;
  } finally {
    progress.end();
    writer.close();
  }
  const of = <Kind extends RecordOutcome['kind']>(kind: Kind): Extract<RecordOutcome, { kind: Kind }>[] =>
    outcomes.filter((outcome): outcome is Extract<RecordOutcome, { kind: Kind }> => outcome.kind === kind);
  const imported = of('imported');
  return {
    path,
    imported: imported.map(({ id }) => id),
    messages: imported.reduce((sum, { messages }) => sum + messages, 0),
    equal: of('equal').map(({ id }) => id),
    merged: of('merged'),
    refused: of('refused'),
    failed,
    retitled: imported.flatMap(({ id, retitled }) => (retitled === undefined ? [] : [{ id, ...retitled }])),
    lostColumns: [...new Set(imported.flatMap(({ lost }) => lost))],
    damage,
  };
}

/** What a file holds, without storing it. */
export function countRecords(path: string): { records: number; messages: number; damage: Damage } {
  const damage = noteDamage();
  let records = 0;
  let messages = 0;
  for (const record of readRecords(path, damage)) {
    records += 1;
    for (const _ of record.messages()) messages += 1;
  }
  return { records, messages, damage };
}

const refusals = { busy: text.busy, compressed: text.notMerged, binned: text.binned } as const;

/** What became of a file, a sentence a line. */
export function recordsText(done: RecordsImport): string[] {
  const merged = done.merged.filter(({ added }) => added > 0);
  return [
    text.restored(done.imported.length, done.messages),
    ...(done.equal.length === 0 ? [] : [text.equal(done.equal.length)]),
    ...(merged.length === 0
      ? []
      : [
          text.merged(
            merged.length,
            merged.reduce((sum, { added }) => sum + added, 0),
          ),
        ]),
    ...done.merged.filter(({ left }) => left > 0).map(({ id, left }) => text.notPlaced(id, left)),
    ...done.refused.map(({ id, because }) => refusals[because](id)),
    ...done.failed.map(({ id, message }) => text.notTaken(id, message)),
    ...done.retitled.map(({ id, from, to }) => (to === undefined ? text.untitled(id) : text.retitled(id, drawable(from), drawable(to)))),
    ...(done.lostColumns.length === 0 ? [] : [text.lostColumns(done.lostColumns.map(drawable))]),
  ];
}
