import { HermesError } from '../../errors.ts';
import { offerAfterRestart } from '../../terminal/breadcrumbs.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { askResumeAfterRestart } from '../../ui/screens/dialog/index.ts';
import { recallCommands } from '../command-history.ts';
import { withoutStore } from '../no-model.ts';
import { runRetention } from '../retention.ts';
import type { Opening } from '../opening.ts';
import type { SessionStore } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { LineContext } from './context.ts';
import { resumeSession } from './opened.ts';

const historySize = 500;

/** Messages typed and stored before, newest first, slash commands after them. */
export async function recallHistory(run: Run, store: SessionStore, opening: Opening): Promise<string[]> {
  const { session, workspace } = opening.plan;
  const query = { ...(session === undefined ? {} : { sessionId: session.id }), workspaces: workspace.keys, limit: historySize };
  const stored: readonly string[] = await store.read.userHistory(query).catch(withoutStore);
  return [...stored.filter((text) => !text.includes('\n')), ...recallCommands(run.home.path)];
}

/** After a reboot: offered, never followed. @returns what was typed in place of an answer */
export async function offerRestart(context: LineContext): Promise<string | undefined> {
  const { run, store } = context;
  const here = { cwd: context.current().seat.workspace().cwd, window: context.window, proc: run.processes };
  const found = offerAfterRestart(run.home.path, run.terminal(), here, run.now());
  if (found.kind !== 'offer') return undefined;
  const session = await store.read.sessionById(found.offer.sessionId);
  if (session === undefined) return undefined;
  const when = relativeTime(session.lastActive, run.now());
  const reply = await context.ask(askResumeAfterRestart({ id: session.id, title: session.title ?? session.id, when }));
  if (reply !== undefined && 'text' in reply) return reply.text;
  if (reply?.id === 'resume') await resumeSession(context, session.id);
  return undefined;
}

/** Retention, once at the start; what it did is said. A run that ends meanwhile leaves the rest to the next one. */
export async function tidyUp(context: LineContext, isClosing: () => boolean): Promise<void> {
  try {
    for (const line of await runRetention(context)) context.say(line, 'quiet');
  } catch (error) {
    if (isClosing()) return;
    context.log.error('retention', error);
    if (!(error instanceof HermesError)) throw error;
    context.say(error.message, 'error');
  }
}
