import { createConversation, type Conversation } from '../agent/conversation.ts';
import { createModelClient } from '../agent/clients.ts';
import { chooseModel, sessionWish, type ModelWish } from '../agent/models.ts';
import { systemPrompt } from '../agent/system-prompt.ts';
import type { ConversationEvent, ModelChoice, Tool } from '../agent/events.ts';
import type { Session, SessionId } from '../session/types.ts';
import { createTools } from './conversation-tools.ts';
import { createRecorder, type RecordedSession, type SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import type { Workspace } from './workspace.ts';

/** How long a lease goes without being refreshed; it lasts 300 s. */
const refreshMs = 60_000;

export interface SeatOptions {
  readonly run: Run;
  readonly store: SessionStore;
  /** Absent: a new conversation. */
  readonly session: Session | undefined;
  readonly workspace: Workspace;
  /** Written into a row this seat makes. */
  readonly source: string;
  readonly title?: string;
  /** The directory is gone: tools stay off until one is chosen. */
  readonly isPlaceless?: boolean;
  /** The session ends without an answer: Enter on the empty line asks again. */
  readonly isOpenQuestion?: boolean;
  readonly tools?: readonly Tool[];
  readonly listener?: (event: ConversationEvent) => void;
  /** Work behind the conversation that failed: a lease that could not be kept or let go. */
  readonly onTrouble: (error: unknown) => void;
}

/**
 * One conversation and its place in the store: what a pane, the line mode or a one-shot run works with. A turn belongs to its seat, not to
 * the screen that shows it.
 */
export interface Seat {
  readonly conversation: Conversation;
  readonly startedAt: number;
  id(): SessionId | undefined;
  title(): string | undefined;
  workspace(): Workspace;
  setWorkspace(workspace: Workspace): Promise<void>;
  areToolsOff(): boolean;
  /** The model the next turn would be answered by. @throws AgentError `no-model` */
  model(): ModelChoice;
  /** Name of that model, or of the stored one where it can't be reached; for the header. */
  modelName(): string | undefined;
  /** Takes this model from now on, and keeps that with the session. */
  useModel(wanted: string | ModelWish): Promise<ModelChoice>;
  /** A person's title; before the first message it is kept until the row is made. @throws StoreError `refused` */
  setTitle(text: string): Promise<string | undefined>;
  /** Messages of people and the agent that this seat stored. */
  said(): number;
  subscribe(listener: (event: ConversationEvent) => void): () => void;
  /** Ends the row when something was said here: first stamp wins (product.md 1). Interrupts a running turn. */
  end(reason: string): Promise<void>;
  /** Interrupts and stores, and leaves the row open: somebody else goes on with it. */
  hand(): Promise<void>;
}

export function takeSeat(options: SeatOptions): Seat {
  const { run, store } = options;
  let { workspace } = options;
  let isPlaceless = options.isPlaceless ?? false;
  let title = options.session?.title;
  let wanted: string | ModelWish | undefined;
  let said = 0;
  const listeners = new Set<(event: ConversationEvent) => void>(options.listener === undefined ? [] : [options.listener]);
  const stored: ModelWish = options.session === undefined ? {} : sessionWish(options.session);

  const choose = (): ModelChoice =>
    chooseModel({
      config: run.loaded().config,
      env: run.modelEnvironment(),
      session: stored,
      ...(wanted === undefined ? {} : { wanted }),
    });

  const session: RecordedSession = {
    id: options.session?.id,
    source: options.source,
    queuedTitle: options.title,
    profile: run.home.profile,
    place: () => ({
      cwd: workspace.realCwd,
      ...(workspace.gitRoot === undefined ? {} : { gitRepoRoot: workspace.gitRoot }),
      ...(workspace.gitBranch === undefined ? {} : { gitBranch: workspace.gitBranch }),
    }),
    model: tryModel,
  };

  function tryModel(): ModelChoice | undefined {
    try {
      return choose();
    } catch {
      // No model is set up or the session's is gone: `send` says so, a header just shows none.
      return undefined;
    }
  }

  const recorder = createRecorder(store, session, run.now, (next) => {
    title = next;
  });

  const client = createModelClient({ now: run.now });
  const tools = createTools({ run, store, sessionId: () => session.id, client, choose });
  const conversation = createConversation({
    recorder,
    client,
    choose,
    tools: () => (isPlaceless ? [] : (options.tools ?? tools())),
    cwd: () => workspace.realCwd,
    system: (offered) =>
      systemPrompt({
        cwd: workspace.realCwd,
        now: run.now(),
        ...(workspace.gitBranch === undefined ? {} : { gitBranch: workspace.gitBranch }),
        toolNames: offered.map((tool) => tool.name),
      }),
    now: run.now,
    isOpenQuestion: options.isOpenQuestion ?? false,
  });

  let refresh: NodeJS.Timeout | undefined;
  conversation.subscribe((event) => {
    if (event.type === 'user' || (event.type === 'message' && event.message.role === 'assistant')) said += 1;
    if (event.type === 'turn-started')
      refresh ??= setInterval(() => void recorder.refreshTurn().catch(options.onTrouble), refreshMs).unref();
    if (event.type === 'turn-ended') {
      clearInterval(refresh);
      refresh = undefined;
      void recorder.releaseTurn().catch(options.onTrouble);
    }
    for (const listener of listeners) listener(event);
  });

  return {
    conversation,
    startedAt: run.now(),
    id: () => session.id,
    title: () => title ?? session.queuedTitle,
    workspace: () => workspace,
    async setWorkspace(next) {
      workspace = next;
      isPlaceless = false;
      if (session.id !== undefined) await store.write.setWorkspace(session.id, session.place());
    },
    areToolsOff: () => isPlaceless,
    model: choose,
    modelName: () => tryModel()?.model ?? stored.model,
    async useModel(next) {
      const before = wanted;
      wanted = next;
      try {
        const choice = choose();
        if (session.id !== undefined) {
          const { model, provider, baseUrl } = choice;
          await store.write.setModel(session.id, { model, provider, ...(baseUrl === undefined ? {} : { baseUrl }) });
        }
        return choice;
      } catch (error) {
        wanted = before;
        throw error;
      }
    },
    async setTitle(text) {
      if (session.id === undefined) {
        session.queuedTitle = text === '' ? undefined : text;
        return session.queuedTitle;
      }
      const outcome = await store.write.setTitle(session.id, text, 'user');
      title = outcome.title;
      return title;
    },
    said: () => said,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async end(reason) {
      await conversation.dispose();
      await recorder.releaseTurn();
      if (said > 0 && session.id !== undefined) await store.write.endSession(session.id, reason);
    },
    async hand() {
      await conversation.interrupt();
      await recorder.releaseTurn();
    },
  };
}
