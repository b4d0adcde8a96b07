/**
 * Cuts a message into segments that can be laid out each by itself, in one pass over its lines and while it arrives. A segment that is
 * done never changes again, so that a token costs as much as the open segment, and a message of a megabyte is laid out only where it
 * is looked at. The same text gives the same segments, however it arrived.
 */
export interface Segment {
  readonly kind: 'text' | 'code';
  /** Source of the segment; for code its lines without the fences. */
  readonly text: string;
  /** A blank row stands before it. */
  readonly hasGap: boolean;
  /** Text may still come. */
  readonly isOpen: boolean;
  /** First word after the opening fence. */
  readonly language?: string;
  /** Shared by the segments of one fence. */
  readonly fence?: Fence;
  /** Lines of the same fence before this segment. */
  readonly firstLine?: number;
}

/** One fenced block; filled when it closes. */
export interface Fence {
  /** The whole code, once complete. */
  code?: string;
}

interface OpenFence {
  readonly marker: string;
  readonly language: string;
  readonly fence: Fence;
  /** Lines in segments already done. */
  readonly linesDone: number;
  readonly codeDone: string;
}

export interface Source {
  readonly done: readonly Segment[];
  /** Whole lines of the open segment, each with its newline. */
  readonly pending: string;
  readonly pendingLines: number;
  /** The line that has no end yet. */
  readonly partial: string;
  readonly fence: OpenFence | undefined;
  readonly hasGap: boolean;
  readonly endsBlank: boolean;
}

export const emptySource: Source = {
  done: [],
  pending: '',
  pendingLines: 0,
  partial: '',
  fence: undefined,
  hasGap: false,
  endsBlank: false,
};

/** A segment is closed at the first blank line after this many units … */
const enough = 1000;
/** … or anywhere between two lines after this many (a table keeps its head longer). */
const tooMuch = 8000;
const tooMuchTable = 65_536;
const codeLines = 64;

const fenceStart = /^(`{3,}|~{3,})[ \t]*([^\s`{]*)[^`]*$/;

type Working = { -readonly [Key in keyof Source]: Source[Key] } & { done: Segment[] };

function flushText(work: Working): void {
  if (work.pending.trim() !== '') {
    work.done.push({ kind: 'text', text: work.pending, hasGap: work.hasGap && work.done.length > 0, isOpen: false });
  }
  work.pending = '';
  work.pendingLines = 0;
}

function codeSegment(work: Pick<Source, 'pending' | 'hasGap' | 'done'>, open: OpenFence, text: string, isOpen: boolean): Segment {
  return {
    kind: 'code',
    text: text.endsWith('\n') ? text.slice(0, -1) : text,
    hasGap: open.linesDone === 0 && work.done.length > 0,
    isOpen,
    language: open.language,
    fence: open.fence,
    firstLine: open.linesDone,
  };
}

function flushCode(work: Working, open: OpenFence): void {
  if (work.pendingLines > 0 || open.linesDone === 0) work.done.push(codeSegment(work, open, work.pending, false));
  work.fence = { ...open, linesDone: open.linesDone + work.pendingLines, codeDone: open.codeDone + work.pending };
  work.pending = '';
  work.pendingLines = 0;
}

/** The first letter decides for nearly every line; 500 KB of them are cut while somebody scrolls. */
const isWhite = (unit: number): boolean => unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0 || unit === 0x3000;
const isBlankLine = (line: string): boolean => line === '' || (isWhite(line.charCodeAt(0)) && line.trim() === '');

const closesFence = (line: string, marker: string): boolean => {
  const first = line.charCodeAt(0);
  if (first !== 0x20 && first !== marker.charCodeAt(0)) return false;
  const trimmed = line.trim();
  return trimmed.length >= marker.length && trimmed === (marker[0] ?? '`').repeat(trimmed.length);
};

function takeLine(work: Working, line: string): void {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (work.fence !== undefined) {
    const open = work.fence;
    if (closesFence(bare, open.marker)) {
      flushCode(work, open);
      const code = work.fence.codeDone;
      open.fence.code = code.endsWith('\n') ? code.slice(0, -1) : code;
      work.fence = undefined;
      work.hasGap = true;
      work.endsBlank = false;
      return;
    }
    work.pending += `${bare}\n`;
    work.pendingLines++;
    if (work.pendingLines >= codeLines) flushCode(work, open);
    return;
  }
  const start = bare.charCodeAt(0) === 0x60 || bare.charCodeAt(0) === 0x7e ? fenceStart.exec(bare) : null;
  if (start !== null) {
    flushText(work);
    work.fence = { marker: start[1] ?? '```', language: start[2] ?? '', fence: {}, linesDone: 0, codeDone: '' };
    return;
  }
  const isBlank = isBlankLine(bare);
  if (!isBlank && work.pendingLines > 0 && !isWhite(bare.charCodeAt(0))) {
    const isTable = bare.startsWith('|') && !work.endsBlank;
    if ((work.endsBlank && work.pending.length >= enough) || work.pending.length >= (isTable ? tooMuchTable : tooMuch)) {
      const hasGap = work.endsBlank;
      flushText(work);
      work.hasGap = hasGap;
    }
  }
  work.pending += `${line}\n`;
  work.pendingLines++;
  work.endsBlank = isBlank;
}

/** Text that arrived. Costs as much as the text and the lines it completes. */
export function appendSource(source: Source, delta: string): Source {
  if (!delta.includes('\n')) return { ...source, partial: source.partial + delta };
  const work: Working = { ...source, done: [...source.done] };
  const text = source.partial + delta;
  let from = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
    takeLine(work, text.slice(from, end));
    from = end + 1;
  }
  work.partial = text.slice(from);
  return work;
}

/** Line beginnings whose meaning the next letters decide: shown once it is clear, so that nothing flickers. */
const unclearLine = /^ {0,3}(?:[-=*_+#>~|:]+|`+|\d{1,9}[.)]?|[-*+] ?\[[ xX]?)[ \t]*$/;
const openingFence = /^(?:`{3,}|~{3,})[^`]*$/;

/** What of the open segment is shown while more may come: unclear beginnings are held back, open emphasis is closed. */
function stableText(pending: string, partial: string): string {
  let shown = pending;
  if (!unclearLine.test(partial) && !openingFence.test(partial)) shown += partial;
  const lines = shown.split('\n');
  const lastBlank = lines.findLastIndex((line, index) => line.trim() === '' && index < lines.length - 1);
  const block = lines.slice(lastBlank + 1).filter((line, index, all) => line !== '' || index < all.length - 1);
  if (block[0]?.trimStart().startsWith('|') === true) {
    // A table shows from its delimiter row on, and each row when it is whole.
    const hasDelimiter = /^[\s|:-]+$/.test(block[1] ?? '') && pending.includes(block[1] ?? '\0');
    const isDone =
      hasDelimiter || (block.length > 2 && !hasDelimiter) || (block.length === 2 && pending.trimEnd().endsWith(block[1] ?? '\0'));
    if (!isDone) return lines.slice(0, lastBlank + 1).join('\n');
    return hasDelimiter && partial.trimStart().startsWith('|') ? pending : shown;
  }
  return closeInline(shown, lastBlank === -1 ? 0 : lines.slice(0, lastBlank + 1).join('\n').length);
}

const isOdd = (count: number): boolean => count % 2 === 1;

/** Closes what is open at the end of a block that is still being written, so that a word is bold from its first letter on. */
function closeInline(text: string, from: number): string {
  const block = text.slice(from);
  if (block.length > tooMuch || !/[*`[~]/.test(block)) return text;
  let shown = block
    // A link whose address has not arrived yet is its text.
    .replace(/!?\[([^[\]\n]*)\]\([^()\s]*$/, '$1')
    .replace(/!?\[([^[\]\n]*)$/, '$1')
    // Signs at the very end open something that has no text yet, or close what is closed below.
    .replace(/[*`~]+$/, '');
  const ticks = shown.match(/`+/g) ?? [];
  if (isOdd(ticks.length)) shown += ticks.at(-1) ?? '';
  const outside = shown.replace(/(`+)[^`]*\1/g, '').replace(/^[ \t]*[*][ \t]/gm, '');
  const closers = [
    isOdd(outside.replaceAll('**', '').match(/\*(?!\s)|(?<!\s)\*/g)?.length ?? 0) ? '*' : '',
    isOdd(outside.match(/\*\*/g)?.length ?? 0) ? '**' : '',
    isOdd(outside.match(/~~/g)?.length ?? 0) ? '~~' : '',
  ].join('');
  return text.slice(0, from) + (closers === '' ? shown : shown.trimEnd() + closers);
}

/** The segments as they are shown now. With `isOpen` the last one may still change. */
export function sourceSegments(source: Source, isOpen: boolean): readonly Segment[] {
  const { done, pending, partial, fence } = source;
  if (fence !== undefined) {
    // A closing fence that is being written is no code.
    const isClosing = partial !== '' && closesFence(partial, isOpen ? (fence.marker[0] ?? '`') : fence.marker);
    const text = pending + (isClosing ? '' : partial);
    if (!isOpen) {
      const code = fence.codeDone + text;
      fence.fence.code = code.endsWith('\n') ? code.slice(0, -1) : code;
    }
    return text === '' && fence.linesDone > 0 ? done : [...done, codeSegment(source, fence, text, isOpen)];
  }
  if (!isOpen && openingFence.test(partial)) {
    const before =
      pending.trim() === '' ? done : [...done, { kind: 'text' as const, text: pending, hasGap: source.hasGap && done.length > 0, isOpen }];
    return [...before, { kind: 'code', text: '', hasGap: before.length > 0, isOpen }];
  }
  const text = isOpen ? stableText(pending, partial) : pending + partial;
  if (text.trim() === '') return done;
  // The partial line may be the first of a new segment.
  const head = source.endsBlank && pending.length >= enough && partial !== '' && !/^\s/.test(partial) && text.length > pending.length;
  if (!head) return [...done, { kind: 'text', text, hasGap: source.hasGap && done.length > 0, isOpen }];
  const closed: Segment = { kind: 'text', text: pending, hasGap: source.hasGap && done.length > 0, isOpen: false };
  return [...done, closed, { kind: 'text', text: text.slice(pending.length), hasGap: true, isOpen }];
}
