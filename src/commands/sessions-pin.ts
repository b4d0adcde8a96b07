import { HermesError } from '../errors.ts';
import type { Connection } from '../store/connection.ts';
import { pinnedLineages } from '../store/reads/first-rows.ts';
import { sessionRows } from '../store/reads/row-details.ts';
import { setPinned } from '../store/writes/sessions.ts';
import { drawable, padEnd, truncateEnd } from '../terminal/width.ts';
import { shellText } from '../text/en/shell.ts';
import { sessionsText as text } from '../text/en/sessions.ts';
import { printable } from '../text/printable.ts';
import { relativeTime } from '../text/relative-time.ts';
import { isoTime } from '../transfer/times.ts';
import type { ShellContext } from './context.ts';
import { findSession, unknownSession, type NamedSession } from './find-session.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { jsonText } from './session-json.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions pin ID…` and `unpin ID…`: the whole lineage each. What can't be found is said on standard error, the others are done
 * nevertheless (state-db.md 6).
 *
 * @returns the exit code: 1 if any failed
 * @throws StoreError
 */
export async function pinFromShell(context: ShellContext, names: readonly string[], isPinned: boolean): Promise<number> {
  // Looked for on a connection that writes nothing: a mistyped id leaves the file as it is, and makes none.
  const found = readStore(context, (connection) => names.map((name) => tryFind(connection, name))) ?? names.map(unknownSession);
  const sessions = found.filter((each): each is NamedSession => !(each instanceof HermesError));
  if (sessions.length > 0) {
    await writeStore(context, (connection) => {
      for (const { tip } of sessions) setPinned(connection, tip.id, isPinned);
    });
  }
  for (const each of found) {
    if (each instanceof HermesError) {
      context.err.write(`${printable([each.message, ...(each.hint === undefined ? [] : [each.hint])].join(' '))}\n`);
      continue;
    }
    const title = each.tip.title === undefined ? undefined : drawable(each.tip.title);
    context.out.write(`${isPinned ? text.pinned(drawable(each.id), title) : text.unpinned(drawable(each.id), title)}\n`);
  }
  return sessions.length === found.length ? 0 : 1;
}

function tryFind(connection: Connection, name: string): NamedSession | HermesError {
  try {
    return findSession(connection, name);
  } catch (error) {
    if (error instanceof HermesError && ['not-found', 'ambiguous-id'].includes(error.code)) return error;
    throw error;
  }
}

/** Cells, the gap of two included; the ids stand as they are (state-db.md 6). */
const widths = { title: 32, lastActive: 13, source: 9 };
const ruleWidth = 100;

/** `hermes sessions pinned [--json]`: every pinned conversation, archived ones too. @returns the exit code @throws StoreError */
export async function listPinned(context: ShellContext, flags: Flags): Promise<number> {
  const rows = readStore(context, (connection) => sessionRows(connection, pinnedLineages(connection), { previews: 'none' })) ?? [];
  if (flags['json'] === true) {
    const entries = rows.map(({ id, title, source, lastActive, messageCount }) => ({
      id,
      title: title ?? null,
      source,
      last_active: isoTime(lastActive) ?? null,
      message_count: messageCount,
    }));
    context.out.write(jsonText(entries));
    return 0;
  }
  if (rows.length === 0) {
    context.out.write(`${text.nothingPinned}\n`);
    return 0;
  }
  const names = shellText.columns;
  const cell = (value: string, width: number): string => padEnd(truncateEnd(drawable(value), width - 2), width);
  const line = (title: string, lastActive: string, source: string, id: string): string =>
    `${cell(title, widths.title)}${cell(lastActive, widths.lastActive)}${cell(source, widths.source)}${id}`;
  const lines = rows.map((row) =>
    line(row.title ?? text.missing, relativeTime(row.lastActive, context.now()), row.source, drawable(row.id)),
  );
  const terminal = context.out.isTTY === true ? (context.out.columns ?? ruleWidth) : ruleWidth;
  const header = [line(names.title, names.lastActive, names.source, names.id), '─'.repeat(Math.min(ruleWidth, terminal))];
  context.out.write(`${[...header, ...lines].join('\n')}\n`);
  return 0;
}
