import type { Tty } from './tty.ts';

export interface SuspendOptions {
  readonly tty: Pick<Tty, 'isEntered' | 'enter' | 'reenter' | 'leave'>;
  /** The terminal is ours again: everything must be drawn. */
  readonly redraw: () => void;
  /** Nothing has stopped us (the pane's own process can't be): to be said on the screen. */
  readonly refused: () => void;
}

export interface Suspend {
  /** Back to the shell until `fg`. */
  suspend(): void;
  uninstall(): void;
}

/** The kernel stops a process within microseconds; a shell that can't be returned to never does. */
const stopMs = 100;
/** After waking up a due timer may run before SIGCONT is delivered. */
const deliveryMs = 20;

/**
 * Ctrl+Z, `kill -TSTP` and SIGCONT. The whole process group is stopped, as the terminal itself would do it: under `npm start` stopping
 * only this process would leave a dead terminal.
 */
export function installSuspend({ tty, redraw, refused }: SuspendOptions): Suspend {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;

  const suspend = () => {
    if (isStopping || !tty.isEntered()) return;
    isStopping = true;
    tty.leave();
    // With a listener the signal would come here again instead of stopping.
    process.removeListener('SIGTSTP', suspend);
    process.kill(0, 'SIGTSTP');
    timer = setTimeout(() => (timer = setTimeout(() => resume(false), deliveryMs)), stopMs);
  };

  const resume = (wasStopped: boolean) => {
    clearTimeout(timer);
    isStopping = false;
    process.on('SIGTSTP', suspend);
    tty.enter();
    redraw();
    if (!wasStopped) refused();
  };

  const onContinue = () => {
    if (isStopping) resume(true);
    else if (tty.isEntered()) {
      tty.reenter();
      redraw();
    }
  };

  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', onContinue);
  return {
    suspend,
    uninstall() {
      clearTimeout(timer);
      process.removeListener('SIGTSTP', suspend);
      process.removeListener('SIGCONT', onContinue);
    },
  };
}
