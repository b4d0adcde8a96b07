/**
 * What a view returns: styled text, no cells, no escape sequences. `src/ui/widgets/canvas.ts` turns it into cells.
 *
 * A style is a few words: at most one colour of the theme (`text soft faint accent agent error link code keyword code-text rule`, or
 * `#rrggbb` from highlighting), at most one background (`on-select`, `on-code`), and `bold dim italic underline strike inverse`.
 */
export type Style = string;

export interface Span {
  readonly text: string;
  readonly style?: Style;
}

export type Line = readonly Span[];

/** Lines at a place on the screen; later layers cover earlier ones. A line is cut or padded to `width` in the style of its last span. */
export interface Layer {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lines: readonly Line[];
}

export interface Frame {
  readonly layers: readonly Layer[];
  /** Where the hardware cursor stands (input methods open their window there); absent = hidden. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

export const span = (text: string, style?: Style): Span => (style === undefined ? { text } : { text, style });
