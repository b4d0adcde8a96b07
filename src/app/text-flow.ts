import { isOneUnitEach } from '../terminal/graphemes.ts';
import { drawable, expandTabs, graphemes } from '../terminal/width.ts';

/** Text that arrives in pieces and goes on as it comes. */
export interface TextFlow {
  push(delta: string): void;
  /** Lets go of what was held back. */
  end(): void;
}

/**
 * Passes a streamed text on, whole visible characters only: the last one of a piece waits for the next, which may bring the other half of a
 * surrogate pair, or a joiner. What goes to a terminal is data, so that control characters and escape sequences become symbols; a pipe gets
 * the text as it is.
 */
export function createTextFlow(write: (text: string) => void, isTerminal: boolean): TextFlow {
  let held = '';
  const send = (text: string): void => {
    if (text !== '') write(isTerminal ? drawableLines(text) : text);
  };
  return {
    push(delta) {
      const text = held + delta;
      const clusters = graphemes(text);
      const end = clusters[clusters.length - 1] ?? '';
      // A letter, a syllable or an ideograph is shown at once: what follows hardly ever joins it.
      const last = isOneUnitEach(end) || end === '\n' ? '' : end;
      held = last;
      send(text.slice(0, text.length - last.length));
    },
    end() {
      send(held);
      held = '';
    },
  };
}

/** A text of several lines as it may be sent to a terminal. */
export function drawableLines(text: string): string {
  return text
    .replace(/\r\n/gu, '\n')
    .split('\n')
    .map((line) => drawable(expandTabs(line)))
    .join('\n');
}
