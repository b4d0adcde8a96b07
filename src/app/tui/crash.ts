import path from 'node:path';
import { appText } from '../../text/en/app.ts';
import { version } from '../../text/version.ts';
import { writeAtomic } from '../../text/write-atomic.ts';
import type { Log } from '../log.ts';
import type { Run } from '../run.ts';

/**
 * After the terminal was restored: a report with class, code and stack of the fault, without its message (which could quote a conversation),
 * and the path of it on the screen.
 */
export function writeCrashReport(run: Run, log: Log, error: unknown): void {
  const { name = typeof error, code, stack = '' } = error as { name?: string; code?: string; stack?: string };
  const places = stack.split('\n').filter((line) => line.startsWith('    at '));
  log.error('crash', error);
  const file = path.join(run.home.path, 'tui', 'log', `crash-${new Date(run.now()).toISOString().replace(/[:.]/g, '-')}.txt`);
  const lines = [
    `hermes ${version}, node ${process.version}, ${process.platform}`,
    `${name}${code === undefined ? '' : ` ${code}`}`,
    ...places,
  ];
  try {
    writeAtomic(file, `${lines.join('\n')}\n`);
    process.stderr.write(`${appText.crashed(file)}\n`);
  } catch {
    // A home that can't be written: the class of the fault is all that can be said.
    process.stderr.write(`${appText.crashedNoReport(`${name}${code === undefined ? '' : ` ${code}`}`)}\n`);
  }
}
