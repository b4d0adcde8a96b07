import { constants } from 'node:os';

/** A front end without a screen is ended by these. SIGPIPE arrives as EPIPE of the stream, since node ignores the signal itself. */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** How long interrupting and storing may take before the signal does what it does by default. Milliseconds. */
const graceMs = 10_000;

export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];

/**
 * Hands the first signal to `onSignal`, which interrupts, stores and lets the run end. A second one (of SIGHUP the first is enough), or ten seconds, ends the process the
 * way it ends by default. `onSignal` may answer false: that signal ended nothing (Ctrl+C at a prompt), and the next one counts as a first.
 * @returns takes the handlers off again
 */
export function catchSignals(onSignal: (signal: NodeJS.Signals) => boolean): () => void {
  let limit: NodeJS.Timeout | undefined;

  const remove = (): void => {
    clearTimeout(limit);
    for (const signal of ending) process.removeListener(signal, receive);
  };
  const die = (signal: NodeJS.Signals): void => {
    remove();
    process.kill(process.pid, signal);
  };
  function receive(signal: NodeJS.Signals): void {
    // A closed pane says so more than once.
    if (limit !== undefined) return signal === 'SIGHUP' ? undefined : die(signal);
    if (onSignal(signal)) limit = setTimeout(() => die(signal), graceMs).unref();
  }

  for (const signal of ending) process.on(signal, receive);
  return remove;
}
