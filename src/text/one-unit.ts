/**
 * Letters, ideographs, syllables, dashes, arrows, frames, signs: none joins its neighbour, changes under NFC or needs a symbol.
 * Pictographs (`★`, `↪`, `©`) may be among them, since what could join them (marks, joiners, selectors) is not.
 */
export const oneUnitEach =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2328\u232b-\u23ff\u2500-\u27bf\u3001-\u3029\u3041-\u3096\u30a1-\u30ff\u3131-\u318e\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/u;

/** Looking for what does not fit needs no memory; `oneUnitEach` remembers every unit of a text to step back, and overflows with 9 million. */
const anotherUnit = new RegExp(`[^${oneUnitEach.source.slice(2, -3)}]`, 'u');

/** True where every UTF-16 unit of the text is one cluster and one code point. */
export const isOneUnitEach = (text: string): boolean => !anotherUnit.test(text);
