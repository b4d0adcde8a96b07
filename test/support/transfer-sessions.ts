import type { Message, Session } from '../../src/session/types.ts';
import type { TransferSession } from '../../src/transfer/types.ts';

/** Monday, 2 March 2026, 14:02:09 UTC. */
export const transferStart = Date.UTC(2026, 2, 2, 14, 2, 9);

export interface SaidMessage extends Partial<Message> {
  readonly role: string;
  readonly text: string;
}

/** A session on its way out as a store would hand it over, made by hand; messages come in batches of three, a minute apart. */
export function transferSession(
  fields: Partial<Session> & { readonly id: string },
  said: readonly SaidMessage[],
  more: Partial<Pick<TransferSession, 'preview' | 'lineageIds'>> = {},
): TransferSession {
  const startedAt = fields.startedAt ?? transferStart;
  const messages = said.map((message, index): Message => {
    const base = { id: index + 1, sessionId: fields.id, toolCalls: [], timestamp: startedAt + index * 60_000 };
    return { ...base, active: true, compacted: false, isSummary: false, ...message };
  });
  const session: Session = {
    source: 'tui',
    modelConfig: {},
    startedAt,
    lastActive: startedAt + messages.length * 60_000,
    messageCount: messages.length,
    toolCallCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    archived: false,
    autoArchived: false,
    pinned: false,
    hidden: false,
    ...fields,
  };
  return {
    session,
    row: {},
    lineageIds: [fields.id],
    usage: [],
    rows: () => inBatches([]),
    messages: () => inBatches(messages),
    ...more,
  };
}

async function* inBatches<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < all.length; at += 3) {
    await Promise.resolve();
    yield all.slice(at, at + 3);
  }
}
