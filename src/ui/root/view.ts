import { centred, lineWidth, toFrame } from '../compose.ts';
import type { Frame, Layer, Line } from '../frame.ts';
import { span } from '../frame.ts';
import type { ScreenDefinition, View, ViewContext } from '../screen.ts';
import { rootText } from '../../text/en/root.ts';
import { leastHeight, leastWidth } from './least.ts';
import type { Definitions, RootState, Shown } from './model.ts';

/** The frame of the whole screen: the topmost full screen and the boxes above it. */
export function viewRoot(definitions: Definitions, state: RootState, context: ViewContext): Frame {
  const { width, height } = context;
  if (width < leastWidth || height < leastHeight) return { layers: [{ x: 0, y: 0, width, lines: [tooSmall(width, height)] }] };
  const viewOf = (shown: Shown): View =>
    (definitions[shown.name] as unknown as ScreenDefinition<unknown, unknown, unknown>).view(shown.state, context);
  const base = state.stack.findLastIndex((shown) => !isBox(shown));
  const overlays = state.stack.slice(base + 1).flatMap((shown): { layer: Layer; cursor?: { x: number; y: number } }[] => {
    const view = viewOf(shown);
    const layer = centred(view.lines, boxWidth(view.lines), { width, height });
    return [{ layer: marginOf(layer) }, view.cursor === undefined ? { layer } : { layer, cursor: view.cursor }];
  });
  const below = viewOf(state.stack[base]!);
  const { footer } = viewOf(state.stack.at(-1)!);
  const lines = footer === undefined ? below.lines : [...below.lines.slice(0, height - 1), footer];
  return toFrame({ ...below, lines }, width, overlays);
}

/** A blank cell on both sides of a box, so that words below don't touch its border. */
function marginOf({ x, y, width, lines }: Layer): Layer {
  const blank: Line = [span(' '.repeat(width + 2))];
  return { x: x - 1, y, width: width + 2, lines: lines.map(() => blank) };
}

/** Dialogs stand as boxes over what is below; every other screen covers it. */
const isBox = (shown: Shown): boolean => shown.name === 'dialog';

const boxWidth = (lines: readonly Line[]): number => Math.max(0, ...lines.map(lineWidth));

const tooSmall = (width: number, height: number): Line => [span(rootText.tooSmall(width, height, leastWidth, leastHeight), 'soft')];

/** Where a box stands, so that mouse cells can be told relative to it. */
export function boxOrigin(definitions: Definitions, shown: Shown, context: ViewContext): { x: number; y: number } {
  if (!isBox(shown)) return { x: 0, y: 0 };
  const view = definitions.dialog.view(shown.state as never, context);
  const { x, y } = centred(view.lines, boxWidth(view.lines), context);
  return { x, y };
}
