import type { Message, ToolCall } from '../session/types.ts';
import type { ModelChoice, Recorder, StoredAssistant, Usage } from './events.ts';

/** Rows of one turn on their way to the store, in order. */
export interface RowWriter {
  /** A delta of the answer; the first one opens its row. */
  append(kind: 'text' | 'reasoning', delta: string): void;
  /** Stored at once, not with the next checkpoint. */
  addCall(call: ToolCall): void;
  /** The answer being written is complete; the next delta opens a new row. Nothing happens when there is none. */
  finish(reason: string): void;
  addResult(result: { callId: string; name: string; text: string }): void;
  addUsage(usage: Usage, model: ModelChoice): void;
  /** Resolves when everything is stored, or with what the store said last; then the rest waits for the next call. */
  flush(): Promise<unknown>;
  /** Rows that have not reached the store. */
  pending(): number;
  /** No further tries by itself. */
  close(): void;
}

interface AnswerRow {
  kind: 'answer';
  id: number | undefined;
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  finishReason: string | undefined;
  /** Counts changes; `storedAt` is the count that is on disk. */
  version: number;
  storedVersion: number;
}

type Waiting =
  | AnswerRow
  | { kind: 'result'; result: { callId: string; name: string; text: string } }
  | { kind: 'usage'; usage: Usage; model: ModelChoice };

function snapshot(row: AnswerRow): StoredAssistant {
  return { text: row.text, reasoning: row.reasoning, toolCalls: [...row.toolCalls] };
}

export interface RowWriterOptions {
  recorder: Recorder;
  /** A row reached its final form. */
  onMessage: (message: Message) => void;
  /** The store refused; called once until it takes something again. */
  onTrouble: (error: unknown) => void;
  /** Longest time between a change and its checkpoint, in ms: with the write itself well under the 2 s of product.md 8. */
  checkpointMs: number;
}

/**
 * Stores an answer while it streams. At most one write is in flight and the newest text wins; a slow store never holds the stream back,
 * a failing one is tried again with every checkpoint and with every flush, and loses nothing while the process lives.
 */
export function createRowWriter({ recorder, onMessage, onTrouble, checkpointMs }: RowWriterOptions): RowWriter {
  const waiting: Waiting[] = [];
  let current: AnswerRow | undefined;
  let running: Promise<unknown> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isBroken = false;
  let isClosed = false;
  /** A change that must not wait for the next checkpoint came while a write was in flight. */
  let isUrgent = false;

  /** A finished row stays in the queue only until it is stored as such. */
  const needsWrite = (item: Waiting): boolean =>
    item.kind !== 'answer' || item.finishReason !== undefined || item.storedVersion < item.version;

  /** Writes an answer until nothing urgent is left of it; true when it is finished and stored. */
  async function storeAnswer(row: AnswerRow): Promise<boolean> {
    for (;;) {
      const { version } = row;
      isUrgent = false;
      if (row.id === undefined) row.id = await recorder.beginAssistant(snapshot(row));
      else if (row.finishReason !== undefined) {
        onMessage(await recorder.finishAssistant(row.id, { ...snapshot(row), finishReason: row.finishReason }));
        return true;
      } else await recorder.checkpointAssistant(row.id, snapshot(row));
      row.storedVersion = version;
      // What changed meanwhile and can wait is the next checkpoint's.
      if (row.finishReason === undefined && !isUrgent) return false;
    }
  }

  async function pump(): Promise<unknown> {
    try {
      for (let head = waiting[0]; head !== undefined && needsWrite(head); head = waiting[0]) {
        if (head.kind === 'answer') {
          const isStored = await storeAnswer(head);
          isBroken = false;
          if (!isStored) break;
        } else if (head.kind === 'result') onMessage(await recorder.toolResult(head.result));
        else await recorder.usage(head.usage, head.model);
        isBroken = false;
        waiting.shift();
      }
      return undefined;
    } catch (error) {
      if (!isBroken) onTrouble(error);
      isBroken = true;
      return error;
    }
  }

  function write(): Promise<unknown> {
    clearTimeout(timer);
    timer = undefined;
    if (running !== undefined) return running;
    running = pump().finally(() => {
      running = undefined;
      if (!isClosed && hasWork()) schedule();
    });
    return running;
  }

  function hasWork(): boolean {
    return waiting[0] !== undefined && needsWrite(waiting[0]);
  }

  function schedule(): void {
    timer ??= setTimeout(() => void write(), checkpointMs);
  }

  function changed(row: AnswerRow, urgent: boolean): void {
    row.version++;
    if (!urgent) schedule();
    else if (running === undefined) void write();
    else isUrgent = true;
  }

  function openRow(): AnswerRow {
    if (current !== undefined && current.finishReason === undefined) return current;
    current = {
      kind: 'answer',
      id: undefined,
      text: '',
      reasoning: '',
      toolCalls: [],
      finishReason: undefined,
      version: 0,
      storedVersion: 0,
    };
    waiting.push(current);
    return current;
  }

  return {
    append(kind, delta) {
      const isFirst = current === undefined || current.finishReason !== undefined;
      const row = openRow();
      row[kind] += delta;
      changed(row, isFirst);
    },
    addCall(call) {
      const row = openRow();
      row.toolCalls.push(call);
      changed(row, true);
    },
    finish(reason) {
      if (current === undefined || current.finishReason !== undefined) return;
      current.finishReason = reason;
      changed(current, true);
      current = undefined;
    },
    addResult(result) {
      waiting.push({ kind: 'result', result });
      void write();
    },
    addUsage(usage, model) {
      waiting.push({ kind: 'usage', usage, model });
      void write();
    },
    async flush() {
      // A write in flight may have started before the newest change: one more pass sees everything.
      await running;
      return hasWork() ? write() : undefined;
    },
    pending: () => waiting.filter(needsWrite).length,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
