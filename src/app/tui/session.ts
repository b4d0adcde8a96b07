import { HermesError } from '../../errors.ts';
import { installSuspend } from '../../terminal/suspend.ts';
import { appText } from '../../text/en/app.ts';
import { printable } from '../../text/printable.ts';
import { askLeaveWhileWorking, createDialog } from '../../ui/screens/dialog/index.ts';
import type { RootEffect } from '../../ui/root/model.ts';
import { Drafts } from '../drafts.ts';
import { farewellLines } from '../farewell.ts';
import { openLog } from '../log.ts';
import { openRegister, openSessionStore } from '../open-store.ts';
import { sourceOfRun } from '../opened-seat.ts';
import { afterFirstFrame } from './after-first-frame.ts';
import { runChatEffect } from './chat-effects.ts';
import type { Context } from './context.ts';
import { writeCrashReport } from './crash.ts';
import { createDesk } from './desk.ts';
import { watchHandingOver } from './hand-over.ts';
import { keyProblems } from './key-problems.ts';
import { keepHouse } from './keep-house.ts';
import { createLoop, type Loop } from './loop.ts';
import { probeTerminal } from './probe.ts';
import { followAlong } from './read-along.ts';
import { runDialogEffect } from './answers.ts';
import { chatFor } from './chat-start.ts';
import { createColouring } from './colouring.ts';
import { createInsightsEffects } from './insights-effects.ts';
import { createModelEffects } from './model-effects.ts';
import { createPickerEffects } from './picker-effects.ts';
import { createSearchEffects } from './search-effects.ts';
import type { Started } from './started.ts';
import { runProgramCommand } from './program.ts';
import { createScreens } from './screens.ts';

type Outcome = { leaving: 'tui_close' } | { leaving: 'cancelled' };

/** A turn that was interrupted by leaving is stored within this; afterwards the process goes all the same. Milliseconds. */
const closeMs = 5000;
/** How long a terminal that has not answered yet is waited for when leaving. */
const lateAnswerMs = 150;

/** What follows the first frame is waited for no longer than this when the program is left before it is done. Milliseconds. */
const settleMs = 1000;

/** The store's threads end within this once everything is stored, or was waited for long enough. Milliseconds. */
const lastMs = 500;

/** A wait at the end that is longer is told. Milliseconds. */
const tellAfterMs = 1000;

const within = (work: Promise<unknown>, ms: number): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms).unref())]);

/** The last writes, said where they take long. Another program's lock keeps the shell no longer than `closeMs`: the row then stays open. */
async function endWithin(work: Promise<void>): Promise<void> {
  const told = setTimeout(() => process.stderr.write(`${appText.endingWaits}\n`), tellAfterMs);
  await within(work, closeMs);
  clearTimeout(told);
}

/** Everything after the first frame: screens, workers, probes, until the person leaves. @returns the exit code */
export async function runScreens(started: Started): Promise<number> {
  const { run, stage, opening, browse } = started;
  const log = openLog(run.home.path, run.now);
  const store = openSessionStore(run);
  const screens = createScreens(run);
  const register = openRegister(run);
  const drafts = new Drafts(run.home.path, { now: run.now, onTrouble: (error) => log.error('draft', error) });

  const chat = started.chat ?? chatFor(run, stage, opening);
  let resolveOutcome: (outcome: Outcome) => void;
  const finished = new Promise<Outcome>((resolve) => (resolveOutcome = resolve));
  const onTrouble = (error: unknown): void => {
    log.error('effect', error);
    if (error instanceof HermesError) context.notice('error', error.message, error.hint);
    else throw error;
  };
  /** A fault of ours surfaces as one: the terminal is restored and a report written. */
  const raise = (error: unknown): void => {
    try {
      onTrouble(error);
    } catch (fault) {
      queueMicrotask(() => {
        throw fault;
      });
    }
  };

  const colouring = createColouring(
    () => loop,
    (action) => {
      desk.tell(desk.current(), action);
      loop.dispatch({ type: 'to', name: 'look', action });
    },
  );
  const loop: Loop = createLoop({
    screens,
    canvas: stage.canvas,
    initial: {
      ...stage.canvas.size(),
      stack: [{ name: 'chat', state: chat }, ...(started.look === undefined ? [] : [{ name: 'look' as const, state: started.look }])],
    },
    userHome: run.userHome,
    now: run.now,
    glyphs: () => stage.glyphs,
    pendingBytes: () => stage.tty.pendingBytes(),
    runEffect: (effect) => runEffect(effect),
    onFrame: () => {
      colouring.afterFrame();
      following.afterFrame();
    },
    onIdle:
      run.env['HERMES_TEST_IDLE'] === '1' ? (frames) => stage.tty.write(`\x1b]7777;idle;${frames};${stage.bytesRead()}\x07`) : undefined,
  });
  const desk = createDesk({
    run,
    stage,
    store,
    register,
    drafts,
    log,
    definitions: screens.definitions,
    loop: () => loop,
    onTrouble: raise,
  });
  const context: Context = {
    run,
    stage,
    store,
    register,
    processes: run.processes,
    desk,
    log,
    get picker() {
      return picker;
    },
    get search() {
      return search;
    },
    get models() {
      return models;
    },
    get insights() {
      return insights;
    },
    loop: () => loop,
    track: (work) => loop.track(work, raise),
    notice: (tone, text, hint) => desk.tell(desk.current(), { type: 'notice', tone, text, ...(hint === undefined ? {} : { hint }) }),
    flash: (text, isError = false) => desk.tell(desk.current(), { type: 'flash', text, isError, now: run.now() }),
    ask: (question) => loop.dispatch({ type: 'open', screen: { name: 'dialog', state: createDialog(question) } }),
    runCommand: (id, args) => runProgramCommand(context, id, args),
    finish,
  };
  const picker = createPickerEffects(context);
  const search = createSearchEffects(context);
  const models = createModelEffects(context);
  const insights = createInsightsEffects(context);
  if (started.look !== undefined && opening.plan.session !== undefined) search.adoptLook(opening.plan.session.id);

  function finish(outcome: Outcome): void {
    if (outcome.leaving === 'tui_close' && desk.all().some((chat) => chat.seat.conversation.isBusy)) context.ask(askLeaveWhileWorking());
    else resolveOutcome(outcome);
  }

  function runEffect(effect: RootEffect): void {
    switch (effect.from) {
      case 'chat':
        return runChatEffect(context, effect.effect);
      case 'sessions':
        return picker.run(effect.effect);
      case 'search':
        return search.run(effect.effect);
      case 'look':
        return search.runLook(effect.effect);
      case 'models':
        return models.run(effect.effect);
      case 'insights':
        return insights.run(effect.effect);
      case 'dialog':
        return runDialogEffect(context, effect.effect);
      case 'root':
        if (effect.effect.type === 'redraw') stage.canvas.redrawAll();
        else if (effect.effect.type === 'suspend') suspend.suspend();
        else if (effect.effect.type === 'open-search') search.open();
        else openSessions();
    }
  }

  /** The list is below the search it was left for, or opens in its place. */
  function openSessions(): void {
    search.leave();
    if (!loop.state().stack.some((shown) => shown.name === 'sessions')) picker.open();
  }

  const suspend = installSuspend({
    tty: stage.tty,
    redraw: () => stage.canvas.redrawAll(),
    refused: () => context.flash(appText.notSuspended, true),
  });

  const following = followAlong(context);

  // ── The first conversation, and the machinery around it.
  const first = desk.open(opening, sourceOfRun(run, 'tui'), { state: chat });
  desk.show(first, 'tui_close');
  stage.tty.onResize(() => {
    const { width, height } = stage.canvas.size();
    stage.canvas.invalidate();
    loop.dispatch({ type: 'resize', width, height });
    // The same size again, but the terminal has reflowed what it showed.
    loop.draw();
  });
  const { width, height } = stage.canvas.size();
  loop.dispatch({ type: 'resize', width, height });
  if (browse !== undefined) picker.browse(browse.picker, browse.only);
  loop.draw();
  context.track(stage.canvas.loadShell());
  const probe = probeTerminal(context);
  stage.listen((event) => {
    if (event.type === 'reply') probe.take(event);
    else loop.input(event);
  });
  store.on('waiting', () => showWaiting(true));
  store.on('waiting-over', () => showWaiting(false));
  store.on('trouble', (error) => context.notice('error', error.message, error.hint));
  started.onEnd = async () => {
    // The sessions stay claimed until their ends are stored: nobody opens one that is about to be stamped.
    await desk.endAll('tui_shutdown');
    register.remove();
    await store.close(closeMs);
  };
  started.onCrash = (error) => writeCrashReport(run, log, error);
  const problems = [...run.loaded().problems, ...keyProblems(run.loaded())];
  for (const problem of problems) context.notice('error', problem.message, problem.hint);
  const settled = afterFirstFrame(context, first, started);
  context.track(settled);

  const house = keepHouse(context);
  const take = watchHandingOver(context, drafts);

  const outcome = await finished;
  // An answer that is still on its way would land in the shell.
  await Promise.race([probe.isAnswered, new Promise((resolve) => setTimeout(resolve, lateAnswerMs))]);
  const farewell = farewellLines(run, desk.current().seat);
  take.stop();
  house.stop();
  colouring.stop();
  suspend.uninstall();
  loop.stop();
  following.stop();
  search.leave();
  stage.tokenizer.end();
  stage.tty.close();
  stage.canvas.unmount();
  // Left within the first moments: the pane is still to remember what it had open. Its failure was told where it is tracked.
  await within(
    settled.catch(() => undefined),
    settleMs,
  );
  await endWithin(desk.endAll('tui_close'));
  register.remove();
  await store.close(lastMs);
  if (outcome.leaving === 'cancelled') process.stdout.write(`${appText.cancelled}\n`);
  for (const line of farewell) process.stdout.write(`${printable(line)}\n`);
  return 0;

  function showWaiting(isWaiting: boolean): void {
    for (const chat of desk.all()) desk.tell(chat, { type: 'store-waiting', isWaiting });
    picker.setStoreWaiting(isWaiting);
  }
}
