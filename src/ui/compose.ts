import { stringWidth, takeStart } from '../terminal/width.ts';
import type { Frame, Layer, Line, Span, Style } from './frame.ts';
import { span } from './frame.ts';
import type { Glyphs, View } from './screen.ts';

/** Putting lines together: widths, filling, boxes, layers. Widths are cells. */

export function lineWidth(line: Line): number {
  let width = 0;
  for (const each of line) width += stringWidth(each.text);
  return width;
}

/** The text of a line without its styles. */
export const lineText = (line: Line): string => line.map((each) => each.text).join('');

/** Adds text to a list of spans; the same style goes on in the same span. */
export function pushSpan(spans: Span[], text: string, style?: Style): void {
  if (text === '') return;
  const last = spans.at(-1);
  if (last !== undefined && last.style === style) spans[spans.length - 1] = span(last.text + text, style);
  else spans.push(span(text, style));
}

/** The beginning of a line that fits `width`, with `ellipsis` where something was cut; at a character edge. */
export function cutLine(line: Line, width: number, ellipsis = ''): Line {
  if (lineWidth(line) <= width) return line;
  const kept: Span[] = [];
  let room = width - stringWidth(ellipsis);
  if (room < 0) return [];
  for (const each of line) {
    const cells = stringWidth(each.text);
    const isCut = cells > room;
    const text = isCut ? takeStart(each.text, room) : each.text;
    pushSpan(kept, isCut && ellipsis !== '' ? text.trimEnd() : text, each.style);
    room -= cells;
    if (isCut) {
      pushSpan(kept, ellipsis, each.style);
      break;
    }
  }
  return kept;
}

/** Exactly `width` cells: filled with spaces in `style`, or cut. */
export function padLine(line: Line, width: number, style?: Style): Line {
  const missing = width - lineWidth(line);
  if (missing < 0) return padLine(cutLine(line, width), width, style);
  return missing === 0 ? line : [...line, span(' '.repeat(missing), style)];
}

/**
 * Exactly `width` cells with `right` at the right edge and at least one space between. The left part is cut first, down to a third of
 * the row; below that the right part goes as a whole.
 */
export function fitLine(left: Line, right: Line, width: number, ellipsis = '…'): Line {
  const rightWidth = lineWidth(right);
  const room = width - rightWidth - (rightWidth > 0 ? 1 : 0);
  const needed = Math.min(lineWidth(left), Math.ceil(width / 3));
  if (rightWidth === 0 || room < needed) return padLine(cutLine(left, width, ellipsis), width);
  const shown = cutLine(left, room, ellipsis);
  return [...shown, span(' '.repeat(width - rightWidth - lineWidth(shown))), ...right];
}

/** Adds words to the style of every span: a background, `dim`. */
export const addStyle = (line: Line, style: Style): Line =>
  line.map((each) => span(each.text, each.style === undefined ? style : `${each.style} ${style}`));

export interface BoxOptions {
  readonly width: number;
  readonly glyphs: Glyphs;
  readonly title?: string;
  /** At the right end of the upper border. */
  readonly note?: string;
  /** At the right end of the lower border. */
  readonly foot?: string;
  readonly border?: Style;
  readonly titleStyle?: Style;
}

/** A border of exactly `width` cells with text set into it; what does not fit is left out, the title last. */
function border(left: string, right: string, options: BoxOptions, title: string | undefined, note: string | undefined): Line {
  const { glyphs, width } = options;
  const rule = options.border ?? 'rule';
  const inner = Math.max(0, width - 2);
  const fit = (text: string, room: number) => (stringWidth(text) <= room ? text : takeStart(text, Math.max(0, room)));
  const shownTitle = title === undefined || inner < 6 ? '' : fit(title, inner - 4);
  const used = shownTitle === '' ? 0 : stringWidth(shownTitle) + 3;
  const shownNote = note !== undefined && note !== '' && used + stringWidth(note) + 4 <= inner ? note : '';
  const rest = inner - used - (shownNote === '' ? 0 : stringWidth(shownNote) + 3);
  const line: Span[] = [];
  pushSpan(line, left, rule);
  if (shownTitle !== '') {
    pushSpan(line, glyphs.horizontal, rule);
    pushSpan(line, ` ${shownTitle} `, options.titleStyle ?? rule);
  }
  pushSpan(line, glyphs.horizontal.repeat(Math.max(0, rest)), rule);
  if (shownNote !== '') {
    pushSpan(line, ` ${shownNote} `, options.titleStyle ?? rule);
    pushSpan(line, glyphs.horizontal, rule);
  }
  pushSpan(line, right, rule);
  return line;
}

/** The upper border of a box alone. */
const boxTop = (options: BoxOptions): Line => border(options.glyphs.topLeft, options.glyphs.topRight, options, options.title, options.note);

/** Lines in a border of `width` cells, one blank cell inside left and right; every row is exactly `width` wide. */
export function box(content: readonly Line[], options: BoxOptions): Line[] {
  const { glyphs, width } = options;
  const rule = options.border ?? 'rule';
  const inner = Math.max(0, width - 4);
  const rows = content.map((line): Line => [span(`${glyphs.vertical} `, rule), ...padLine(line, inner), span(` ${glyphs.vertical}`, rule)]);
  return [boxTop(options), ...rows, border(glyphs.bottomLeft, glyphs.bottomRight, options, undefined, options.foot)];
}

/** A view at the top left corner, with overlays above it; the cursor of the topmost view that has one is shown. */
export function toFrame(base: View, width: number, overlays: readonly { layer: Layer; cursor?: { x: number; y: number } }[] = []): Frame {
  const layers: Layer[] = [{ x: 0, y: 0, width, lines: base.lines }, ...overlays.map((each) => each.layer)];
  const top = overlays.at(-1);
  const cursor = top === undefined ? base.cursor : top.cursor && { x: top.layer.x + top.cursor.x, y: top.layer.y + top.cursor.y };
  return cursor === undefined ? { layers } : { layers, cursor };
}

/** Lines in the middle of the screen, a little above it: where dialogs stand. Cut to the screen. */
export function centred(lines: readonly Line[], layerWidth: number, screen: { width: number; height: number }): Layer {
  const width = Math.min(layerWidth, screen.width);
  const shown = lines.slice(0, screen.height);
  return {
    x: Math.max(0, (screen.width - width) >> 1),
    y: Math.max(0, Math.floor((screen.height - shown.length) / 2.5)),
    width,
    lines: shown,
  };
}
