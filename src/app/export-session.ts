import { execFile } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import type { SessionId } from '../session/types.ts';
import { manageText } from '../text/en/manage.ts';
import { localDate } from '../text/relative-time.ts';
import { fileNameOf } from '../transfer/file-names.ts';
import type { ExportFormat } from '../ui/screens/dialog/index.ts';
import type { Run } from './run.ts';
import { isDirectory, namedDirectory } from './workspace.ts';

export interface ExportWish {
  readonly id: SessionId;
  readonly format: ExportFormat;
  /** Folder or file as typed: absolute, `~/…`, or from `cwd`. */
  readonly place: string;
  readonly cwd: string;
  /** One of several: `place` is a folder. */
  readonly isFolder?: boolean;
  /** What stands there already is replaced. */
  readonly isForced?: boolean;
}

export type ExportOutcome = { readonly path: string } | { readonly failed: string };

/** Formats whose command writes files of its own naming into a folder (state-db.md 6). */
const folderFormats: readonly ExportFormat[] = ['md', 'qmd'];
const endings: Readonly<Record<ExportFormat, string>> = { md: '.md', qmd: '.qmd', html: '.html', jsonl: '.jsonl', trace: '.trace.jsonl' };

/**
 * Writes one session to a file by `hermes sessions export`, in a process of its own: one of any size neither holds up the screen nor takes
 * its memory. A refusal (a file that stands there) comes back in the command's words.
 */
export async function exportSession(run: Run, wish: ExportWish): Promise<ExportOutcome> {
  const { id, format } = wish;
  const place = namedDirectory(wish.place, wish.cwd, run.userHome);
  const isFolder = wish.isFolder === true || wish.place.endsWith('/') || isDirectory(place);
  const output = folderFormats.includes(format) || !isFolder ? place : path.join(place, `${fileNameOf(id)}${endings[format]}`);
  const args = ['sessions', 'export', output, '--format', format, '--session-id', id, ...(wish.isForced === true ? ['--force'] : [])];
  const outcome = await runHermes(run, args, wish.cwd);
  return outcome.code === 0 ? { path: output } : { failed: outcome.said };
}

/** What became of an export of several: `path` is the file, or the folder that holds nothing else. */
type ExportsOutcome = { readonly path: string } | { readonly failed: string; readonly done: number };

/**
 * Writes sessions one after the other. What comes as more than one file, a manifest among them, gets a folder of its own: one that is named and
 * not there yet, else a new one in the folder that is named, so that files don't lie loose among a person's own.
 */
export async function exportSessions(
  run: Run,
  { ids, ...wish }: Omit<ExportWish, 'id' | 'isFolder'> & { readonly ids: readonly SessionId[] },
): Promise<ExportsOutcome> {
  const [only] = ids;
  const isLoose = folderFormats.includes(wish.format);
  if (ids.length === 1 && only !== undefined && !isLoose) {
    const outcome = await exportSession(run, { ...wish, id: only });
    return 'failed' in outcome ? { ...outcome, done: 0 } : outcome;
  }
  const named = namedDirectory(wish.place, wish.cwd, run.userHome);
  if (isLoose && !isDirectory(named) && !wish.place.endsWith('/') && path.extname(named) !== '')
    return { failed: manageText.wantsFolder(wish.format), done: 0 };
  const folder = isDirectory(named) ? makeOwnFolder(named, run.now()) : named;
  for (const [done, id] of ids.entries()) {
    const outcome = await exportSession(run, { ...wish, id, place: folder, isFolder: true });
    if (!('failed' in outcome)) continue;
    if (folder !== named) removeIfEmpty(folder);
    return { ...outcome, done };
  }
  return { path: folder };
}

/** `hermes-export-2026-03-01` in `parent`, or the next number of it that is free. What stands in the way is for the export to say. */
function makeOwnFolder(parent: string, now: number): string {
  for (let number = 1; ; number++) {
    const folder = path.join(parent, `hermes-export-${localDate(now)}${number === 1 ? '' : `-${number}`}`);
    try {
      mkdirSync(folder);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return folder;
    }
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something was written into it, or it was never made: either way it is as it should be.
  }
}

/** This program once more, with a command of the shell. @returns its exit code and the last thing it said */
function runHermes(run: Run, args: readonly string[], cwd: string): Promise<{ code: number; said: string }> {
  const program = process.argv[1] ?? '';
  const env = { ...run.env, HERMES_HOME: run.home.path };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      const lines = (stderr.trim() === '' ? stdout : stderr).trim().split('\n');
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, said: (lines.find((line) => line.trim() !== '') ?? error?.message ?? '').replace(/^(?:hermes|Error): /u, '') });
    });
  });
}
