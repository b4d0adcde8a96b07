import { StoreError } from '../errors.ts';
import { explainFailure } from '../store/damage.ts';
import { openForReading } from '../store/open.ts';
import { takeSnapshot } from '../store/reads/export.ts';
import type { OpenConnection } from '../store/connection.ts';
import { drawable } from '../terminal/width.ts';
import { exportText as text } from '../text/en/export.ts';
import { throwIfStopped } from './ask.ts';
import type { ShellContext } from './context.ts';
import { readExportRequest, type ExportRequest } from './export/request.ts';
import { chooseSessions } from './export/selected.ts';
import { ClosedPipe } from './export/stdout.ts';
import { loadRedaction, sessionsOf, type Stream } from './export/stream.ts';
import { writeExport } from './export/write.ts';
import { unknownSession } from './find-session.ts';
import type { Flags } from './parse.ts';
import { showProgress } from './progress.ts';
import { sparedLines } from './selection-preview.ts';

/** A shell command may wait for a lock this long, with its thread blocked; a screen may not. */
const lockWaitMs = 5_000;

/**
 * `hermes sessions export [OUTPUT] …` (state-db.md 6): every format, from one state of the store. What is interrupted or fails leaves no half file.
 *
 * @returns the exit code
 * @throws UsageError, NotFoundError, AmbiguousIdError, StoreError, HermesError `export-…`, `interrupted`
 */
export async function exportSessions(context: ShellContext, args: readonly string[], flags: Flags): Promise<number> {
  const request = readExportRequest(context, args, flags);
  // From here on a signal is a question of when, not an end at once: files are under way.
  throwIfStopped(context.signal, text.stopped);
  const connection = open(context);
  if (connection === undefined) {
    if (request.sessionId !== undefined) throw unknownSession(request.sessionId);
    context.err.write(`${text.nothingStored}\n`);
    return 0;
  }
  try {
    return await exportFrom(context, connection, request);
  } catch (error) {
    if (error instanceof ClosedPipe) return 0;
    throw explainFailure(error, context.home.storePath, connection.shape.version);
  } finally {
    connection.close();
  }
}

function open(context: ShellContext): OpenConnection | undefined {
  try {
    return openForReading(context.home.storePath, { now: context.now, timeoutMs: lockWaitMs });
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return undefined;
    throw error;
  }
}

async function exportFrom(context: ShellContext, connection: OpenConnection, request: ExportRequest): Promise<number> {
  const snapshot = takeSnapshot(connection);
  const { ids, spared } = chooseSessions(connection, request);
  if (ids.length === 0 && !request.filters.isEmpty) {
    context.err.write(`${text.nothingMatches(request.filters.description)}\n`);
    return 0;
  }
  if (ids.length === 0 && request.format === 'trace') {
    context.err.write(`${text.nothingStored}\n`);
    return 1;
  }
  const progress = showProgress(context, text.progress, ids.length);
  const stream: Stream = { context, connection, snapshot, span: request.span, progress, gone: 0 };
  try {
    if (request.isDryRun) {
      const { previewExport } = await import('./export/preview.ts');
      return await previewExport(stream, request, ids, spared);
    }
    const deletion = request.deletesVerified ? await import('./export/delete-verified.ts') : undefined;
    const noted = deletion?.noteWhatIsThere(connection, ids[0] ?? '');
    if (request.isRedacted) stream.redact = await loadRedaction();
    const sessions = sessionsOf(stream, ids);
    if (request.destination.kind === 'upload') {
      const { uploadExport } = await import('./export/upload.ts');
      return await uploadExport(context, request, sessions, ids[0] ?? '');
    }

    const result = await writeExport(context, request, sessions, ids);
    snapshot.end();
    progress.end();
    const { place } = result;
    if (place !== undefined) {
      const shown = drawable(place);
      const { sessions: count, prompts } = result;
      context.out.write(`${prompts === undefined ? text.exported(count, shown) : text.exportedPrompts(prompts, count, shown)}\n`);
    }
    // A backup by filters that lacks sessions says so.
    if (spared !== undefined) for (const line of sparedLines(spared)) context.err.write(`${line}\n`);
    if (stream.gone > 0) context.err.write(`${text.gone(stream.gone)}\n`);
    if (noted !== undefined) await deletion?.deleteVerified(context, noted, result.files);
    return 0;
  } finally {
    progress.end();
  }
}
