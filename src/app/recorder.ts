import { randomUUID } from 'node:crypto';
import type { ModelChoice, Recorder, StoredAssistant } from '../agent/events.ts';
import { AgentError, StoreError } from '../errors.ts';
import { newSessionId } from '../session/id.ts';
import { deriveTitle } from '../session/title.ts';
import type { Message, SessionId } from '../session/types.ts';
import type { Store } from '../store/api.ts';
import type { Reads } from '../store/reads/index.ts';
import { holderText } from '../store/writes/holder.ts';
import type { MessageState } from '../store/writes/messages.ts';
import { seatText } from '../text/en/seat.ts';
import type { ProgramWrites } from './program-writes.ts';

export type SessionStore = Store<Reads, ProgramWrites>;

/** What the recorder knows of its session; `app/seat.ts` owns it. */
export interface RecordedSession {
  /** Absent until the first message is stored. */
  id: SessionId | undefined;
  source: string;
  /** Title given before the first message. */
  queuedTitle: string | undefined;
  profile: string | undefined;
  place(): { cwd: string; gitRepoRoot?: string; gitBranch?: string };
  model(): ModelChoice | undefined;
}

export interface SessionRecorder extends Recorder {
  /** The turn is over: the other program may begin one. */
  releaseTurn(): Promise<void>;
  /** Keeps the lease while a turn runs; called every minute. */
  refreshTurn(): Promise<void>;
}

/**
 * Stores a conversation through the writer's thread. The session's row is made together with its first message, so that a conversation
 * without one leaves nothing. A turn is claimed with a lease that Hermes Agent knows too (state-db.md 2.10): two programs never answer in
 * one conversation at the same time.
 */
export function createRecorder(
  store: SessionStore,
  session: RecordedSession,
  now: () => number,
  onTitle: (title: string) => void,
): SessionRecorder {
  const holder = holderText(randomUUID());
  let hasLease = false;
  let isClean = false;

  const demandId = (): SessionId => {
    if (session.id === undefined) throw new StoreError('refused', seatText.nothingStored);
    return session.id;
  };

  async function claim(id: SessionId): Promise<void> {
    const claimed = await store.write.claimTurn(id, holder);
    if (!claimed.isOurs)
      throw new AgentError('bad-request', seatText.turnElsewhere(claimed.by.holder), { hint: seatText.turnElsewhereHint });
    hasLease = true;
  }

  const stateOf = (state: StoredAssistant, finishReason?: string): MessageState => ({
    content: state.text,
    toolCalls: state.toolCalls,
    ...(state.reasoning === '' ? {} : { reasoning: state.reasoning }),
    ...(finishReason === undefined ? {} : { finishReason }),
  });

  async function storeFirst(text: string): Promise<Message> {
    const model = session.model();
    const title = session.queuedTitle ?? deriveTitle(text);
    const started = await store.write.startSession(
      {
        // Chosen here, so that a write that is tried again makes the same row.
        id: newSessionId(now(), () => false),
        source: session.source,
        ...(model === undefined ? {} : { model: model.model, modelConfig: modelConfigOf(model) }),
        ...session.place(),
        ...(title === undefined ? {} : { title, titleSource: session.queuedTitle === undefined ? 'derived' : 'user' }),
        ...(session.profile === undefined ? {} : { profileName: session.profile }),
      },
      { role: 'user', content: text },
    );
    session.id = started.session.id;
    session.queuedTitle = undefined;
    if (started.session.title !== undefined) onTitle(started.session.title);
    return started.message;
  }

  return {
    async user(text) {
      if (session.id === undefined) {
        const message = await storeFirst(text);
        await claim(demandId());
        return { sessionId: demandId(), message, created: true };
      }
      await claim(session.id);
      await retireOpenCalls(session.id);
      const message = await store.write.appendMessage(session.id, { role: 'user', content: text });
      return { sessionId: session.id, message, created: false };
    },
    async beginAssistant(state) {
      const id = demandId();
      await store.write.reopenSession(id);
      // `interrupted` until it is finished: after a kill -9 the row says what happened to it.
      const { content, ...rest } = stateOf(state, 'interrupted');
      return (await store.write.appendMessage(id, { role: 'assistant', content, ...rest })).id;
    },
    checkpointAssistant: (messageId, state) => store.write.checkpointMessage(messageId, stateOf(state)),
    finishAssistant: (messageId, state) => store.write.finishMessage(messageId, stateOf(state, state.finishReason)),
    toolResult: ({ callId, name, text }) =>
      store.write.appendMessage(demandId(), { role: 'tool', content: text, toolCallId: callId, toolName: name }),
    async usage(usage, model) {
      await store.write.addUsage(demandId(), {
        ...usage,
        model: model.model,
        provider: model.provider,
        ...(model.baseUrl === undefined ? {} : { baseUrl: model.baseUrl }),
      });
    },
    async context() {
      const id = demandId();
      await claim(id);
      return store.read.contextMessages(id);
    },
    async refreshTurn() {
      if (hasLease && session.id !== undefined) await store.write.refreshTurn(session.id, holder);
    },
    async releaseTurn() {
      if (!hasLease || session.id === undefined) return;
      hasLease = false;
      await store.write.releaseTurn(session.id, holder);
    },
  };

  /** Calls left open by a killed process get their stub before the next message; asked once, the calls of this process are closed by it. */
  async function retireOpenCalls(id: SessionId): Promise<void> {
    if (isClean) return;
    await store.write.retireOpenToolCalls(id);
    isClean = true;
  }
}

/** What a session remembers of its model, never the key (state-db.md 2.8). */
function modelConfigOf(model: ModelChoice): Record<string, unknown> {
  return { model: model.model, provider: model.provider, ...(model.baseUrl === undefined ? {} : { base_url: model.baseUrl }) };
}
