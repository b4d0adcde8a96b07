/** Whether a pattern is somewhere in a text, mistakes allowed. Both come folded (NFC, lower case). */
export type FuzzyMatch = (word: string, text: string) => boolean;

/**
 * Loads fuse.js, which costs more than a frame: asked for by an effect after the first filtered frame, never before. It is the sieve;
 * `fuzzyDistance` ranks what it lets through, since fuse.js counts two swapped letters as two mistakes and so ranks `again` beside
 * `login` for `lgoin`.
 */
export async function loadFuzzyMatch(): Promise<FuzzyMatch> {
  const { default: Fuse } = await import('fuse.js');
  const options = { threshold: 0.4, ignoreLocation: true };
  return (word, text) => Fuse.match(word, text, options).isMatch;
}

/** Mistakes allowed in a word: none up to three letters, then one in three. */
export function allowedMistakes(word: string): number {
  return word.length < 4 ? 0 : Math.max(1, Math.floor(word.length / 3));
}

/**
 * Fewest edits (insert, drop, change, swap of neighbours) that turn the word into some stretch of the text; a stretch that begins a word
 * is half an edit better than one inside a word, so that contiguous beginnings come first. O(word × text), both short.
 */
export function fuzzyDistance(word: string, text: string): number {
  const rows = word.length;
  let beforePrevious: number[] = [];
  // Column 0 of each text position is free: the stretch may begin anywhere. A beginning inside a word costs half an edit.
  let previous: number[] = [];
  for (let row = 0; row <= rows; row++) previous.push(row);
  let best = previous[rows]!;
  for (let column = 1; column <= text.length; column++) {
    const current: number[] = [isWordStart(text, column) ? 0 : 0.5];
    for (let row = 1; row <= rows; row++) {
      const isSame = word[row - 1] === text[column - 1];
      let cost = Math.min(previous[row - 1]! + (isSame ? 0 : 1), previous[row]! + 1, current[row - 1]! + 1);
      if (row > 1 && column > 1 && word[row - 1] === text[column - 2] && word[row - 2] === text[column - 1]) {
        cost = Math.min(cost, beforePrevious[row - 2]! + 1);
      }
      current.push(cost);
    }
    best = Math.min(best, current[rows]!);
    beforePrevious = previous;
    previous = current;
  }
  return best;
}

const separator = /[\s\-_/.,:;()[\]{}#"']/;

/** Position `column` (counted from 0) of the text begins a word. */
function isWordStart(text: string, column: number): boolean {
  return column === 0 || column >= text.length || separator.test(text[column - 1]!);
}
