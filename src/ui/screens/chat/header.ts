import { formatTokens } from '../../../text/duration.ts';
import { chatText } from '../../../text/en/chat.ts';
import { tildePath } from '../../../text/paths.ts';
import { stringWidth, truncateEnd, truncateMiddle } from '../../../terminal/width.ts';
import { lineWidth, padLine } from '../../compose.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { ViewContext } from '../../screen.ts';
import type { ChatState } from './state.ts';

/** Cells of the meter. */
const meterWidth = 10;
/** A title is never cut below this while anything else can go. */
const leastTitle = 24;

interface Parts {
  readonly model: string;
  readonly path: string;
  readonly branch: string;
  readonly terminal: string;
  readonly tokens: string;
  readonly hasMeter: boolean;
}

/** What goes when the line is too narrow, in this order (product.md 2); a long path is shortened before anything is missed. */
const drops: readonly ((parts: Parts, ellipsis: string) => Parts)[] = [
  (parts) => ({ ...parts, hasMeter: false }),
  (parts, ellipsis) => ({ ...parts, path: truncateMiddle(parts.path, 20, ellipsis) }),
  (parts) => ({ ...parts, branch: '' }),
  (parts) => ({ ...parts, terminal: '' }),
  (parts) => ({ ...parts, model: '' }),
  (parts) => ({ ...parts, tokens: '' }),
  (parts) => ({ ...parts, path: '' }),
];

/** `▌title   model      ~/path branch   tmux %3   12.4k of 200k ━━━━`; always one line. */
export function viewHeader(state: ChatState, context: ViewContext): Line {
  const { width, glyphs } = context;
  const { place, session } = state;
  const title = session.title ?? (session.id === undefined ? chatText.newConversation : session.id);
  let parts: Parts = {
    model: session.model ?? '',
    path: truncateMiddle(tildePath(place.path, context.userHome), Math.max(20, Math.floor(width / 3)), glyphs.ellipsis),
    branch: truncateEnd(place.branch ?? '', 24, glyphs.ellipsis),
    terminal: state.copyOf === undefined ? (place.terminal ?? '') : chatText.copyOf(state.copyOf),
    tokens: tokensOf(state),
    hasMeter: state.context?.limit !== undefined,
  };
  const wanted = Math.min(stringWidth(title), leastTitle);
  const fits = (): boolean => 1 + wanted + lineWidth(leftOf(parts)) + gapBefore(parts) + lineWidth(rightOf(parts, state, context)) <= width;
  for (const drop of drops) {
    if (fits()) break;
    parts = drop(parts, glyphs.ellipsis);
  }
  const right = rightOf(parts, state, context);
  const left = leftOf(parts);
  const room = Math.max(1, width - 1 - lineWidth(left) - gapBefore(parts) - lineWidth(right));
  const isPlain = session.title === undefined;
  const shown: Line = [
    span(glyphs.bar, 'accent'),
    span(truncateEnd(title, room, glyphs.ellipsis), isPlain ? 'soft' : 'text bold'),
    ...left,
  ];
  return [...padLine(shown, width - lineWidth(right)), ...right];
}

const leftOf = (parts: Parts): Line => (parts.model === '' ? [] : [span(`   ${parts.model}`, 'soft')]);
const gapBefore = (parts: Parts): number => (parts.path + parts.branch + parts.terminal + parts.tokens === '' ? 0 : 2);

function rightOf(parts: Parts, state: ChatState, { glyphs }: ViewContext): Line {
  const spans: Span[] = [];
  const gap = (): void => {
    if (spans.length > 0) spans.push(span('   '));
  };
  if (parts.path !== '') spans.push(span(parts.path, 'soft'));
  if (parts.branch !== '') spans.push(span(`${spans.length > 0 ? ' ' : ''}${parts.branch}`, 'agent'));
  if (parts.terminal !== '') {
    gap();
    spans.push(span(parts.terminal, 'faint'));
  }
  if (parts.tokens !== '') {
    gap();
    spans.push(span(parts.tokens, 'soft'));
  }
  if (parts.hasMeter && state.context?.limit !== undefined) {
    const filled = Math.min(meterWidth, Math.max(0, Math.round((state.context.used / state.context.limit) * meterWidth)));
    spans.push(span(' '), span(glyphs.meter.repeat(filled), 'accent'), span(glyphs.meter.repeat(meterWidth - filled), 'rule'));
  }
  if (spans.length > 0) spans.push(span(' '));
  return spans;
}

function tokensOf(state: ChatState): string {
  const { context } = state;
  if (context === undefined) return '';
  const used = formatTokens(context.used);
  if (context.limit !== undefined) return chatText.contextOf(used, formatTokens(context.limit));
  return context.used === 0 ? '' : chatText.tokens(used);
}
