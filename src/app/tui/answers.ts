import type { DialogEffect } from '../../ui/screens/dialog/index.ts';
import type { Context } from './context.ts';
import { answerDirectory, goTo } from './directory.ts';
import { answerDeleteOpen } from './manage.ts';
import { branchCopy, resumeSession, takeSessionOver } from './resume.ts';

/** What the person answered. The question closes first, except where the answer may be refused. */
export function runDialogEffect(context: Context, effect: DialogEffect): void {
  context.track(answer(context, effect));
}

async function answer(context: Context, { question, choice, subject = '', text = '' }: DialogEffect): Promise<void> {
  const close = (): void => context.loop().dispatch({ type: 'close', name: 'dialog' });
  switch (question) {
    case 'rename':
      if (choice !== 'save' || (await context.picker.actions.answerRename(subject, text))) close();
      return;
    case 'pick-directory':
      if (choice !== 'go') return close();
      return goTo(context, text, close);
    default:
      close();
  }
  switch (question) {
    case 'leave':
      return answerLeave(context, choice);
    case 'live-elsewhere':
      if (choice === 'branch') return branchCopy(context, subject);
      if (choice === 'take-over') return takeSessionOver(context, subject);
      if (choice === 'cancel') context.loop().dispatch({ type: 'run', id: 'session.new' });
      return;
    case 'directory-gone':
      return answerDirectory(context, choice);
    case 'restart':
      if (choice === 'resume') return resumeSession(context, subject);
      return;
    case 'archived':
      if (choice === 'unarchive') return resumeSession(context, subject, { unarchive: true });
      if (choice === 'resume') return resumeSession(context, subject, { isArchiveFine: true });
      return;
    case 'delete':
      if (subject !== '') return answerDeleteOpen(context, subject, choice === 'delete');
      return context.picker.actions.answerDelete(choice === 'delete');
    case 'export':
      return context.picker.actions.answerExport(choice, text);
    case 'model':
      return context.models.answer(choice);
    default:
      context.log.write('unknown-question', { question });
  }
}

async function answerLeave(context: Context, choice: string): Promise<void> {
  if (choice === 'stay') return;
  const { desk } = context;
  if (choice === 'wait') await allDone(context);
  else await Promise.all(desk.all().map((chat) => chat.seat.conversation.interrupt()));
  context.finish({ leaving: 'tui_close' });
}

/** Resolves when no turn runs any more. */
async function allDone(context: Context): Promise<void> {
  await Promise.all(
    context.desk.all().map(
      (chat) =>
        new Promise<void>((resolve) => {
          if (!chat.seat.conversation.isBusy) return resolve();
          const stop = chat.seat.subscribe((event) => {
            if (event.type !== 'turn-ended' || chat.seat.conversation.queue.length > 0) return;
            stop();
            resolve();
          });
        }),
    ),
  );
}
