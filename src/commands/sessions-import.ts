import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { HermesError, NotFoundError, UsageError } from '../errors.ts';
import { foreignTools, type ForeignTool } from '../session/foreign.ts';
import { drawable } from '../terminal/width.ts';
import { importText as text } from '../text/en/import.ts';
import { detectOrigin, type Origin } from '../transfer/import/detect.ts';
import { findFiles } from '../transfer/import/discover.ts';
import { throwIfStopped } from './ask.ts';
import type { ShellContext } from './context.ts';
import { allLogs, chooseLog, noLogs } from './import/choose-log.ts';
import { originNamed } from './import/origins.ts';
import { importEach, type ImportReport, type Source } from './import/import-each.ts';
import type { Flags } from './parse.ts';

/**
 * `hermes sessions import [--from …] [PATH] [--all] [--dry-run] [--json]`: a file or a folder, all logs of an agent, or one that is chosen from
 * the newest. A log that was imported before opens its copy; one that has gone on since is followed.
 *
 * @returns 0; 1 when nothing was chosen, or something could not be imported at all
 * @throws UsageError, NotFoundError, StoreError, HermesError `interrupted`
 */
export async function importSessions(context: ShellContext, args: readonly string[], flags: Flags): Promise<number> {
  const origin = typeof flags['from'] === 'string' ? originNamed(flags['from']) : undefined;
  const sources = await chooseSources(context, args[0], origin, flags['all'] === true);
  if (sources === undefined) {
    context.out.write(`${text.noneChosen}\n`);
    return 1;
  }
  const isJson = flags['json'] === true;
  const isDryRun = flags['dry-run'] === true;
  const reports: ImportReport[] = [];
  let failed = 0;
  const end = (): void => {
    if (isJson)
      context.out.write(
        `${JSON.stringify(
          reports.map(({ facts }) => facts),
          undefined,
          2,
        )}\n`,
      );
    else if (sources.length > 1) context.out.write(`${summaryOf(reports, failed, isDryRun)}\n`);
  };
  try {
    for await (const report of importEach(context, sources, { isDryRun })) {
      reports.push(report);
      if (report.isFailure) failed += 1;
      for (const line of isJson ? [] : report.lines) context.out.write(`${line}\n`);
      for (const line of report.troubles) context.err.write(`${line}\n`);
      throwIfStopped(context.signal, text.stopped(reports.length));
    }
  } finally {
    end();
  }
  return failed > 0 ? 1 : 0;
}

const summaryOf = (reports: readonly ImportReport[], failed: number, isDryRun: boolean): string =>
  (isDryRun ? text.wouldSummary : text.summary)(
    reports.reduce((sum, { imported }) => sum + imported, 0),
    reports.reduce((sum, { known }) => sum + known, 0),
    failed,
  );

async function chooseSources(
  context: ShellContext,
  named: string | undefined,
  origin: Origin | undefined,
  isAll: boolean,
): Promise<readonly Source[] | undefined> {
  if (named !== undefined && isAll) throw new UsageError(text.pathAndAll, text.pathAndAllHint);
  if (named !== undefined) return sourcesAt(context, path.resolve(context.cwd, named), origin);
  if (origin === 'hermes') throw new UsageError(text.needsPath, text.needsPathHint);
  const tools: readonly ForeignTool[] = origin === undefined ? foreignTools : [origin];
  if (isAll) {
    const logs = allLogs(context, tools);
    if (logs.length === 0) throw noLogs(context, tools);
    // Oldest first, so that the newest stand on top afterwards and titles are numbered as they came.
    return logs.reverse().map((log) => ({ ...log, isMeant: false }));
  }
  if (context.out.isTTY !== true) throw new HermesError('not-a-tty', text.needsTerminal, { hint: text.needsTerminalHint });
  const log = await chooseLog(context, tools);
  return log === undefined ? undefined : [{ ...log, isMeant: true }];
}

function sourcesAt(context: ShellContext, at: string, origin: Origin | undefined): readonly Source[] {
  const found = statAt(at);
  if (found === undefined) throw new NotFoundError(text.noSuchPath(drawable(at)));
  if (!found.isDirectory()) {
    const tool = origin ?? detectOrigin(at);
    if (tool === undefined) throw new HermesError('unknown-format', text.unknownFormat(drawable(at)), { hint: text.unknownFormatHint });
    return [{ path: at, tool, isMeant: true }];
  }
  const unread = (folder: string, code: string): unknown => context.err.write(`${text.folderUnread(drawable(folder), code)}\n`);
  const files = findFiles(at, unread).flatMap((file): Source[] => {
    const tool = readOrigin(context, file);
    return tool === undefined || (origin !== undefined && tool !== origin) ? [] : [{ path: file, tool, isMeant: false }];
  });
  if (files.length === 0) throw new NotFoundError(text.nothingToImport(drawable(at)), text.unknownFormatHint);
  return files;
}

/** @returns undefined where nothing is @throws HermesError `import-unreadable` for what can't be asked: behind a closed door, a link in a circle */
function statAt(at: string): Stats | undefined {
  try {
    return statSync(at, { throwIfNoEntry: false });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw new HermesError('import-unreadable', text.unreadable(drawable(at), code), { cause: error });
  }
}

function readOrigin(context: ShellContext, file: string): Origin | undefined {
  try {
    return detectOrigin(file);
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.err.write(`${drawable(error.message)}\n`);
    return undefined;
  }
}
