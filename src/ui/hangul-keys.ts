/** The two-set (dubeolsik) Korean layout: what a key types while the Korean input method is on. */
const plain = 'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ';
const letters = 'qwertyuiopasdfghjklzxcvbnm';
const shifted: Readonly<Record<string, string>> = { ㅃ: 'Q', ㅉ: 'W', ㄸ: 'E', ㄲ: 'R', ㅆ: 'T', ㅒ: 'O', ㅖ: 'P' };

const byJamo = new Map<string, string>([
  ...Array.from(plain, (jamo, i) => [jamo, letters[i] as string] as const),
  ...Object.entries(shifted),
]);

/** The Latin letter of the key that typed this jamo (upper-case where Shift gave it), or undefined. */
export const letterOfJamo = (jamo: string): string | undefined => byJamo.get(jamo);
