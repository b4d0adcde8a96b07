import { stringWidth } from '../../terminal/width.ts';
import type { Line, Span } from '../frame.ts';
import { span } from '../frame.ts';
import { addStyle, lineWidth, padLine } from '../compose.ts';
import { inlineSpans } from './inline.ts';
import type { Tokens } from './lexer.ts';
import { prefixRows, wrapSpans } from './row.ts';
import type { Row } from './row.ts';

const gap = 2;
const narrowest = 6;

/** Widths that fill no more than `room`: the widest columns give way first, none below six cells; undefined when even that is too much. */
function fitColumns(natural: readonly number[], room: number): number[] | undefined {
  const widths = [...natural];
  let total = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1);
  while (total > room) {
    const widest = Math.max(...widths);
    if (widest <= narrowest) return undefined;
    const second = Math.max(narrowest, ...widths.filter((each) => each < widest));
    const count = widths.filter((each) => each === widest).length;
    const by = Math.max(1, Math.min(widest - second, Math.ceil((total - room) / count)));
    for (let index = 0; index < widths.length && total > room; index++) {
      if (widths[index] !== widest) continue;
      const less = Math.min(by, total - room);
      widths[index] = widest - less;
      total -= less;
    }
  }
  return widths;
}

function align(line: Line, width: number, how: string | null): Line {
  const missing = width - lineWidth(line);
  if (missing <= 0 || how === null || how === 'left') return padLine(line, width);
  const before = how === 'right' ? missing : missing >> 1;
  return padLine([span(' '.repeat(before)), ...line], width);
}

/** A table in columns, its cells wrapped where it is too wide; where columns would be too narrow to read, each row as a list of its cells. */
export function tableRows(table: Tokens.Table, width: number, horizontal: string): Row[] {
  const head = table.header.map((cell) => addStyle(inlineSpans(cell.tokens), 'bold'));
  const body = table.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens)));
  const longestPart = (line: Line) =>
    Math.max(
      0,
      ...line
        .map((each) => each.text)
        .join('')
        .split('\n')
        .map(stringWidth),
    );
  const natural = head.map((cell, column) => Math.max(1, longestPart(cell), ...body.map((row) => longestPart(row[column] ?? []))));
  const widths = fitColumns(natural, width);
  if (widths === undefined) return stackedRows(head, body, width);
  const row = (cells: readonly Line[]): Row[] => {
    const wrapped = widths.map((cellWidth, column) => wrapSpans(cells[column] ?? [], cellWidth));
    const height = Math.max(1, ...wrapped.map((cell) => cell.length));
    return Array.from({ length: height }, (_, index) => {
      const line: Span[] = [];
      widths.forEach((cellWidth, column) => {
        if (column > 0) line.push(span(' '.repeat(gap)));
        line.push(...align(wrapped[column]?.[index]?.line ?? [], cellWidth, table.align[column] ?? null));
      });
      return { line, skip: 0 };
    });
  };
  const rule: Span[] = [];
  widths.forEach((cellWidth, column) => {
    if (column > 0) rule.push(span(' '.repeat(gap)));
    rule.push(span(horizontal.repeat(cellWidth), 'rule'));
  });
  return [...row(head), { line: rule, skip: 0, isChrome: true }, ...body.flatMap(row)];
}

function stackedRows(head: readonly Line[], body: readonly (readonly Line[])[], width: number): Row[] {
  const rows: Row[] = [];
  for (const cells of body.length === 0 ? [[]] : body) {
    if (rows.length > 0) rows.push({ line: [], skip: 0 });
    head.forEach((name, column) => {
      const cell = cells[column] ?? [];
      const content: Line = body.length === 0 ? name : [...name, span(': '), ...cell];
      rows.push(...prefixRows(wrapSpans(content, Math.max(1, width - 2)), span(''), span('  '), 'chrome'));
    });
  }
  return rows;
}
