import { AgentError, HermesError } from '../errors.ts';
import type { Message } from '../session/types.ts';
import { agentText } from '../text/en/agent.ts';
import type { ModelClient } from './clients.ts';
import type { ConversationEvent, ModelChoice, Recorder, Tool, TurnEvent, Usage } from './events.ts';
import { runTurnOffering } from './offer-tools.ts';
import { FAILED, hasOpenQuestion, INTERRUPTED } from './prompt.ts';
import { createRowWriter } from './row-writer.ts';

export type ConversationListener = (event: ConversationEvent) => void;

/** How a `send` or `retry` came out. `queued`: it waits for the running turn. `not-stored`: the store refused, the text is handed back. */
export type SendOutcome = 'answered' | 'failed' | 'interrupted' | 'queued' | 'not-stored';

export interface ConversationOptions {
  recorder: Recorder;
  client: ModelClient;
  /** Asked before every turn. @throws AgentError `no-model` when there is none: nothing is stored then. */
  choose: () => ModelChoice;
  /** Asked before every turn: tools go off while the working directory is gone. */
  tools: () => readonly Tool[];
  cwd: () => string;
  /** Asked with the tools of the turn. */
  system: (tools: readonly Tool[]) => string | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
  listeners?: readonly ConversationListener[];
  /** Longest time between a delta and its checkpoint in ms (1000). */
  checkpointMs?: number;
  maxSteps?: number;
  /** The resumed session ends with a question nobody answered: `retry` is on offer from the start. */
  isOpenQuestion?: boolean;
}

/** One conversation, whichever front end shows it: screen, line mode and one-shot all drive this object. */
export interface Conversation {
  /**
   * Stores the message, then asks the model; resolves when the turn (not the queue behind it) is over and stored. While a turn runs the
   * text is queued. @throws AgentError `no-model` before anything is stored: the caller keeps the draft.
   */
  send(text: string): Promise<SendOutcome>;
  /** Asks again with what is stored, after a failed or interrupted turn or for a resumed question. @throws AgentError when there is nothing to answer. */
  retry(): Promise<SendOutcome>;
  /** Closes the socket; resolves when what arrived is stored. Queued texts come back by `unsent`. */
  interrupt(): Promise<void>;
  /** Takes every queued text back, unsent. */
  takeQueue(): readonly string[];
  readonly queue: readonly string[];
  readonly isBusy: boolean;
  /** The last turn left its message without an answer: Enter on the empty line calls `retry`. */
  readonly canRetry: boolean;
  /** Rows that could not be stored yet; they are tried again every second and with the next message. */
  readonly unstored: number;
  subscribe(listener: ConversationListener): () => void;
  /** Interrupts, stores, and is silent from then on. */
  dispose(): Promise<void>;
}

const CHECKPOINT_MS = 1000;

/** A turn while it runs. */
interface Running {
  abort: AbortController;
  settled: Promise<unknown>;
}

function describe(error: unknown): { message: string; hint?: string } {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof HermesError && error.hint !== undefined ? { message, hint: error.hint } : { message };
}

/**
 * A conversation over a recorder and a model client. Nothing is loaded, opened or stored before the first `send`.
 */
export function createConversation(options: ConversationOptions): Conversation {
  const { recorder, client, choose, now } = options;
  const listeners = new Set<ConversationListener>(options.listeners);
  let queue: string[] = [];
  let running: Running | undefined;
  let canRetry = options.isOpenQuestion === true;
  /** Models that take no tools. */
  const refused = new Set<string>();
  /** The answer of the running turn, for the case that the store refuses it. */
  let answered = '';

  /** A listener that throws must not end the stream: its error surfaces on its own. */
  function emit(event: ConversationEvent): void {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  const rows = createRowWriter({
    recorder,
    checkpointMs: options.checkpointMs ?? CHECKPOINT_MS,
    onMessage: (message) => emit({ type: 'message', message }),
    onTrouble(error) {
      const { message } = describe(error);
      const said = agentText.storeFailed(message);
      emit({ type: 'store-trouble', ...said, ...(answered === '' ? {} : { text: answered }) });
    },
  });

  function setQueue(texts: string[]): void {
    queue = texts;
    emit({ type: 'queued', queue });
  }

  function refuseUser(error: unknown, text: string): SendOutcome {
    const { message, hint } = describe(error);
    const said = agentText.userNotStored(message);
    emit({ type: 'store-trouble', message: said.message, hint: hint ?? said.hint, text });
    return 'not-stored';
  }

  /** Stores the user's message; everything older that still waits goes first, so that the order of the rows is the order of events. */
  async function storeUser(text: string): Promise<SendOutcome | undefined> {
    const earlier = await rows.flush();
    if (earlier !== undefined) return refuseUser(earlier, text);
    try {
      const stored = await recorder.user(text);
      emit({ type: 'user', ...stored });
      return undefined;
    } catch (error) {
      return refuseUser(error, text);
    }
  }

  /** Writes what an event means for the store. The usage of a step follows the row it belongs to. */
  function record(event: TurnEvent, usages: Usage[], choice: ModelChoice): void {
    const close = (reason: string): void => {
      rows.finish(reason);
      for (const usage of usages.splice(0)) rows.addUsage(usage, choice);
    };
    switch (event.type) {
      case 'text':
      case 'reasoning':
        if (event.type === 'text') answered += event.delta;
        rows.append(event.type, event.delta);
        break;
      case 'tool-call':
        rows.addCall(event.call);
        break;
      case 'usage':
        usages.push(event.usage);
        break;
      case 'step':
      case 'finish':
        close(event.reason);
        break;
      case 'tool-result':
        rows.addResult({ callId: event.callId, name: event.name, text: event.text });
        break;
      case 'error':
        close(FAILED);
        break;
    }
  }

  /** Asks the model and records its answer. */
  async function answer(messages: readonly Message[], choice: ModelChoice, signal: AbortSignal): Promise<SendOutcome> {
    const { cwd, system, tools, maxSteps } = options;
    const limit = maxSteps === undefined ? {} : { maxSteps };
    const usages: Usage[] = [];
    let reason = INTERRUPTED;
    answered = '';
    const offer = { refused, tools: tools(), system };
    for await (const event of runTurnOffering({ client, choice, messages, cwd: cwd(), signal, now, ...limit }, offer)) {
      // Stub results end a step that never came to its `step` event: the row they belong to is closed first.
      if (event.type === 'tool-result') rows.finish(signal.aborted ? INTERRUPTED : FAILED);
      record(event, usages, choice);
      if (event.type === 'finish') reason = event.reason;
      if (event.type === 'error') reason = FAILED;
      emit({ type: 'turn', event });
    }
    await rows.flush();
    return endTurn(reason);
  }

  function endTurn(reason: string): SendOutcome {
    const outcome = reason === FAILED ? 'failed' : reason === INTERRUPTED ? 'interrupted' : 'answered';
    canRetry = outcome !== 'answered';
    emit({ type: 'turn-ended', reason, at: now() });
    return outcome;
  }

  /** Reads the stored conversation and has it answered. @throws AgentError when `mustBeOpen` and it ends with an answer. */
  async function answerStored(choice: ModelChoice, signal: AbortSignal, mustBeOpen = false): Promise<SendOutcome> {
    let messages: readonly Message[];
    try {
      messages = await recorder.context();
    } catch (error) {
      emit({ type: 'store-trouble', ...describe(error) });
      return endTurn(FAILED);
    }
    if (mustBeOpen && !hasOpenQuestion(messages)) {
      const { message, hint } = agentText.nothingToRetry();
      throw new AgentError('bad-request', message, { hint });
    }
    emit({ type: 'turn-started', at: now() });
    return answer(messages, choice, signal);
  }

  /** Sends what waits behind a turn, one text after the other, until one of them can't be answered; the rest comes back unsent. */
  async function drain(first: Promise<SendOutcome>, signal: AbortSignal): Promise<void> {
    let last = await first.catch((): SendOutcome => 'failed'); // the caller of send or retry gets the error itself
    while (last === 'answered' && queue.length > 0 && !signal.aborted) {
      const [text, ...rest] = queue as [string, ...string[]];
      let choice: ModelChoice;
      try {
        choice = choose();
      } catch (error) {
        const trouble = error instanceof AgentError ? error.trouble : 'no-model';
        emit({ type: 'turn', event: { type: 'error', trouble, ...describe(error) } });
        break;
      }
      setQueue(rest);
      last = (await storeUser(text)) ?? (await answerStored(choice, signal));
    }
    // In one tick with the last look at the queue: a text sent later starts a turn of its own.
    running = undefined;
    const left = queue;
    if (left.length === 0) return;
    setQueue([]);
    emit({ type: 'unsent', texts: left });
  }

  /** Runs a first exchange and what is queued behind it; resolves with the outcome of the first. */
  function begin(first: (signal: AbortSignal) => Promise<SendOutcome>): Promise<SendOutcome> {
    const abort = new AbortController();
    const started = Promise.resolve(abort.signal).then(first);
    running = { abort, settled: drain(started, abort.signal) };
    return started;
  }

  async function interrupt(): Promise<void> {
    const { abort, settled } = running ?? {};
    abort?.abort();
    await settled;
  }

  return {
    async send(text) {
      if (running !== undefined) {
        setQueue([...queue, text]);
        return 'queued';
      }
      const choice = choose();
      return begin(async (signal) => (await storeUser(text)) ?? answerStored(choice, signal));
    },
    async retry() {
      if (running !== undefined) {
        const { message, hint } = agentText.busy();
        throw new AgentError('bad-request', message, { hint });
      }
      const choice = choose();
      return begin((signal) => answerStored(choice, signal, true));
    },
    interrupt,
    takeQueue() {
      const texts = queue;
      if (texts.length > 0) setQueue([]);
      return texts;
    },
    get queue() {
      return queue;
    },
    get isBusy() {
      return running !== undefined;
    },
    get canRetry() {
      return canRetry && running === undefined;
    },
    get unstored() {
      return rows.pending();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async dispose() {
      await interrupt();
      await rows.flush();
      rows.close();
      listeners.clear();
    },
  };
}
