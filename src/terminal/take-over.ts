import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { createExclusive, moveIfHolds, takeAway } from './exclusive-file.ts';
import { liveFolder, readJson, recordName, type LiveSelf } from './live-records.ts';
import type { LiveHolder, LiveRegister } from './live-register.ts';
import { isRunning, type ProcessTable } from './process-tree.ts';

/*
 * Taking a session over (product.md 4), by files beside the holder's record R:
 *
 *   taker   creates R.take (only one can stand)          holder  notices it, interrupts, stores, keeps its draft
 *   holder  renames R.take to R.given-<token>: from here on there is no way back
 *   holder  takes the session out of R, turns read-only  taker   sees that nobody holds it, claims it
 *
 * or  holder renames R.take to R.refused-<token>; or, after 10 s, the taker removes R.take and the holder's rename fails: it keeps the
 * session. A holder that dies in between is seen by its pid and start. Two takers: the second waits until the first is done.
 */

/** How long a holder may take to answer. */
const ANSWER_TIMEOUT_MS = 10_000;
/** Once the holder has committed itself only its record is still to be written. */
const COMMITTED_TIMEOUT_MS = 2000;
const TAKER_POLL_MS = 250;
/** Half of what a taker waits; every look wakes an idle pane up, which costs 0.4 ms. */
const HOLDER_POLL_MS = 5000;
const TOUCH_MS = 5 * 60_000;

export interface TakeRequest extends LiveSelf {
  readonly token: string;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the holder does when somebody asks for a session. */
export interface TakeHandler {
  /** Interrupt, store, keep the draft. True = nothing will be written to the session any more; false = it can't be given. */
  prepare(request: TakeRequest): Promise<boolean>;
  /** It is given: turn read-only. */
  given(request: TakeRequest): void;
  /** The taker gave up while `prepare` ran, or it was refused: the session stays. */
  kept(request: TakeRequest): void;
  /** `prepare` threw; the request is refused. */
  failed(error: unknown, request: TakeRequest): void;
}

export interface TakeWatch {
  stop(): void;
}

/**
 * Watches for requests to this process's record, by `fs.watch` and a poll every 5 s for file systems that notify nobody; also keeps the
 * record fresh every 5 minutes. Neither keeps the process alive.
 */
export function watchTakeRequests(register: LiveRegister, proc: ProcessTable, handler: TakeHandler, pollMs = HOLDER_POLL_MS): TakeWatch {
  const folder = liveFolder(register.home);
  const record = recordName(register.self);
  const path = join(folder, `${record}.take`);
  let handled: string | undefined;
  let isBusy = false;
  let polls = 0;

  /** One request after the other: while one is prepared the next waits in its file. */
  async function look(): Promise<void> {
    if (isBusy) return;
    const request = readRequest(path);
    if (request === undefined || request.token === handled) return;
    isBusy = true;
    try {
      await answer(request);
    } catch (error) {
      handler.failed(error, request);
    } finally {
      isBusy = false;
    }
    return look();
  }

  async function answer(request: TakeRequest): Promise<void> {
    if (isKnownDead(request, register.self, proc) || !register.sessions().some((session) => session.id === request.session)) {
      takeAway(path, request.token);
      return;
    }
    handled = request.token;
    let isReady = false;
    try {
      isReady = await handler.prepare(request);
    } catch (error) {
      handler.failed(error, request);
    }
    const reply = join(folder, `${record}.${isReady ? 'given' : 'refused'}-${request.token}`);
    const isAnswered = moveIfHolds(path, request.token, reply);
    if (!isReady || !isAnswered) return handler.kept(request);
    register.release(request.session);
    rmSync(reply, { force: true });
    handler.given(request);
  }

  const stopWatching = watchFolder(folder, (name) => {
    if (name === undefined || name === `${record}.take`) void look();
  });
  const timer = setInterval(() => {
    polls += 1;
    if ((polls * pollMs) % TOUCH_MS < pollMs) register.touch();
    void look();
  }, pollMs);
  timer.unref();
  void look();
  return {
    stop() {
      stopWatching();
      clearInterval(timer);
    },
  };
}

export type TakeOutcome =
  /** It is ours; `isHolderGone`: the holder died instead of answering. */
  | { readonly kind: 'taken'; readonly isHolderGone: boolean }
  | { readonly kind: 'refused'; readonly holder: LiveHolder }
  /** Branch or read along. */
  | { readonly kind: 'no-answer'; readonly holder: LiveHolder }
  /** Somebody else took it first. */
  | { readonly kind: 'beaten'; readonly holder: LiveHolder }
  | { readonly kind: 'aborted' };

export interface TakeOptions {
  readonly register: LiveRegister;
  readonly proc: ProcessTable;
  /** The session, and the other ids of its lineage. */
  readonly session: string;
  readonly ids?: readonly string[];
  /** Milliseconds since the epoch. */
  now(): number;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks the holder of a session for it and waits, 10 s at most. On `taken` it is claimed for this process; in every other case nothing of
 * the request is left. Never rejects for what another process does.
 */
export async function takeOver({
  register,
  proc,
  session,
  ids = [],
  now,
  timeoutMs = ANSWER_TIMEOUT_MS,
  signal,
}: TakeOptions): Promise<TakeOutcome> {
  const folder = liveFolder(register.home);
  const first = register.ownerOf([session, ...ids]);
  if (first === undefined) return claimNow(false);
  const record = recordName(first);
  const path = join(folder, `${record}.take`);
  const request: TakeRequest & { v: 1 } = { v: 1, ...register.self, token: randomUUID(), session: first.session.id, at: now() };
  const refusal = join(folder, `${record}.refused-${request.token}`);
  const bell = openBell(folder, signal);
  const deadline = performance.now() + timeoutMs;
  let isAsked = false;
  try {
    for (;;) {
      const owner = register.ownerOf([session, ...ids]);
      if (owner === undefined) return claimNow(isKnownDead(first, register.self, proc));
      if (owner.pid !== first.pid || owner.start !== first.start) return { kind: 'beaten', holder: owner };
      if (readJson(refusal) !== undefined) return { kind: 'refused', holder: owner };
      if (!isAsked) isAsked = ask();
      if (signal?.aborted === true && withdraw()) return { kind: 'aborted' };
      const left = deadline - performance.now();
      if (left <= -COMMITTED_TIMEOUT_MS || (left <= 0 && withdraw())) return { kind: 'no-answer', holder: owner };
      await bell.wait(left > 0 ? Math.min(left, TAKER_POLL_MS) : TAKER_POLL_MS);
    }
  } finally {
    bell.close();
    withdraw();
    rmSync(refusal, { force: true });
  }

  /** True when our request stands; another taker's has to go first, unless that one died. */
  function ask(): boolean {
    if (createExclusive(path, request) === 'created') return true;
    const standing = readRequest(path);
    if (standing !== undefined && isKnownDead(standing, register.self, proc)) takeAway(path, standing.token);
    return false;
  }

  /** False when the request is not there any more: the holder has committed itself, or left. */
  function withdraw(): boolean {
    return !isAsked || takeAway(path, request.token);
  }

  function claimNow(isHolderGone: boolean): TakeOutcome {
    const holder = register.claim(session, 'idle', ids);
    return holder === undefined ? { kind: 'taken', isHolderGone } : { kind: 'beaten', holder };
  }
}

function readRequest(path: string): TakeRequest | undefined {
  const fields = readJson(path);
  if (fields?.['v'] !== 1) return undefined;
  const { token, session, pid, start, host } = fields;
  const isComplete =
    [token, session, host].every((field) => typeof field === 'string') && [pid, start].every((field) => typeof field === 'number');
  return isComplete ? (fields as unknown as TakeRequest) : undefined;
}

/** A process that could be looked at and is gone. */
function isKnownDead(other: LiveSelf, self: LiveSelf, proc: ProcessTable): boolean {
  return other.host === self.host && other.boot === self.boot && !isRunning(proc, other.pid, other.start);
}

/** Calls back with the names that change in `folder`; without notifications (limit reached, network disk) the callers' polls remain. */
function watchFolder(folder: string, changed: (name: string | undefined) => void): () => void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name ?? undefined));
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // As said above: the poll finds it, only later.
    return () => undefined;
  }
}

/** Waits for the next change in `folder`, an abort, or the time to pass, whichever is first. */
function openBell(folder: string, signal: AbortSignal | undefined): { wait(ms: number): Promise<void>; close(): void } {
  let ring: () => void = () => undefined;
  const onAbort = (): void => ring();
  const stopWatching = watchFolder(folder, onAbort);
  signal?.addEventListener('abort', onAbort);
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    close() {
      stopWatching();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
