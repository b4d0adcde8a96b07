import { searchText } from '../../../text/en/search.ts';
import { tildePath } from '../../../text/paths.ts';
import { shortAge } from '../../../text/relative-time.ts';
import { padEnd, stringWidth, truncateMiddle } from '../../../terminal/width.ts';
import { addStyle, cutLine, lineWidth, padLine } from '../../compose.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { Glyphs, ViewContext } from '../../screen.ts';
import { markLine, markText } from '../marked-text.ts';
import { hitCount, type ListLine } from './items.ts';
import type { SearchState } from './types.ts';

const ageWidth = 4;
/** The workspace goes below this many cells. */
const workspaceFrom = 60;
const indent = 4;

/** One line of the list, exactly `width` cells. */
export function lineOf(state: SearchState, line: ListLine, isUnder: boolean, width: number, context: ViewContext): Line {
  if (line.kind === 'gap') return [];
  const drawn = line.kind === 'title' ? titleLine(state, line, isUnder, width, context) : hitLine(line, isUnder, width, context);
  const barred: Line = [span(isUnder ? context.glyphs.bar : ' ', 'accent'), ...drawn];
  return padLine(isUnder ? addStyle(barred, 'on-select') : barred, width, isUnder ? 'on-select' : undefined);
}

/** Title or first words; workspace, number of hits, age at the right. */
function titleLine(state: SearchState, line: ListLine & { kind: 'title' }, isUnder: boolean, width: number, context: ViewContext): Line {
  const { row, titleRanges } = line.found;
  const { glyphs, now } = context;
  const isTitled = row.title !== undefined && row.title !== '';
  const words = isTitled ? row.title! : (row.preview ?? `${searchText.untitled} ${row.id}`);
  const isCurrent = isUnder || line.index === state.cursor.index;
  const style = isTitled ? 'text bold' : isCurrent ? 'text' : 'soft';
  const count = hitCount(line.found, state.groups);
  const said = count === 0 ? searchText.inTitle : searchText.hits(count);
  const age = shortAge(row.lastActive, now);
  const right: Span[] = [span(said, 'faint'), span(` ${' '.repeat(Math.max(0, ageWidth - stringWidth(age)))}${age} `, 'soft')];
  const place = placeSpan(row.gitRepoRoot ?? row.cwd, width, context);
  const beside: Line = place === undefined ? right : [place, span('  '), ...right];
  const room = Math.max(1, width - 2 - lineWidth(beside) - 1);
  const pin: Line = row.pinned ? [span(` ${glyphs.pin}`, 'accent')] : [];
  const title = cutLine(markText(words, isTitled ? titleRanges : [], style), Math.max(1, room - lineWidth(pin)), glyphs.ellipsis);
  return [span(' '), ...padLine([...title, ...pin], room), span(' '), ...beside];
}

function placeSpan(path: string | undefined, width: number, { glyphs, userHome }: ViewContext): Span | undefined {
  if (width < workspaceFrom || path === undefined || path === '') return undefined;
  const room = Math.floor(width * 0.24);
  const shown = truncateMiddle(tildePath(path, userHome), room, glyphs.ellipsis);
  return span(' '.repeat(Math.max(0, room - stringWidth(shown))) + shown, 'faint');
}

function hitLine(line: ListLine & { kind: 'hit' }, isUnder: boolean, width: number, { glyphs }: ViewContext): Line {
  const room = Math.max(1, width - indent - 2);
  if (line.hit === undefined) return [span(' '.repeat(indent - 1)), span(glyphs.ellipsis, 'faint')];
  const { role, snippet } = line.hit;
  const piece = snippet.text === '' ? { ...snippet, text: searchText.noText } : snippet;
  return [span('  '), roleSpan(role, glyphs), span(' '), ...markLine(piece, room, glyphs.ellipsis, isUnder ? 'text' : 'soft')];
}

/** Who said it: you, the agent, a tool, anything else. */
export function roleSpan(role: string, glyphs: Glyphs): Span {
  if (role === 'user') return span(glyphs.user, 'accent');
  if (role === 'assistant') return span(glyphs.agent, 'agent');
  return span(padEnd(role === 'tool' ? glyphs.folded : glyphs.dot, 1), 'faint');
}
