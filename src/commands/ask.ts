import { HermesError } from '../errors.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';

/**
 * `question [y/N] `: only `y` and `yes` go on; anything else, the end of input among it, is a no, and `Cancelled.` is said (state-db.md 6).
 * Asked on standard error where standard output goes into a pipe or a file.
 */
export async function confirm(context: ShellContext, question: string): Promise<boolean> {
  const asked = context.out.isTTY === true ? context.out : context.err;
  asked.write(`${question} [y/N] `);
  const answer = await context.readLine();
  // Without an end of line of the person's the cursor still stands behind the question.
  if (answer === undefined) asked.write('\n');
  const isYes = ['y', 'yes'].includes((answer ?? '').trim().toLowerCase());
  if (!isYes) context.out.write(`${text.cancelled}\n`);
  return isYes;
}

/** Long work was stopped by Ctrl+C or a signal: nothing is half done. @throws HermesError `interrupted`, with the exit code of the signal */
export function throwIfStopped(signal: AbortSignal, message: string = text.stopped): void {
  if (signal.aborted) throw new HermesError('interrupted', message, { exitCode: Number(signal.reason) || 130 });
}
