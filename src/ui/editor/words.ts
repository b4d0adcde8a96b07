import { clusterEnd, clusterStart, isChipUnit } from './clusters.ts';

/** What a word is made of: letters and digits; ideographs and the two kana are words of their own, since no spaces part them. */
type Kind = 'space' | 'sign' | 'letter' | 'han' | 'hiragana' | 'katakana' | 'chip';

function kindAt(text: string, at: number): Kind {
  if (isChipUnit(text, at)) return 'chip';
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  if (/^\s$/u.test(char)) return 'space';
  if (/^[A-Za-z0-9_]$/u.test(char)) return 'letter';
  if (/^\p{sc=Han}$/u.test(char)) return 'han';
  if (/^[\p{sc=Hiragana}]$/u.test(char)) return 'hiragana';
  if (/^[\p{sc=Katakana}\u30fc]$/u.test(char)) return 'katakana';
  return /^[\p{L}\p{N}\p{M}]$/u.test(char) ? 'letter' : 'sign';
}

const isGap = (kind: Kind): boolean => kind === 'space' || kind === 'sign';

/** readline's forward-word: over what is no word, then to the end of the word. */
export function wordEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isGap(kindAt(text, at))) at = clusterEnd(text, at);
  if (at >= text.length) return at;
  const kind = kindAt(text, at);
  at = clusterEnd(text, at);
  while (kind !== 'chip' && at < text.length && kindAt(text, at) === kind) at = clusterEnd(text, at);
  return at;
}

/** readline's backward-word: back over what is no word, then to the start of the word. */
export function wordStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && isGap(kindAt(text, clusterStart(text, at)))) at = clusterStart(text, at);
  if (at === 0) return 0;
  at = clusterStart(text, at);
  const kind = kindAt(text, at);
  while (kind !== 'chip' && at > 0 && kindAt(text, clusterStart(text, at)) === kind) at = clusterStart(text, at);
  return at;
}
