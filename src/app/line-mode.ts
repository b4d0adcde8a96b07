import { HermesError } from '../errors.ts';
import { isDumb } from '../terminal/capabilities.ts';
import { askWindow } from '../terminal/tmux.ts';
import { appText } from '../text/en/app.ts';
import { lineText } from '../text/en/line.ts';
import { printable } from '../text/printable.ts';
import { completeSlash } from '../ui/slash.ts';
import type { StartRequest } from './choose-session.ts';
import { Drafts } from './drafts.ts';
import { farewellLines } from './farewell.ts';
import { createAsking, questionLines } from './line/ask.ts';
import type { LineContext, OpenConversation } from './line/context.ts';
import { keepDraft } from './line/draft.ts';
import { createEnd } from './line/ending.ts';
import { watchHandingOver } from './line/hand-over.ts';
import { createInputQueue } from './line/input-queue.ts';
import { openLineInput, type LineOutput } from './line/input.ts';
import { createLeaving } from './line/leaving.ts';
import { leaveConversation, openConversation } from './line/opened.ts';
import { createPrinter } from './line/printer.ts';
import { createReceiver } from './line/receive.ts';
import { offerRestart, recallHistory, tidyUp } from './line/start.ts';
import { openLog } from './log.ts';
import { openRegister, openSessionStore } from './open-store.ts';
import { openChosen } from './opening.ts';
import type { Run } from './run.ts';
import { exitCodeOf } from './signals.ts';

/** A turn that was interrupted by leaving is stored within this; afterwards the process goes all the same. Milliseconds. */
const closeMs = 5000;

/**
 * A conversation line by line, for screen readers, TERM=dumb and pipes (product.md 10): no cursor addressing, no spinner, one line per
 * event, the commands of the one table. From a pipe each line is a message; they are sent one after the other.
 *
 * @returns 0; 1 when a piped message could not be answered; 128 + n after a signal
 * @throws the errors of opening: nothing was written then
 */
export async function runLineMode(run: Run, request: StartRequest): Promise<number> {
  const opening = openChosen(run, request);
  const store = openSessionStore(run);
  const log = openLog(run.home.path, run.now);
  const register = openRegister(run);
  const drafts = new Drafts(run.home.path, { now: run.now, onTrouble: (error) => log.error('draft', error) });
  const { stdin, stdout } = process;
  const isInteractive = stdin.isTTY === true;
  const isEditing = isInteractive && stdout.isTTY === true && !isDumb(run.env);

  const end = createEnd(isInteractive);
  const out: LineOutput = {
    isTTY: stdout.isTTY === true,
    columns: () => stdout.columns,
    write: (text) => void (end.isGone() || stdout.write(text)),
  };
  let conversation: OpenConversation | undefined;
  let hasFailed = false;
  /** Everything is being taken down. */
  let isClosing = false;

  const asking = createAsking();
  const queue = createInputQueue({ isPiped: !isInteractive, receive, onFailure, onSettled: promptSoon });
  const printer = createPrinter({ out, env: run.env, before: () => input.stepAside() });
  const input = openLineInput({
    input: stdin,
    output: out,
    isEditing,
    history: isInteractive ? await recallHistory(run, store, opening) : [],
    complete: (line) => completeSlash(line).map(({ name, args }) => `/${name}${args === '' ? '' : ' '}`),
    onMessage: take,
    onInterrupt: () => leaving.interrupt(),
    onEnd: () => leaving.leave(),
    onGone: end.gone,
    onNotSuspended: () => context.say(appText.notSuspended),
  });

  const context: LineContext = {
    run,
    store,
    register,
    drafts,
    log,
    printer,
    isInteractive,
    listed: [],
    window: undefined,
    shown: () => conversation,
    current: () => conversation!,
    setCurrent(next) {
      conversation = next;
      next.seat.subscribe((event) => {
        if (event.type === 'turn-ended') promptSoon();
      });
    },
    say(text, tone = 'plain') {
      printer.line(text, tone);
      promptSoon();
    },
    fail(message, hint) {
      hasFailed = true;
      printer.line(message, 'error');
      if (hint !== undefined) printer.line(hint, 'quiet');
      promptSoon();
    },
    noteFailure() {
      hasFailed = true;
    },
    giveBack(text, why) {
      printer.line(`${why}\n${text}`);
      input.fill(text);
      promptSoon();
    },
    ask(question) {
      if (!isInteractive || isClosing) return Promise.resolve(undefined);
      printer.line(questionLines(question).join('\n'));
      promptSoon();
      return asking.ask(question);
    },
    open: (next) => openConversation(context, next),
    leave: () => leaving.leave(),
    receive: (text) => void setImmediate(() => queue.track(receive(text))),
  };
  const receiver = createReceiver(context);
  const leaving = createLeaving(context, { end, asking, queue, isClosing: () => isClosing });

  // Where readline does not read the keys, Ctrl+C is a signal.
  const onCtrlC = (): boolean => !input.clear() && leaving.interrupt();
  const stopWatchingEnds = end.watch(isInteractive && !isEditing ? onCtrlC : undefined);
  store.on('waiting', () => context.say(lineText.waitingForStore, 'quiet'));
  store.on('trouble', (error) => context.fail(error.message, error.hint));
  const takeWatch = watchHandingOver(context, () => keepDraft(context, input.unsent()));

  queue.openWith(start());
  try {
    const ending = await end.ended;
    await close(ending.kind === 'signal' && ['SIGTERM', 'SIGHUP'].includes(ending.signal) ? 'tui_shutdown' : 'cli_close');
    for (const line of conversation === undefined ? [] : farewellLines(run, conversation.seat)) out.write(`${printable(line)}\n`);
    if (ending.kind === 'left') return hasFailed && !isInteractive ? 1 : 0;
    // An ordinary exit would abort: node sets the modes of standard input once more, and can't.
    if (end.isGone()) process.kill(process.pid, 'SIGHUP');
    return exitCodeOf(ending.signal);
  } catch (error) {
    await close('cli_close');
    throw error;
  }

  async function start(): Promise<void> {
    for (const problem of run.loaded().problems) printer.line(problem.message, 'error');
    const terminal = run.terminal();
    context.window = terminal.tmux === undefined ? undefined : await askWindow(terminal.tmux);
    await context.open(opening);
    void tidyUp(context, () => isClosing).catch(onFailure);
    if (opening.plan.session !== undefined || request.in !== undefined || !isInteractive) return;
    const typed = await offerRestart(context);
    if (typed !== undefined) await receive(typed);
  }

  async function close(reason: string): Promise<void> {
    if (isClosing) return;
    isClosing = true;
    keepDraft(context, input.unsent());
    takeWatch.stop();
    input.close();
    if (conversation !== undefined) await leaveConversation(context, conversation, reason);
    printer.endStream();
    register.remove();
    await store.close(closeMs);
    stopWatchingEnds();
  }

  /** A line has been typed: the answer to what is asked, else a message. */
  function take(text: string): void {
    if (!asking.isOpen()) return queue.push(text);
    asking.reply(text);
    promptSoon();
  }

  async function receive(text: string): Promise<void> {
    if (!isClosing) await receiver(text);
  }

  /** A failure that nobody expected ends the run through its caller, never with a stack trace; one of ours is said. */
  function onFailure(error: unknown): void {
    if (!(error instanceof HermesError) || conversation === undefined || !isInteractive) end.raise(error);
    else context.fail(error.message, error.hint);
  }

  /** The prompt waits for what is under way, unless that asks something. */
  function promptSoon(): void {
    setImmediate(() => {
      const isBusy = queue.isUnderWay() || conversation?.seat.conversation.isBusy === true;
      if (!isClosing && (!isBusy || asking.isOpen())) input.prompt();
    });
  }
}
