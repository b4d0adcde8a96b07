import { tildePath } from '../../../text/paths.ts';
import { pickerText } from '../../../text/en/picker.ts';
import { shortAge } from '../../../text/relative-time.ts';
import { padEnd, stringWidth, truncateEnd, truncateMiddle } from '../../../terminal/width.ts';
import { addStyle, padLine } from '../../compose.ts';
import { span, type Line, type Style } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import type { Item } from './items.ts';
import { entryOf, isMarked } from './marks.ts';
import { holderOf } from './selected.ts';
import type { LineageMember, LiveHolder, SessionsState } from './types.ts';

/** Widths of the columns; 0 = left out. */
interface Columns {
  readonly title: number;
  readonly holder: number;
  readonly workspace: number;
}

const ageWidth = 4;
const countWidth = 5;
/** Bar, pin, state, blank; blank and age; blank and count; the last blank. */
const fixedWidth = 4 + 1 + ageWidth + 1 + countWidth + 1;
/** Sources of conversations held in a terminal; any other one is named. */
const localSources: ReadonlySet<string> = new Set(['tui', 'cli', 'oneshot']);

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, Math.floor(value)));

/** Which columns a list of this width has: the workspace goes below 56 cells, the holder below 64. */
function columnsFor(width: number): Columns {
  const workspace = width < 56 ? 0 : clamp(width * 0.2, 12, 28);
  const holder = width < 64 ? 0 : clamp(width * 0.13, 9, 14);
  const taken = fixedWidth + (workspace > 0 ? workspace + 1 : 0) + (holder > 0 ? holder + 1 : 0);
  return { title: Math.max(1, width - taken), holder, workspace };
}

/** One row of the list, exactly `width` cells. */
export function rowLine(state: SessionsState, item: Item, isSelected: boolean, width: number, context: ViewContext): Line {
  const marks = markCell(state, item, context);
  const room = width - marks.length;
  const line = item.kind === 'lineage' ? lineageLine(state, item, isSelected, room, context) : memberLine(state, item, room, context);
  const barred: Line = [span(isSelected ? context.glyphs.bar : ' ', 'accent'), ...marks, ...line];
  return padLine(isSelected ? addStyle(barred, 'on-select') : barred, width, isSelected ? 'on-select' : undefined);
}

/** A column of its own, one cell wide, as long as anything is marked. */
function markCell(state: SessionsState, item: Item, { glyphs }: ViewContext): Line {
  if (state.marks.size === 0) return [];
  return [span(isMarked(state, entryOf(state, item)) ? glyphs.ok : ' ', 'accent bold')];
}

function lineageLine(state: SessionsState, item: Item, isSelected: boolean, width: number, context: ViewContext): Line {
  const { row } = item.entry;
  const { glyphs } = context;
  const holder = holderOf(state, item.entry);
  const columns = columnsFor(width);
  const isTitled = row.title !== undefined && row.title !== '';
  const words = isTitled ? row.title! : (row.preview ?? `${pickerText.untitled} ${row.id}`);
  const style = !isTitled || row.class === 'archived' || row.class === 'empty' ? 'soft' : 'text';
  const holding = columns.holder === 0 ? undefined : holderSpan(holder, row.class, row.source, columns.holder, context);
  // Where nobody holds the row, the title has that column too.
  const titleWidth = columns.title + (holding?.text.trim() === '' ? columns.holder + 1 : 0);
  const title = truncateEnd(words, titleWidth, glyphs.ellipsis);
  return [
    span(row.pinned ? glyphs.pin : ' ', 'accent'),
    stateMark(row.status, holder !== undefined, context),
    span(' '),
    span(padEnd(title, titleWidth), isSelected ? `${style} bold` : style),
    ...(holding === undefined || holding.text.trim() === '' ? [] : [span(' '), holding]),
    ...(columns.workspace === 0 ? [] : [span(' '), span(padEnd(pathCell(item, columns.workspace, context), columns.workspace), 'soft')]),
    ...numbers(row.lastActive, row.messageCount, context),
  ];
}

function memberLine(state: SessionsState, item: Item & { kind: 'member' }, width: number, context: ViewContext): Line {
  const { member, entry } = item;
  const { glyphs } = context;
  const room = Math.max(1, width - fixedWidth);
  const label = `  ${glyphs.dot} ${memberLabel(state, entry.row.rootId, member)}`;
  const words = member.title ?? member.preview ?? member.id;
  const left = truncateEnd(`${label}  ${words}`, room, glyphs.ellipsis);
  const isLive = state.live.has(member.id);
  return [
    span(' '),
    stateMark(undefined, isLive, context),
    span(' '),
    span(padEnd(left, room), 'soft'),
    ...numbers(member.lastActive, member.messageCount, context),
  ];
}

function memberLabel(state: SessionsState, rootId: string, member: LineageMember): string {
  if (member.kind === 'branch') return pickerText.branch;
  if (member.kind === 'delegate') return pickerText.delegate;
  const segments = (state.lineages.get(rootId) ?? []).filter(({ kind }) => kind === 'segment');
  return pickerText.segment(segments.indexOf(member) + 1, segments.length + 1);
}

/** The tip is the row itself; the other segments stand below it. */
function stateMark(status: string | undefined, isLive: boolean, { glyphs }: ViewContext): Line[number] {
  if (isLive) return span(glyphs.user, 'agent');
  if (status === 'error') return span(glyphs.failed, 'error');
  if (status === 'interrupted') return span(glyphs.ellipsis, 'accent');
  return span(' ');
}

function holderSpan(holder: LiveHolder | undefined, kind: string, source: string, width: number, { glyphs }: ViewContext): Line[number] {
  let text = '';
  let style: Style = 'faint';
  if (holder !== undefined) {
    text = holder.isWorking ? pickerText.working : holder.isOurs ? pickerText.here : holder.where;
    style = 'agent';
  } else if (kind === 'archived' || kind === 'empty') text = pickerText.kinds[kind];
  else if (!localSources.has(source)) text = source;
  return span(padEnd(truncateEnd(text, width, glyphs.ellipsis), width), style);
}

function pathCell(item: Item, width: number, context: ViewContext): string {
  const { gitRepoRoot, cwd } = item.entry.row;
  const path = gitRepoRoot === undefined || gitRepoRoot === '' ? cwd : gitRepoRoot;
  return path === undefined ? '' : truncateMiddle(tildePath(path, context.userHome), width, context.glyphs.ellipsis);
}

function numbers(lastActive: number, messageCount: number, context: ViewContext): Line {
  return [
    span(` ${padStart(shortAge(lastActive, context.now), ageWidth)}`, 'soft'),
    span(` ${padStart(shortCount(messageCount), countWidth)} `, 'faint'),
  ];
}

/** At most five cells: `99999`, then `100k`. */
const shortCount = (count: number): string => (count < 100_000 ? String(count) : `${Math.floor(count / 1000)}k`);

const padStart = (text: string, width: number): string => ' '.repeat(Math.max(0, width - stringWidth(text))) + text;
