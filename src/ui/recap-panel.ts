import { describeTools } from '../session/recap.ts';
import type { Recap, RecapEntry } from '../session/recap.ts';
import { stringWidth, wrapText } from '../terminal/width.ts';
import { recapText } from '../text/en/recap.ts';
import { box, cutLine, fitLine, lineWidth, padLine } from './compose.ts';
import type { Line, Span } from './frame.ts';
import { span } from './frame.ts';
import type { Glyphs } from './screen.ts';

export interface RecapPanelOptions {
  /** Cells of the panel, borders included. */
  readonly width: number;
  /** Rows free for it; the panel takes no more. */
  readonly rows: number;
  readonly glyphs: Glyphs;
  /** When the conversation was last active, as said in lists: `yesterday`. */
  readonly when: string;
  /** Messages of the conversation. */
  readonly messageCount: number;
  /** Label of the key that opens the whole transcript: `PgUp`. */
  readonly readKey: string;
}

/** Below this the names beside the glyphs go. */
const narrow = 60;

const facts = (options: RecapPanelOptions): string =>
  [options.when, recapText.messages(options.messageCount)].filter((part) => part !== '').join(` ${options.glyphs.dot} `);

/** One line in place of the panel: `display.resume_display: minimal`, and a terminal with room for no more. */
export function recapLine(options: RecapPanelOptions): Line {
  const words = [recapText.title, facts(options), recapText.readAll(options.readKey)].join(` ${options.glyphs.dot} `);
  return cutLine([span(`${options.glyphs.resumed} `, 'faint dim'), span(words, 'faint dim')], options.width, options.glyphs.ellipsis);
}

/** The mark of a cut: an ellipsis, in ASCII three dots. */
const cutMark = (glyphs: Glyphs): string => (glyphs.ellipsis === '…' ? '…' : '...');

/** The rows of one entry: glyph, name, wrapped text with a hanging indent; blank lines of the text are left out. */
function entryRows(entry: RecapEntry, inner: number, options: RecapPanelOptions): Line[] {
  const { glyphs } = options;
  const isUser = entry.role === 'user';
  const glyph = span(`${isUser ? glyphs.user : glyphs.agent} `, isUser ? 'accent dim' : 'agent dim');
  const name = options.width < narrow ? '' : (isUser ? recapText.you : recapText.agent).padEnd(8);
  const indent = 2 + name.length;
  const room = Math.max(1, inner - indent);
  const mark = entry.cut === undefined ? '' : `${entry.cut === 'lines' ? ' ' : ''}${cutMark(glyphs)}`;
  const said = entry.text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n');
  const rows: Span[][] = said === '' ? [] : wrapText(said + mark, room).map((text) => [span(text, 'soft dim')]);
  if (entry.tools !== undefined) {
    const tools = describeTools(entry.tools);
    const last = rows.at(-1);
    if (last !== undefined && lineWidth(last) + 1 + stringWidth(tools) <= room) last.push(span(` ${tools}`, 'faint dim'));
    else for (const text of wrapText(tools, room)) rows.push([span(text, 'faint dim')]);
  }
  return rows.map((row, index) =>
    index === 0 ? [glyph, ...(name === '' ? [] : [span(name, 'soft dim')]), ...row] : [span(' '.repeat(indent)), ...row],
  );
}

/** The first rows of an entry, the last one with the mark of a cut. */
function clip(rows: readonly Line[], count: number, inner: number, glyphs: Glyphs): Line[] {
  if (rows.length <= count) return [...rows];
  const kept = rows.slice(0, count);
  const last = kept.at(-1) ?? [];
  const mark = ` ${cutMark(glyphs)}`;
  const end = lineWidth(last) + stringWidth(mark) <= inner ? last : cutLine(last, inner - stringWidth(mark));
  return [...kept.slice(0, -1), [...end, span(mark, 'soft dim')]];
}

/**
 * The dim panel on resume: at most the free rows, the newest entries kept; the last question and the last answer have the first claim,
 * shortened where they must be. `... N earlier messages ...` counts every message that is not in it. Every row is exactly `width`
 * cells. Where no box with something in it has room: one line with the title; no room at all: no rows.
 */
export function recapPanel(recap: Recap, options: RecapPanelOptions): Line[] {
  const { glyphs, width, rows } = options;
  const frame = { width, glyphs, title: recapText.title, note: facts(options), border: 'faint dim', titleStyle: 'faint dim' };
  if (rows < 1) return [];
  if (rows < 3) return [padLine(recapLine(options), width)];
  const inner = Math.max(1, width - 4);
  const drawn = recap.entries.map((entry) => entryRows(entry, inner, options));
  const all = drawn.reduce((sum, each) => sum + each.length, 0);
  const isComplete = recap.earlierCount === 0 && all <= rows - 2;
  // With room for one row only, the count moves into the lower border.
  const hasCountRow = !isComplete && rows > 3;
  const room = rows - 2 - (hasCountRow ? 1 : 0);
  const kept = new Map<number, Line[]>();
  const newest = recap.entries.length - 1;
  const lastAsk = recap.entries.findLastIndex((entry) => entry.role === 'user');
  let left = room;
  const take = (index: number, most: number) => {
    const own = drawn[index];
    if (own === undefined || most < 1) return;
    const shown = clip(own, most, inner, glyphs);
    kept.set(index, shown);
    left -= shown.length;
  };
  const askRows = lastAsk === newest ? 0 : Math.min(drawn[lastAsk]?.length ?? 0, Math.max(1, left >> 1));
  take(newest, Math.max(1, left - askRows));
  if (lastAsk !== newest) take(lastAsk, left);
  for (let index = newest - 1; index >= 0; index--) {
    if (kept.has(index)) continue;
    const height = drawn[index]?.length ?? 0;
    if (height > left) break;
    take(index, height);
  }
  const words = recap.entries.filter((entry, index) => !kept.has(index) && entry.text !== '').length;
  const earlier = recap.earlierCount + words;
  const hint = span(recapText.readAll(options.readKey), 'faint dim');
  const content: Line[] = [...kept.keys()].sort((a, b) => a - b).flatMap((index) => kept.get(index) ?? []);
  if (earlier > 0 && hasCountRow) {
    const count: Line = [span(recapText.earlier(earlier), 'faint dim italic')];
    // The hint stands off the border, as in a margin; where it is narrow it goes first.
    content.unshift(
      inner >= lineWidth(count) + stringWidth(hint.text) + 2 ? fitLine(count, [hint], inner) : padLine(cutLine(count, inner), inner),
    );
    return box(content, frame);
  }
  return box(content, { ...frame, foot: earlier > 0 ? recapText.earlier(earlier) : hint.text });
}
