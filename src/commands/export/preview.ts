import type { Selections } from '../../session/selection.ts';
import type { SessionId } from '../../session/types.ts';
import { sessionById } from '../../store/reads/sessions.ts';
import { drawable } from '../../terminal/width.ts';
import { exportText as text } from '../../text/en/export.ts';
import type { Struck } from '../../transfer/redact/session.ts';
import type { TransferSession } from '../../transfer/types.ts';
import type { ExportRequest } from './request.ts';
import { terminalWidth } from '../context.ts';
import { previewRows, sparedLines } from '../selection-preview.ts';
import { loadRedaction, sessionsOf, type Stream } from './stream.ts';

/** `--dry-run`: what would be exported, and with redaction what would be struck out of it. Writes nothing. @returns the exit code */
export async function previewExport(
  stream: Stream,
  request: ExportRequest,
  ids: readonly SessionId[],
  spared: Selections['spared'] | undefined,
): Promise<number> {
  const { context, connection } = stream;
  context.out.write(`${text.wouldExport(ids.length)}\n`);
  const rows = ids.flatMap((id) => {
    const session = sessionById(connection, id);
    return session === undefined ? [] : [{ ...session, time: session.startedAt, messages: session.messageCount }];
  });
  for (const line of [...previewRows(rows, terminalWidth(context.out)), ...(spared === undefined ? [] : sparedLines(spared))])
    context.out.write(`${line}\n`);
  if (request.isRedacted) await previewRedaction(stream, request, ids);
  return 0;
}

async function previewRedaction(stream: Stream, request: ExportRequest, ids: readonly SessionId[]): Promise<void> {
  const found: Struck[] = [];
  const redact = await loadRedaction((struck) => found.push(struck));
  const lines: string[] = [];
  let count = 0;
  for await (const session of sessionsOf({ ...stream, redact }, ids)) {
    await readThrough(session, request);
    const seen = new Set<string>();
    for (const { sessionId, messageId, field, finding } of found) {
      // The session and its row tell the same, and the preview what its first message does: a secret counts once.
      const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const place = messageId === undefined ? column : `${column} of message ${messageId}`;
      const key = `${place} ${finding.start}`;
      if (column === 'preview' || seen.has(key)) continue;
      seen.add(key);
      count += 1;
      lines.push(drawable(text.struck(sessionId, place, finding.family, finding.masked)));
    }
    found.length = 0;
  }
  stream.progress.end();
  stream.context.out.write(`${count === 0 ? text.nothingToStrike : text.wouldStrike(count)}\n`);
  for (const line of lines) stream.context.out.write(`${line}\n`);
}

/** Reads what the format would read. */
async function readThrough(session: TransferSession, { format }: ExportRequest): Promise<void> {
  const batches: AsyncIterable<unknown> = format === 'jsonl' ? session.rows() : session.messages();
  for await (const batch of batches) void batch;
}
