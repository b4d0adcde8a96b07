import type { ModelClient } from '../agent/clients.ts';
import type { ModelChoice, Tool } from '../agent/events.ts';
import { chooseModel } from '../agent/models.ts';
import { conversationTools, createSummariser } from '../agent/tools/index.ts';
import type { SessionId } from '../session/types.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import { createMemory } from './session-memory.ts';

export interface ToolParts {
  readonly run: Run;
  readonly store: SessionStore;
  /** The conversation they belong to, once it is stored. */
  readonly sessionId: () => SessionId | undefined;
  readonly client: ModelClient;
  /** The model that answers: it also summarises where no other one is set. @throws AgentError `no-model` */
  readonly choose: () => ModelChoice;
}

/** The tools of a conversation; asked before every turn, so that a reloaded config.yaml counts. None where they are off. */
export function createTools({ run, store, sessionId, client, choose }: ToolParts): () => readonly Tool[] {
  const open = createMemory(run, store, sessionId);
  return () => {
    const { config } = run.loaded();
    const { mode, model, timeoutMs, atOnce } = config.sessionSearch;
    if (mode === 'off') return [];
    const chooseAuxiliary = (): ModelChoice =>
      model === undefined ? choose() : chooseModel({ config, env: run.modelEnvironment(), wanted: model });
    const summarise = mode === 'summary' ? createSummariser({ client, choose: chooseAuxiliary, timeoutMs, atOnce }) : undefined;
    return conversationTools({ open, summarise });
  };
}
