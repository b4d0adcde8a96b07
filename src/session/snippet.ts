import type { Snippet } from './found.ts';
import type { Range } from './match-text.ts';

/** Words shown of a text, as Hermes Agent shows them (state-db.md 10), and what one counts at most, so that texts without blanks are short too. */
const words = 40;
const longestWord = 4;
const wordsBefore = 10;
/** UTF-16 units looked at for a cut. */
const reach = 64;

/**
 * The piece of a text that shows most matches around the first of them, on one line: runs of white space become one blank. Cut at the edges of
 * characters as a reader sees them.
 *
 * @param ranges in order, as `findRanges` finds them; none: the beginning is shown
 */
export function cutSnippet(text: string, ranges: readonly Range[]): Snippet {
  const first = ranges[0]?.start ?? 0;
  const from = edgeBefore(text, backBy(text, first, wordsBefore));
  const to = edgeBefore(text, onBy(text, Math.max(from, first), words - wordsBefore), ranges[0]?.end);
  let line = '';
  const at: number[] = [];
  for (let index = from; index < to; index++) {
    at.push(line.length);
    const unit = text[index]!;
    if (!/\s/u.test(unit)) line += unit;
    else if (line !== '' && !line.endsWith(' ')) line += ' ';
  }
  at.push(line.length);
  const trimmed = line.trimEnd();
  const place = (index: number): number => Math.min(at[Math.max(0, index - from)] ?? trimmed.length, trimmed.length);
  return {
    text: trimmed,
    ranges: ranges
      .filter((range) => range.start < to && range.end > from)
      .map((range) => ({ start: place(range.start), end: place(Math.min(range.end, to)) })),
    isCutBefore: /\S/u.test(text.slice(Math.max(0, from - 2000), from)),
    isCutAfter: /\S/u.test(text.slice(to, to + 2000)),
  };
}

/** A word is what stands between blanks; a longer one counts as several. */
const unitsOf = longestWord * 2;

function backBy(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at > 0; left--) {
    const limit = Math.max(0, at - unitsOf);
    while (at > limit && /\s/u.test(text[at - 1]!)) at--;
    while (at > limit && !/\s/u.test(text[at - 1]!)) at--;
  }
  return at;
}

function onBy(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left--) {
    const limit = Math.min(text.length, at + unitsOf);
    while (at < limit && /\s/u.test(text[at]!)) at++;
    while (at < limit && !/\s/u.test(text[at]!)) at++;
  }
  return at;
}

let segmenter: Intl.Segmenter | undefined;

/** The edge of the character at `index`, not behind it; made 5 ms after it is first needed. @param least not before there */
function edgeBefore(text: string, index: number, least = 0): number {
  if (index <= 0 || index >= text.length) return Math.max(0, Math.min(index, text.length));
  const start = Math.max(0, index - reach);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  const found = segmenter.segment(text.slice(start, index + reach)).containing(index - start);
  const edge = found === undefined ? index : start + found.index;
  return edge > start && edge >= least ? edge : index;
}
