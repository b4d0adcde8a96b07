import { sourceLabel } from '../../session/source.ts';
import type { Session } from '../../session/types.ts';
import { formatTokens } from '../../text/duration.ts';
import { htmlExportText } from '../../text/en/html-export.ts';
import type { TransferSession } from '../types.ts';
import { chrome, escapePlain, escapeText } from './escape.ts';
import { MessageWriter } from './messages.ts';
import type { Writers } from './messages.ts';
import { exactTime, fullTime, timeMarkup } from './time.ts';

/** What a person calls a session: its title, else how it began. */
export function sessionName({ session, preview }: TransferSession): string {
  const title = session.title?.trim() ?? '';
  return title === '' ? (preview ?? htmlExportText.untitled) : title;
}

/**
 * One session, message by message. The first of a page is markup. The others stand in a `<noscript>`: where scripts run, a parser keeps
 * that as one text that costs no more than its letters until the session is chosen; where none run, it is markup in a fold. Ten thousand
 * sessions open that way. `count` is told every message.
 */
export async function* sessionMarkup(
  transfer: TransferSession,
  writers: Writers,
  { isFirst, count }: { isFirst: boolean; count: () => void },
): AsyncGenerator<string> {
  const { session } = transfer;
  const attributes = `data-source="${escapePlain(sourceLabel(session))}" data-messages="${escapePlain(htmlExportText.messages(session.messageCount))}"`;
  yield `<section class="session${isFirst ? ' shown' : ''}" id="${escapePlain(session.id)}" ${attributes}${activity(session)}>\n`;
  yield `<h2 dir="auto">${escapeText(sessionName(transfer))}</h2>\n`;
  yield `<details class="body"${isFirst ? ' open' : ''}><summary>${chrome(htmlExportText.messages(session.messageCount))}</summary>\n`;
  yield `${isFirst ? '' : '<noscript>'}<div class="messages">\n${facts(transfer)}`;
  const writer = new MessageWriter(session.id, writers);
  let isEmpty = true;
  for await (const batch of transfer.messages()) {
    for (const message of batch) {
      isEmpty = false;
      count();
      yield await writer.write(message);
    }
  }
  const rest = writer.end();
  yield isEmpty ? `<p class="none">${chrome(htmlExportText.noMessages)}</p>\n` : rest;
  yield isFirst ? '</div>\n</details>\n</section>\n' : '</div></noscript>\n</details>\n</section>\n';
}

function facts({ session, lineageIds }: TransferSession): string {
  const place = lineageIds.indexOf(session.id);
  const tokens = session.inputTokens + session.outputTokens;
  const texts = [
    session.model,
    htmlExportText.from(sourceLabel(session)),
    session.cwd,
    session.gitBranch,
    htmlExportText.messages(session.messageCount),
    tokens > 0 ? htmlExportText.tokens(formatTokens(tokens)) : undefined,
    session.costUsd === undefined || session.costUsd === 0 ? undefined : `$${session.costUsd.toFixed(2)}`,
    lineageIds.length > 1 && place !== -1 ? htmlExportText.part(place + 1, lineageIds.length) : undefined,
    session.pinned ? htmlExportText.pinned : undefined,
    session.archived ? htmlExportText.archived : undefined,
    session.endReason === undefined || session.endReason === '' ? undefined : htmlExportText.ended(session.endReason),
  ].filter((text) => text !== undefined && text !== '');
  const items = texts.map((text) => `<li>${chrome(text ?? '')}</li>\n`).join('');
  return `<ul class="facts">\n<li>${span(session)}</li>\n${items}<li>${chrome(session.id, 'id')}</li>\n</ul>\n`;
}

/** For the list: when it was last active, exact and as a person reads it. */
function activity({ lastActive }: Session): string {
  const time = exactTime(lastActive);
  return time === undefined ? '' : ` data-active="${time}" data-when="${escapePlain(fullTime(lastActive))}"`;
}

/** When it began, and when it was last active. */
function span(session: Session): string {
  const start = timeMarkup(session.startedAt);
  const end = timeMarkup(session.lastActive, start === '' ? undefined : session.startedAt);
  return start === '' || end === '' || start === end ? start || end : `${start}${chrome(' – ')}<span class="end">${end}</span>`;
}
