import type { Selected, Selections } from '../session/selection.ts';
import { drawable, padEnd, stringWidth, truncateEnd } from '../terminal/width.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { localDate, localMinute } from '../text/relative-time.ts';

/** Rows shown before a question; a dry run shows all of them. */
const rowsShown = 15;

/**
 * What is about to happen to whom (state-db.md 6): `id  YYYY-MM-DD HH:MM  source  model  N msgs  title`, the span of their last activity, and
 * how many the filters fit that are left alone.
 */
export function previewLines({ lineages, spared }: Selections, options: { all: boolean }): string[] {
  const shown = options.all ? lineages : lineages.slice(0, rowsShown);
  const cells = shown.map((each) => cellsOf(each).map(drawable));
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(0, ...cells.map((row) => stringWidth(row[column]!))));
  const rows = cells.map((row) => `  ${row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join('  ')}`.trimEnd());
  const left = lineages.length - shown.length;
  return [...rows, ...(left > 0 ? [text.more(left)] : []), spanLine(lineages), ...sparedLines(spared)];
}

function cellsOf(each: Selected): string[] {
  const title = each.title === undefined ? '' : truncateEnd(each.title, 60);
  return [each.id, minuteOf(each.lastActive), each.source, each.model ?? text.missing, text.count(each.messages), title];
}

function spanLine(lineages: readonly Selected[]): string {
  const times = lineages.map((each) => each.lastActive).filter((time) => time > 0);
  if (times.length === 0) return text.match(lineages.length);
  const [oldest, newest] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, 0]);
  return `${text.match(lineages.length)}, ${text.span(localDate(oldest), localDate(newest))}`;
}

/** `1 pinned spared`; nothing where nothing was. */
export function sparedLines({ pinned, open, archived }: Selections['spared']): string[] {
  return pinned + open + archived === 0 ? [] : [text.spared(pinned, open, archived)];
}

/** A time that can't be believed is a dash. */
const minuteOf = (time: number): string => (time <= 0 ? text.missing : localMinute(time));
