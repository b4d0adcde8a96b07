/**
 * Preloaded into the program by the bench: watches the event loop of the main thread from SIGUSR2 on and writes what it saw at the end.
 * The program itself knows nothing of it.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const resolution = 2;
  const delay = monitorEventLoopDelay({ resolution });
  process.on('SIGUSR2', () => {
    delay.reset();
    delay.enable();
  });
  process.on('exit', () => {
    // The histogram holds the time between two ticks, the interval itself included.
    const p99 = Math.max(0, delay.percentile(99) / 1e6 - resolution);
    writeFileSync(process.env.HERMES_BENCH_REPORT, JSON.stringify({ p99, max: delay.max / 1e6 }));
  });
}
