import type { Canvas } from '../../ui/widgets/canvas.ts';
import type { Glyphs, ViewContext } from '../../ui/screen.ts';
import { boxOrigin, viewRoot } from '../../ui/root/view.ts';
import { topOf, type RootAction, type RootEffect, type RootState } from '../../ui/root/model.ts';
import { chatWakeAt } from '../../ui/screens/chat/index.ts';
import type { InputEvent } from '../../terminal/input-event.ts';
import type { ScreenSet } from './screens.ts';

/** While an answer streams, frames are at least this far apart: 30 a second (product.md, work on the screen). Milliseconds. */
const streamFrameMs = 33;

export interface LoopOptions {
  readonly screens: ScreenSet;
  readonly canvas: Canvas;
  readonly initial: RootState;
  readonly userHome: string;
  readonly now: () => number;
  readonly glyphs: () => Glyphs;
  /** Bytes the terminal has not taken yet. */
  readonly pendingBytes: () => number;
  readonly runEffect: (effect: RootEffect) => void;
  /** Called with every frame that was drained while nothing was under way; a test waits for it. */
  readonly onIdle: ((frames: number) => void) | undefined;
  /** Asked after every frame: work that frames have noted down, such as code to be coloured. */
  readonly onFrame?: () => void;
}

export interface Loop {
  state(): RootState;
  dispatch(action: RootAction): void;
  /** Deltas of a stream: drawn with the next frame of 30 a second. */
  dispatchStreamed(action: RootAction): void;
  input(event: InputEvent): void;
  /** Draws in this tick whatever is due. */
  draw(): void;
  /** Keeps the loop from calling itself idle until the promise settles; its failure goes to `onError`. */
  track<Value>(work: Promise<Value>, onError: (error: unknown) => void): void;
  /** Other keys from now on; what the screens hold stays. */
  setScreens(next: ScreenSet): void;
  stop(): void;
}

/** State in, frames out: actions change the state, effects are run, the screen is drawn once a tick and only when something changed. */
export function createLoop(options: LoopOptions): Loop {
  const { canvas, now } = options;
  let { screens } = options;
  let state = options.initial;
  let drawn: RootState | undefined;
  let isQueued = false;
  let isStopped = false;
  let lastFrame = 0;
  let streamTimer: NodeJS.Timeout | undefined;
  let wakeTimer: NodeJS.Timeout | undefined;
  let wakeAt = 0;
  let busy = 0;
  let frames = 0;

  const context = (): ViewContext => ({
    width: state.width,
    height: state.height,
    now: now(),
    userHome: options.userHome,
    glyphs: options.glyphs(),
  });

  function apply(action: RootAction): void {
    const updated = screens.root.update(state, action);
    state = updated.state;
    for (const effect of updated.effects) options.runEffect(effect);
  }

  function draw(): void {
    if (isStopped) return;
    clearTimeout(streamTimer);
    streamTimer = undefined;
    // A terminal that is stopped (Ctrl+S) or slow gets the newest frame when it takes bytes again, not every one in between.
    if (options.pendingBytes() > 0) {
      streamTimer = setTimeout(draw, streamFrameMs);
      return;
    }
    drawn = state;
    lastFrame = performance.now();
    canvas.render(viewRoot(screens.definitions, state, context()));
    frames += 1;
    scheduleWake();
    options.onFrame?.();
    reportIdle();
  }

  function queueDraw(): void {
    if (isQueued || isStopped) return;
    isQueued = true;
    setImmediate(() => {
      isQueued = false;
      if (state !== drawn) draw();
      else reportIdle();
    });
  }

  /** Clocks and words that go by themselves; nothing else wakes the screen. */
  function scheduleWake(): void {
    const times = state.stack.flatMap((shown) =>
      shown.name === 'chat' || shown.name === 'look' ? (chatWakeAt(shown.state, now()) ?? []) : [],
    );
    const at = times.length === 0 ? undefined : Math.min(...times);
    if (at === undefined || (wakeTimer !== undefined && wakeAt <= at && wakeAt > now())) return;
    clearTimeout(wakeTimer);
    wakeAt = at;
    wakeTimer = setTimeout(
      () => {
        wakeTimer = undefined;
        draw();
      },
      Math.max(20, at - now()),
    );
    wakeTimer.unref();
  }

  function reportIdle(): void {
    if (busy === 0 && !isQueued && streamTimer === undefined) options.onIdle?.(frames);
  }

  return {
    state: () => state,
    draw,
    dispatch(action) {
      apply(action);
      queueDraw();
    },
    dispatchStreamed(action) {
      apply(action);
      if (isQueued || streamTimer !== undefined || isStopped) return;
      streamTimer = setTimeout(draw, Math.max(0, lastFrame + streamFrameMs - performance.now()));
    },
    input(event) {
      const top = topOf(state);
      const isBox = event.type === 'mouse' && top.name === 'dialog';
      const origin = isBox ? boxOrigin(screens.definitions, top, context()) : { x: 0, y: 0 };
      apply({ type: 'input', event: event.type === 'mouse' ? { ...event, x: event.x - origin.x, y: event.y - origin.y } : event });
      queueDraw();
    },
    track(work, onError) {
      busy += 1;
      const settle = (): void => {
        busy -= 1;
        queueDraw();
      };
      work.then(settle, (error: unknown) => {
        onError(error);
        settle();
      });
    },
    setScreens(next) {
      screens = next;
      // Footers name keys.
      state = { ...state };
      queueDraw();
    },
    stop() {
      isStopped = true;
      clearTimeout(streamTimer);
      clearTimeout(wakeTimer);
    },
  };
}
