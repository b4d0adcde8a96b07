import { lineText } from '../../text/en/line.ts';
import type { Asking } from './ask.ts';
import type { LineContext } from './context.ts';
import { turnOver, type End } from './ending.ts';
import type { InputQueue } from './input-queue.ts';

/** Ctrl+C leaves when it is pressed twice within this. Milliseconds. */
const leaveMs = 2000;

export interface LeavingParts {
  readonly end: End;
  readonly asking: Asking;
  readonly queue: InputQueue;
  /** Everything is being taken down already. */
  readonly isClosing: () => boolean;
}

export interface Leaving {
  /** Ctrl+C: puts a question away, else interrupts, else leaves when pressed twice. @returns false: it ended nothing */
  interrupt(): boolean;
  /** The end of the input, /quit: what runs and what waits behind it comes first. */
  leave(): void;
}

export function createLeaving(context: LineContext, { end, asking, queue, isClosing }: LeavingParts): Leaving {
  const { run, printer, isInteractive, shown } = context;
  let leaveUntil = 0;
  let hasBegun = false;

  return {
    interrupt() {
      const running = shown()?.seat.conversation;
      if (isClosing() || running === undefined) {
        end.by('SIGINT');
        return true;
      }
      if (asking.isOpen()) asking.putAway();
      else if (running.isBusy) void running.interrupt();
      else if (run.now() < leaveUntil) end.left();
      else {
        leaveUntil = run.now() + leaveMs;
        context.say(lineText.leaveAgain, 'quiet');
      }
      return false;
    },
    leave() {
      if (isClosing() || hasBegun) return;
      hasBegun = true;
      asking.putAway();
      if (isInteractive && shown()?.seat.conversation.isBusy === true) printer.line(lineText.afterTurn, 'quiet');
      queue
        .drained()
        .then(() => turnOver(shown))
        .then(end.left, end.raise);
    },
  };
}
