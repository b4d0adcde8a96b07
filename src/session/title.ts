import type { TitleSource } from './types.ts';

/** Code points a title may have (state-db.md 2.7). */
export const maxTitleLength = 100;

const loneSurrogates = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
// Control characters except tab, line feed and carriage return, which count as white space below (state-db.md 2.7).
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const invisibles = /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffc\ufff9-\ufffb]/g;
const whiteSpace = /\s+/gu;

/** The title as it is stored; undefined when nothing of it is left (state-db.md 2.7). Its length is not checked here. */
export function sanitizeTitle(text: string): string | undefined {
  const title = text.replace(loneSurrogates, '').replace(controls, '').replace(invisibles, '').replace(whiteSpace, ' ').trim();
  return title === '' ? undefined : title;
}

/** Length in code points, as the limit counts. */
export function titleLength(title: string): number {
  let length = 0;
  for (const _ of title) length++;
  return length;
}

/** The hidden row of this very title belongs to another program; it keeps its name and is looked up by it alone (state-db.md 2.7). */
export const reservedTitle = 'Bot Chat';

/** `Build cache bug #2` → base and number; a title without a number is its own base. */
export function splitTitle(title: string): { base: string; number?: number } {
  const match = /^(.*?) #(\d+)$/su.exec(title);
  if (match?.[1] === undefined || match[2] === undefined) return { base: title };
  return { base: match[1], number: Number(match[2]) };
}

/**
 * The next free title of a lineage (state-db.md 2.7): the base itself when nothing carries it, else base and the next number. `taken` are
 * the stored titles equal to the base or of the form `base #…`; the base is cut so that the result keeps the limit.
 */
export function nextLineageTitle(title: string, taken: readonly string[]): string {
  const { base } = splitTitle(title);
  if (taken.length === 0) return base;
  let highest = 1;
  for (const other of taken) {
    const split = splitTitle(other);
    if (split.number !== undefined) highest = Math.max(highest, split.number);
  }
  const suffix = ` #${highest + 1}`;
  const room = maxTitleLength - suffix.length;
  const letters = Array.from(base);
  return (letters.length <= room ? base : letters.slice(0, room).join('').trimEnd()) + suffix;
}

/** Who may overwrite whom: an automatic title lands only on a strictly lower rank (state-db.md 2.7). Unknown sources rank lowest. */
function titleRank(source: TitleSource | undefined): number {
  if (source === undefined || source === 'user') return 3;
  if (source === 'llm') return 2;
  return source === 'derived' ? 1 : 0;
}

/** Whether `source` may title a row that has this title now. A person's title always lands. */
export function mayRetitle(current: { title?: string; titleSource?: TitleSource }, source: TitleSource): boolean {
  if (source === 'user' || current.title === undefined) return true;
  return titleRank(source) > titleRank(current.titleSource);
}

/** Openers a program wrote, and texts that are nothing but an attachment or a control word, get no title (state-db.md 13). */
const machineOpener =
  /^\s*\[(?:system note:|runtime note:|system\]|context compaction|context summary\]|prior context|model switched|model_switch)/i;
const attachmentOnly = /^(?:\s*\[(?:image|file|audio|video|document|pasted)\b[^\]]*\]\s*)+$/i;
const wrapperOnly = /^(?:\s*<([a-z][\w-]*)>[\s\S]*?<\/\1>\s*)+$/i;

const derivedLimit = 48;
/** A cut falls on a space only behind this many characters; earlier, too little would be left. */
const earliestSpace = 24;

/**
 * The title set at once from the opening message (state-db.md 13, stage 1): its first line with words in it, at most 48 characters, cut at
 * a word and marked with `…`. Undefined when the opener should not name a session.
 */
export function deriveTitle(opener: string): string | undefined {
  if (machineOpener.test(opener) || attachmentOnly.test(opener) || wrapperOnly.test(opener)) return undefined;
  // A paste of a million lines needs only its beginning looked at.
  const head = opener.slice(0, 4096);
  const line = head
    .split(/\r\n|\r|\n/)
    .map((text) => sanitizeTitle(text))
    .find((text) => text !== undefined && /[\p{L}\p{N}]/u.test(text) && !/^(?:```|~~~)/.test(text) && !attachmentOnly.test(text));
  if (line === undefined) return undefined;
  const letters = Array.from(line);
  if (letters.length <= derivedLimit) return line;
  const cut = letters.slice(0, derivedLimit).join('');
  if (letters[derivedLimit] === ' ') return `${cut}…`;
  const space = cut.lastIndexOf(' ');
  const kept = space > earliestSpace ? cut.slice(0, space) : wholeCharacters(line, derivedLimit);
  return `${kept.trimEnd()}…`;
}

/** As many whole visible characters as fit into `limit` code points: a family or a flag is never cut in two. */
function wholeCharacters(text: string, limit: number): string {
  let kept = '';
  let length = 0;
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    length += titleLength(segment);
    if (length > limit) break;
    kept += segment;
  }
  return kept === '' ? Array.from(text).slice(0, limit).join('') : kept;
}
