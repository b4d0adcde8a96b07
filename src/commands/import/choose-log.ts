import { HermesError, NotFoundError } from '../../errors.ts';
import type { ForeignSession, ForeignTool } from '../../session/foreign.ts';
import { previewText } from '../../session/preview.ts';
import type { SessionId } from '../../session/types.ts';
import { foreignCopies } from '../../store/reads/foreign-copies.ts';
import { drawable, padEnd, truncateEnd, truncateMiddle } from '../../terminal/width.ts';
import { importText as text } from '../../text/en/import.ts';
import { tildePath } from '../../text/paths.ts';
import { shortAge } from '../../text/relative-time.ts';
import { findLogs, logFolder, type FoundLog } from '../../transfer/import/discover.ts';
import { readLog } from '../../transfer/import/read-log.ts';
import type { ShellContext } from '../context.ts';
import { readStore } from '../read-store.ts';

/** Logs that are offered (state-db.md 3). */
const mostOffered = 25;
/** Bytes of a log that are read to say what it is about. */
const beginningBytes = 512 * 1024;
/** Newest logs that are looked at: empty ones and sub-agents' are not offered. */
const mostLookedAt = 4 * mostOffered;

interface Offer {
  readonly log: FoundLog;
  readonly session: ForeignSession;
  readonly says: string | undefined;
  readonly copy: SessionId | undefined;
}

/**
 * Offers the 25 newest logs as a numbered list, those of this directory first, and asks for a number.
 *
 * @returns undefined when none was chosen
 * @throws NotFoundError where there are none
 */
export async function chooseLog(context: ShellContext, tools: readonly ForeignTool[]): Promise<FoundLog | undefined> {
  const offers = offerLogs(context, tools);
  if (offers.length === 0) throw noLogs(context, tools);
  for (const line of renderOffers(context, offers, tools.length > 1)) context.out.write(`${line}\n`);
  for (;;) {
    context.out.write(text.whichLog(offers.length));
    const typed = (await context.readLine())?.trim();
    if (typed === undefined) context.out.write('\n');
    if (typed === undefined || typed === '') return undefined;
    const offer = /^\d+$/.test(typed) ? offers[Number(typed) - 1] : undefined;
    if (offer !== undefined) return offer.log;
    context.err.write(`${text.noSuchNumber(drawable(typed), offers.length)}\n`);
  }
}

/** There is nothing to import from. */
export function noLogs(context: ShellContext, tools: readonly ForeignTool[]): NotFoundError {
  const folders = tools.map((tool) => tildePath(logFolder(tool, context), context.userHome));
  return new NotFoundError(
    text.noLogs(
      tools.map((tool) => text.tools[tool]),
      folders,
    ),
    tools.includes('opencode') ? text.noLogsHint : undefined,
  );
}

/** All logs of these agents, newest first; folders that can't be looked into are said. */
export function allLogs(context: ShellContext, tools: readonly ForeignTool[]): FoundLog[] {
  return findLogs(tools, context, (folder, code) => context.err.write(`${text.folderUnread(folder, code)}\n`));
}

function offerLogs(context: ShellContext, tools: readonly ForeignTool[]): Offer[] {
  const copies = new Map(tools.map((tool) => [tool, readStore(context, (connection) => foreignCopies(connection, tool))]));
  const offers: Offer[] = [];
  for (const log of allLogs(context, tools).slice(0, mostLookedAt)) {
    if (offers.length === mostOffered) break;
    const session = readBeginning(context, log);
    const first = session === undefined ? undefined : firstPrompt(session);
    if (session === undefined || session.isDelegate || first === undefined) continue;
    offers.push({ log, session, says: previewText(session.title ?? first), copy: copies.get(log.tool)?.get(session.foreignId) });
  }
  const isHere = ({ session }: Offer): boolean => session.cwd === context.cwd;
  return [...offers.filter(isHere), ...offers.filter((offer) => !isHere(offer))];
}

function readBeginning(context: ShellContext, log: FoundLog): ForeignSession | undefined {
  try {
    return readLog(log.tool, { path: log.path, most: beginningBytes }, [context.cwd]);
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.err.write(`${drawable(error.message)}\n`);
    return undefined;
  }
}

/** The first thing a person said; the stub of a log that begins with an answer where they said nothing. */
function firstPrompt(session: ForeignSession): string | undefined {
  for (const turn of session.turns()) return turn.text;
  return undefined;
}

const columnWidths = { number: 4, age: 6, tool: 13, folder: 28 } as const;

function renderOffers(context: ShellContext, offers: readonly Offer[], hasTools: boolean): string[] {
  const { columns } = text;
  const { number, age, tool, folder } = columnWidths;
  const width = context.out.columns;
  const line = (cells: { number: string; age: string; tool: string; folder: string; says: string }): string => {
    const whole = [
      padEnd(cells.number.padStart(number - 2), number),
      padEnd(cells.age, age),
      hasTools ? padEnd(truncateEnd(cells.tool, tool - 2), tool) : '',
      padEnd(truncateMiddle(cells.folder, folder - 2), folder),
      cells.says,
    ].join('');
    return width === undefined ? whole : truncateEnd(whole, width);
  };
  const rows = offers.map(({ log, session, says, copy }, index) =>
    line({
      number: String(index + 1),
      age: shortAge(log.modifiedAt, context.now()),
      tool: text.tools[log.tool],
      folder: drawable(session.cwd === undefined ? text.nothingSaid : tildePath(session.cwd, context.userHome)),
      says: [drawable(says ?? text.nothingSaid), ...(copy === undefined ? [] : [text.already(copy)])].join(' '),
    }),
  );
  return [line({ number: '', age: columns.age, tool: columns.tool, folder: columns.folder, says: columns.says }), ...rows];
}
