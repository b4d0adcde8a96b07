import type { ModelChoice, Recorder, StoredAssistant, Usage } from '../../src/agent/events.ts';
import type { Message } from '../../src/session/types.ts';

export interface FakeRecorder extends Recorder {
  /** Rows as they stand "on disk". */
  readonly rows: Message[];
  /** Names of the calls that reached the store, in order. */
  readonly calls: string[];
  readonly usages: { usage: Usage; model: ModelChoice }[];
  /** Most writes that were in flight at one time. */
  readonly maxInFlight: () => number;
  /** While set, every call throws it. */
  fail: Error | undefined;
  /** Awaited before each write, so that a test can hold the store. */
  hold: (() => Promise<unknown>) | undefined;
}

/** A recorder in memory that keeps the rules of the real one visible: order, one write in flight, what each call held. */
export function createFakeRecorder(earlier: readonly Message[] = []): FakeRecorder {
  const rows: Message[] = [...earlier];
  let nextId = rows.length + 1;
  let inFlight = 0;
  let most = 0;

  async function write<T>(name: string, work: () => T): Promise<T> {
    inFlight++;
    most = Math.max(most, inFlight);
    try {
      await recorder.hold?.();
      await Promise.resolve();
      if (recorder.fail !== undefined) throw recorder.fail;
      recorder.calls.push(name);
      return work();
    } finally {
      inFlight--;
    }
  }

  function addRow(role: string, text: string, more: Partial<Message> = {}): Message {
    const id = nextId++;
    const row: Message = {
      id,
      sessionId: 's1',
      role,
      text,
      toolCalls: [],
      timestamp: id,
      active: true,
      compacted: false,
      isSummary: false,
      ...more,
    };
    rows.push(row);
    return row;
  }

  function update(id: number, state: StoredAssistant): Message {
    const row = rows.find((candidate) => candidate.id === id);
    if (row === undefined) throw new Error(`no row ${id}`);
    Object.assign(row, { ...state, reasoning: state.reasoning });
    return { ...row };
  }

  const recorder: FakeRecorder = {
    rows,
    calls: [],
    usages: [],
    maxInFlight: () => most,
    fail: undefined,
    hold: undefined,
    user: (text) => write('user', () => ({ sessionId: 's1', message: addRow('user', text), created: rows.length === 1 })),
    beginAssistant: (state) => write('begin', () => addRow('assistant', state.text, { ...state }).id),
    checkpointAssistant: (id, state) => write('checkpoint', () => void update(id, state)),
    finishAssistant: (id, state) => write('finish', () => update(id, state)),
    toolResult: ({ callId, name, text }) => write('tool', () => addRow('tool', text, { toolCallId: callId, toolName: name })),
    usage: (usage, model) => write('usage', () => void recorder.usages.push({ usage, model })),
    context: async () => {
      if (recorder.fail !== undefined) throw recorder.fail;
      return rows.map((row) => ({ ...row }));
    },
  };
  return recorder;
}
