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
export function previewLines({ lineages, spared }: Selections, options: { all: boolean; terminalWidth?: number | undefined }): string[] {
  const shown = options.all ? lineages : lineages.slice(0, rowsShown);
  const rows = previewRows(
    shown.map((each) => ({ ...each, time: each.lastActive })),
    options.terminalWidth,
  );
  const left = lineages.length - shown.length;
  return [...rows, ...(left > 0 ? [text.more(left)] : []), spanLine(lineages), ...sparedLines(spared)];
}

type PreviewRow = Pick<Selected, 'id' | 'source' | 'model' | 'messages' | 'title'> & { readonly time: number };

/** On a narrow terminal the title keeps at least this many cells. */
const leastTitle = 12;
/** Goes where titles would have less room: a person tells sessions apart by their titles. */
const modelColumn = 3;

/**
 * The rows of a preview, in straight columns. `time` as it is told: when a session was last active, or when it began.
 * @param terminalWidth cells of a line, in which a row stays; absent in a pipe, which gets all of it
 */
export function previewRows(sessions: readonly PreviewRow[], terminalWidth = Infinity): string[] {
  const cells = sessions.map((each) => cellsOf(each).map(drawable));
  const widths = [0, 1, 2, 3, 4].map((column) => cells.reduce((widest, row) => Math.max(widest, stringWidth(row[column]!)), 0));
  const before = widths.reduce((sum, width) => sum + width + 2, 2);
  const isTight = cells.some((row) => before + Math.min(stringWidth(row[5]!), leastTitle) > terminalWidth);
  const room = Math.max(leastTitle, terminalWidth - before + (isTight ? widths[modelColumn]! + 2 : 0));
  return cells.map((row) => {
    const shown = row.map((cell, column) => (column === 5 ? truncateEnd(cell, room) : padEnd(cell, widths[column]!)));
    return `  ${shown.filter((_, column) => !isTight || column !== modelColumn).join('  ')}`.trimEnd();
  });
}

function cellsOf({ id, time, source, model, messages, title }: PreviewRow): string[] {
  return [id, minuteOf(time), source, model ?? text.missing, text.count(messages), title === undefined ? '' : truncateEnd(title, 60)];
}

function spanLine(lineages: readonly Selected[]): string {
  const times = lineages.map((each) => each.lastActive).filter((time) => time > 0);
  if (times.length === 0) return text.match(lineages.length);
  const [oldest, newest] = times.reduce(([low, high], time) => [Math.min(low, time), Math.max(high, time)], [Infinity, 0]);
  return `${text.match(lineages.length)}, ${text.span(localDate(oldest), localDate(newest))}`;
}

/** `Left out: 1 pinned, 2 not ended.`; nothing where nothing was. */
export function sparedLines({ pinned, open, archived }: Selections['spared']): string[] {
  return pinned + open + archived === 0 ? [] : [text.spared(pinned, open, archived)];
}

/** A time that can't be believed is a dash. */
const minuteOf = (time: number): string => (time <= 0 ? text.missing : localMinute(time));
