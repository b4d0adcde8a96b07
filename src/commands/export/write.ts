import path from 'node:path';
import { HermesError } from '../../errors.ts';
import { fileNameOf, slugOf } from '../../transfer/file-names.ts';
import { appendManifest } from '../../transfer/manifest.ts';
import { makeFolder, openTarget, type Target } from '../../transfer/target.ts';
import type { Output, TransferSession } from '../../transfer/types.ts';
import { exportText as text } from '../../text/en/export.ts';
import type { Destination, ExportRequest } from './request.ts';
import { stdoutOutput } from './stdout.ts';
import type { ShellContext } from '../context.ts';

/** One file that was written for one session. */
export interface WrittenFile {
  readonly path: string;
  /** Of its bytes, hex; of Markdown alone. */
  readonly sha256: string;
}

export interface ExportResult {
  readonly sessions: number;
  /** Of `--only user-prompts`. */
  readonly prompts?: number;
  /** As it is said; absent for standard output. */
  readonly place?: string;
  /** Of formats that write one for each session. */
  readonly files: readonly WrittenFile[];
}

const endings = { jsonl: 'jsonl', md: 'md', qmd: 'qmd', html: 'html', trace: 'trace.jsonl' } as const;

/** Writes what `sessions` gives, in the format and to the place that were asked for. `count`: how many there will be. */
export async function writeExport(
  context: ShellContext,
  request: ExportRequest,
  sessions: AsyncIterable<TransferSession>,
  ids: readonly string[],
): Promise<ExportResult> {
  const { destination } = request;
  if (destination.kind === 'folder') return writeFiles(context, request, destination.folder, sessions);
  if (destination.kind === 'stdout') {
    return { ...(await writeOne(context, request, sessions, ids.length, stdoutOutput(context.out))), files: [] };
  }
  const file = pathOf(destination, request, ids);
  const target = await openTarget(file, { force: request.isForced });
  try {
    const written = await writeOne(context, request, sessions, ids.length, target);
    await target.commit();
    return { ...written, place: file, files: [] };
  } finally {
    await target.discard();
  }
}

function pathOf(destination: Destination, request: ExportRequest, ids: readonly string[]): string {
  if (destination.kind === 'file') return destination.path;
  const { format, promptsAs, sessionId } = request;
  const folder = destination.kind === 'in-folder' ? destination.folder : '';
  const [id = ''] = ids;
  if (format === 'trace') return path.join(folder, `${fileNameOf(id)}.trace.jsonl`);
  const ending = endings[format === 'prompts' ? promptsAs : format];
  return path.join(folder, sessionId === undefined ? `hermes_sessions.${ending}` : `hermes_session_${fileNameOf(id)}.${ending}`);
}

/** Formats that put all sessions into one text. */
async function writeOne(
  context: ShellContext,
  { format, promptsAs, sessionId }: ExportRequest,
  sessions: AsyncIterable<TransferSession>,
  count: number,
  output: Output,
): Promise<{ sessions: number; prompts?: number }> {
  if (format === 'html') {
    const { writeHtml } = await import('../../transfer/html/index.ts');
    return writeHtml(sessions, output, { now: context.now(), count });
  }
  if (format === 'prompts') {
    const { writePrompts } = await import('../../transfer/prompts.ts');
    return writePrompts(sessions, output, { format: promptsAs, isSingle: sessionId !== undefined });
  }
  if (format === 'trace') {
    const { writeTrace } = await import('../../transfer/trace.ts');
    let written = 0;
    for await (const session of sessions) {
      await writeTrace(session, output, context.now());
      written += 1;
    }
    return { sessions: written };
  }
  const { writeJsonl } = await import('../../transfer/jsonl.ts');
  return writeJsonl(sessions, output);
}

/** A file for each session, and for Markdown a line in the manifest of the folder for each file. */
async function writeFiles(
  context: ShellContext,
  request: ExportRequest,
  folder: string,
  sessions: AsyncIterable<TransferSession>,
): Promise<ExportResult> {
  const { format, span, isForced } = request;
  makeFolder(folder);
  const files: WrittenFile[] = [];
  for await (const session of sessions) {
    const { id, title = '' } = session.session;
    const name = format === 'trace' ? `${fileNameOf(id)}.trace.jsonl` : `${fileNameOf(id)}-${slugOf(title)}.${format}`;
    const file = path.join(folder, name);
    const target = await openNext(file, { force: isForced, hash: format !== 'trace' }, files.length);
    try {
      const now = context.now();
      const { messages } = await writeDocument(session, target, request, now);
      const sha256 = await target.commit();
      files.push({ path: file, sha256 });
      if (format !== 'trace') {
        const lineageIds = span === 'logical' ? session.lineageIds : [id];
        const entry = { sessionId: id, lineageIds, path: file, format, messages, sha256, exportedAt: now };
        await appendManifest(path.join(folder, 'manifest.jsonl'), [entry]);
      }
    } finally {
      await target.discard();
    }
  }
  const [only] = files;
  return { sessions: files.length, place: files.length === 1 && only !== undefined ? only.path : folder, files };
}

/** Opens one of several files. What stands in the way of it says how many are written already. */
async function openNext(file: string, options: { force: boolean; hash: boolean }, written: number): Promise<Target> {
  try {
    return await openTarget(file, options);
  } catch (error) {
    if (!(error instanceof HermesError) || written === 0) throw error;
    throw new HermesError(error.code, error.message, { hint: text.writtenBefore(written), exitCode: error.exitCode, cause: error });
  }
}

async function writeDocument(
  session: TransferSession,
  output: Output,
  { format, span }: ExportRequest,
  now: number,
): Promise<{ messages: number }> {
  if (format === 'md' || format === 'qmd') {
    const { writeMarkdown } = await import('../../transfer/markdown.ts');
    return writeMarkdown(session, output, { format, span, now });
  }
  const { writeTrace } = await import('../../transfer/trace.ts');
  return writeTrace(session, output, now);
}
