import { isatty } from 'node:tty';
import { AgentError, HermesError } from '../errors.ts';
import { isDumb } from '../terminal/capabilities.ts';
import { offerAfterRestart } from '../terminal/breadcrumbs.ts';
import { watchTakeRequests } from '../terminal/take-over.ts';
import { askWindow } from '../terminal/tmux.ts';
import { appText } from '../text/en/app.ts';
import { chatText } from '../text/en/chat.ts';
import { lineText } from '../text/en/line.ts';
import { relativeTime } from '../text/relative-time.ts';
import { askResumeAfterRestart, type Question } from '../ui/screens/dialog/index.ts';
import { completeSlash, parseSlash } from '../ui/slash.ts';
import type { StartRequest } from './choose-session.ts';
import { recallCommands, rememberCommand } from './command-history.ts';
import { Drafts, draftKeyOf } from './drafts.ts';
import { printable } from '../text/printable.ts';
import { farewellLines } from './farewell.ts';
import { questionLines, readAnswer } from './line/ask.ts';
import { runCommand } from './line/commands.ts';
import type { LineContext, OpenConversation, Reply } from './line/context.ts';
import { openLineInput, type LineOutput } from './line/input.ts';
import { leaveConversation, readAlong, resumeSession, seatOf, settle } from './line/opened.ts';
import { createPrinter } from './line/printer.ts';
import { openLog } from './log.ts';
import { findHelpWithoutModel, withoutStore } from './no-model.ts';
import { openRegister, openSessionStore } from './open-store.ts';
import { openChosen, type Opening } from './opening.ts';
import type { Run } from './run.ts';
import { catchSignals, exitCodeOf } from './signals.ts';

/** A turn that was interrupted by leaving is stored within this; afterwards the process goes all the same. Milliseconds. */
const closeMs = 5000;
/** Ctrl+C leaves when it is pressed twice within this. Milliseconds. */
const leaveMs = 2000;
const historySize = 500;

/** Why the line mode ends. */
type Ending = { readonly kind: 'left' } | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

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
  /** The pane was closed: nothing may be written to it any more. */
  let isGone = false;
  const out: LineOutput = {
    isTTY: stdout.isTTY === true,
    columns: () => stdout.columns,
    write: (text) => void (isGone || stdout.write(text)),
  };

  let conversation: OpenConversation | undefined;
  let question: { asked: Question; answer: (reply: Reply<string>) => void } | undefined;
  /** Commands and sends that are not done: the prompt waits for them, unless they ask something. */
  let underWay = 0;
  let refused: string | undefined;
  let leaveUntil = 0;
  let hasFailed = false;
  let isEnding = false;
  let isLeaving = false;
  let end: (ending: Ending) => void = () => undefined;
  let raise: (error: unknown) => void = () => undefined;
  const ended = new Promise<Ending>((resolve, reject) => {
    end = resolve;
    raise = reject;
  });
  ended.catch(() => undefined);

  const printer = createPrinter({ out, env: run.env, before: () => input.stepAside() });
  const input = openLineInput({
    input: stdin,
    output: out,
    isEditing,
    history: isInteractive ? await recallHistory() : [],
    complete: (line) => completeSlash(line).map(({ name, args }) => `/${name}${args === '' ? '' : ' '}`),
    onMessage: (text) => take(text),
    onInterrupt: () => interrupt(),
    onEnd: () => leave(),
    onGone: () => gone(),
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
    current: () => conversation!,
    setCurrent(next) {
      conversation = next;
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
    giveBack(text, why) {
      printer.line(`${why}\n${text}`);
      input.fill(text);
      promptSoon();
    },
    ask(asked) {
      if (!isInteractive || isLeaving) return Promise.resolve(undefined);
      printer.line(questionLines(asked).join('\n'));
      return new Promise((resolve) => {
        question = { asked, answer: resolve as (reply: Reply<string>) => void };
        promptSoon();
      });
    },
    open: openConversation,
    leave,
    receive: (text) => void setImmediate(() => track(receive(text))),
  };

  const removeSignals = catchSignals((signal) => {
    // Where readline does not read the keys, Ctrl+C is a signal.
    if (signal === 'SIGINT' && isInteractive && !isEditing) return input.clear() ? false : interrupt();
    isGone ||= signal === 'SIGHUP' && isInteractive && !isatty(0);
    end({ kind: 'signal', signal });
    return true;
  });
  function gone(): void {
    isGone = isInteractive;
    end({ kind: 'signal', signal: 'SIGHUP' });
  }
  stdin.on('error', gone);
  const onBrokenPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') end({ kind: 'signal', signal: 'SIGPIPE' });
  };
  stdout.on('error', onBrokenPipe);
  store.on('waiting', () => context.say(lineText.waitingForStore, 'quiet'));
  store.on('trouble', (error) => context.fail(error.message, error.hint));
  const watch = watchHandingOver();

  const opened = start();
  track(opened);
  /** Pipes: one line after the other, each when the one before is done. */
  let piped = opened;
  try {
    const ending = await ended;
    await close(ending.kind === 'signal' && ['SIGTERM', 'SIGHUP'].includes(ending.signal) ? 'tui_shutdown' : 'cli_close');
    for (const line of conversation === undefined ? [] : farewellLines(run, conversation.seat)) out.write(`${printable(line)}\n`);
    if (ending.kind === 'left') return hasFailed && !isInteractive ? 1 : 0;
    // An ordinary exit would abort: node sets the modes of standard input once more, and can't.
    if (isGone) process.kill(process.pid, 'SIGHUP');
    return exitCodeOf(ending.signal);
  } catch (error) {
    await close('cli_close');
    throw error;
  }

  async function close(reason: string): Promise<void> {
    if (isLeaving) return;
    isLeaving = true;
    keepDraft();
    watch.stop();
    input.close();
    if (conversation !== undefined) await leaveConversation(context, conversation, reason);
    printer.endStream();
    register.remove();
    await store.close(closeMs);
    removeSignals();
    stdout.removeListener('error', onBrokenPipe);
    if (!isGone) stdin.removeListener('error', gone);
  }

  async function start(): Promise<void> {
    for (const problem of run.loaded().problems) printer.line(problem.message, 'error');
    const terminal = run.terminal();
    context.window = terminal.tmux === undefined ? undefined : await askWindow(terminal.tmux);
    await openConversation(opening);
    if (opening.plan.session === undefined && request.in === undefined && isInteractive) await offerRestart();
  }

  /** After a reboot: offered, never followed. */
  async function offerRestart(): Promise<void> {
    const here = { cwd: context.current().seat.workspace().cwd, window: context.window, proc: run.processes };
    const found = offerAfterRestart(run.home.path, run.terminal(), here, run.now());
    if (found.kind !== 'offer') return;
    const session = await store.read.sessionById(found.offer.sessionId);
    if (session === undefined) return;
    const when = relativeTime(session.lastActive, run.now());
    const reply = await context.ask(askResumeAfterRestart({ id: session.id, title: session.title ?? session.id, when }));
    if (reply !== undefined && 'text' in reply) return receive(reply.text);
    if (reply?.id === 'resume') await resumeSession(context, session.id);
  }

  async function openConversation(next: Opening): Promise<void> {
    const before = conversation;
    conversation = seatOf(context, next);
    conversation.seat.subscribe((event) => {
      if (event.type === 'turn-ended') promptSoon();
    });
    if (before !== undefined) await leaveConversation(context, before, next.plan.session === undefined ? 'new_session' : 'cli_close');
    await settle(context, next);
    const draft = drafts.load(draftKeyOf(run, conversation.seat.id()));
    const texts = [draft.text, ...draft.queue].filter((text) => text !== '');
    if (texts.length > 0 && isInteractive) context.giveBack(texts.join('\n\n'), lineText.draft);
  }

  /** What is typed and not sent outlives a closed pane; nothing typed takes an older draft away. */
  function keepDraft(): void {
    if (!isInteractive || conversation === undefined || conversation.readOnly !== undefined) return;
    const text = input.unsent();
    const queue = conversation.seat.conversation.queue;
    drafts.save(draftKeyOf(run, conversation.seat.id()), () => ({ text, queue }));
    drafts.flush();
  }

  /** Messages typed and stored before, newest first, slash commands after them. */
  async function recallHistory(): Promise<string[]> {
    const { session, workspace } = opening.plan;
    const query = { ...(session === undefined ? {} : { sessionId: session.id }), workspaces: workspace.keys, limit: historySize };
    const stored: readonly string[] = await store.read.userHistory(query).catch(withoutStore);
    return [...stored.filter((text) => !text.includes('\n')), ...recallCommands(run.home.path)];
  }

  /** A line has been typed. */
  function take(text: string): void {
    if (question !== undefined) return reply(text);
    if (isInteractive) return track(opened.then(() => receive(text)));
    piped = piped.then(() => receive(text));
    track(piped);
  }

  function reply(text: string): void {
    const { asked, answer } = question!;
    const id = readAnswer(asked, text);
    question = undefined;
    answer(id === undefined ? { text } : { id });
    promptSoon();
  }

  async function receive(text: string): Promise<void> {
    if (isLeaving) return;
    const { seat, readOnly } = context.current();
    if (text.trim() === '') {
      if (seat.conversation.canRetry && isInteractive) await guarded(undefined, () => seat.conversation.retry());
      return;
    }
    const line = parseSlash(text);
    if (line.kind === 'command') {
      rememberCommand(run.home.path, text, log);
      try {
        await runCommand(context, line.id, line.args);
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        context.fail(error.message, error.hint);
      }
      return;
    }
    if (line.kind === 'unknown' && refused !== text) {
      refused = text;
      hasFailed = true;
      return context.say(chatText.unknownCommand(line.word, line.nearest));
    }
    refused = undefined;
    if (readOnly !== undefined) {
      context.fail(lineText.readOnly);
      return context.giveBack(text, lineText.unsent);
    }
    await guarded(text, () => seat.conversation.send(text));
  }

  /** A refusal before anything was stored gives the text back and says what to do. */
  async function guarded(text: string | undefined, send: () => Promise<string>): Promise<void> {
    try {
      const outcome = await send();
      if (outcome === 'failed' || outcome === 'not-stored') hasFailed = true;
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      context.fail(error.message, error.hint);
      if (text === undefined) return;
      context.giveBack(text, lineText.unsent);
      if (error instanceof AgentError && error.trouble === 'no-model') {
        const { servers, matches } = await findHelpWithoutModel(store, text);
        if (servers.length > 0) context.say(appText.localServers(servers.map((server) => `${server.label} ${server.baseUrl}`)));
        if (matches.length > 0) context.say(matches.join('\n'));
      }
    }
  }

  /** A failure that nobody expected ends the run through its caller, never with a stack trace; one of ours is said. */
  function track(work: Promise<void>): void {
    underWay += 1;
    work
      .catch((error: unknown) => {
        if (!(error instanceof HermesError) || conversation === undefined || !isInteractive) raise(error);
        else context.fail(error.message, error.hint);
      })
      .finally(() => {
        underWay -= 1;
        promptSoon();
      });
  }

  function promptSoon(): void {
    setImmediate(() => {
      const isBusy = underWay > 0 || conversation?.seat.conversation.isBusy === true;
      if (!isLeaving && (!isBusy || question !== undefined)) input.prompt();
    });
  }

  /** Ctrl+C: puts a question away, else interrupts, else leaves when pressed twice. @returns false: it ended nothing */
  function interrupt(): boolean {
    const { conversation: running } = conversation?.seat ?? {};
    if (isLeaving || running === undefined) {
      end({ kind: 'signal', signal: 'SIGINT' });
      return true;
    }
    if (question !== undefined) {
      const { answer } = question;
      question = undefined;
      answer(undefined);
    } else if (running.isBusy) void running.interrupt();
    else if (run.now() < leaveUntil) end({ kind: 'left' });
    else {
      leaveUntil = run.now() + leaveMs;
      context.say(lineText.leaveAgain, 'quiet');
    }
    return false;
  }

  /** The end of the input, /quit: what runs and what waits behind it comes first. */
  function leave(): void {
    if (isLeaving || isEnding) return;
    isEnding = true;
    question?.answer(undefined);
    question = undefined;
    if (context.isInteractive && conversation?.seat.conversation.isBusy === true) printer.line(lineText.afterTurn, 'quiet');
    const done = isInteractive ? turnOver() : piped.then(turnOver);
    done.then(() => end({ kind: 'left' }), raise);
  }

  function turnOver(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        const { conversation: running } = conversation?.seat ?? {};
        if (running?.isBusy !== true) return resolve();
        const stop = conversation!.seat.subscribe((event) => {
          if (event.type !== 'turn-ended') return;
          stop();
          setImmediate(look);
        });
      };
      look();
    });
  }

  function watchHandingOver(): { stop(): void } {
    return watchTakeRequests(register, run.processes, {
      async prepare({ session }) {
        if (conversation?.ids.includes(session) !== true) return false;
        await conversation.seat.hand();
        keepDraft();
        return true;
      },
      given({ session }) {
        if (conversation?.ids.includes(session) !== true) return;
        readAlong(context, appText.takenOverShort);
        context.say(appText.takenOver);
      },
      kept: ({ session }) => log.write('take-over-kept', { session }),
      failed: (error) => log.error('take-over', error),
    });
  }
}
