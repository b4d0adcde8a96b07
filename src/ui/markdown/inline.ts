import { expandTabs } from '../../terminal/width.ts';
import type { Span, Style } from '../frame.ts';
import { pushSpan } from '../compose.ts';
import type { Token } from './lexer.ts';

const colours = new Set(['text', 'soft', 'faint', 'accent', 'agent', 'error', 'link', 'code', 'keyword', 'code-text', 'rule']);

/** A style with one more word; a colour takes the place of the colour that was there. */
function withStyle(style: Style | undefined, word: string): Style {
  if (style === undefined || style === '') return word;
  const kept = style.split(' ').filter((each) => each !== word && !(colours.has(word) && colours.has(each)));
  return [...kept, word].join(' ');
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", '#39': "'", nbsp: '\u00a0' };
const decode = (text: string): string =>
  text.includes('&') ? text.replace(/&(lt|gt|amp|quot|apos|#39|nbsp);/g, (_all, name: string) => entities[name] ?? '') : text;

function add(spans: Span[], text: string, style: Style | undefined): void {
  pushSpan(spans, expandTabs(text.includes('\r') ? text.replace(/\r\n/g, '\n') : text), style);
}

/** Inline tokens as styled text; HTML is text, an image its description, a link its text and its address. Line breaks of the source are kept. */
export function inlineSpans(tokens: readonly Token[], style?: Style, spans: Span[] = []): Span[] {
  for (const token of tokens) {
    switch (token.type) {
      case 'strong':
        inlineSpans(token.tokens ?? [], withStyle(style, 'bold'), spans);
        break;
      case 'em':
        inlineSpans(token.tokens ?? [], withStyle(style, 'italic'), spans);
        break;
      case 'del':
        inlineSpans(token.tokens ?? [], withStyle(style, 'strike'), spans);
        break;
      case 'codespan':
        add(spans, String(token['text'] ?? token.raw), withStyle(style, 'code'));
        break;
      case 'link': {
        const before = spans.length;
        const href = String(token['href'] ?? '');
        inlineSpans(token.tokens ?? [], withStyle(style, 'link'), spans);
        const text = spans
          .slice(Math.max(0, before - 1))
          .map((each) => each.text)
          .join('');
        if (href !== '' && !text.endsWith(href) && `mailto:${String(token['text'])}` !== href) {
          add(spans, ` (${href})`, withStyle(withStyle(style, 'faint'), 'dim'));
        }
        break;
      }
      case 'image':
        add(spans, `[image: ${String(token['text'] || token['href'] || '')}]`, withStyle(style, 'soft'));
        break;
      case 'br':
        add(spans, '\n', style);
        break;
      case 'checkbox':
        add(spans, token['checked'] === true ? '[x] ' : '[ ] ', withStyle(style, 'faint'));
        break;
      case 'escape':
        add(spans, String(token['text'] ?? ''), style);
        break;
      default:
        if (token.type === 'text' && 'tokens' in token && token.tokens !== undefined) inlineSpans(token.tokens, style, spans);
        else add(spans, decode('text' in token && token.type === 'text' ? token.text : token.raw), style);
    }
  }
  return spans;
}
