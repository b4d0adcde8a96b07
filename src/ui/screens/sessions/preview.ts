import { describeTools, type RecapEntry } from '../../../session/recap.ts';
import { formatTokens } from '../../../text/duration.ts';
import { tildePath } from '../../../text/paths.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { localTime } from '../../../text/relative-time.ts';
import { stringWidth, truncateEnd, truncateMiddle, wrapText } from '../../../terminal/width.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import type { KeyLabel } from '../list-parts.ts';
import { idOf, type Item } from './items.ts';
import { holderOf } from './selected.ts';
import type { PreviewContent, SessionsState } from './types.ts';

/** The pane beside the list: what the row says at once, what was said last once it is loaded. At most `height` lines. */
export function previewLines(
  state: SessionsState,
  item: Item,
  pane: { width: number; height: number; label: KeyLabel },
  context: ViewContext,
): Line[] {
  const id = item.kind === 'member' ? item.member.id : item.entry.row.id;
  const content = state.previews.get(id);
  const head = headLines(state, item, content, pane.width, context);
  const foot = [
    ...(item.kind === 'member' ? [] : lineageLines(state, item, content, pane, context)),
    originLine(item, pane.width, context),
  ];
  const room = pane.height - head.length - 1 - (foot.length > 0 ? foot.length + 1 : 0);
  const entries = content?.entries ?? firstWords(item);
  const body = recapLines(entries, pane.width, Math.max(0, room), context);
  const lines: Line[] = [...head];
  if (body.length > 0) lines.push([], ...body);
  if (foot.length > 0) lines.push([], ...foot);
  return lines.slice(0, pane.height);
}

function headLines(state: SessionsState, item: Item, content: PreviewContent | undefined, width: number, context: ViewContext): Line[] {
  const { row } = item.entry;
  const { glyphs } = context;
  const named = item.kind === 'member' ? (item.member.title ?? item.member.preview) : (row.title ?? row.preview);
  const lines: Line[] = wrapText(named ?? pickerText.untitled, width)
    .slice(0, 2)
    .map((text) => [span(text, 'text bold')]);
  const facts = [
    pickerText.messages(item.kind === 'member' ? item.member.messageCount : row.messageCount),
    ...(content?.toolCalls === undefined ? [] : [pickerText.toolCalls(content.toolCalls)]),
    ...(content?.tokens === undefined || content.tokens === 0 ? [] : [pickerText.tokens(formatTokens(content.tokens))]),
    ...(content?.cost === undefined || content.cost === 0 ? [] : [pickerText.cost(content.cost)]),
  ];
  lines.push([span(truncateEnd(facts.join(` ${glyphs.dot} `), width, glyphs.ellipsis), 'faint')]);
  const place = placeLine(item, width, context);
  if (place.length > 0) lines.push(place);
  lines.push([span(truncateEnd(timesOf(item, context), width, glyphs.ellipsis), 'faint')]);
  const holder = item.kind === 'member' ? state.live.get(item.member.id) : holderOf(state, item.entry);
  if (holder !== undefined) {
    const where = holder.isOurs ? pickerText.thisPane : holder.where;
    const said = pickerText.openIn(where, holder.pid, localTime(holder.since, context.now));
    for (const text of wrapText(said, width)) lines.push([span(text, 'agent')]);
  }
  return lines;
}

/** `2026-03-01 09:15 to 14:02`: when it began, and when something was last said. */
function timesOf(item: Item, { now }: ViewContext): string {
  const last = item.kind === 'member' ? item.member.lastActive : item.entry.row.lastActive;
  const began = item.kind === 'member' ? 0 : item.entry.row.startedAt;
  const until = localTime(last, began);
  const isSpan = began > 0 && began <= last && until !== localTime(began, began);
  return isSpan ? pickerText.fromTo(localTime(began, now), until) : pickerText.lastActive(localTime(last, now));
}

/** Id and source: what other commands want to be told. */
function originLine(item: Item, width: number, { glyphs }: ViewContext): Line {
  const { source, handoffState } = item.entry.row;
  const said = [
    idOf(item),
    ...(item.kind === 'member' ? [] : [source]),
    ...(handoffState === undefined ? [] : [pickerText.handoff(handoffState)]),
  ];
  return [span(truncateEnd(said.join(` ${glyphs.dot} `), width, glyphs.ellipsis), 'faint')];
}

/** `~/code/shop main · gpt-5-mini`; the path gives way first. */
function placeLine(item: Item, width: number, { glyphs, userHome }: ViewContext): Line {
  const { cwd, gitRepoRoot, gitBranch, model } = item.entry.row;
  const end: Span[] = [];
  if (gitBranch !== undefined && gitBranch !== '') end.push(span(` ${truncateEnd(gitBranch, 24, glyphs.ellipsis)}`, 'agent'));
  if (model !== undefined && model !== '') end.push(span(` ${glyphs.dot} ${truncateEnd(model, 28, glyphs.ellipsis)}`, 'faint'));
  const path = cwd ?? gitRepoRoot;
  if (path === undefined) return end;
  const room = width - end.reduce((sum, { text }) => sum + stringWidth(text), 0);
  return room < 4
    ? [span(truncateMiddle(tildePath(path, userHome), width, glyphs.ellipsis), 'faint')]
    : [span(truncateMiddle(tildePath(path, userHome), room, glyphs.ellipsis), 'faint'), ...end];
}

/** What is known of an unread conversation: its first words. */
function firstWords(item: Item): RecapEntry[] {
  const preview = item.kind === 'member' ? item.member.preview : item.entry.row.preview;
  return preview === undefined ? [] : [{ role: 'user', text: preview, isLast: true }];
}

/** The newest entries that fit into `room` lines, a blank line before each of the user's. */
function recapLines(entries: readonly RecapEntry[], width: number, room: number, context: ViewContext): Line[] {
  const blocks: Line[][] = [];
  let used = 0;
  for (const entry of [...entries].reverse()) {
    const block = entryLines(entry, width, context);
    if (block.length === 0) continue;
    if (used + block.length > room) {
      // Rather the beginning of a long answer than an empty pane.
      if (blocks.length === 0 && room > 0) blocks.push(block.slice(0, room));
      break;
    }
    blocks.push(block);
    used += block.length;
    if (entry.role === 'user') {
      blocks.push([[]]);
      used++;
    }
  }
  const lines = blocks.reverse().flat();
  return lines[0]?.length === 0 ? lines.slice(1) : lines;
}

function entryLines(entry: RecapEntry, width: number, { glyphs }: ViewContext): Line[] {
  const isUser = entry.role === 'user';
  const mark = entry.cut === undefined ? '' : entry.cut === 'lines' ? ` ${glyphs.ellipsis}` : glyphs.ellipsis;
  const inner = Math.max(1, width - 2);
  const words = entry.text === '' ? [] : wrapText(entry.text + mark, inner).filter((text) => text.trim() !== '');
  const lines: Line[] = words.map((text, index) => [
    index === 0 ? span(`${isUser ? glyphs.user : glyphs.agent} `, isUser ? 'accent' : 'agent') : span('  '),
    span(text, 'soft'),
  ]);
  if (entry.tools !== undefined) {
    const said = truncateEnd(describeTools(entry.tools), inner, glyphs.ellipsis);
    lines.push([lines.length === 0 ? span(`${glyphs.agent} `, 'agent') : span('  '), span(said, 'faint')]);
  }
  return lines;
}

/** `3 segments, 1 branch → unfolds`. */
function lineageLines(
  state: SessionsState,
  item: Item,
  content: PreviewContent | undefined,
  pane: { width: number; label: KeyLabel },
  context: ViewContext,
): Line[] {
  const { row } = item.entry;
  const known = state.lineages.get(row.rootId) ?? [];
  const countOf = (kind: string): number => known.filter((member) => member.kind === kind).length;
  const said = pickerText.lineage(row.segments, content?.branches ?? countOf('branch'), content?.delegates ?? countOf('delegate'));
  if (said === '') return [];
  const isOpen = state.unfolded.has(row.rootId);
  const key = pane.label(isOpen ? 'picker.fold' : 'picker.unfold');
  const hint = key === undefined ? '' : ` ${key} ${isOpen ? pickerText.folds : pickerText.unfolds}`;
  return [[span(truncateEnd(`${said}${hint}`, pane.width, context.glyphs.ellipsis), 'faint')]];
}
