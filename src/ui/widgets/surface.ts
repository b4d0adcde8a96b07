import { plainAttr } from '../attr.ts';
import type { Cell, Row } from './cells.ts';

/** The cells of the screen, and the order in which a frame is made of them. */
export interface Surface {
  /** What should be on the screen. */
  readonly lines: Row[];
  /** What is. */
  readonly shown: Row[];
  /** Both buffers anew, blank, in this size. */
  allocate(columns: number, rows: number): void;
  /** Runs `paint` (fill `lines`) and then `draw` (send the difference). */
  render(): void;
  destroy(): void;
}

/** Plain buffers for the first frame, which does not wait for neo-blessed (15 ms to load); `shell.ts` goes on with them. */
export function createSurface(paint: () => void, draw: () => void): Surface {
  let lines: Row[] = [];
  let shown: Row[] = [];
  return {
    get lines() {
      return lines;
    },
    get shown() {
      return shown;
    },
    allocate(columns, rows) {
      lines = blankRows(columns, rows);
      shown = blankRows(columns, rows);
    },
    render() {
      paint();
      draw();
    },
    destroy: () => undefined,
  };
}

function blankRows(columns: number, rows: number): Row[] {
  return Array.from({ length: rows }, () =>
    Object.assign(
      Array.from({ length: columns }, (): Cell => [plainAttr, ' ']),
      { dirty: false },
    ),
  );
}
