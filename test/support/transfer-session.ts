import type { Message, Session } from '../../src/session/types.ts';
import type { TransferSession } from '../../src/transfer/types.ts';

/** A message as a reader gets it; what is not said is as in most. */
export function makeMessage(message: Partial<Message> = {}): Message {
  return {
    id: 1,
    sessionId: 's1',
    role: 'user',
    text: 'hello',
    toolCalls: [],
    timestamp: Date.UTC(2026, 6, 5, 14, 30),
    active: true,
    compacted: false,
    isSummary: false,
    ...message,
  };
}

/** A session with these messages, as a format is handed it. */
export function makeTransfer(
  messages: readonly Message[],
  session: Partial<Session> = {},
  rest: Partial<TransferSession> = {},
): TransferSession {
  const whole: Session = {
    id: 's1',
    source: 'cli',
    modelConfig: {},
    startedAt: Date.UTC(2026, 6, 5, 14, 30),
    lastActive: Date.UTC(2026, 6, 5, 15),
    messageCount: messages.length,
    toolCallCount: 0,
    inputTokens: 0,
    outputTokens: 0,
    archived: false,
    autoArchived: false,
    pinned: false,
    hidden: false,
    ...session,
  };
  return {
    session: whole,
    row: { id: whole.id },
    lineageIds: [whole.id],
    rows: () => batchesOf([]),
    messages: () => batchesOf(messages),
    usage: [],
    ...rest,
  };
}

async function* batchesOf<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let at = 0; at < items.length; at += 2) yield items.slice(at, at + 2);
}

export async function* streamOf<Item>(...items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}
