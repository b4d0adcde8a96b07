import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { toAppend } from '../text/plain-file.ts';

/** What goes into the log: codes, ids, counts, never what was said. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  write(event: string, fields?: LogFields): void;
  /** An error by class, code and place; its message may hold a path, not a text of the conversation. */
  error(event: string, error: unknown): void;
}

const maxBytes = 1024 * 1024;
const files = 5;

/**
 * `<home>/tui/log/hermes.log`, five files of 1 MB, 0600 (product.md 8). Made with its first line. A log that can't be written is no reason
 * to stop, and nothing can be said about it without disturbing the screen: its lines are lost.
 */
export function openLog(home: string, now: () => number): Log {
  const folder = path.join(home, 'tui', 'log');
  const file = path.join(folder, 'hermes.log');

  function write(event: string, fields: LogFields = {}): void {
    const values = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${JSON.stringify(value)}`]));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) rotate(file);
      appendFileSync(file, `${[new Date(now()).toISOString(), process.pid, event, ...values].join(' ')}\n`, {
        flag: toAppend as unknown as string,
        mode: 0o600,
      });
    } catch {
      // A full disk or a read-only home: see above.
    }
  }

  return {
    write,
    error(event, error) {
      const { name, code, stack } = error as { name?: string; code?: string; stack?: string };
      const place = stack
        ?.split('\n')
        .find((line) => line.startsWith('    at '))
        ?.trim();
      write(event, { name: name ?? typeof error, code, place });
    },
  };
}

function rotate(file: string): void {
  for (let index = files - 1; index >= 1; index--) {
    const from = index === 1 ? file : `${file}.${index - 1}`;
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${file}.${index}`);
  }
}
