import { readDays } from '../../commands/insights-days.ts';
import { commandSpec, type commands, type CommandId } from '../../commands/table.ts';
import { copyText } from '../../terminal/clipboard.ts';
import { appText } from '../../text/en/app.ts';
import { lineText } from '../../text/en/line.ts';
import { manageText } from '../../text/en/manage.ts';
import { askLeaveWhileWorking } from '../../ui/screens/dialog/index.ts';
import type { SessionId } from '../../session/types.ts';
import type { Position } from '../../store/reads/transcript.ts';
import { deleteSessions } from '../delete-sessions.ts';
import { askDeleteOpen, exportOpen, toggleArchived, togglePinned } from '../manage-open.ts';
import { saveSession } from '../save-session.ts';
import { findSession } from '../find-session.ts';
import { readInsights } from '../read-insights.ts';
import { readStatusFacts, statusLines } from '../status-lines.ts';
import type { LineContext } from './context.ts';
import { helpLines, messageLines, sessionLines } from './listing.ts';
import { chooseModel } from './models.ts';
import { goTo, resumeSession, startNew } from './opened.ts';
import { searchFromLine } from './search.ts';

type Slashed = Extract<(typeof commands)[number], { slash: readonly string[] }>['id'];
type Handler = (context: LineContext, args: string) => Promise<void> | void;

const listSize = 20;
const windowSize = 200;

/** A command that leaves the conversation waits until its turn is over. */
const whenIdle =
  (handler: Handler): Handler =>
  (context, args) =>
    context.current().seat.conversation.isBusy ? context.fail(lineText.busy) : handler(context, args);

/** A command for the stored session that is open. */
const onStored =
  (handler: (context: LineContext, id: SessionId, args: string) => Promise<void>): Handler =>
  (context, args) => {
    const id = context.current().seat.id();
    return id === undefined ? context.fail(manageText.nothingSaid) : handler(context, id, args);
  };

const fullScreen =
  (id: CommandId): Handler =>
  (context) =>
    context.say(lineText.fullScreenOnly(commandSpec(id).slash?.[0] ?? id));

const handlers: Record<Slashed, Handler> = {
  'app.sessions': listSessions,
  'app.insights': tellInsights,
  'app.search': searchFromLine,
  'session.resume': whenIdle(async (context, name) => {
    if (name === '') return listSessions(context);
    const numbered = /^\d{1,4}$/.test(name) ? context.listed[Number(name) - 1] : undefined;
    await resumeSession(context, numbered ?? (await findSession(context.store, name)));
  }),
  'session.new': whenIdle((context, name) => startNew(context, name === '' ? undefined : name)),
  'session.title': setTitle,
  'session.status': async (context) => {
    const { seat } = context.current();
    context.say(statusLines(context.run, seat, await readStatusFacts(context.store, seat)));
  },
  'session.directory': (context, named) =>
    named === '' ? context.say(appText.directoryIs(context.current().seat.workspace().cwd)) : goTo(context, named),
  'session.pin': onStored(async (context, id) => context.say(await togglePinned(context.store, id))),
  'session.archive': onStored(async (context, id) => context.say(await toggleArchived(context.store, id))),
  'session.delete': whenIdle(onStored(deleteSession)),
  'session.export': onStored(async (context, id, args) => {
    const said = await exportOpen(context.run, context.store, id, args, context.current().seat.workspace().cwd);
    if (said.isError) context.fail(said.text);
    else context.say(said.text);
  }),
  'session.save': onStored(async (context, id, args) => {
    const { cwd } = context.current().seat.workspace();
    context.say(manageText.saved(await saveSession(context.run, context.store, id, args, cwd)));
  }),
  'session.history': printHistory,
  'model.choose': chooseModel,
  'message.copy': copyAnswer,
  'composer.editor': fullScreen('composer.editor'),
  'app.theme': fullScreen('app.theme'),
  'app.mouse': fullScreen('app.mouse'),
  'app.reload': reload,
  'app.help': (context) => context.say(helpLines().join('\n')),
  'app.quit': quit,
};

export async function runCommand(context: LineContext, id: CommandId, args: string): Promise<void> {
  const handler = (handlers as Partial<Record<CommandId, Handler>>)[id];
  if (handler === undefined) await fullScreen(id)(context, args);
  else await handler(context, args);
}

/** Asks, ends the conversation, begins another one, and moves the ended one into the bin with its lineage. */
async function deleteSession(context: LineContext, id: SessionId): Promise<void> {
  const { seat, readOnly } = context.current();
  if (readOnly !== undefined) return context.fail(manageText.isForeign);
  // Nothing is deleted where nobody can be asked.
  const reply = await context.ask(await askDeleteOpen(context, id));
  if (reply === undefined || !('id' in reply) || reply.id !== 'delete') return;
  const which = manageText.which([seat.title() ?? id]);
  await seat.end('cli_close');
  context.register.release(id);
  await startNew(context);
  const { gone, refused, until, traces } = await deleteSessions(context, [id]);
  if (gone.length > 0) context.say(manageText.gone(which, until));
  for (const { message } of refused) context.fail(message);
  if (traces !== undefined) context.fail(traces);
}

async function listSessions(context: LineContext): Promise<void> {
  const { rows, hasMore } = await context.store.read.firstRows({ limit: listSize });
  context.listed = rows.map((row) => row.id);
  if (rows.length === 0) return context.say(lineText.noSessions);
  context.say([...sessionLines(rows, context.run.now()), lineText.sessionsEnd(hasMore)].join('\n'));
}

/** The text of `hermes insights`. */
async function tellInsights(context: LineContext, args: string): Promise<void> {
  const report = await readInsights(context.store, { days: readDays(args) }, context.run.now());
  const { renderInsights } = await import('../../commands/insights-text.ts');
  context.say(renderInsights(report).join('\n'));
}

async function setTitle(context: LineContext, text: string): Promise<void> {
  const { seat } = context.current();
  if (text === '') {
    const title = seat.title();
    return context.say(title === undefined ? appText.noTitle : appText.titleIs(title));
  }
  const title = await seat.setTitle(text);
  if (title === undefined) context.say(appText.titleCleared);
  else context.say(seat.id() === undefined ? appText.titleQueued(title) : appText.titleSet(title));
}

/** The whole conversation, a window at a time. */
async function printHistory(context: LineContext): Promise<void> {
  const id = context.current().seat.id();
  if (id === undefined) return context.say(lineText.noHistory);
  let cursor: Position | undefined;
  do {
    const window = await context.store.read.messagesAfter(id, cursor, windowSize);
    for (const line of window.messages.flatMap(messageLines)) context.say(line.text, line.tone);
    cursor = window.hasAfter ? window.end : undefined;
  } while (cursor !== undefined);
}

async function copyAnswer(context: LineContext, args: string): Promise<void> {
  if (process.stdout.isTTY !== true) return context.say(lineText.copyNeedsTerminal);
  const wanted = args === '' ? 1 : Number(args);
  const id = context.current().seat.id();
  const window = id === undefined ? undefined : await context.store.read.messagesBefore(id, undefined, windowSize);
  const answers = window?.messages.filter((message) => message.role === 'assistant' && message.text.trim() !== '') ?? [];
  const text = wanted > 0 ? answers.at(-wanted)?.text : undefined;
  if (text === undefined) return context.fail(answers.length === 0 ? appText.noAnswer : appText.noSuchAnswer(wanted));
  const result = await copyText(text, { write: (sequence) => void process.stdout.write(sequence), env: context.run.env });
  if (result.ok) context.say(appText.copied[result.way ?? 'system']);
  else context.fail(appText.copyTooLong);
}

async function reload(context: LineContext): Promise<void> {
  const { problems } = await context.run.reload();
  for (const problem of problems) context.fail(problem.message, problem.hint);
  context.say(problems.length === 0 ? appText.reloaded : appText.reloadedWith(problems.length));
}

async function quit(context: LineContext): Promise<void> {
  const { conversation } = context.current().seat;
  if (!conversation.isBusy || !context.isInteractive) return context.leave();
  const reply = await context.ask(askLeaveWhileWorking());
  if (reply === undefined || !('id' in reply) || reply.id === 'stay') return;
  if (reply.id === 'interrupt') await conversation.interrupt();
  context.leave();
}
