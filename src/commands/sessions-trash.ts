import { keptUntil } from '../session/retention.ts';
import { binEntries } from '../store/bin/entries.ts';
import { emptyBin } from '../store/bin/index.ts';
import type { BinEntry } from '../store/bin/types.ts';
import { binText as text } from '../text/en/bin.ts';
import { localDate, relativeTime } from '../text/relative-time.ts';
import { isoTime } from '../transfer/times.ts';
import { confirm } from './ask.ts';
import { terminalWidth, type ShellContext } from './context.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { scrubStore } from './scrub-store.ts';
import { jsonText } from './session-json.ts';
import { renderTable, type Column } from './text-table.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions trash [list] [--json]` and `hermes sessions trash empty [--yes]`: what was deleted and can come back, newest first; and the end
 * of it, for good.
 *
 * @returns the exit code
 * @throws StoreError
 */
export async function showTrash(context: ShellContext, args: readonly string[], flags: Flags): Promise<number> {
  const entries = readStore(context, binEntries) ?? [];
  if (args[0] === 'empty') return emptyTrash(context, entries.length, flags['yes'] === true);
  if (flags['json'] === true) context.out.write(jsonText(entries.map((entry) => entryJson(context, entry))));
  else context.out.write(`${(entries.length === 0 ? [text.empty] : tableOf(context, entries)).join('\n')}\n`);
  return 0;
}

async function emptyTrash(context: ShellContext, count: number, isSure: boolean): Promise<number> {
  if (count === 0) {
    context.out.write(`${text.empty}\n`);
    return 0;
  }
  if (!isSure && !(await confirm(context, text.emptyBin(count)))) return 0;
  const { erased } = await writeStore(context, (connection) => emptyBin(connection));
  scrubStore(context);
  context.out.write(`${text.emptied(erased)}\n`);
  return 0;
}

/** Undefined where the bin keeps nothing: then only what was deleted before that was set lies in it. */
const untilOf = ({ loaded }: ShellContext, entry: BinEntry): number | undefined =>
  keptUntil(loaded.config.sessions.trashDays, entry.deletedAt);

function entryJson(context: ShellContext, entry: BinEntry): Record<string, unknown> {
  const until = untilOf(context, entry);
  return {
    id: entry.id,
    title: entry.title ?? null,
    preview: entry.preview ?? null,
    source: entry.source,
    last_active: isoTime(entry.lastActive) ?? null,
    message_count: entry.messages,
    pinned: entry.pinned,
    deleted_at: isoTime(entry.deletedAt) ?? null,
    kept_until: until === undefined ? null : (isoTime(until) ?? null),
    segments: [...entry.ids],
    delegates: [...entry.delegates],
  };
}

function tableOf(context: ShellContext, entries: readonly BinEntry[]): string[] {
  const now = context.now();
  const names = text.columns;
  const until = (entry: BinEntry): string => {
    const time = untilOf(context, entry);
    return time === undefined ? text.untitled : localDate(time);
  };
  const columns: Column<BinEntry>[] = [
    { title: names.title, width: 34, least: 14, cell: (entry) => entry.title ?? entry.preview ?? text.untitled },
    { title: names.deleted, width: 13, least: 9, cell: (entry) => relativeTime(entry.deletedAt, now) },
    { title: names.until, width: 12, least: 12, cell: until },
    { title: names.messages, width: 8, least: 6, cell: (entry) => String(entry.messages), isNumber: true },
    { title: names.source, width: 10, least: 5, cell: (entry) => entry.source },
    { title: names.id, width: 0, least: 0, cell: (entry) => entry.id },
  ];
  return renderTable(entries, columns, terminalWidth(context.out));
}
