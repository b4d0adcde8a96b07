/**
 * Grapheme clusters: what a person calls one character. Caret, cut and wrap move by them.
 *
 * `Intl.Segmenter` costs about 1 µs a character, 13 ms for a frame of 250×70; printable ASCII and text in which every code unit is
 * its own cluster (precomposed Hangul, kana, ideographs, Latin letters) are recognised by one expression, the rest is cached.
 */
export type Clusters = ArrayLike<string> & Iterable<string>;

/** Made when first needed: making it costs 11 ms, a sixth of a start, and most first frames are drawn without it. */
let segmenter: Intl.Segmenter | undefined;
/** Dashes, quotes, `…`, arrows, frames and blocks are among them, pictographs (`★`, `↪`, `©`) are not: what follows may join them. */
const oneUnitEach =
  /^[\x20-\x7e\u00a0-\u00a8\u00aa-\u00ac\u00af-\u02ff\u2010-\u2027\u2190-\u2193\u21bb\u2500-\u25a9\u25ac-\u25b5\u25b7-\u25bf\u25c1-\u25fa\u2713\u2717\u276f\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u3131-\u318e\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/u;
/** Longer strings are segmented each time: callers cache what they make of them. */
const longestCached = 1024;

let recent = new Map<string, readonly string[]>();
let older = new Map<string, readonly string[]>();

/** True where every UTF-16 unit of the text is one cluster and one code point. */
export const isOneUnitEach = (text: string): boolean => oneUnitEach.test(text);

/** The clusters of a text, in order; the text itself where each unit is one. Nothing is normalised: they join to the text again. */
export function graphemes(text: string): Clusters {
  if (oneUnitEach.test(text)) return text;
  if (text.length > longestCached) return segment(text);
  let clusters = recent.get(text);
  if (clusters !== undefined) return clusters;
  clusters = older.get(text) ?? segment(text);
  if (recent.size >= 4000) {
    older = recent;
    recent = new Map();
  }
  recent.set(text, clusters);
  return clusters;
}

function segment(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), (part) => part.segment);
}
