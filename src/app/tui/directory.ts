import { appText } from '../../text/en/app.ts';
import { tildePath } from '../../text/paths.ts';
import { askDirectory, askDirectoryGone } from '../../ui/screens/dialog/index.ts';
import { followDirectory } from '../follow-directory.ts';
import { findWorkspace, isDirectory, namedDirectory } from '../workspace.ts';
import type { GoneDirectory } from '../opening.ts';
import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';

/**
 * The directory of a resumed session is gone (product.md 1): the three choices stand in the conversation already. Nothing is held up: typing
 * goes on, tools stay off, and Enter on the empty line asks.
 */
export function offerDirectory(context: Context, chat: OpenChat, gone: GoneDirectory): void {
  chat.gone = gone;
  context.desk.tell(chat, { type: 'offer', offer: { command: 'session.directory', text: appText.directoryOffer } });
}

/** `/directory`: asks; `/directory PATH` goes there, `root` is the checkout of a directory that is gone. */
export async function chooseDirectory(context: Context, args: string): Promise<void> {
  const { desk, run } = context;
  const chat = desk.current();
  const here = chat.seat.workspace().cwd;
  if (args === '') {
    const shown = (directory: string): string => tildePath(directory, run.userHome);
    const { gone } = chat;
    if (gone === undefined) context.ask(askDirectory(here));
    else {
      const root = gone.root === undefined ? {} : { root: shown(gone.root) };
      context.ask(askDirectoryGone({ recorded: shown(gone.recorded), here: shown(here), ...root }));
    }
    return;
  }
  const root = args === 'root' && !isDirectory(directoryOf(context, args)) ? chat.gone?.root : undefined;
  await settleIn(context, root ?? directoryOf(context, args));
}

/** The answer to the question about a directory that is gone. */
export async function answerDirectory(context: Context, choice: string): Promise<void> {
  const chat = context.desk.current();
  const here = chat.seat.workspace().cwd;
  if (choice === 'pick') context.ask(askDirectory(here));
  else if (choice === 'stay') await settleIn(context, here);
  else if (choice === 'root' && chat.gone?.root !== undefined) await settleIn(context, chat.gone.root);
}

/** The answer to the question for a path; one that is no directory keeps the question open. */
export async function goTo(context: Context, text: string, close: () => void): Promise<void> {
  const directory = directoryOf(context, text);
  if (text.trim() === '' || !isDirectory(directory)) {
    context.loop().dispatch({ type: 'to', name: 'dialog', action: { type: 'refused', message: appText.noDirectory(text) } });
    return;
  }
  close();
  await settleIn(context, directory);
}

function directoryOf(context: Context, text: string): string {
  return namedDirectory(text, context.desk.current().seat.workspace().cwd, context.run.userHome);
}

/** The conversation goes on in this directory, and so does the program; a stored session keeps that. */
async function settleIn(context: Context, directory: string): Promise<void> {
  const { desk, run, log } = context;
  const chat = desk.current();
  if (!isDirectory(directory)) {
    context.flash(appText.noDirectory(directory), true);
    return;
  }
  const workspace = findWorkspace(directory);
  await chat.seat.setWorkspace(workspace);
  chat.gone = undefined;
  followDirectory(workspace.realCwd, log);
  const branch = workspace.gitBranch === undefined ? {} : { branch: workspace.gitBranch };
  desk.tell(chat, { type: 'offer', offer: undefined });
  desk.tell(chat, { type: 'place', place: { path: workspace.cwd, ...branch, terminal: run.terminal().label } });
  context.notice('info', appText.directoryIs(workspace.cwd));
}
