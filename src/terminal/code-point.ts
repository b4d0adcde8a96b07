import { eastAsianWidth } from 'get-east-asian-width';

/**
 * Cells of one code point, as xterm, tmux, kitty and alacritty agree on: marks and format characters take none, East Asian Wide and
 * Fullwidth take two, Ambiguous takes one unless the terminal was told otherwise (`setAmbiguousWidth`).
 */
export type AmbiguousWidth = 'narrow' | 'wide';

let ambiguous: AmbiguousWidth = 'narrow';
/** Width + 1 of every code point of the basic plane; 0 = not looked up yet. */
const basicPlane = new Uint8Array(0x10000);
const dropped: Array<() => void> = [];

export const ambiguousWidth = (): AmbiguousWidth => ambiguous;

/** Chooses how wide East Asian Ambiguous characters are; every cached width is forgotten. */
export function setAmbiguousWidth(width: AmbiguousWidth): void {
  if (width === ambiguous) return;
  ambiguous = width;
  basicPlane.fill(0);
  for (const drop of dropped) drop();
}

/** Calls back when cached widths no longer hold. */
export function onWidthsChanged(drop: () => void): void {
  dropped.push(drop);
}

const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}\p{Zl}\p{Zp}\p{Cc}\p{Cs}]$/u;

function lookUp(codePoint: number): number {
  // Vowels and finals of conjoining jamo stand in the cell of their initial.
  if ((codePoint >= 0x1160 && codePoint <= 0x11ff) || (codePoint >= 0xd7b0 && codePoint <= 0xd7ff)) return 0;
  if (zeroWidth.test(String.fromCodePoint(codePoint))) return 0;
  return eastAsianWidth(codePoint, { ambiguousAsWide: ambiguous === 'wide' });
}

/** 0, 1 or 2 cells. */
export function codePointWidth(codePoint: number): number {
  if (codePoint >= 0x20 && codePoint < 0x7f) return 1;
  if (codePoint >= 0xac00 && codePoint <= 0xd7a3) return 2;
  if (codePoint > 0xffff) return lookUp(codePoint);
  let width = basicPlane[codePoint] as number;
  if (width === 0) basicPlane[codePoint] = width = lookUp(codePoint) + 1;
  return width - 1;
}

/** Two cells only because the terminal was found to draw ambiguous characters wide; which ones it does so differs between terminals. */
export const isWideByChoice = (codePoint: number): boolean =>
  ambiguous === 'wide' && codePointWidth(codePoint) === 2 && eastAsianWidth(codePoint) === 1;
