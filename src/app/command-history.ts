import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { readPlainFile, toAppend } from '../text/plain-file.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import type { Log } from './log.ts';

/** Lines kept; the file is shortened when it holds twice as many. */
const kept = 500;
const longestLine = 1000;

const fileOf = (home: string): string => path.join(home, 'tui', 'commands.jsonl');

/** Adds a slash command to `<home>/tui/commands.jsonl`, one `{v: 1, line}` a line (product.md 2). A home that can't be written forgets it. */
export function rememberCommand(home: string, line: string, log: Log): void {
  if (line.length > longestLine) return;
  const file = fileOf(home);
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const lines = readLines(file);
    if (lines.length >= 2 * kept)
      writeAtomic(
        file,
        lines
          .slice(-kept)
          .map((each) => `${each}\n`)
          .join(''),
      );
    appendFileSync(file, `${JSON.stringify({ v: 1, line })}\n`, { flag: toAppend as unknown as string, mode: 0o600 });
  } catch (error) {
    log.error('command-history', error);
  }
}

/** Slash commands of earlier runs, newest first; broken lines are left out. */
export function recallCommands(home: string): string[] {
  const found: string[] = [];
  for (const text of readLines(fileOf(home)).reverse()) {
    const line = parseLine(text);
    if (line !== undefined && line !== found.at(-1)) found.push(line);
    if (found.length === kept) break;
  }
  return found;
}

function readLines(file: string): string[] {
  try {
    return readPlainFile(file)
      .split('\n')
      .filter((line) => line !== '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function parseLine(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as { v?: unknown; line?: unknown } | null;
    return value?.v === 1 && typeof value.line === 'string' ? value.line : undefined;
  } catch (error) {
    // A line cut short by a full disk or a killed process.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
