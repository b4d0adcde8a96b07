import { isOneUnitEach, oneUnitEach } from '../text/one-unit.ts';

/**
 * Grapheme clusters: what a person calls one character. Caret, cut and wrap move by them.
 *
 * `Intl.Segmenter` costs about 1 µs a character, 13 ms for a frame of 250×70; printable ASCII and text in which every code unit is
 * its own cluster (precomposed Hangul, kana, ideographs, Latin letters) are recognised by one expression, the rest is cached.
 */
export type Clusters = ArrayLike<string> & Iterable<string>;

/** Made when first needed: making it costs 11 ms, a sixth of a start, and most first frames are drawn without it. */
let segmenter: Intl.Segmenter | undefined;
/** Units of a run that are matched at once: the pattern remembers each of them to step back. */
const longestRun = 65_536;
const oneUnitRun = new RegExp(`${oneUnitEach.source.slice(1, -2)}{1,${longestRun}}`, 'uy');
/** Longer strings are segmented each time: callers cache what they make of them. */
const longestCached = 1024;

let recent = new Map<string, readonly string[]>();
let older = new Map<string, readonly string[]>();

export { isOneUnitEach } from '../text/one-unit.ts';

/** The clusters of a text, in order; the text itself where each unit is one. Nothing is normalised: they join to the text again. */
export function graphemes(text: string): Clusters {
  if (isOneUnitEach(text)) return text;
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

/** Units handed to the segmenter at once. Every segment it returns carries a copy of its whole input: 100 kB at once is 20 GB. */
const windowLength = 64;
/** A cluster longer than this (a pile of marks) is cut. */
const longestCluster = 4096;

function segment(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const clusters: string[] = [];
  let at = 0;
  let length = windowLength;
  while (at < text.length) {
    oneUnitRun.lastIndex = at;
    const end = oneUnitRun.test(text) ? oneUnitRun.lastIndex : at;
    // The last unit of a run may be joined by what follows.
    const sure = end === text.length ? end : end - 1;
    for (; at < sure; at++) clusters.push(text[at] as string);
    if (at >= text.length) break;
    const isLast = at + length >= text.length;
    const parts = Array.from(segmenter.segment(text.slice(at, at + length)), (part) => part.segment);
    // The last of a window may go on behind it: it begins the next.
    if (!isLast && parts.length > 1) parts.pop();
    else if (!isLast && length < longestCluster) {
      length *= 2;
      continue;
    }
    for (const part of parts) {
      clusters.push(part);
      at += part.length;
    }
    length = windowLength;
  }
  return clusters;
}
