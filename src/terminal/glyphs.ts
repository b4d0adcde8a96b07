import { codePointWidth, isWideByChoice, onWidthsChanged } from './code-point.ts';

/**
 * What is sent to the terminal for a piece of text. Text from the store, a model or a tool is data: whatever a terminal would obey, or
 * nobody would see, becomes a visible symbol here, and nothing else writes text to the screen.
 */
export interface Glyph {
  /** NFC, free of control and format characters (kitty draws decomposed Hangul twice as wide). */
  readonly text: string;
  /** Cells it is given: 1 or 2. */
  readonly width: number;
  /** Most cells a terminal may advance by; emoji sequences differ between terminals (a family is 2 in tmux, 8 in xterm). */
  readonly reach: number;
  /** Terminals disagree about it: after it the cursor must be placed anew. */
  readonly risky: boolean;
}

/** Marks stacked on one letter beyond this are not sent. */
const longestCluster = 16;

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const format = /\p{Cf}/u;
const separator = /[\u2028\u2029]/u;
const joiner = /[\u200c\u200d]/u;
const variation = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const tag = /[\u{e0020}-\u{e007f}]/u;
const blackFlag = 0x1f3f4;
const emojiSequence = /\p{Extended_Pictographic}|\p{Regional_Indicator}|[\ufe0f\u20e3]/u;
const regionalPair = /^\p{Regional_Indicator}{2}$/u;
const surrogate = /\p{Cs}/u;
/** Takes a cell of its own in most terminals, none where whole clusters share one. */
const spacingMark = /[\p{Mc}\u0e33\u0eb3]/u;

/** A single character whose width terminals disagree about: newer emoji, marks that take cells, ambiguous ones taken as wide. */
function isUnsure(char: string): boolean {
  const codePoint = char.codePointAt(0) as number;
  return codePoint > 0x1f000 || spacingMark.test(char) || isWideByChoice(codePoint);
}

/** The visible stand-in of a character that must not be sent, or undefined where it may. */
function symbolFor(char: string, codePoint: number): string | undefined {
  if (codePoint < 0x20) return String.fromCodePoint(0x2400 + codePoint);
  if (codePoint < 0x7f) return undefined;
  if (codePoint === 0x7f) return '␡';
  if (codePoint < 0xa0 || surrogate.test(char)) return '\ufffd';
  if (codePoint === 0xad) return '-';
  if (bidi.test(char)) return '⇄';
  if (separator.test(char)) return '␤';
  return format.test(char) ? '␣' : undefined;
}

/** Joiners, variation selectors and tags are invisible; they pass only where they have a meaning for the character before them. */
function isAtHome(char: string, base: number): boolean {
  if (tag.test(char)) return base === blackFlag;
  if (joiner.test(char)) return base > 0x7f;
  return base > 0x7f || /^[0-9#*]$/u.test(String.fromCodePoint(base));
}

const simple = (text: string, width: number): Glyph => ({ text, width, reach: width, risky: false });

function sequence(text: string): Glyph {
  const chars = [...text];
  const widths = chars.map((char) => codePointWidth(char.codePointAt(0) as number));
  const most = Math.max(...widths);
  const width = most === 2 || text.includes('\ufe0f') || regionalPair.test(text) ? 2 : Math.max(1, most);
  const sum = regionalPair.test(text) ? 2 : widths.reduce((total, each) => total + each, 0);
  return { text, width, reach: Math.max(width, sum), risky: true };
}

/** Letters with marks: one glyph for each character that takes cells, since terminals count those, not clusters (Thai กำ is 2 cells). */
function letters(text: string): Glyph[] {
  const found: Glyph[] = [];
  let part = '';
  let width = 0;
  let reach = 0;
  const finish = () => {
    if (part === '') return;
    const isSingle = part.length === 1 || (part.length === 2 && (part.codePointAt(0) as number) > 0xffff);
    found.push({ text: part, width, reach, risky: !isSingle || isUnsure(part) });
  };
  for (const char of text) {
    const codePoint = char.codePointAt(0) as number;
    const own = codePointWidth(codePoint);
    if (own > 0) {
      finish();
      part = char;
      width = reach = own;
    } else {
      // A mark with nothing under it would land on the cell before: it gets a dotted circle.
      if (part === '') {
        part = '\u25cc';
        width = reach = 1;
      }
      part += char;
      // kitty counts each jamo that NFC could not compose.
      if (codePoint >= 0x1160 && codePoint <= 0x11ff) reach += 1;
    }
  }
  finish();
  return found;
}

function split(cluster: string): readonly Glyph[] {
  const found: Glyph[] = [];
  const chars = [...cluster.normalize('NFC')].slice(0, longestCluster);
  let text = '';
  let base = 0;
  const finish = () => {
    if (text === '') return;
    const codePoint = text.codePointAt(0) as number;
    const isSingle = text.length === (codePoint > 0xffff ? 2 : 1);
    const width = codePointWidth(codePoint);
    if (isSingle && width > 0) found.push({ ...simple(text, width), risky: isUnsure(text) });
    else if (emojiSequence.test(text)) found.push(sequence(text));
    else found.push(...letters(text));
    text = '';
  };
  for (const char of chars) {
    const codePoint = char.codePointAt(0) as number;
    const isInvisible = joiner.test(char) || variation.test(char) || tag.test(char);
    const symbol = isInvisible ? (text !== '' && isAtHome(char, base) ? undefined : '␣') : symbolFor(char, codePoint);
    if (symbol === undefined) {
      if (text === '') base = codePoint;
      text += char;
    } else {
      finish();
      found.push({ ...simple(symbol, codePointWidth(symbol.codePointAt(0) as number)), risky: isUnsure(symbol) });
    }
  }
  finish();
  return found;
}

const ascii: ReadonlyArray<readonly Glyph[]> = Array.from({ length: 0x7f }, (_, code) =>
  code < 0x20 ? [] : [simple(String.fromCharCode(code), 1)],
);
let recent = new Map<string, readonly Glyph[]>();
let older = new Map<string, readonly Glyph[]>();
onWidthsChanged(() => {
  recent = new Map();
  older = new Map();
});

/** The glyphs of one grapheme cluster: one for nearly all, more where marks take cells of their own or a symbol stands in. */
export function glyphsOf(cluster: string): readonly Glyph[] {
  if (cluster.length === 1) {
    const code = cluster.charCodeAt(0);
    if (code >= 0x20 && code < 0x7f) return ascii[code] as readonly Glyph[];
  }
  let glyphs = recent.get(cluster);
  if (glyphs !== undefined) return glyphs;
  glyphs = older.get(cluster) ?? split(cluster);
  if (recent.size >= 8000) {
    older = recent;
    recent = new Map();
  }
  recent.set(cluster, glyphs);
  return glyphs;
}

/** Cells of one grapheme cluster as it is drawn. */
export function clusterWidth(cluster: string): number {
  const glyphs = glyphsOf(cluster);
  if (glyphs.length === 1) return (glyphs[0] as Glyph).width;
  let width = 0;
  for (const glyph of glyphs) width += glyph.width;
  return width;
}
