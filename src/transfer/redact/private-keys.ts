import { findingAt, type Finding } from './finding.ts';

const marker = /-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?(?: ?-{4,5})?/g;
/** An RSA key of 16,384 bits takes 12.7 KB. */
const longestKey = 32_768;
/** One line of a key: quoted, indented, numbered or marked as changed as tools print it, then base64 or a header. */
const line = /^[\s>|+\d:.#*"',-]{0,24}(?:[A-Za-z0-9+/=]{1,}|[A-Z][A-Za-z-]+: [^\n\\]{1,80})[\s"',\\]{0,8}$/;
const firstLine = /^[\s>|+\d:.#*"',-]{0,24}[A-Za-z0-9+/=]{16,}[\s"',\\]{0,8}$/;
const lineBreak = /\r?\n|\\+r\\+n|\\+n/g;

/**
 * Private key blocks, whole and cut: from BEGIN to END, from BEGIN on as long as lines look like a key, and up to an END whose beginning is
 * missing. Line breaks may be written out (`\n` in JSON and in variables).
 */
export function findPrivateKeys(text: string): Finding[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const found: Finding[] = [];
  const marks = [...text.matchAll(marker)].map((match) => ({ kind: match[1], start: match.index, end: match.index + match[0].length }));
  for (const [index, mark] of marks.entries()) {
    const next = marks[index + 1];
    const previous = marks[index - 1];
    if (mark.kind === 'BEGIN') {
      const isWhole = next !== undefined && next.kind === 'END' && next.start - mark.end <= longestKey;
      const end = isWhole ? next.end : extendDown(text, mark.end, next?.start ?? text.length);
      if (isWhole ? hasKey(text.slice(mark.end, next.start)) : end > mark.end) found.push(findingAt(text, 'private-key', mark.start, end));
    } else if (previous?.kind !== 'BEGIN' || mark.start - previous.end > longestKey) {
      const start = extendUp(text, mark.start, previous?.end ?? 0);
      if (start < mark.start) found.push(findingAt(text, 'private-key', start, mark.end));
    }
  }
  return found;
}

/** `-----BEGIN PRIVATE KEY-----` and its end quoted in a sentence hold no key. */
function hasKey(between: string): boolean {
  return /[A-Za-z0-9+/=]{16}/.test(between) || /^\s*[A-Za-z0-9+/=]{4,}\s*$/.test(between);
}

function extendDown(text: string, from: number, limit: number): number {
  const stop = Math.min(limit, from + longestKey);
  const piece = text.slice(from, stop);
  let end = 0;
  let isFirst = true;
  let at = 0;
  const breaks = [...piece.matchAll(lineBreak)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  for (const next of [...breaks, { start: piece.length, end: piece.length }]) {
    const content = piece.slice(at, next.start);
    at = next.end;
    if (content.trim() === '') continue;
    const isKeyLine = isFirst ? firstLine.test(content) || (line.test(content) && content.includes(': ')) : line.test(content);
    if (!isKeyLine) {
      // The last line may be cut in front of a quote or a remark of whoever cut it.
      const run = /^[\s>|+\d:]{0,12}[A-Za-z0-9+/=]{16,}/.exec(content);
      if (run !== null) end = at - (next.end - next.start) - content.length + run[0].length;
      break;
    }
    isFirst = false;
    end = next.start;
  }
  return from + end;
}

function extendUp(text: string, to: number, limit: number): number {
  const from = Math.max(limit, to - longestKey);
  const piece = text.slice(from, to);
  const breaks = [...piece.matchAll(lineBreak)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
  let start = piece.length;
  let bottom = piece.length;
  for (const before of [...breaks.reverse(), { start: 0, end: 0 }]) {
    const content = piece.slice(before.end, bottom);
    bottom = before.start;
    if (content.trim() === '') continue;
    if (!line.test(content)) {
      const run = /[A-Za-z0-9+/=]{16,}[\s"',\\]{0,8}$/.exec(content);
      if (run !== null) start = before.end + run.index;
      break;
    }
    start = before.end;
  }
  return from + start;
}
