import { formatClock } from '../../../text/duration.ts';
import { chatText } from '../../../text/en/chat.ts';
import { commandSpec, type CommandId, type Scope } from '../../../commands/table.ts';
import { lineWidth, padLine } from '../../compose.ts';
import { span, type Line, type Span } from '../../frame.ts';
import { hintFor, type KeyOverrides } from '../../keymap.ts';
import type { ViewContext } from '../../screen.ts';
import { truncateEnd } from '../../../terminal/width.ts';
import { isComposerEmpty } from './composer.ts';
import { chatScopes } from './model.ts';
import type { ChatState } from './state.ts';

/** What the right end of the line names, in the order in which it is dropped from the left. */
const hints: Record<ChatState['focus'], readonly CommandId[]> = {
  composer: ['message.newline', 'app.sessions', 'app.search', 'app.palette', 'app.help'],
  reading: ['reading.fold', 'reading.copy', 'reading.find', 'reading.next', 'app.back', 'app.help'],
  find: ['reading.next', 'app.back'],
};
/** While a list stands above the line. */
const searchHints: readonly CommandId[] = ['list.take', 'app.back'];
const completionHints: readonly CommandId[] = ['composer.complete', 'app.back', 'app.help'];

/** Of a conversation that is only looked at. */
const lookHints: readonly CommandId[] = ['reading.fold', 'reading.find', 'reading.next', 'look.resume', 'app.back', 'app.help'];

function hintIds({ focus, composer, look }: ChatState): readonly CommandId[] {
  if (look !== undefined && focus === 'reading') return lookHints;
  if (focus !== 'composer') return hints[focus];
  if (composer.search !== undefined) return searchHints;
  if (composer.completion !== undefined) return completionHints;
  return hints.composer.filter((id) => id !== 'message.newline' || composer.editor.lines.length > 1);
}

/** The lowest line: what goes on at the left, keys at the right. Keys come from the command table. */
export function viewStatus(state: ChatState, context: ViewContext, overrides?: KeyOverrides): Line {
  const { width } = context;
  const left = activity(state, context, overrides);
  const scopes = chatScopes(state);
  let ids = hintIds(state);
  let right = hintLine(ids, scopes, state, overrides);
  while (ids.length > 0 && lineWidth(left) + 2 + lineWidth(right) > width) {
    ids = ids.slice(1);
    right = hintLine(ids, scopes, state, overrides);
  }
  const room = width - lineWidth(right);
  return [...padLine(cut(left, room, context), room), ...right];
}

/** `3 of 12` beside the mode. */
function matchCount({ found, focus, transcript }: ChatState): { before: string; text: string } | undefined {
  if (transcript.query === '' || found === undefined || found.ids === undefined || found.ids === 'loaded') return undefined;
  const { ids, at } = found;
  const place = at === undefined ? -1 : ids.indexOf(at);
  const text = place === -1 ? chatText.matches(ids.length) : chatText.matchOf(place + 1, ids.length);
  return { before: focus === 'find' ? ' ' : '   ', text };
}

function cut(line: Line, room: number, { glyphs }: ViewContext): Line {
  let left = room;
  return line.map((each) => {
    const text = truncateEnd(each.text, Math.max(0, left), glyphs.ellipsis);
    left -= lineWidth([span(text)]);
    return span(text, each.style);
  });
}

function hintLine(ids: readonly CommandId[], scopes: readonly Scope[], state: ChatState, overrides?: KeyOverrides): Line {
  const spans: Span[] = [];
  for (const id of ids) {
    // `?` works only while the line is empty; F1 always does.
    const key = hintFor(id, id === 'app.help' ? ['global'] : scopes, {
      kittyKeys: state.hasKittyKeys,
      ...(overrides === undefined ? {} : { overrides }),
    });
    if (key === undefined) continue;
    spans.push(span(spans.length === 0 ? key : `  ${key}`, 'soft'), span(` ${commandSpec(id).hint ?? commandSpec(id).name}`, 'faint'));
  }
  if (spans.length > 0) spans.push(span(' '));
  return spans;
}

/** One thing at a time, the most pressing first. */
function activity(state: ChatState, context: ViewContext, overrides?: KeyOverrides): Line {
  const { now, glyphs } = context;
  const dot = ` ${glyphs.dot} `;
  if (state.leaveUntil > now) {
    const key = hintFor('app.cancel', ['global'], overrides === undefined ? {} : { overrides }) ?? '^C';
    return [span(` ${chatText.leaveAgain(key)}`, 'accent')];
  }
  const takes = isComposerEmpty(state.composer)
    ? hintFor('composer.previous', ['chat'], overrides === undefined ? {} : { overrides })
    : undefined;
  const queued = state.queue.length === 0 ? '' : `${dot}${chatText.queued(state.queue.length, takes)}`;
  if (state.isStoreWaiting) return [span(` ${chatText.waitingForStore}`, 'accent'), span(queued, 'faint')];
  if (state.flash !== undefined && state.flash.until > now) {
    const isSaid = state.focus === 'composer' || state.found?.ids?.length === 0;
    const count = isSaid ? undefined : matchCount(state);
    // Where it is stands first: the sentence may be cut.
    const head: Line = count === undefined ? [] : [span(` ${count.text}  `, 'soft')];
    return [...head, span(` ${state.flash.text}`, state.flash.isError ? 'error' : 'soft')];
  }
  if (state.turn !== undefined) {
    return [span(` ${chatText.working}`, 'agent'), span(`${dot}${formatClock(now - state.turn.since)}${queued}`, 'faint')];
  }
  const { completion } = state.composer;
  if (completion !== undefined && state.focus === 'composer') {
    return [span(` ${chatText.rowOf(completion.index + 1, completion.items.length)}`, 'faint')];
  }
  if (state.backlog.pending !== undefined && state.backlog.then === 'top') return [span(` ${chatText.readingBack}`, 'faint')];
  if (state.focus !== 'composer') {
    const at = matchCount(state);
    const said = state.look === undefined ? chatText.reading : chatText.looking;
    return [
      ...(state.focus === 'find' ? [] : [span(` ${said}`, 'accent')]),
      ...(at === undefined ? [] : [span(at.before, 'faint'), span(at.text, 'soft')]),
    ];
  }
  if (state.readOnly !== undefined) return [span(` ${state.readOnly}`, 'accent')];
  if (state.offer !== undefined) return [span(` ${state.offer.text}`, 'accent')];
  if (state.canRetry) return [span(` ${chatText.retry}`, 'soft')];
  return [];
}
