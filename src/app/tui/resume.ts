import { NotFoundError } from '../../errors.ts';
import type { Session, SessionId } from '../../session/types.ts';
import { appText } from '../../text/en/app.ts';
import { localTime } from '../../text/relative-time.ts';
import { composerText } from '../../ui/screens/chat/index.ts';
import { askArchived, askLiveElsewhere } from '../../ui/screens/dialog/index.ts';
import { takeOver } from '../../terminal/take-over.ts';
import type { LiveHolder } from '../../terminal/live-register.ts';
import { goneDirectoryOf, type Opening } from '../opening.ts';
import { reopen, whoAnswers } from '../reopen.ts';
import type { Context } from './context.ts';
import { offerDirectory } from './directory.ts';
import type { OpenChat } from './desk.ts';

export interface ResumeOptions {
  /** Take it out of the archive first. */
  unarchive?: boolean;
  /** Do not ask about the archive. */
  isArchiveFine?: boolean;
}

/** Opens a stored session in place of the current one: recap, directory, live holder, archive (product.md 1 and 3). */
export async function resumeSession(context: Context, id: SessionId, options: ResumeOptions = {}): Promise<void> {
  const { store, desk } = context;
  const going = desk.find(id);
  if (going !== undefined) {
    desk.show(going, 'tui_close');
    return;
  }
  const session = await store.read.resumeTarget(id);
  if (session === undefined) throw new NotFoundError(appText.sessionGone(id));
  const isOpen = desk.current().ids.includes(session.id) && !desk.current().isForeign;
  if (session.archived && !isOpen && options.unarchive !== true && options.isArchiveFine !== true) {
    askAboutArchive(context, session);
    return;
  }
  if (options.unarchive === true) await store.write.setArchived(session.id, false);
  if (isOpen) {
    if (options.unarchive === true) context.notice('info', appText.unarchived);
    return;
  }
  const opening = await reopen(context.run, context.store, session);
  const chat = desk.open(opening, 'tui');
  desk.show(chat, 'tui_close');
  if (options.unarchive === true) context.notice('info', appText.unarchived);
  await settle(context, chat, opening);
}

/** Resuming an archived session offers to take it out of the archive; going on in it does not. */
export function askAboutArchive(context: Context, session: Session): void {
  context.ask(askArchived({ id: session.id, title: session.title ?? session.id }));
}

/**
 * What follows when a stored session is on screen: its lineage is claimed for this process, unless somebody has it; the pane remembers it; a
 * directory that is gone is asked about.
 */
export async function settle(context: Context, chat: OpenChat, opening: Opening): Promise<void> {
  const { store, desk } = context;
  const id = chat.seat.id();
  if (id === undefined) return;
  chat.ids = await store.read.segmentIds(id);
  if (opening.copiedAt !== undefined) {
    desk.tell(chat, { type: 'read-only', reason: appText.copyOnly });
    return;
  }
  const holder = desk.claim(chat);
  if (holder !== undefined) {
    askAboutHolder(context, chat, holder);
    return;
  }
  if (await askAboutLease(context, chat, id)) return;
  desk.remember(chat);
  const gone = goneDirectoryOf(opening.plan);
  if (gone !== undefined) offerDirectory(context, chat, gone);
}

/** Whether a turn of another program holds the session; then its owner is named. */
async function askAboutLease(context: Context, chat: OpenChat, id: SessionId, isAgain = false): Promise<boolean> {
  const answering = await whoAnswers(context.store, chat.ids[0] ?? id);
  if (answering === undefined) return false;
  readOnly(context, chat, appText.otherProgram);
  const since = localTime(answering.since, context.run.now());
  context.ask(askLiveElsewhere({ id, where: appText.otherProgram, pid: answering.pid, since, canTakeOver: false, isAgain }));
  return true;
}

function readOnly(context: Context, chat: OpenChat, where: string): void {
  chat.isForeign = true;
  context.desk.tell(chat, { type: 'read-only', reason: appText.readAlong(where) });
}

/** A session that is open elsewhere is shown read-only, and its owner named (product.md 3). */
function askAboutHolder(context: Context, chat: OpenChat, holder: LiveHolder, isAgain = false): void {
  readOnly(context, chat, holder.label);
  context.ask(
    askLiveElsewhere({
      id: chat.seat.id() ?? '',
      where: holder.label,
      pid: holder.pid,
      since: localTime(holder.session.since, context.run.now()),
      canTakeOver: true,
      isAgain,
    }),
  );
}

/** Something was to be sent from where it is read along: the holder is asked about again, and without one the session goes on here. */
export async function askAgain(context: Context, chat: OpenChat): Promise<void> {
  const id = chat.seat.id();
  if (id === undefined || !chat.isForeign || (await context.store.facts()).copiedAt !== undefined) return;
  const holder = context.register.ownerOf(chat.ids);
  if (holder !== undefined) askAboutHolder(context, chat, holder, true);
  else if (!(await askAboutLease(context, chat, id, true))) await takeSessionOver(context, id);
}

/** What was typed where a session is only read goes along to where it can be sent. */
function carryLine(context: Context, from: OpenChat, to: OpenChat): void {
  const text = composerText(context.desk.stateOf(from).composer);
  if (from.isForeign && from !== to && text !== '') context.desk.tell(to, { type: 'unsent', texts: [text] });
}

/** Asks the holder for the session and waits, at most 10 s. */
export async function takeSessionOver(context: Context, id: SessionId): Promise<void> {
  const { desk, register, processes, run } = context;
  const chat = desk.current();
  const outcome = await takeOver({ register, proc: processes, session: id, ids: chat.ids, now: run.now });
  switch (outcome.kind) {
    case 'taken': {
      // What the holder stored last comes with a fresh look at the session.
      chat.isForeign = true;
      const session = await context.store.read.resumeTarget(id);
      if (session === undefined) throw new NotFoundError(appText.sessionGone(id));
      const opening = await reopen(context.run, context.store, session);
      const next = desk.open(opening, 'tui', { isTakenOver: true });
      carryLine(context, chat, next);
      desk.show(next, 'tui_close');
      await settle(context, next, opening);
      context.notice('info', appText.tookOver);
      return;
    }
    case 'refused':
    case 'beaten':
      context.notice('info', appText.takeRefused);
      return;
    case 'no-answer':
      context.notice('info', appText.takeNoAnswer);
      return;
    case 'aborted':
      return;
  }
}

/** A copy of a conversation that goes on elsewhere; the other one is left alone. */
export async function branchCopy(context: Context, id: SessionId): Promise<void> {
  const from = context.desk.current();
  const session = await context.store.write.branchSession(id, { source: 'tui' });
  await resumeSession(context, session.id);
  carryLine(context, from, context.desk.current());
  context.notice('info', appText.branched(session.title ?? session.id));
}
