import { AgentError, StoreError, type AgentTrouble, type HermesError } from '../errors.ts';
import type { TurnEvent } from '../agent/events.ts';
import type { SessionId } from '../session/types.ts';
import type { LiveHolder } from '../terminal/live-register.ts';
import { watchTakeRequests, type TakeWatch } from '../terminal/take-over.ts';
import { onceText } from '../text/en/once.ts';
import { printable } from '../text/printable.ts';
import { localTime, relativeTime } from '../text/relative-time.ts';
import { bannerLines } from './banner.ts';
import type { Front } from './front.ts';
import { openLog } from './log.ts';
import { findHelpWithoutModel } from './no-model.ts';
import { readPrompt } from './once/prompt.ts';
import { openRegister, openSessionStore } from './open-store.ts';
import { seatFor, sourceOfRun } from './opened-seat.ts';
import { openChosen, type Opening } from './opening.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import type { Seat } from './seat.ts';
import { catchSignals, exitCodeOf } from './signals.ts';
import { createTextFlow } from './text-flow.ts';

/** What was interrupted or refused is stored within this; afterwards the process goes all the same. Milliseconds. */
const closeMs = 5000;

/** What to try, for every trouble there is. */
const hints: Record<AgentTrouble, string> = onceText.hints;

const notice = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

/**
 * One question, one answer (product.md 1): the answer streams to standard output, everything else stands on standard error. A named session
 * is appended to or refused, never replaced by another. A breadcrumb is not written: a one-shot must not cost a pane its session.
 *
 * @returns 0 when answered and stored; 128 + n when a signal (or a reader that closed the pipe) ended it
 * @throws UsageError, StoreError, AgentError, NotFoundError, AmbiguousIdError: printed by the caller, exit code 1 or 2
 */
export async function answerOnce(run: Run, front: Front & { kind: 'once' }): Promise<number> {
  for (const problem of run.loaded().problems) notice(`hermes: ${problem.message}`);
  const text = await readPrompt(front, process.stdin, (said) => notice(`hermes: ${said}`));
  const opening = openChosen(run, front.request);
  if (opening.copiedAt !== undefined && opening.plan.session !== undefined)
    throw new StoreError('readonly', onceText.readOnly(localTime(opening.copiedAt, run.now())), { hint: onceText.readOnlyHint });
  const store = openSessionStore(run);
  try {
    return await answer(run, store, opening, text);
  } finally {
    await store.close(closeMs);
  }
}

async function answer(run: Run, store: SessionStore, opening: Opening, text: string): Promise<number> {
  const { plan } = opening;
  const log = openLog(run.home.path, run.now);
  const register = openRegister(run);
  const onTrouble = (error: unknown): void => log.error('seat', error);
  const seat = seatFor(opening, { run, store, source: sourceOfRun(run, 'oneshot'), onTrouble });
  let watch: TakeWatch | undefined;
  const claim = (id: SessionId, ids: readonly SessionId[] = []): LiveHolder | undefined => {
    // Another pane that wants the session is refused at once, instead of after its ten seconds.
    const keep = {
      prepare: () => Promise.resolve(false),
      given() {},
      kept() {},
      failed: (error: unknown) => log.error('take-over', error),
    };
    watch ??= watchTakeRequests(register, run.processes, keep);
    return register.claim(id, 'working', ids);
  };
  const told = showTurn(run, seat, claim);
  let endedBy: NodeJS.Signals | undefined;
  const endBy = (signal: NodeJS.Signals): boolean => {
    endedBy ??= signal;
    void seat.conversation.interrupt();
    return true;
  };
  const removeSignals = catchSignals(endBy);
  // A reader that has seen enough closes the pipe: node ignores SIGPIPE, the write fails instead.
  const onBrokenPipe = (error: NodeJS.ErrnoException): void => void (error.code === 'EPIPE' && endBy('SIGPIPE'));
  process.stdout.on('error', onBrokenPipe);
  try {
    if (plan.session !== undefined) refuseHeld(run, claim(plan.session.id, await store.read.segmentIds(plan.session.id)));
    for (const line of await bannerLines(store, opening)) notice(line);
    const outcome = endedBy === undefined ? await send(run, store, seat, text) : 'interrupted';
    told.end();
    await seat.end('agent_close');
    if (endedBy !== undefined) return exitCodeOf(endedBy);
    if (outcome !== 'answered') throw told.failure(outcome);
    if (seat.conversation.unstored > 0) throw told.failure('not-stored');
    await flushed(process.stdout);
    return endedBy === undefined ? 0 : exitCodeOf(endedBy);
  } finally {
    watch?.stop();
    register.remove();
    removeSignals();
    process.stdout.removeListener('error', onBrokenPipe);
  }
}

/** @throws StoreError when another process has the session open */
function refuseHeld(run: Run, holder: LiveHolder | undefined): void {
  if (holder === undefined) return;
  const since = relativeTime(holder.session.since, run.now());
  throw new StoreError('refused', onceText.liveElsewhere(holder.label, holder.pid, since), { hint: onceText.liveElsewhereHint });
}

/** @throws AgentError `no-model` with all that helps to set one up; nothing is stored then */
async function send(run: Run, store: SessionStore, seat: Seat, text: string): Promise<string> {
  try {
    return await seat.conversation.send(text);
  } catch (error) {
    if (!(error instanceof AgentError) || error.trouble !== 'no-model') throw error;
    const { servers, matches } = await findHelpWithoutModel(store, text, 'hermes -r');
    const names = servers.map((server) => `${server.label} ${server.baseUrl}`);
    // Where a model is configured its own hint says what it lacks.
    const own = run.loaded().config.model.model === undefined ? undefined : error.hint;
    const hint = [own ?? onceText.noModelHint, ...(names.length === 0 ? [] : [onceText.localServers(names)]), ...matches].join('\n');
    throw new AgentError('no-model', error.message, { hint });
  }
}

interface Told {
  /** The last newline of the answer. */
  end(): void;
  /** Why there is no answer, as the error to be printed. */
  failure(outcome: string): HermesError;
}

/** Passes the answer on to standard output, and with --debug what led to it to standard error. */
function showTurn(run: Run, seat: Seat, created: (id: SessionId) => void): Told {
  const isDebug = run.flags['debug'] === true;
  let written = '';
  let failed: (TurnEvent & { type: 'error' }) | undefined;
  let refused: { message: string; hint?: string } | undefined;
  let isThinking = false;
  const flow = createTextFlow((part) => {
    written = part;
    if (!process.stdout.destroyed) process.stdout.write(part);
  }, process.stdout.isTTY === true);
  const debug = (line: string): void => {
    if (isDebug) notice(isThinking ? `\n${line}` : line);
    isThinking = false;
  };
  const endLine = (): void => {
    flow.end();
    if (written !== '' && !written.endsWith('\n')) process.stdout.write((written = '\n'));
  };

  function show(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        if (isThinking) debug('');
        return flow.push(event.delta);
      case 'reasoning':
        if (isDebug && !isThinking) notice(`${onceText.debug.reasoning}:`);
        isThinking = isDebug;
        if (isDebug) process.stderr.write(printable(event.delta));
        return;
      case 'tool-call':
        return debug(onceText.debug.call(event.call.name, event.call.arguments));
      case 'tool-result':
        return debug(onceText.debug.result(event.name, event.ms, event.isError));
      case 'step':
        return endLine();
      case 'finish':
        if (event.reason === 'length') notice(onceText.cutAtLength);
        return;
      case 'error':
        failed = event;
        return;
      case 'usage':
        return;
    }
  }

  seat.subscribe((event) => {
    if (event.type === 'user' && event.created) created(event.sessionId);
    else if (event.type === 'turn') show(event.event);
    else if (event.type === 'store-trouble') refused = event;
  });

  return {
    end: endLine,
    failure(outcome) {
      if (outcome === 'not-stored' && failed === undefined) {
        const hint = seat.said() === 0 ? onceText.notSentHint : onceText.unstored;
        return new StoreError('refused', refused?.message ?? onceText.unstored, { hint });
      }
      const id = seat.id();
      const trouble = failed?.trouble ?? 'interrupted';
      const hint = [hints[trouble], ...(id === undefined ? [] : [onceText.stored(id)])].join(' ');
      return new AgentError(trouble, failed?.message ?? refused?.message ?? onceText.unstored, { hint });
    },
  };
}

/** Resolves when everything has left the process, or can't leave it any more. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed) resolve();
    else stream.write('', () => resolve());
  });
}
