import { clusterWidth, graphemes } from '../../terminal/width.ts';

/**
 * Visible characters of a line that may be a megabyte long: nothing here reads further than it needs. Letters that never join their
 * neighbour (ASCII, ideographs, kana, Hangul syllables) skip the segmenter; around anything else a window is segmented.
 */

/** Stands for a folded paste inside a line: one lone surrogate, which decoded text never holds. */
export const firstChipUnit = 0xdc00;
export const lastChipUnit = 0xdfff;

export const isChipUnit = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  if (unit < firstChipUnit || unit > lastChipUnit) return false;
  const before = at > 0 ? text.charCodeAt(at - 1) : 0;
  return before < 0xd800 || before > 0xdbff;
};

/** Between two of these a boundary always stands (Unicode text segmentation, rules GB3 to GB9 name none of them). */
function isSimple(unit: number): boolean {
  if (unit < 0x300) return unit >= 0x20 && unit !== 0xad && unit !== 0xa9 && unit !== 0xae && (unit < 0x7f || unit > 0x9f);
  if (unit < 0x3041) return false;
  return unit <= 0x3096 || (unit >= 0x30a1 && unit <= 0x30fa) || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3);
}

const windowUnits = 512;
/** How far back a sure boundary is looked for; a longer run of joining characters is split there. */
const lookBehind = 2048;

/** A boundary at or before `at`, found without knowing the rest of the line. */
function sureBoundary(text: string, at: number): number {
  const floor = Math.max(0, at - lookBehind);
  for (let index = Math.min(at, text.length - 1); index > floor; index--) {
    if (isSimple(text.charCodeAt(index)) && isSimple(text.charCodeAt(index - 1))) return index;
    if (isChipUnit(text, index)) return index;
  }
  return floor;
}

/** Where the visible character that begins at `at` ends. */
export function clusterEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  if (isChipUnit(text, at)) return at + 1;
  if (isSimple(text.charCodeAt(at)) && (at + 1 === text.length || isSimple(text.charCodeAt(at + 1)))) return at + 1;
  for (let units = 64; ; units *= 4) {
    const first = graphemes(text.slice(at, at + units))[0] ?? '';
    if (first.length < units || at + units >= text.length || units >= lookBehind) return at + Math.max(1, first.length);
  }
}

/** The boundary before `at` (0 at the start of the line). */
export function clusterStart(text: string, at: number): number {
  if (at <= 0) return 0;
  if (isChipUnit(text, at - 1)) return at - 1;
  let index = sureBoundary(text, at - 1);
  for (let end = clusterEnd(text, index); end < at; end = clusterEnd(text, index)) index = end;
  return index;
}

/** The boundary at or before `at`: a caret never stands inside a visible character. */
export function snapToCluster(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const start = clusterStart(text, at);
  return clusterEnd(text, start) === at ? at : clusterEnd(text, start) < at ? at : start;
}

/** Cells of the letters whose width no terminal disputes; 0 = ask. */
function plainWidth(unit: number): number {
  if (unit >= 0x20 && unit < 0x7f) return 1;
  return (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3) ? 2 : 0;
}

/**
 * Visits the visible characters from boundary `from` on, until the visitor answers true or the line ends. `chipWidth` says how many
 * cells the folded paste at an offset takes.
 */
export function scanClusters(
  text: string,
  from: number,
  chipWidth: (at: number) => number,
  visit: (start: number, end: number, cells: number) => boolean,
): void {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isChipUnit(text, at)) {
      if (visit(at, at + 1, chipWidth(at))) return;
      at++;
      continue;
    }
    if (isSimple(unit) && (at + 1 === text.length || isSimple(text.charCodeAt(at + 1)))) {
      const cells = plainWidth(unit) || clusterWidth(text.charAt(at));
      if (visit(at, at + 1, cells)) return;
      at++;
      continue;
    }
    const parts = graphemes(text.slice(at, at + windowUnits));
    const isEnd = at + windowUnits >= text.length;
    const count = isEnd || parts.length === 1 ? parts.length : parts.length - 1;
    for (let index = 0; index < count; index++) {
      const part = parts[index] ?? '';
      if (part.length === 0 || isChipUnit(text, at)) break;
      if (visit(at, at + part.length, clusterWidth(part))) return;
      at += part.length;
    }
  }
}
