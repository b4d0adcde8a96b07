/**
 * How texts are compared, everywhere: NFC, then lower case letter by letter as Unicode has it, then NFC again (`J̌` has no letter of its own,
 * `ǰ` has). A final sigma is a sigma. `ß` is itself and `ẞ`, not `ss`; `İ` is `i̇` with its dot, not `i`; letters with and without an accent
 * are different ones.
 */
export function foldText(text: string): string {
  const lower = text.normalize('NFC').toLowerCase();
  return special.test(lower) ? lower.replaceAll('ς', 'σ').normalize('NFC') : lower;
}

/** A sigma at the end of a word, or a mark that could join what stands before it. */
const special = /ς|[\u0300-\u036f]|[\u1dc0-\u1dff]/;

export interface Folded {
  readonly text: string;
  /** The piece of the original that `[start, end)` of the folded text comes from: letters with all of their marks. UTF-16 offsets. */
  origin(start: number, end: number): readonly [start: number, end: number];
}

/** The folded text, with the way back to the original. */
export function foldWithOrigin(text: string): Folded {
  const folded = foldText(text);
  // Nothing was composed or taken apart: every unit stands where it stood.
  if (folded.length === text.length && !text.includes('İ') && text.normalize('NFC') === text) {
    return { text: folded, origin: (start, end) => [start, end] };
  }
  const starts: number[] = [];
  const ends: number[] = [];
  let joined = '';
  for (const { 0: cluster, index } of text.matchAll(clusters)) {
    const piece = foldText(cluster);
    for (let unit = 0; unit < piece.length; unit++) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
    joined += piece;
  }
  const origin = (start: number, end: number): readonly [number, number] => {
    const from = starts[start] ?? text.length;
    return [from, end > start ? (ends[end - 1] ?? text.length) : from];
  };
  return { text: joined, origin };
}

/** A character with what NFC may join to it: marks, and the vowels and finals of Hangul. */
const clusters = /[^][\p{M}\u1160-\u11ff]*/gu;
