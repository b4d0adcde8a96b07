import type { Range } from '../../../session/match-text.ts';
import type { Message } from '../../../session/types.ts';
import { searchText } from '../../../text/en/search.ts';
import { localTime, relativeTime } from '../../../text/relative-time.ts';
import { summarizeArguments } from '../../../text/summarize-arguments.ts';
import { truncateEnd } from '../../../terminal/width.ts';
import { span, type Line } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import { markRows, markText } from '../marked-text.ts';
import { hitCount, hitIds } from './items.ts';
import { roleSpan } from './rows.ts';
import { foundAt, hitUnder } from './settle.ts';
import type { Hit, SearchState } from './types.ts';

/** Lines of the messages beside the hit. */
const mostBeside = 4;
/** Of a long message only the surroundings of the match are wrapped. UTF-16 units. */
const unitsBefore = 800;
const unitsAfter = 4000;

/** The messages around the hit under the cursor, the words marked; at most `height` lines. */
export function contextLines(state: SearchState, pane: { width: number; height: number }, context: ViewContext): Line[] {
  const hit = hitUnder(state);
  const found = foundAt(state);
  if (found === undefined) return [];
  const { glyphs, now } = context;
  const { messageId } = state.cursor;
  if (messageId === undefined) {
    const said = [found.row.source, localTime(found.row.lastActive, now), searchText.inTitle].join(` ${glyphs.dot} `);
    const { rows } = markRows(found.row.title ?? '', found.titleRanges, pane.width, 'text bold');
    return [...rows.slice(0, 3), [span(truncateEnd(said, pane.width, glyphs.ellipsis), 'faint')]].slice(0, pane.height);
  }
  const at = hitIds(found, state.groups).indexOf(messageId) + 1;
  const count = hitCount(found, state.groups);
  const time = hit === undefined || hit.timestamp <= 0 ? undefined : timeOf(hit.timestamp, now);
  const head = [...(time === undefined ? [] : [time]), searchText.hitOf(at, count)].join(` ${glyphs.dot} `);
  const lines: Line[] = [[span(truncateEnd(head, pane.width, glyphs.ellipsis), 'faint')], []];
  const room = pane.height - lines.length;
  const loaded = state.context?.messageId === messageId ? state.context : undefined;
  const index = loaded?.messages.findIndex((message) => message.id === messageId) ?? -1;
  if (loaded === undefined || index === -1) {
    return hit === undefined ? lines : [...lines, ...hitBlock(hit, undefined, [], pane.width, room, context)].slice(0, pane.height);
  }
  const message = loaded.messages[index]!;
  const ranges = loaded.ranges.get(messageId) ?? [];
  const middle = hitBlock(hit, message, ranges, pane.width, Math.max(1, Math.ceil(room * 0.7)), context);
  const beside = (each: Message): Line[] => besideBlock(each, loaded.ranges.get(each.id) ?? [], pane.width, context);
  const before = loaded.messages.slice(0, index).map(beside);
  const after = loaded.messages.slice(index + 1).map(beside);
  return [...lines, ...around(before, middle, after, room)].slice(0, pane.height);
}

/** `yesterday 16:20`, `14:02`, `2026-03-01 09:15`. */
function timeOf(time: number, now: number): string {
  const said = localTime(time, now);
  const day = relativeTime(time, now);
  return day === 'yesterday' ? `${day} ${said.slice(-5)}` : said;
}

/** The hit in the middle; what was said right before, then what follows, as far as there is room. */
function around(before: Line[][], middle: Line[], after: Line[][], room: number): Line[] {
  let left = room - middle.length;
  const above: Line[][] = [];
  const below: Line[][] = [];
  const take = (blocks: Line[][], into: Line[][], isAbove: boolean): boolean => {
    const block = isAbove ? blocks.pop() : blocks.shift();
    if (block === undefined) return false;
    if (block.length === 0) return true;
    if (block.length + 1 > left) {
      blocks.length = 0;
      return false;
    }
    left -= block.length + 1;
    into.push(block);
    return true;
  };
  for (let isGoing = true; isGoing;) {
    const wentUp = take(before, above, true);
    const wentDown = take(after, below, false);
    isGoing = wentUp || wentDown;
  }
  return [...above.reverse().flatMap((block) => [...block, []]), ...middle, ...below.flatMap((block) => [[], ...block])];
}

/** The message that was found, around its first match; what was found outside of its text stands as the list shows it. */
function hitBlock(
  hit: Hit | undefined,
  message: Message | undefined,
  ranges: readonly Range[],
  width: number,
  most: number,
  context: ViewContext,
): Line[] {
  const inner = Math.max(1, width - 2);
  const role = message?.role ?? hit?.role ?? '';
  const isInText = message !== undefined && (ranges.length > 0 || hit === undefined || hit.snippet.ranges.length === 0);
  const from = isInText ? Math.max(0, (ranges[0]?.start ?? 0) - unitsBefore) : 0;
  const text = isInText ? message.text.slice(from, from + unitsBefore + unitsAfter) : (hit?.snippet.text ?? '');
  const moved = isInText ? ranges.map(({ start, end }) => ({ start: start - from, end: end - from })) : (hit?.snippet.ranges ?? []);
  const { rows, first } = markRows(text, moved, inner, 'text');
  const words = isInText || hit === undefined ? [] : hit.snippet.ranges.map(({ start, end }) => hit.snippet.text.slice(start, end));
  const called = message === undefined ? [] : callLines(message, inner, context, words);
  // A call that shows what was found needs no second line.
  const isShown = words.length > 0 && called.some((line) => line.length > 1);
  const room = Math.max(1, most - (isInText ? 0 : called.length));
  const top = Math.max(0, Math.min(first - Math.floor(room / 3), rows.length - room));
  const shown = isShown ? [] : rows.slice(top, top + room);
  const lines = isInText ? (shown.length > 0 ? shown : called) : [...called, ...shown];
  return withRole(role, lines.slice(0, most), context);
}

function besideBlock(message: Message, ranges: readonly Range[], width: number, context: ViewContext): Line[] {
  if (message.displayKind === 'hidden' || message.role === 'session_meta') return [];
  const inner = Math.max(1, width - 2);
  const { rows } = markRows(message.text.slice(0, 400), ranges, inner, 'soft');
  const isTool = message.role === 'tool';
  const lines = [...rows.slice(0, isTool ? 1 : mostBeside), ...callLines(message, inner, context)];
  return withRole(message.role, lines.slice(0, mostBeside), context);
}

/** Calls of a message, one a line; `words` that were found in their arguments are marked where the line shows them all. */
const callLines = (message: Message, width: number, { glyphs }: ViewContext, words: readonly string[] = []): Line[] =>
  message.toolCalls.map((call) => {
    const said = truncateEnd(`${glyphs.folded} ${call.name}   ${summarizeArguments(call.arguments)}`, width, glyphs.ellipsis);
    return markText(said, rangesInOrder(said, words) ?? [], 'faint');
  });

/** Where `words` stand in the text, one behind the other; undefined where one is missing. */
function rangesInOrder(text: string, words: readonly string[]): Range[] | undefined {
  const ranges: Range[] = [];
  let from = 0;
  for (const word of words) {
    const start = text.indexOf(word, from);
    if (start === -1) return undefined;
    from = start + word.length;
    ranges.push({ start, end: from });
  }
  return ranges;
}

const withRole = (role: string, lines: readonly Line[], { glyphs }: ViewContext): Line[] =>
  lines.map((line, index) => [index === 0 ? roleSpan(role, glyphs) : span(' '), span(' '), ...line]);
