import { NotFoundError, StoreError } from '../../errors.ts';
import type { SessionId } from '../../session/types.ts';
import { writeBreadcrumb } from '../../terminal/breadcrumbs.ts';
import type { LiveHolder } from '../../terminal/live-register.ts';
import { takeOver } from '../../terminal/take-over.ts';
import { appText } from '../../text/en/app.ts';
import { lineText } from '../../text/en/line.ts';
import { onceText } from '../../text/en/once.ts';
import { localTime, relativeTime } from '../../text/relative-time.ts';
import { askArchived, askDirectory, askDirectoryGone, askLiveElsewhere } from '../../ui/screens/dialog/index.ts';
import { bannerLines } from '../banner.ts';
import { draftKeyOf } from '../drafts.ts';
import { followDirectory } from '../follow-directory.ts';
import { followSession } from '../follow-session.ts';
import { seatFor, sourceOfRun } from '../opened-seat.ts';
import { freshOpening, type Opening, type OpeningAt } from '../opening.ts';
import { reopen, whoAnswers } from '../reopen.ts';
import { findWorkspace, isDirectory, namedDirectory } from '../workspace.ts';
import type { LineContext, OpenConversation } from './context.ts';
import { bringDraftBack } from './draft.ts';
import { messageLines, recapLines } from './listing.ts';
import { printConversation } from './turn.ts';

/** Opens it in place of the current conversation, which is left; its draft comes back into the line. */
export async function openConversation(context: LineContext, opening: Opening): Promise<void> {
  const before = context.shown();
  context.setCurrent(seatOf(context, opening));
  if (before !== undefined) await leaveConversation(context, before, opening.plan.session === undefined ? 'new_session' : 'cli_close');
  await settle(context, opening);
  bringDraftBack(context);
}

/** Takes a seat for what was opened; nothing is printed, claimed or asked yet. */
function seatOf(context: LineContext, opening: Opening): OpenConversation {
  const { run, store, register, log } = context;
  const { plan } = opening;
  const onTrouble = (error: unknown): void => log.error('seat', error);
  const seat = seatFor(opening, { run, store, source: sourceOfRun(run, 'cli'), onTrouble });
  const conversation: OpenConversation = {
    seat,
    ids: plan.session === undefined ? [] : [plan.session.id],
    readOnly: opening.copiedAt === undefined ? undefined : appText.copyOnly,
    seenUpTo: opening.recap?.newestId,
    stopFollowing: undefined,
  };
  seat.subscribe((event) => {
    if (event.type === 'user') {
      if (event.created) {
        conversation.ids = [event.sessionId];
        // The draft of the pane has become this session's first message.
        context.drafts.save(draftKeyOf(run, undefined), () => ({ text: '', queue: [] }));
        context.drafts.flush();
        register.claim(event.sessionId, 'working');
      }
      remember(context, conversation);
    }
    const id = seat.id();
    if (id !== undefined && event.type === 'turn-started') register.setState(id, 'working');
    if (id !== undefined && event.type === 'turn-ended') register.setState(id, 'idle');
  });
  printConversation(context, seat);
  followDirectory(plan.workspace.realCwd, log);
  return conversation;
}

/** This pane was left at that session. */
function remember(context: LineContext, conversation: OpenConversation): void {
  const sessionId = conversation.seat.id();
  if (sessionId === undefined) return;
  const { run, window, log } = context;
  const crumb = { sessionId, cwd: conversation.seat.workspace().cwd, window };
  const outcome = writeBreadcrumb(run.home.path, run.terminal(), crumb, run.now());
  if (outcome.failed !== undefined) log.write('breadcrumb-failed', { code: outcome.failed });
}

/** Says which conversation it is, then claims it for this process; a holder elsewhere, a directory that is gone are asked about. */
async function settle(context: LineContext, opening: Opening): Promise<void> {
  const { run, store, register } = context;
  const conversation = context.current();
  const { plan, recap } = opening;
  const id = conversation.seat.id();
  for (const line of await bannerLines(store, opening)) context.say(line, 'quiet');
  if (id === undefined) {
    context.say(lineText.fresh(plan.workspace.cwd, conversation.seat.modelName()), 'quiet');
    return;
  }
  if (opening.at !== undefined) tellAround(context, opening.at);
  else for (const line of recap === undefined ? [] : recapLines(recap, run.loaded().config.display)) context.say(line, 'quiet');
  conversation.ids = await store.read.segmentIds(id);
  if (conversation.readOnly !== undefined) {
    context.say(conversation.readOnly, 'quiet');
    return;
  }
  const holder = register.claim(id, 'idle', conversation.ids);
  if (holder !== undefined) return askAboutHolder(context, id, holder);
  const answering = await whoAnswers(store, conversation.ids[0] ?? id);
  if (answering !== undefined) {
    const since = localTime(answering.since, run.now());
    return askLive(context, { id, where: appText.otherProgram, pid: answering.pid, since, canTakeOver: false });
  }
  remember(context, conversation);
  if (plan.goneDirectory !== undefined) await askAboutDirectory(context, plan.goneDirectory, plan.session?.gitRepoRoot);
}

/** Messages before and behind the one that was named, that are printed with it. */
const toldAround = 5;

/** In place of the recap: what stands around the message that was named. */
function tellAround(context: LineContext, { messageId, window }: OpeningAt): void {
  const { messages } = window;
  const at = messages.findIndex((message) => message.id === messageId);
  const shown = messages.slice(Math.max(0, at - toldAround), at + toldAround + 1);
  context.say(lineText.around(messageId), 'quiet');
  for (const message of shown) {
    const isIt = message.id === messageId;
    const told = messageLines(message);
    // A tool's result has no line of its own, unless it is what was asked for.
    const lines =
      told.length === 0 && isIt ? [{ text: lineText.named(message.toolName ?? message.role, message.text), tone: 'plain' as const }] : told;
    for (const line of lines) context.say(isIt ? `${lineText.here} ${line.text}` : line.text, line.tone);
  }
  if (window.hasAfter || at + toldAround + 1 < messages.length) context.say(lineText.readOn, 'quiet');
}

function askAboutHolder(context: LineContext, id: SessionId, holder: LiveHolder): Promise<void> {
  const since = relativeTime(holder.session.since, context.run.now());
  return askLive(context, { id, where: holder.label, pid: holder.pid, since, canTakeOver: true });
}

/** @throws StoreError where nobody can be asked: a script must not go on in another conversation than the one it named */
async function askLive(context: LineContext, live: Parameters<typeof askLiveElsewhere>[0]): Promise<void> {
  readAlong(context, appText.readAlong(live.where), context.current().seenUpTo);
  if (!context.isInteractive)
    throw new StoreError('refused', onceText.liveElsewhere(live.where, live.pid, live.since), { hint: lineText.openElsewhere });
  const reply = await context.ask(askLiveElsewhere(live));
  const choice = reply !== undefined && 'id' in reply ? reply.id : 'read';
  switch (choice) {
    case 'branch': {
      const copy = await context.store.write.branchSession(live.id, { source: 'cli' });
      await resumeSession(context, copy.id);
      context.say(appText.branched(copy.title ?? copy.id), 'quiet');
      return;
    }
    case 'take-over':
      return takeSessionOver(context, live.id);
    case 'cancel':
      return startNew(context);
    case 'read':
      context.say(appText.readAlong(live.where), 'quiet');
      if (reply !== undefined && 'text' in reply) context.giveBack(reply.text, lineText.unsent);
      return;
  }
}

/** Nothing is sent from here; what others add is printed. */
export function readAlong(context: LineContext, reason: string, seenUpTo?: number): void {
  const conversation = context.current();
  const id = conversation.seat.id();
  conversation.readOnly = reason;
  if (id === undefined || conversation.stopFollowing !== undefined) return;
  conversation.stopFollowing = followSession(
    context.store,
    id,
    seenUpTo,
    () => context.register.ownerOf(conversation.ids)?.session.state === 'working',
    (messages) => {
      for (const line of messages.flatMap(messageLines)) context.say(line.text, line.tone);
    },
    (error) => context.log.error('read-along', error),
  );
}

async function takeSessionOver(context: LineContext, id: SessionId): Promise<void> {
  const { register, run } = context;
  const { ids } = context.current();
  const outcome = await takeOver({ register, proc: run.processes, session: id, ids, now: run.now });
  switch (outcome.kind) {
    case 'taken':
      await resumeSession(context, id);
      context.say(appText.tookOver, 'quiet');
      return;
    case 'refused':
    case 'beaten':
      return context.say(appText.takeRefused);
    case 'no-answer':
      return context.say(appText.takeNoAnswer);
    case 'aborted':
      return;
  }
}

/** A message typed in place of an answer goes on; tools stay off then. */
async function askAboutDirectory(context: LineContext, recorded: string, root: string | undefined): Promise<void> {
  const here = context.current().seat.workspace();
  const known = root === undefined || root === recorded || !isDirectory(root) ? {} : { root };
  const reply = await context.ask(askDirectoryGone({ recorded, here: here.cwd, ...known }));
  if (reply === undefined) return;
  if ('text' in reply) return context.receive(reply.text);
  if (reply.id === 'stay') return goTo(context, here.cwd);
  if (reply.id === 'root') return goTo(context, root ?? recorded);
  if (reply.id !== 'pick') return;
  const picked = await context.ask(askDirectory(here.cwd));
  if (picked !== undefined && 'text' in picked) return goTo(context, picked.text);
}

/** The conversation goes on in the directory that a person named. */
export async function goTo(context: LineContext, named: string): Promise<void> {
  const { seat } = context.current();
  const directory = namedDirectory(named, seat.workspace().cwd, context.run.userHome);
  if (!isDirectory(directory)) return context.fail(appText.noDirectory(named));
  const workspace = findWorkspace(directory);
  await seat.setWorkspace(workspace);
  followDirectory(workspace.realCwd, context.log);
  context.say(appText.directoryIs(workspace.cwd), 'quiet');
}

/** Opens a stored session in place of the current one. @throws NotFoundError when it is gone */
export async function resumeSession(context: LineContext, id: SessionId): Promise<void> {
  const { store } = context;
  const session = await store.read.resumeTarget(id);
  if (session === undefined) throw new NotFoundError(appText.sessionGone(id));
  const current = context.current();
  if (current.ids.includes(session.id) && current.readOnly === undefined) return context.say(lineText.alreadyOpen);
  if (session.archived && context.isInteractive) {
    const reply = await context.ask(askArchived({ id: session.id, title: session.title ?? session.id }));
    if (reply === undefined || !('id' in reply) || reply.id === 'cancel') return;
    if (reply.id === 'unarchive') await store.write.setArchived(session.id, false);
  }
  await context.open(await reopen(context.run, store, session));
}

/** A new conversation in the directory of the current one. */
export function startNew(context: LineContext, title?: string): Promise<void> {
  const workspace = findWorkspace(context.current().seat.workspace().cwd);
  return context.open(freshOpening(workspace, title));
}

/** The current conversation is left: stamped where something was said and it is ours. */
export async function leaveConversation(context: LineContext, conversation: OpenConversation, reason: string): Promise<void> {
  conversation.stopFollowing?.();
  const id = conversation.seat.id();
  try {
    if (conversation.readOnly !== undefined) await conversation.seat.hand();
    else await conversation.seat.end(reason);
  } finally {
    if (id !== undefined) context.register.release(id);
  }
}
