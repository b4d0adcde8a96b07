import { execFile } from 'node:child_process';
import path from 'node:path';
import type { SessionId } from '../session/types.ts';
import { manageText } from '../text/en/manage.ts';
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
  if (folderFormats.includes(format) && !isFolder && path.extname(place) !== '') return { failed: manageText.wantsFolder(format) };
  const output = folderFormats.includes(format) || !isFolder ? place : path.join(place, `${id}${endings[format]}`);
  const args = ['sessions', 'export', output, '--format', format, '--session-id', id, ...(wish.isForced === true ? ['--force'] : [])];
  const outcome = await runHermes(run, args, wish.cwd);
  return outcome.code === 0 ? { path: output } : { failed: outcome.said };
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
