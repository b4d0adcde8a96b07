import { ambiguousWidth, stringWidth, truncateEnd } from '../../terminal/width.ts';
import { transcriptText } from '../../text/en/transcript.ts';
import { fitLine } from '../compose.ts';
import type { Line, Span } from '../frame.ts';
import { span } from '../frame.ts';
import { segmentRows } from '../markdown/render.ts';
import { blankRow, limitLines, longLine, longestLine, plainRows, prefixRows } from '../markdown/row.ts';
import type { Row } from '../markdown/row.ts';
import { sourceSegments } from '../markdown/source.ts';
import type { Segment } from '../markdown/source.ts';
import { recapLine, recapPanel } from '../recap-panel.ts';
import type { Glyphs } from '../screen.ts';
import { sourceOf } from './blocks.ts';
import type { Block, NoticeBlock, ToolBlock } from './blocks.ts';
import { withoutLastBreaks } from '../../text/line-ends.ts';

/**
 * The pieces a block is laid out in. Only those that are looked at become rows, so that a result of 200 KB costs what its visible part
 * costs. Every block has at least one.
 */
export type Unit =
  | { readonly kind: 'segment'; readonly segment: Segment; readonly isExpanded: boolean }
  | { readonly kind: 'plain'; readonly text: string; readonly style: string; readonly indent: number; readonly isExpanded: boolean }
  | { readonly kind: 'built'; readonly build: (layout: UnitLayout) => Row[]; readonly usesHeight?: boolean };

export interface UnitLayout {
  /** Cells of the whole transcript. */
  readonly width: number;
  /** Rows of the screen; only the recap looks at it. */
  readonly height: number;
  readonly glyphs: Glyphs;
}

/** Cells left of the text: bar, glyph, space. */
const gutter = 3;
/** One cell stays free at the right. */
const textWidth = (width: number): number => Math.max(1, width - gutter - 1);

const plainLines = 64;
const plainUnits = 16_384;
/** Results over this are shown by their head and tail (bytes and UTF-16 units are the same here for most output). */
const mostResult = 200 * 1024;
const keptResult = 64 * 1024;

/** Cuts plain text into units of some lines each. */
function plainUnitsOf(text: string, style: string, indent: number, isExpanded: boolean): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  while (from < text.length || units.length === 0) {
    let to = from;
    for (let lines = 0; lines < plainLines && to - from < plainUnits; lines++) {
      const end = text.indexOf('\n', to);
      if (end === -1) {
        to = text.length + 1;
        break;
      }
      to = end + 1;
    }
    units.push({ kind: 'plain', text: text.slice(from, to - 1), style, indent, isExpanded });
    from = to;
    if (to === text.length && text.endsWith('\n')) units.push({ kind: 'plain', text: '', style, indent, isExpanded });
  }
  return units;
}

/** NUL or many control bytes in the beginning: nothing to read. */
function isBinary(text: string): boolean {
  const head = text.slice(0, 4096);
  if (head.includes('\0')) return true;
  const odd = head.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0;
  return head.length > 32 && odd / head.length > 0.1;
}

/** `3.1 MB`, `512 KB`, `90 B`. */
function formatSize(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return bytes >= 1024 ? `${Math.round(bytes / 1024)} KB` : `${bytes} B`;
}

const formatMs = (ms: number): string =>
  ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;

function toolHeader(block: ToolBlock, { width, glyphs }: UnitLayout): Row[] {
  const canUnfold = block.result !== undefined && block.result !== '' && !isBinary(block.result);
  const fold = block.isUnfolded === true && canUnfold ? glyphs.unfolded : glyphs.folded;
  const right: Span[] = [];
  if (block.result !== undefined && isBinary(block.result))
    right.push(span(`${transcriptText.binary(formatSize(Buffer.byteLength(block.result)))}   `, 'faint'));
  if (block.state === 'running') right.push(span(transcriptText.running, 'faint'));
  else right.push(block.state === 'ok' ? span(glyphs.ok, 'agent') : span(glyphs.failed, 'error'));
  if (block.ms !== undefined) right.push(span(` ${formatMs(block.ms)}`, 'faint'));
  const name: Line = [span(`${fold} `, 'faint'), span(block.name, 'soft')];
  const left: Line = block.summary === '' ? name : [...name, span(`   ${block.summary}`, 'faint')];
  return [{ line: fitLine(left, right, textWidth(width), glyphs.ellipsis), skip: stringWidth(fold) + 1 }];
}

function toolUnits(block: ToolBlock): Unit[] {
  const header: Unit = { kind: 'built', build: (layout) => toolHeader(block, layout) };
  const { result } = block;
  if (block.isUnfolded !== true || result === undefined || isBinary(result)) return [header];
  const units = (text: string) => plainUnitsOf(text, 'soft', 2, false);
  if (result === '') return [header];
  if (result.length <= mostResult) return [header, ...units(withoutLastBreaks(result))];
  const headEnd = result.lastIndexOf('\n', keptResult);
  const tailStart = result.indexOf('\n', result.length - keptResult);
  const head = result.slice(0, headEnd > 0 ? headEnd : keptResult);
  const tail = result.slice(tailStart > 0 ? tailStart + 1 : result.length - keptResult);
  const missing = transcriptText.middleLeftOut(formatSize(result.length - head.length - tail.length));
  const mark: Unit = { kind: 'built', build: () => [{ line: [span(`  ${missing}`, 'faint italic')], skip: 0, isChrome: true }] };
  return [header, ...units(head), mark, ...units(withoutLastBreaks(tail))];
}

function foldedLine(block: { readonly text: string; readonly isUnfolded?: boolean }, label: string, { width, glyphs }: UnitLayout): Row[] {
  const mark = block.isUnfolded === true ? glyphs.unfolded : glyphs.folded;
  const head: Line = [span(`${mark} ${label}`, 'faint')];
  if (block.isUnfolded === true) return [{ line: head, skip: 0, isChrome: true }];
  const first = truncateEnd(
    block.text.slice(0, 400).replace(/\s+/gu, ' ').trim(),
    Math.max(0, textWidth(width) - stringWidth(label) - 5),
    glyphs.ellipsis,
  );
  return [{ line: [...head, span(`   ${first}`, 'faint italic')], skip: stringWidth(label) + 5 }];
}

function unitsOf(block: Block): Unit[] {
  const isExpanded = block.isUnfolded === true;
  switch (block.kind) {
    case 'agent': {
      const segments = sourceSegments(sourceOf(block), block.isStreaming);
      const units: Unit[] = segments.map((segment) => ({ kind: 'segment', segment, isExpanded }));
      return units.length > 0 ? units : [{ kind: 'plain', text: '', style: 'text', indent: 0, isExpanded }];
    }
    case 'user':
      return plainUnitsOf(block.text, block.isQueued === true ? 'soft' : 'text', 0, isExpanded);
    case 'tool':
      return toolUnits(block);
    case 'reasoning': {
      const header: Unit = { kind: 'built', build: (layout) => foldedLine(block, transcriptText.reasoning, layout) };
      return isExpanded ? [header, ...plainUnitsOf(block.text, 'faint italic', 2, false)] : [header];
    }
    case 'notice': {
      const isError = block.tone === 'error';
      const build = ({ width, glyphs }: UnitLayout) => [
        ...noticeRows(noticeParts(block, glyphs).text, textWidth(width), isError ? 'error' : 'soft'),
        ...(block.hint === undefined ? [] : plainRows(block.hint, textWidth(width), isError ? 'soft' : 'faint')),
      ];
      return [{ kind: 'built', build }];
    }
    case 'interrupted':
      return [{ kind: 'built', build: () => [{ line: [span(transcriptText.interrupted, 'faint italic')], skip: 0, isChrome: true }] }];
    case 'recap': {
      const build = ({ width, height, glyphs }: UnitLayout): Row[] => {
        const rows = Math.max(0, height - 1 - (block.reservedRows ?? 0));
        const options = {
          width: Math.max(20, width - 2),
          rows,
          glyphs,
          when: block.when,
          messageCount: block.messageCount,
          readKey: block.readKey,
        };
        const lines = block.isMinimal === true ? [recapLine(options)] : recapPanel(block.recap, options);
        return lines.map((line) => ({ line: [span(' '), ...line], skip: 1 }));
      };
      return [{ kind: 'built', build, usesHeight: true }];
    }
  }
}

const unitCache = new WeakMap<Block, readonly Unit[]>();

/** The units of a block; the same block gives the same ones. */
export function blockUnits(block: Block): readonly Unit[] {
  let units = unitCache.get(block);
  if (units === undefined) unitCache.set(block, (units = unitsOf(block)));
  return units;
}

/** A blank row stands between two blocks, not between the calls of one run. */
const hasGapBefore = (previous: Block | undefined, block: Block): boolean =>
  previous !== undefined && !(block.kind === 'tool' && previous.kind === 'tool') && !(block.kind === 'interrupted');

/** An indent, or a name and the gap behind it: what the rest of a table-like line stands under. */
const hanging = /^( +|\S.{0,22}? {2,})(?=\S)/u;

/** Lines of a notice; long ones of a table go on under their second column. */
function noticeRows(text: string, width: number, style: string): Row[] {
  return text.split('\n').flatMap((line) => {
    const head = hanging.exec(line)?.[0] ?? '';
    const indent = stringWidth(head);
    if (indent === 0 || indent * 2 > width) return plainRows(line, width, style);
    return prefixRows(plainRows(line.slice(head.length), width - indent, style), span(head, style), span(' '.repeat(indent)), 'content');
  });
}

/** A sentence that begins with a mark of its own (`↻ this pane's session`) stands behind that mark, in the form this terminal has. */
function noticeParts(block: NoticeBlock, glyphs: Glyphs): { mark: string; text: string } {
  const own = /^([↻↪⚠]) /u.exec(block.text)?.[1];
  if (own === undefined) return { mark: block.tone === 'error' ? glyphs.failed : glyphs.dot, text: block.text };
  const mark = own === '↻' ? glyphs.resumed : own === '↪' ? glyphs.restored : glyphs.warning;
  return { mark, text: block.text.slice(2) };
}

function glyphOf(block: Block, glyphs: Glyphs): Span {
  switch (block.kind) {
    case 'user':
      return span(` ${glyphs.user} `, block.isQueued === true ? 'faint' : 'accent');
    case 'agent':
      return span(` ${glyphs.agent} `, 'agent');
    case 'notice':
      return span(` ${noticeParts(block, glyphs).mark} `, block.tone === 'error' ? 'error' : 'faint');
    default:
      return span('   ');
  }
}

interface CachedRows {
  readonly base: readonly Row[] | undefined;
  readonly key: string;
  readonly rows: readonly Row[];
}

const rowCache = new WeakMap<object, CachedRows>();

function contentRows(unit: Unit, layout: UnitLayout): readonly Row[] {
  const width = textWidth(layout.width);
  if (unit.kind === 'segment') return segmentRows(unit.segment, { width, glyphs: layout.glyphs, isExpanded: unit.isExpanded });
  if (unit.kind === 'built') return unit.build(layout);
  const text = limitLines(unit.text, unit.isExpanded ? longestLine : longLine, transcriptText.moreCharacters);
  const rows = plainRows(text, Math.max(1, width - unit.indent), unit.style);
  const indent = span(' '.repeat(unit.indent));
  return unit.indent === 0 ? rows : prefixRows(rows, indent, indent, 'chrome');
}

/** Rows of one unit as they stand on screen: gutter, glyph, blank row above. Cached for as long as nothing it depends on changes. */
export function unitRows(blocks: readonly Block[], blockIndex: number, unitIndex: number, layout: UnitLayout): readonly Row[] {
  const block = blocks[blockIndex];
  const unit = block === undefined ? undefined : blockUnits(block)[unitIndex];
  if (block === undefined || unit === undefined) return [];
  const isFirst = unitIndex === 0;
  const hasGap = isFirst ? hasGapBefore(blocks[blockIndex - 1], block) : unit.kind === 'segment' && unit.segment.hasGap;
  const owner = unit.kind === 'segment' ? unit.segment : unit;
  const base = unit.kind === 'segment' ? contentRows(unit, layout) : undefined;
  const key = `${layout.width} ${unit.kind === 'built' && unit.usesHeight === true ? layout.height : 0} ${layout.glyphs.agent} ${ambiguousWidth()} ${String(isFirst)} ${String(hasGap)} ${block.kind}`;
  const known = rowCache.get(owner);
  if (known !== undefined && known.base === base && known.key === key) return known.rows;
  const content = base ?? contentRows(unit, layout);
  const drawn =
    block.kind === 'recap'
      ? content
      : prefixRows(
          content.length === 0 ? [blankRow] : content,
          isFirst ? glyphOf(block, layout.glyphs) : span('   '),
          span('   '),
          'chrome',
        );
  const rows = hasGap ? [blankRow, ...drawn] : drawn;
  rowCache.set(owner, { base, key, rows });
  return rows;
}
