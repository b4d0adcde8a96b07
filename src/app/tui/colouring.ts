import { hasPendingHighlights, highlightPending } from '../../ui/transcript/index.ts';
import type { Loop } from './loop.ts';

/** A pause after the last frame, so that keys and streamed words come first. Milliseconds. */
const colourAfterMs = 100;

/** Colours the code that frames have shown plain, between two frames, never in one; without such code nothing wakes up. */
export function createColouring(loop: () => Loop, tell: (action: { type: 'repaint' }) => void): { afterFrame(): void; stop(): void } {
  let isRunning = false;
  let timer: NodeJS.Timeout | undefined;
  const colour = async (): Promise<void> => {
    isRunning = true;
    try {
      if (await highlightPending()) tell({ type: 'repaint' });
    } finally {
      isRunning = false;
      if (hasPendingHighlights()) afterFrame();
    }
  };
  const afterFrame = (): void => {
    if (isRunning || !hasPendingHighlights()) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      loop().track(colour(), () => {
        // A grammar that can't be loaded leaves code plain.
      });
    }, colourAfterMs).unref();
  };
  return { afterFrame, stop: () => clearTimeout(timer) };
}
