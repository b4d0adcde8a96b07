import { isatty } from 'node:tty';
import { catchSignals } from '../signals.ts';
import type { OpenConversation } from './context.ts';

/** Why the line mode ends. */
export type Ending = { readonly kind: 'left' } | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** How this run ends: what is said first counts. */
export interface End {
  /** @throws what was raised: a failure nobody expected */
  readonly ended: Promise<Ending>;
  left(): void;
  by(signal: NodeJS.Signals): void;
  raise(error: unknown): void;
  /** The pane was closed: nothing may be written to it any more. */
  gone(): void;
  isGone(): boolean;
  /**
   * Listens to signals and to the standard streams; `onInterrupt` has Ctrl+C where it is a signal, and answers false when it ended nothing.
   * @returns stops that
   */
  watch(onInterrupt: (() => boolean) | undefined): () => void;
}

export function createEnd(isInteractive: boolean): End {
  const { stdin, stdout } = process;
  let isGone = false;
  let end: (ending: Ending) => void = () => undefined;
  let raise: (error: unknown) => void = () => undefined;
  const ended = new Promise<Ending>((resolve, reject) => {
    end = resolve;
    raise = reject;
  });
  // Awaited only when everything stands; until then a rejection is nobody's.
  ended.catch(() => undefined);

  const by = (signal: NodeJS.Signals): void => end({ kind: 'signal', signal });
  function gone(): void {
    isGone = isInteractive;
    by('SIGHUP');
  }
  const onBrokenPipe = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') by('SIGPIPE');
  };

  return {
    ended,
    left: () => end({ kind: 'left' }),
    by,
    raise,
    gone,
    isGone: () => isGone,
    watch(onInterrupt) {
      const removeSignals = catchSignals((signal) => {
        if (signal === 'SIGINT' && onInterrupt !== undefined) return onInterrupt();
        isGone ||= signal === 'SIGHUP' && isInteractive && !isatty(0);
        by(signal);
        return true;
      });
      stdin.on('error', gone);
      stdout.on('error', onBrokenPipe);
      return () => {
        removeSignals();
        stdout.removeListener('error', onBrokenPipe);
        // A terminal that is gone goes on failing.
        if (!isGone) stdin.removeListener('error', gone);
      };
    },
  };
}

/** Resolves when no turn runs and nothing waits behind one, in whichever conversation is open by then. */
export function turnOver(shown: () => OpenConversation | undefined): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const seat = shown()?.seat;
      if (seat?.conversation.isBusy !== true) return resolve();
      const stop = seat.subscribe((event) => {
        if (event.type !== 'turn-ended') return;
        stop();
        setImmediate(look);
      });
    };
    look();
  });
}
