import type { Selections } from '../../session/selection.ts';
import type { Session, SessionId } from '../../session/types.ts';
import { sessionById } from '../../store/reads/sessions.ts';
import { drawable } from '../../terminal/width.ts';
import { exportText as text } from '../../text/en/export.ts';
import { localDate } from '../../text/relative-time.ts';
import type { Struck } from '../../transfer/redact/session.ts';
import type { TransferSession } from '../../transfer/types.ts';
import type { ExportRequest } from './request.ts';
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
  for (const id of ids) {
    const session = sessionById(connection, id);
    if (session !== undefined) context.out.write(`${previewLine(session)}\n`);
  }
  if (spared !== undefined && spared.open > 0) context.out.write(`${text.spared([text.sparedOpen(spared.open)])}\n`);
  if (request.isRedacted) await previewRedaction(stream, request, ids);
  return 0;
}

function previewLine(session: Session): string {
  const at = new Date(session.startedAt);
  const time = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  const parts = [
    session.id,
    session.startedAt === 0 ? '—' : `${localDate(session.startedAt)} ${time}`,
    session.source,
    session.model ?? '—',
    `${session.messageCount} msgs`,
    session.title ?? '',
  ];
  return `  ${drawable(parts.join('  ').trimEnd())}`;
}

async function previewRedaction(stream: Stream, request: ExportRequest, ids: readonly SessionId[]): Promise<void> {
  const found: Struck[] = [];
  const redact = await loadRedaction((struck) => found.push(struck));
  const lines: string[] = [];
  let count = 0;
  for await (const session of sessionsOf({ ...stream, redact }, ids)) {
    await readThrough(session, request);
    for (const { sessionId, messageId, field, finding } of found) {
      count += 1;
      const place = messageId === undefined ? field : `${field} of message ${messageId}`;
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
