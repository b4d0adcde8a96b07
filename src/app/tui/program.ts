import { readState, writeState } from '../../config/state.ts';
import { AmbiguousIdError, HermesError, NotFoundError } from '../../errors.ts';
import type { CommandId } from '../../commands/table.ts';
import { appText } from '../../text/en/app.ts';
import { setAmbiguousWidth } from '../../terminal/width.ts';
import { chooseTheme, themeNames } from '../../ui/theme.ts';
import type { Block } from '../../ui/transcript/index.ts';
import type { ThemeName } from '../../config/types.ts';
import { freshOpening } from '../opening.ts';
import { findWorkspace } from '../workspace.ts';
import type { Context } from './context.ts';
import { keyProblems } from './key-problems.ts';
import { copy } from './copy.ts';
import { archiveOpen, deleteOpen, exportHere, pinOpen, saveOpen } from './manage.ts';
import { resumeSession } from './resume.ts';
import { chooseDirectory } from './directory.ts';
import { findSession } from '../find-session.ts';
import { readStatusFacts, statusLines } from '../status-lines.ts';
import { formatTokens } from '../../text/duration.ts';
import { createScreens } from './screens.ts';

type Handler = (context: Context, args: string) => Promise<void> | void;

/** Commands the program carries out; whatever else a screen hands on is a command of the root. */
export const programHandlers: Partial<Record<CommandId, Handler>> = {
  'app.sessions': (context) => context.picker.open(),
  'app.insights': (context, args) => context.insights.open(args),
  'app.search': (context, args) => context.search.open(args === '' ? undefined : args),
  'session.resume': (context, args) => resumeByName(context, args),
  'session.new': (context, args) => startNew(context, args),
  'session.title': (context, args) => setTitle(context, args),
  'session.pin': (context) => pinOpen(context),
  'session.archive': (context) => archiveOpen(context),
  'session.delete': (context) => deleteOpen(context),
  'session.export': (context, args) => exportHere(context, args),
  'session.save': (context, args) => saveOpen(context, args),
  'session.directory': (context, args) => chooseDirectory(context, args),
  'session.status': (context) => tellStatus(context),
  'model.choose': (context, args) => (args === '' ? context.models.open() : context.models.take(args)),
  'message.copy': (context, args) => copyAnswer(context, args),
  'app.theme': (context, args) => changeTheme(context, args),
  'app.mouse': (context, args) => changeMouse(context, args),
  'app.reload': (context) => reload(context),
  'app.quit': (context) => context.finish({ leaving: 'tui_close' }),
};

export function runProgramCommand(context: Context, id: CommandId, args: string): void {
  const handler = programHandlers[id];
  if (handler === undefined) {
    context.loop().dispatch({ type: 'run', id });
    return;
  }
  context.track(Promise.resolve(handler(context, args)));
}

async function resumeByName(context: Context, name: string): Promise<void> {
  if (name === '') return context.picker.open();
  try {
    await resumeSession(context, await findSession(context.store, name));
  } catch (error) {
    if (!(error instanceof NotFoundError) && !(error instanceof AmbiguousIdError)) throw error;
    context.flash(error.message, true);
  }
}

async function tellStatus(context: Context): Promise<void> {
  const { desk, run, store } = context;
  const chat = desk.current();
  const facts = await readStatusFacts(store, chat.seat);
  const used = desk.stateOf(chat).context?.used ?? 0;
  const lines = statusLines(run, chat.seat, { ...facts, ...(used === 0 ? {} : { tokens: formatTokens(used) }) });
  tellAtEnd(context, lines);
}

/** What was asked for stands at the end of the transcript, and is seen there by whoever was reading further up. */
function tellAtEnd(context: Context, text: string): void {
  const { desk } = context;
  desk.tell(desk.current(), { type: 'notice', tone: 'info', text, isAsked: true });
}

function startNew(context: Context, name: string): void {
  const { desk } = context;
  const workspace = findWorkspace(desk.current().seat.workspace().cwd);
  const chat = desk.open(freshOpening(workspace, name === '' ? undefined : name), 'tui');
  desk.show(chat, 'new_session');
}

async function setTitle(context: Context, text: string): Promise<void> {
  const { desk } = context;
  const chat = desk.current();
  if (text === '') {
    const title = chat.seat.title();
    tellAtEnd(context, title === undefined ? appText.noTitle : appText.titleIs(title));
    return;
  }
  const title = await chat.seat.setTitle(text);
  desk.tell(chat, { type: 'session', session: { title } });
  if (title === undefined) context.flash(appText.titleCleared);
  else context.flash(chat.seat.id() === undefined ? appText.titleQueued(title) : appText.titleSet(title));
}

async function copyAnswer(context: Context, args: string): Promise<void> {
  const { desk } = context;
  const chat = desk.current();
  const wanted = args === '' ? 1 : Number(args);
  const answers = desk.stateOf(chat).transcript.blocks.flatMap((block: Block) => (block.kind === 'agent' ? [block.text] : []));
  const id = chat.seat.id();
  let text = answers.at(-wanted);
  if (text === undefined && id !== undefined && wanted > 0) {
    // Before the first PgUp only the recap is here; the answer is read from the store.
    const window = await context.store.read.messagesBefore(id, undefined, 200);
    text = window.messages.filter((message) => message.role === 'assistant' && message.text.trim() !== '').at(-wanted)?.text;
  }
  if (text === undefined) context.flash(answers.length === 0 && wanted === 1 ? appText.noAnswer : appText.noSuchAnswer(wanted), true);
  else await copy(context, text, true);
}

function changeTheme(context: Context, args: string): void {
  const { stage, run } = context;
  const known = themeNames;
  const current = readState(run.home.path).theme ?? run.loaded().config.display.theme;
  const after = (name: string) => known[(known.indexOf(name as ThemeName) + 1) % known.length] as ThemeName;
  const wanted = args === '' ? after(current) : (args as ThemeName);
  if (!known.includes(wanted)) {
    context.flash(appText.unknownTheme(args, known), true);
    return;
  }
  const background = stage.remembered?.['background'];
  stage.theme = chooseTheme(wanted, {
    depth: stage.depth,
    background: background === 'light' || background === 'dark' ? background : undefined,
  });
  stage.canvas.setTheme(stage.theme);
  stage.canvas.redrawAll();
  saveState(context, { theme: wanted });
  context.flash(args === '' ? appText.nextTheme(wanted, after(wanted)) : appText.theme(wanted));
}

function changeMouse(context: Context, args: string): void {
  const { stage } = context;
  if (args !== '' && args !== 'on' && args !== 'off') {
    context.flash(appText.unknownMouse, true);
    return;
  }
  stage.isMouseOn = args === '' ? !stage.isMouseOn : args === 'on';
  stage.tty.setMouse(stage.isMouseOn);
  saveState(context, { mouse: stage.isMouseOn });
  context.flash(stage.isMouseOn ? appText.mouse.on : appText.mouse.off);
}

/** A home that can't be written keeps nothing; the change holds for this run. */
function saveState(context: Context, change: Parameters<typeof writeState>[1]): void {
  try {
    writeState(context.run.home.path, change);
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.log.error('state', error);
  }
}

async function reload(context: Context): Promise<void> {
  const loaded = await context.run.reload();
  const { config } = loaded;
  context.loop().setScreens(createScreens(context.run));
  const problems = [...loaded.problems, ...keyProblems(loaded)];
  if (config.display.ambiguousWidth !== 'auto') setAmbiguousWidth(config.display.ambiguousWidth === 'wide' ? 'wide' : 'narrow');
  for (const problem of problems) context.notice('error', problem.message, problem.hint);
  context.flash(problems.length === 0 ? appText.reloaded : appText.reloadedWith(problems.length));
  const chat = context.desk.current();
  const model = chat.seat.modelName();
  if (model !== undefined) context.desk.tell(chat, { type: 'session', session: { model } });
}
