import { HermesError } from '../../errors.ts';
import { runRetention } from '../retention.ts';
import type { Context } from './context.ts';

/** A person who has just started reads or types; what is old can wait that long, and again while a turn runs. Milliseconds. */
const startAfterMs = 3000;

/** Retention, once per run, some seconds after the first frame and never while a turn runs. What it did is said in the conversation. */
export function keepHouse(context: Context): { stop(): void } {
  let isStopped = false;
  let timer = setTimeout(start, startAfterMs);
  timer.unref();

  function start(): void {
    if (isStopped) return;
    if (context.desk.all().some((chat) => chat.seat.conversation.isBusy)) {
      timer = setTimeout(start, startAfterMs);
      timer.unref();
    } else void run();
  }

  async function run(): Promise<void> {
    try {
      for (const line of await runRetention(context)) context.notice('info', line);
    } catch (error) {
      // The store was closed under it: the next start does it.
      if (isStopped) return;
      context.log.error('retention', error);
      if (error instanceof HermesError) context.notice('error', error.message, error.hint);
      else throw error;
    }
  }

  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
