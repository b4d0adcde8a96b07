import { grouped } from '../text/grouped.ts';
import type { ShellContext } from './context.ts';

/** How long work is shown on the way. */
export interface Progress {
  /** `done` of the total; never goes back. */
  step(done: number): void;
  /** Takes the bar away; a pipe keeps its counts. */
  end(): void;
}

/** A bar is drawn this often, a count written to a pipe that often, in milliseconds. Work shorter than the first is not shown at all. */
const frameMs = 100;
const countMs = 2000;
const barCells = 24;

/**
 * Progress of long work on standard error: a bar on a terminal, counts on a pipe.
 *
 * @param label what is done, as it is shown: `exporting`
 * @param total how much there is; undefined where that is not known
 */
export function showProgress(context: ShellContext, label: string, total: number | undefined): Progress {
  const { err } = context;
  const isTerminal = err.isTTY === true;
  let shownAt = context.now();
  let isShown = false;

  return {
    step(done) {
      const now = context.now();
      if (now - shownAt < (isTerminal ? frameMs : countMs)) return;
      shownAt = now;
      isShown = true;
      err.write(isTerminal ? `\r${cut(line(label, done, total), err.columns ?? 80)}\u001b[K` : `${counts(label, done, total)}\n`);
    },
    end() {
      if (isTerminal && isShown) err.write('\r\u001b[K');
      isShown = false;
    },
  };
}

const counts = (label: string, done: number, total: number | undefined): string =>
  total === undefined ? `${label} ${grouped(done)}` : `${label} ${grouped(done)} of ${grouped(total)}`;

function line(label: string, done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return counts(label, done, total);
  const share = Math.min(1, done / total);
  const full = Math.round(share * barCells);
  return `${'━'.repeat(full)}${'─'.repeat(barCells - full)} ${String(Math.floor(share * 100)).padStart(3)} %  ${counts(label, done, total)}`;
}

const cut = (text: string, columns: number): string => text.slice(0, Math.max(0, columns - 1));
