import { constants } from 'node:os';
import type { Tty } from './tty.ts';

/** Why the program ends without having been asked to through its own screen. */
export type ExitReason =
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }
  /** The pane was closed or the connection lost. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'crash'; readonly error: unknown };

export interface ExitOptions {
  readonly tty: Tty;
  /**
   * Ends the process; called once, after the terminal is restored and what could be stored is stored. Not called where the terminal is
   * gone: there the process ends by SIGHUP, after its 'exit' listeners.
   */
  readonly exit: (code: number) => void;
  /** Interrupts the turn and stores what must not be lost. */
  readonly store?: (reason: ExitReason) => Promise<void>;
  /** Says on the restored screen what happened; for crashes. */
  readonly report?: (reason: ExitReason) => void;
  /** How long `store` may take. */
  readonly graceMs?: number;
}

const signals = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGPIPE'] as const;

const codeOf = (reason: ExitReason): number => {
  if (reason.kind === 'signal') return 128 + (constants.signals[reason.signal] ?? 0);
  return reason.kind === 'gone' ? 128 + constants.signals.SIGHUP : 1;
};

const isHangUp = (reason: ExitReason): boolean => reason.kind === 'gone' || (reason.kind === 'signal' && reason.signal === 'SIGHUP');

/**
 * One way out for everything: the terminal is restored first, then the application stores, at most `graceMs` (2 s), then the process
 * ends with 128 + signal (1 after a crash). A second signal ends it at once. Normal exits restore through the 'exit' event.
 * @returns takes the handlers off again
 */
export function installExits(options: ExitOptions): () => void {
  const { tty, graceMs = 2000 } = options;
  let isEnding = false;

  const exit = (code: number) => {
    if (!tty.isGone()) return options.exit(code);
    // An ordinary exit would abort with a core dump: node sets the modes of standard input once more, and can't (EIO).
    process.emit('exit', code);
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  };

  const end = (reason: ExitReason) => {
    tty.leave();
    const code = codeOf(reason);
    if (isEnding) {
      // A closed pane shows as end of input and as SIGHUP; the second of the two is no news.
      if (!isHangUp(reason)) exit(code);
      return;
    }
    isEnding = true;
    options.report?.(reason);
    let isDone = false;
    const finish = () => {
      if (isDone) return;
      isDone = true;
      clearTimeout(limit);
      exit(code);
    };
    const limit = setTimeout(finish, graceMs);
    if (options.store === undefined) return finish();
    // A failure to store must not keep the process: the store says so in its own log.
    options.store(reason).then(finish, finish);
  };

  const onSignal = (signal: NodeJS.Signals) => end({ kind: 'signal', signal });
  const onCrash = (error: unknown) => end({ kind: 'crash', error });
  const onExit = () => tty.leave();

  for (const signal of signals) process.on(signal, onSignal);
  process.on('uncaughtException', onCrash);
  process.on('exit', onExit);
  tty.onGone(() => end({ kind: 'gone' }));

  return () => {
    for (const signal of signals) process.removeListener(signal, onSignal);
    process.removeListener('uncaughtException', onCrash);
    process.removeListener('exit', onExit);
  };
}
