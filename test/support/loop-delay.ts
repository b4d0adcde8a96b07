import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LoopDelay {
  /** Milliseconds the event loop of the main thread came late. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly samples: number;
}

/** Milliseconds between two samples; what is later than that is delay. */
const resolution = 5;

/**
 * Measures the event loop of a real program from the inside: `env` preloads a file, SIGUSR2 begins a measurement, the next one ends it and
 * writes what was found.
 */
export function watchLoopDelay(folder: string): { env: Record<string, string>; toggle(pid: number): void; read(): Promise<LoopDelay> } {
  const script = join(folder, 'loop-delay.cjs');
  const result = join(folder, 'loop-delay.json');
  writeFileSync(
    script,
    `if (require('node:worker_threads').isMainThread) {
      const histogram = require('node:perf_hooks').monitorEventLoopDelay({ resolution: ${resolution} });
      let isOn = false;
      process.on('SIGUSR2', () => {
        isOn = !isOn;
        if (isOn) { histogram.reset(); histogram.enable(); return; }
        histogram.disable();
        const late = (ns) => Math.max(0, ns / 1e6 - ${resolution});
        const found = { p50: late(histogram.percentile(50)), p99: late(histogram.percentile(99)), max: late(histogram.max), samples: histogram.count };
        // Under its name only when it is whole.
        require('node:fs').writeFileSync(${JSON.stringify(`${result}.new`)}, JSON.stringify(found));
        require('node:fs').renameSync(${JSON.stringify(`${result}.new`)}, ${JSON.stringify(result)});
      });
    }`,
  );
  return {
    env: { NODE_OPTIONS: `--require ${script}` },
    toggle: (pid) => process.kill(pid, 'SIGUSR2'),
    async read() {
      for (let tries = 0; tries < 400 && !existsSync(result); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
      const found = JSON.parse(readFileSync(result, 'utf8')) as LoopDelay;
      // The next measurement is not mistaken for this one.
      rmSync(result);
      return found;
    },
  };
}
