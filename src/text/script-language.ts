/** Letters looked at: enough to tell, and a long log costs no more than a question. */
const looksAt = 4000;

/** Scripts that one language is written in, the rarer sign first: Japanese has Han letters as well, Chinese no kana. */
const scripts: readonly (readonly [language: string, letters: RegExp])[] = [
  ['ko', /\p{Script=Hangul}/gu],
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['el', /\p{Script=Greek}/gu],
];

/**
 * The language (BCP 47) of a text whose script decides it; undefined where it doesn't, as for everything in Latin or Arabic letters. A
 * text with some words of English stays what it is; an English one that quotes a single word isn't taken for that word's language.
 */
export function scriptLanguage(text: string): string | undefined {
  const head = text.slice(0, looksAt);
  const letters = head.match(/\p{L}/gu)?.length ?? 0;
  for (const [language, letter] of scripts) {
    const count = head.match(letter)?.length ?? 0;
    // A Korean or Chinese word holds two letters where an English one has five.
    if (count > 0 && count * 5 >= letters) return language;
  }
  return undefined;
}
