import { HermesError } from '../../errors.ts';
import type { SessionId } from '../../session/types.ts';
import { manageText } from '../../text/en/manage.ts';
import { freshOpening } from '../opening.ts';
import { askDeleteOpen, exportOpen, toggleArchived, togglePinned } from '../manage-open.ts';
import { saveSession } from '../save-session.ts';
import { findWorkspace } from '../workspace.ts';
import type { Context } from './context.ts';
import { deleteSessions } from '../delete-sessions.ts';
import type { OpenChat } from './desk.ts';

/** `/pin`, `/archive`, `/delete`, `/export`, `/save`: what can be done with the conversation on screen. */

/** The stored session on screen; without one it is said that there is none. */
function openId(context: Context): SessionId | undefined {
  const id = context.desk.current().seat.id();
  if (id === undefined) context.flash(manageText.nothingSaid, true);
  return id;
}

export async function pinOpen(context: Context): Promise<void> {
  const id = openId(context);
  if (id !== undefined) context.flash(await togglePinned(context.store, id));
}

export async function archiveOpen(context: Context): Promise<void> {
  const id = openId(context);
  if (id !== undefined) context.flash(await toggleArchived(context.store, id));
}

export async function exportHere(context: Context, args: string): Promise<void> {
  const id = openId(context);
  if (id === undefined) return;
  const said = await exportOpen(context.run, context.store, id, args, context.desk.current().seat.workspace().cwd);
  context.notice(said.isError ? 'error' : 'info', said.text);
}

export async function saveOpen(context: Context, args: string): Promise<void> {
  const id = openId(context);
  if (id === undefined) return;
  const file = await saveSession(context.run, context.store, id, args, context.desk.current().seat.workspace().cwd);
  context.notice('info', manageText.saved(file));
}

/** Asks first; the answer comes back with the id of the session. */
export async function deleteOpen(context: Context): Promise<void> {
  const id = openId(context);
  if (id === undefined) return;
  const reason = whyNot(context.desk.current());
  if (reason !== undefined) return context.flash(reason, true);
  context.ask(await askDeleteOpen(context, id));
}

const whyNot = (chat: OpenChat): string | undefined =>
  chat.isForeign ? manageText.isForeign : chat.seat.conversation.isBusy ? manageText.isWorking : undefined;

/**
 * The conversation ends and is let go of, a new one is shown in its place, and then it is deleted with its lineage. Where the store refuses,
 * it stays as it was left.
 */
export async function answerDeleteOpen(context: Context, id: SessionId, isWanted: boolean): Promise<void> {
  const { desk, register } = context;
  const chat = desk.current();
  if (!isWanted || chat.seat.id() !== id) return;
  const reason = whyNot(chat);
  if (reason !== undefined) return context.flash(reason, true);
  await chat.seat.end('tui_close');
  register.release(id);
  const title = chat.seat.title() ?? id;
  desk.show(desk.open(freshOpening(findWorkspace(chat.seat.workspace().cwd)), 'tui'), 'tui_close');
  try {
    const { gone, refused, until, traces } = await deleteSessions(context, [id]);
    const which = manageText.which([title]);
    const done = gone.length === 0 ? [] : [manageText.gone(which, until)];
    context.notice(
      refused.length === 0 ? 'info' : 'error',
      [...done, ...refused.map((each) => each.message), ...(traces === undefined ? [] : [traces])].join(' · '),
    );
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.notice('error', error.message, error.hint);
  }
}
