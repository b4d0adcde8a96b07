/** Text that screens get wrong, and a small seeded random source so that a failing run can be repeated. */
export const widePieces: readonly string[] = [
  ...['plain text', 'refactoring auth ', ' ', '    ', '/src/auth.ts:42', '…', '│', '─', '●', '★'],
  ...[
    '가나다라마바사',
    '한글과 English',
    '결제 모듈',
    '明日の会議の準備',
    'ｆｕｌｌ幅',
    'ｶﾅ',
    '토큰이 만료된다'.normalize('NFD'),
    'か\u3099か\u3099',
  ],
  ...['😀', '✅', '👍🏽', '👨‍👩‍👧‍👦', '👩🏽‍💻', '🇰🇷🇯🇵', '❤️', '⚠️', '1️⃣', '🫨', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}', '☎︎'],
  ...['สวัสดีที่กำ', 'नमस्ते', 'مرحبا', 'می\u200cخواهم', 'e\u0301a\u0308', 'a\u0316\u0316\u0316', '\u0301', '\u1112\u1161\u11f0'],
  ...['\x1b[31m', '\t', '\x07', '\u202e', '\u200b', 'co\u00adop', '\r\n', '\u2028', '𠮷', '\ufffd', '\u{1f3fb}', '\u200d'],
];

/** Mulberry32: the same numbers for the same seed, everywhere. */
export function seededRandom(seed: number): { below(limit: number): number; pick<T>(from: readonly T[]): T } {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, pick: (from) => from[below(from.length)] as (typeof from)[number] };
}
