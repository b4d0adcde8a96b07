import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agent, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { makeMachine, startHermes, untilText } from '../support/hermes.ts';

/** Idle costs nothing (product.md 2): no frame, and nothing is looked at more often than once a second. */
const idleMs = Number(process.env['IDLE_MS'] ?? 12_000);

const conversations = (work: string): Conversation[] =>
  Array.from({ length: 25 }, (_, index): Conversation => ({
    title: `talk ${index}`,
    source: 'tui',
    cwd: work,
    age: index,
    messages: [you('q'), agent('a')],
  }));

interface Thread {
  readonly name: string;
  /** Processor time in nanoseconds. */
  readonly ran: number;
  /** Times it went to sleep by itself: every wake-up for a timer ends in one. */
  readonly sleeps: number;
}

function threadsOf(pid: number): Map<string, Thread> {
  const threads = new Map<string, Thread>();
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    const name = readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim();
    const ran = Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
    const sleeps = /voluntary_ctxt_switches:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'))?.[1];
    threads.set(id, { name, ran, sleeps: Number(sleeps) });
  }
  return threads;
}

describe.skipIf(process.platform !== 'linux')(`${idleMs / 1000} s idle`, () => {
  test.each([
    ['a conversation', false],
    ['the list of sessions', true],
  ])(
    '%s: no byte is written, no thread wakes up faster than once a second, the processor rests',
    async (_name, hasPicker) => {
      const machine = await makeMachine({ conversations });
      const tui = await startHermes(machine, { args: ['-c'] });
      await untilText(tui, 'Previous conversation');
      if (hasPicker) {
        tui.press('ctrl+x');
        await untilText(tui, 'talk 7');
      }
      // Words in the status line go after 4 s; V8 tidies its heap in several threads for about 20 s after the start.
      await new Promise((resolve) => setTimeout(resolve, 25_000));
      const before = threadsOf(tui.pid);
      const { bytes } = tui.stats;
      await new Promise((resolve) => setTimeout(resolve, idleMs));
      const after = threadsOf(tui.pid);
      const seconds = idleMs / 1000;
      const rows = [...after].map(([id, thread]) => ({
        name: thread.name,
        perSecond: (thread.sleeps - (before.get(id)?.sleeps ?? 0)) / seconds,
        ran: thread.ran - (before.get(id)?.ran ?? 0),
      }));
      const cpu = (100 * rows.reduce((sum, row) => sum + row.ran, 0)) / (seconds * 1e9);
      const busiest = rows.toSorted((a, b) => b.perSecond - a.perSecond)[0]!;
      console.log(`processor ${cpu.toFixed(2)} %, busiest thread ${busiest.name}: ${busiest.perSecond.toFixed(2)} wake-ups a second`);
      expect(tui.stats.bytes - bytes).toBe(0);
      // At most three polls share a thread: one a second, two every two seconds; a read of the store wakes it once more.
      for (const row of rows) expect(row.perSecond, row.name).toBeLessThan(4);
      expect(cpu).toBeLessThanOrEqual(0.2);
    },
    idleMs + 60_000,
  );
});
