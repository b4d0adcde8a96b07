import { ambiguousWidth } from '../../terminal/width.ts';
import type { Glyphs } from '../screen.ts';
import { transcriptText } from '../../text/en/transcript.ts';
import { blockRows, codeRows, plainCode } from './blocks.ts';
import { highlightState, highlightedLines } from './highlight.ts';
import { isMarkdownLoaded, lexMarkdown } from './lexer.ts';
import { limitLines, longLine, longestLine, plainRows } from './row.ts';
import type { Row } from './row.ts';
import type { Segment } from './source.ts';
import { withoutLastBreaks } from '../../text/line-ends.ts';

export interface SegmentOptions {
  readonly width: number;
  readonly glyphs: Glyphs;
  /** Long lines in full. */
  readonly isExpanded?: boolean;
}

interface Cached {
  readonly key: string;
  readonly rows: readonly Row[];
}

const cache = new WeakMap<Segment, Cached>();

/**
 * Rows of one segment at a width, without the blank row before it. Cached per segment; text that can't be lexed shows as it is.
 * Plain text until the lexer is loaded.
 */
export function segmentRows(segment: Segment, options: SegmentOptions): readonly Row[] {
  const isLexed = isMarkdownLoaded();
  const key = `${options.width} ${options.glyphs.horizontal} ${ambiguousWidth()} ${String(isLexed)} ${highlightState(segment.fence)} ${String(options.isExpanded === true)}`;
  const known = cache.get(segment);
  if (known?.key === key) return known.rows;
  const rows = layOut(segment, options);
  cache.set(segment, { key, rows });
  return rows;
}

function layOut(segment: Segment, options: SegmentOptions): readonly Row[] {
  const { width, glyphs } = options;
  const most = options.isExpanded === true ? longestLine : longLine;
  const text = limitLines(segment.text, most, (count) => transcriptText.moreCharacters(count));
  if (segment.kind === 'code') {
    const from = segment.firstLine ?? 0;
    const lines = plainCode(text);
    const coloured =
      segment.fence === undefined || text !== segment.text ? undefined : highlightedLines(segment.fence, segment.language ?? '');
    return codeRows(coloured === undefined ? lines : coloured.slice(from, from + lines.length), width);
  }
  try {
    const tokens = lexMarkdown(text);
    if (tokens !== undefined) return blockRows(tokens, { width, horizontal: glyphs.horizontal, vertical: glyphs.vertical });
  } catch (error) {
    // Thousands of nested quotes or brackets overflow the lexer's stack; such text is shown as it came.
    if (!(error instanceof RangeError) && !(error instanceof Error && error.message.includes('marked'))) throw error;
  }
  return plainRows(withoutLastBreaks(text), width);
}
