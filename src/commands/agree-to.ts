import type { Selections } from '../session/selection.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { confirm } from './ask.ts';
import { terminalWidth, type ShellContext } from './context.ts';
import type { Flags } from './parse.ts';
import { previewLines, sparedLines } from './selection-preview.ts';

/** What is said of a change of all that filters fit. */
export interface Change {
  /** The filters, as typed. */
  readonly filters: string;
  /** What `--dry-run` ends with. */
  readonly would: string;
  readonly question: string;
}

/**
 * Shows who is meant, and asks; `--yes` asks nothing, and `--dry-run` only shows.
 * @returns whether it is to be done; false, and said, where nobody is meant
 */
export async function agreeTo(context: ShellContext, flags: Flags, found: Selections, change: Change): Promise<boolean> {
  const say = (lines: readonly string[]): void => void (lines.length > 0 && context.out.write(`${lines.join('\n')}\n`));
  if (found.lineages.length === 0) {
    say([text.noneMatch(change.filters), ...sparedLines(found.spared)]);
    return false;
  }
  if (flags['dry-run'] === true) {
    say([...previewLines(found, { all: true, terminalWidth: terminalWidth(context.out) }), change.would]);
    return false;
  }
  if (flags['yes'] === true) {
    say(sparedLines(found.spared));
    return true;
  }
  say(previewLines(found, { all: false, terminalWidth: terminalWidth(context.out) }));
  return confirm(context, change.question);
}
