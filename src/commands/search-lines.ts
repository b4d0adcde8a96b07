import type { Range } from '../session/match-text.ts';
import type { Message } from '../session/types.ts';
import type { Hit, IndexState, SearchResult } from '../store/search/index.ts';
import { colourDepth } from '../terminal/capabilities.ts';
import { drawable, expandTabs, truncateEnd } from '../terminal/width.ts';
import { searchShellText as text } from '../text/en/search-shell.ts';
import { relativeTime } from '../text/relative-time.ts';
import { summarizeArguments } from '../text/summarize-arguments.ts';

/** How parts of a line are set apart; each returns its text unchanged where there are no colours. */
export interface Paint {
  title(text: string): string;
  quiet(text: string): string;
  mark(text: string): string;
}

const sgr =
  (code: string) =>
  (text: string): string =>
    text === '' ? '' : `\x1b[${code}m${text}\x1b[0m`;

const plain = (text: string): string => text;

/** Colours every terminal has: bold, dim, and the gold of the program; none on a pipe or with NO_COLOR. */
export function choosePaint(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  if (!isTerminal || colourDepth(env) === 'none') return { title: plain, quiet: plain, mark: plain };
  return { title: sgr('1'), quiet: sgr('2'), mark: sgr('1;33') };
}

/** Hits shown of one lineage; its line says how many there are. */
export const hitsShown = 3;

/** One found message, with its neighbours where they were asked for, oldest first, itself included. */
export interface ShownHit {
  readonly hit: Hit;
  readonly around?: readonly Message[];
}

export interface ShownResult {
  readonly result: SearchResult;
  readonly hits: readonly ShownHit[];
}

/** Where a message stands, in a form that `-r` takes. */
export const referenceOf = (at: { readonly sessionId: string; readonly messageId: number }): string => `${at.sessionId}#${at.messageId}`;

/** Cells of a neighbour's text. */
const neighbourWidth = 160;

/**
 * What was found, as lines: for each lineage its title (else what it began with), age, source and number of hits, then `session#message: snippet`
 * for the hits that are shown, a blank line between two.
 *
 * @param numbered from 1 up, for `/resume N`
 */
export function searchLines(results: readonly ShownResult[], facts: { now: number; paint: Paint; numbered: boolean }): string[] {
  const { now, paint } = facts;
  return results.flatMap(({ result, hits }, index) => [
    ...(index === 0 ? [] : ['']),
    `${facts.numbered ? `${index + 1}. ` : ''}${headOf(result, now, paint)}`,
    ...hits.flatMap((shown, at) => [...(at > 0 && shown.around !== undefined ? ['  --'] : []), ...hitLines(shown, paint)]),
  ]);
}

function headOf({ row, hits, titleRanges }: SearchResult, now: number, paint: Paint): string {
  const { title, preview } = row;
  const name = title === undefined ? paint.title(drawable(preview ?? text.untitled)) : marked(title, titleRanges, paint, paint.title);
  const facts = [relativeTime(row.lastActive, now), drawable(row.source), hits === 0 ? text.titleOnly : text.hits(hits)];
  return `${name}  ${paint.quiet(facts.join(' · '))}`;
}

/** As `grep` writes it: a colon behind what was found, a dash behind its neighbours. */
function hitLines({ hit, around }: ShownHit, paint: Paint): string[] {
  const found = `  ${paint.quiet(`${referenceOf(hit)}:`)} ${snippetOf(hit, paint)}`;
  if (around === undefined) return [found];
  return around.map((message) => {
    if (message.id === hit.messageId) return `  ${paint.quiet(`${referenceOf(hit)}:`)} ${sayer(message)}: ${snippetOf(hit, paint)}`;
    const reference = referenceOf({ sessionId: message.sessionId, messageId: message.id });
    return `  ${paint.quiet(`${reference}-`)} ${neighbour(message)}`;
  });
}

/** Who said it; a tool by its name. */
const sayer = ({ role, toolName }: Message): string => drawable((role === 'tool' ? toolName : undefined) ?? text.roles[role] ?? role);

function neighbour(message: Message): string {
  const { text: said, toolCalls } = message;
  const words = said.trim() !== '' ? said : toolCalls.map((call) => `▸ ${call.name} ${summarizeArguments(call.arguments)}`).join(' ');
  const flat = words
    .slice(0, neighbourWidth * 4)
    .replace(/\s+/gu, ' ')
    .trim();
  return truncateEnd(`${sayer(message)}: ${drawable(flat)}`, neighbourWidth);
}

function snippetOf({ snippet }: Hit, paint: Paint): string {
  const before = snippet.isCutBefore ? text.cut : '';
  const after = snippet.isCutAfter ? text.cut : '';
  return `${before}${marked(snippet.text, snippet.ranges, paint, plain)}${after}`;
}

/** Piece by piece: what a control character is drawn as may be longer than itself. */
function marked(stored: string, ranges: readonly Range[], paint: Paint, rest: (text: string) => string): string {
  const draw = (piece: string): string => drawable(expandTabs(piece).replace(/\s+/gu, ' '));
  let line = '';
  let at = 0;
  for (const { start, end } of ranges) {
    line += rest(draw(stored.slice(at, start))) + paint.mark(draw(stored.slice(start, end)));
    at = end;
  }
  return line + rest(draw(stored.slice(at)));
}

/** What is to be known of the index; undefined where all is well. */
export function indexLine({ state, missing }: IndexState): string | undefined {
  if (state === 'ready') return undefined;
  return state === 'behind' ? text.index.behind(missing) : text.index[state];
}
