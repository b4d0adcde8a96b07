import { keptUntil } from '../session/retention.ts';
import { binEntries } from '../store/bin/entries.ts';
import { emptyBin } from '../store/bin/index.ts';
import type { BinEntry } from '../store/bin/types.ts';
import { drawable, padEnd, stringWidth, truncateEnd } from '../terminal/width.ts';
import { binText as text } from '../text/en/bin.ts';
import { localDate, relativeTime } from '../text/relative-time.ts';
import { isoTime } from '../transfer/times.ts';
import { confirm } from './ask.ts';
import type { ShellContext } from './context.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { scrubStore } from './scrub-store.ts';
import { jsonText } from './session-json.ts';
import { writeStore } from './write-store.ts';

/** Cells, the gap of two included. */
const widths = { title: 34, deleted: 13, until: 12, messages: 8, source: 10 };

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
  const cell = (value: string, width: number): string => padEnd(truncateEnd(drawable(value), width - 2), width);
  const line = (title: string, deleted: string, until: string, messages: string, source: string, id: string): string =>
    [
      cell(title, widths.title),
      cell(deleted, widths.deleted),
      cell(until, widths.until),
      `${messages.padStart(widths.messages - 2)}  `,
      cell(source, widths.source),
      id,
    ].join('');
  const lines = entries.map((entry) => {
    const until = untilOf(context, entry);
    return line(
      entry.title ?? entry.preview ?? text.untitled,
      relativeTime(entry.deletedAt, now),
      until === undefined ? text.untitled : localDate(until),
      String(entry.messages),
      entry.source,
      entry.id,
    );
  });
  const header = line(names.title, names.deleted, names.until, names.messages, names.source, names.id);
  const wide = Math.max(stringWidth(header), ...lines.map(stringWidth));
  const rule = '─'.repeat(context.out.isTTY === true ? Math.min(wide, context.out.columns ?? wide) : wide);
  return [header, rule, ...lines];
}
