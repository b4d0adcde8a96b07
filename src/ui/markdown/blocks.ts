import type { Span, Style } from '../frame.ts';
import { span } from '../frame.ts';
import { addStyle, padLine } from '../compose.ts';
import { expandTabs, stringWidth } from '../../terminal/width.ts';
import { inlineSpans } from './inline.ts';
import type { Token, Tokens } from './lexer.ts';
import { blankRow, chopSpans, prefixRows, wrapSpans } from './row.ts';
import type { Row } from './row.ts';
import { tableRows } from './table.ts';
import { withoutLastBreaks } from '../../text/line-ends.ts';

export interface RenderOptions {
  readonly width: number;
  readonly horizontal: string;
  readonly vertical: string;
}

/** Code lines on their own ground, filled to the full width; long lines are cut where the row ends. */
export function codeRows(lines: readonly (readonly Span[])[], width: number): Row[] {
  const inner = Math.max(2, width - 2);
  const rows: Row[] = [];
  for (const line of lines) {
    for (const row of chopSpans(line, inner)) {
      rows.push({ ...row, skip: 1, line: padLine([span(' ', 'on-code'), ...addStyle(row.line, 'on-code')], width, 'on-code') });
    }
  }
  return rows;
}

export const plainCode = (text: string): Span[][] => text.split('\n').map((line) => (line === '' ? [] : [span(expandTabs(line), 'text')]));

/** Where nesting leaves no more room than this, marks and indents are left out and the text stays. */
const narrowest = 10;
const headingStyles: readonly Style[] = ['bold underline', 'bold', 'bold', 'bold soft', 'bold soft', 'bold soft'];

/** Block tokens as rows, a blank row between them. */
export function blockRows(tokens: readonly Token[], options: RenderOptions, style?: Style): Row[] {
  const rows: Row[] = [];
  for (const token of tokens) {
    const block = oneBlock(token, options, style);
    if (block === undefined || block.length === 0) continue;
    if (rows.length > 0) rows.push(blankRow);
    rows.push(...block);
  }
  return rows;
}

function oneBlock(token: Token, options: RenderOptions, style: Style | undefined): Row[] | undefined {
  const { width } = options;
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined;
    case 'heading':
      return wrapSpans(inlineSpans(token.tokens ?? [], headingStyles[Number(token['depth']) - 1] ?? 'bold'), width);
    case 'code':
      return codeRows(plainCode(String(token['text'])), width);
    case 'blockquote': {
      if (width < narrowest) return blockRows(token.tokens ?? [], options, 'soft');
      const inner = blockRows(token.tokens ?? [], { ...options, width: width - 2 }, 'soft');
      const bar = span(`${options.vertical} `, 'faint');
      return prefixRows(inner, bar, bar, 'chrome');
    }
    case 'list':
      return listRows(token as Tokens.List, options, style);
    case 'table':
      return tableRows(token as Tokens.Table, width, options.horizontal);
    case 'hr':
      return [{ line: [span(options.horizontal.repeat(width), 'rule')], skip: 0, isChrome: true }];
    case 'html':
      return wrapSpans([span(expandTabs(withoutLastBreaks(token.raw)), style)], width);
    default: {
      const inline = 'tokens' in token && token.tokens !== undefined ? inlineSpans(token.tokens, style) : inlineSpans([token], style);
      return inline.length === 0 ? undefined : wrapSpans(inline, width);
    }
  }
}

function listRows(list: Tokens.List, options: RenderOptions, style: Style | undefined): Row[] {
  const rows: Row[] = [];
  const start = Number(list.start) || 0;
  const widest = list.ordered ? stringWidth(`${start + list.items.length - 1}. `) : 2;
  list.items.forEach((item, index) => {
    const mark = list.ordered ? `${start + index}. `.padStart(widest) : '- ';
    const isTooDeep = options.width < narrowest;
    const inner = { ...options, width: isTooDeep ? options.width : options.width - widest };
    // In a tight list the text of an item and the list below it stand together.
    const content: Row[] = [];
    let inline: Token[] = [];
    const flush = () => {
      if (inline.length > 0) content.push(...wrapSpans(inlineSpans(inline, style), inner.width));
      inline = [];
    };
    for (const token of item.tokens) {
      if (token.type === 'checkbox') inline.push(token);
      else if (token.type === 'text' || token.type === 'paragraph') {
        inline.push(...('tokens' in token && token.tokens !== undefined ? token.tokens : [token]));
        if (content.length > 0 && item.loose) content.push(blankRow);
        flush();
      } else {
        flush();
        const block = oneBlock(token, inner, style);
        if (block === undefined) continue;
        if (content.length > 0 && (item.loose || token.type === 'code')) content.push(blankRow);
        content.push(...block);
      }
    }
    flush();
    if (rows.length > 0 && list.loose) rows.push(blankRow);
    if (isTooDeep) rows.push(...content);
    else rows.push(...prefixRows(content.length === 0 ? [blankRow] : content, span(mark, 'faint'), span(' '.repeat(widest)), 'content'));
  });
  return rows;
}
