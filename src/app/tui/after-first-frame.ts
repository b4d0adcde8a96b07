import { offerAfterRestart } from '../../terminal/breadcrumbs.ts';
import { askWindow } from '../../terminal/tmux.ts';
import { appText } from '../../text/en/app.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { composerText } from '../../ui/screens/chat/index.ts';
import { askResumeAfterRestart } from '../../ui/screens/dialog/index.ts';
import { loadMarkdown } from '../../ui/transcript/index.ts';
import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';
import { askAboutArchive, settle } from './resume.ts';
import type { Started } from './started.ts';

/** What needs the workers, another process or a file that is written: none of it holds the first frame up. */
export async function afterFirstFrame(context: Context, first: OpenChat, started: Started): Promise<void> {
  const { run, desk } = context;
  const { opening } = started;
  await loadMarkdown();
  desk.tell(first, { type: 'repaint' });
  const terminal = run.terminal();
  const window = terminal.tmux === undefined ? undefined : await askWindow(terminal.tmux);
  desk.setWindow(window);
  if (opening.plan.session !== undefined) {
    await settle(context, first, opening);
    const isAsking = context.loop().state().stack.at(-1)?.name === 'dialog';
    if (opening.plan.session.archived && !first.isForeign && !isAsking) askAboutArchive(context, opening.plan.session);
    return;
  }
  if (started.browse !== undefined || run.flags['in'] !== undefined) return;
  const answer = offerAfterRestart(run.home.path, terminal, { cwd: first.seat.workspace().cwd, window, proc: run.processes }, run.now());
  if (answer.kind !== 'offer') return;
  const session = await context.store.read.sessionById(answer.offer.sessionId);
  if (session === undefined) return;
  const when = relativeTime(session.lastActive, run.now());
  const title = session.title ?? session.id;
  // Whoever types already has begun something new: a question would take the keys away.
  if (isUntouched(context, first)) context.ask(askResumeAfterRestart({ id: session.id, title, when }));
  else desk.tell(first, { type: 'notice', tone: 'info', text: appText.beforeRestart(title, when, session.id) });
}

/** Nothing was typed, sent or opened since the first frame. */
function isUntouched(context: Context, chat: OpenChat): boolean {
  const { desk } = context;
  const isInFront = desk.current() === chat && context.loop().state().stack.at(-1)?.name === 'chat';
  return isInFront && chat.seat.id() === undefined && !chat.seat.conversation.isBusy && composerText(desk.stateOf(chat).composer) === '';
}
