import type { Token } from 'marked';
import { htmlExportText } from '../../text/en/html-export.ts';
import { escapeText, link, safeAddress } from './escape.ts';

const named: Readonly<Record<string, string>> = {
  lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–', copy: '©', reg: '®', trade: '™', times: '×',
  rarr: '→', larr: '←', bull: '•', middot: '·', deg: '°', laquo: '«', raquo: '»', ldquo: '“', rdquo: '”', lsquo: '‘', rsquo: '’', euro: '€',
}; // prettier-ignore

/** Character references of Markdown text; one that isn't known stays as it was written. */
function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (all, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? all) : all;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
  });
}

/** Inline tokens as markup. HTML is text; a picture its description, never loaded. */
export function inlineMarkup(tokens: readonly Token[], isInLink = false): string {
  return tokens.map((token) => oneInline(token, isInLink)).join('');
}

function oneInline(token: Token, isInLink: boolean): string {
  const inner = (isLink = isInLink): string => inlineMarkup('tokens' in token ? (token.tokens ?? []) : [], isLink);
  switch (token.type) {
    case 'strong':
      return `<strong>${inner()}</strong>`;
    case 'em':
      return `<em>${inner()}</em>`;
    case 'del':
      return `<del>${inner()}</del>`;
    case 'codespan':
      return `<code dir="ltr">${escapeText(String(token['text']))}</code>`;
    case 'br':
      return '<br>\n';
    case 'escape':
      return escapeText(String(token['text']));
    case 'checkbox':
      return `<input type="checkbox" disabled${token['checked'] === true ? ' checked' : ''}> `;
    case 'link':
      return isInLink
        ? inner()
        : linkMarkup(inner(true), decodeReferences(String(token['href'] ?? '')), decodeReferences(String(token['text'] ?? '')));
    case 'image':
      return imageMarkup(decodeReferences(String(token['text'] ?? '')), decodeReferences(String(token['href'] ?? '')), isInLink);
    default:
      if (token.type === 'text' && 'tokens' in token && token.tokens !== undefined) return inner();
      return token.type === 'text' ? escapeText(decodeReferences(String(token.text))) : escapeText(token.raw);
  }
}

/** An address that must not be followed stands behind its text, so that it can be read. */
function linkMarkup(label: string, href: string, text: string): string {
  const address = safeAddress(href);
  if (address !== undefined) return link(address, label);
  return href === '' || href === text ? label : `${label} <span class="address">(${escapeText(href)})</span>`;
}

function imageMarkup(name: string, href: string, isInLink: boolean): string {
  if (/^data:/i.test(href)) {
    const size = `${Math.max(1, Math.round(href.length / 1024))} KB`;
    return escapeText(name === '' ? htmlExportText.embeddedImage(size) : htmlExportText.image(name));
  }
  const label = escapeText(htmlExportText.image(name === '' ? href : name));
  const address = safeAddress(href);
  return address === undefined || isInLink ? label : link(address, label);
}

const address = /https?:\/\/[^\s<>"'`\u0000-\u0020\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/gu;

/** Text that is no Markdown (what a person typed), with the addresses in it as links. */
export function typedMarkup(text: string): string {
  if (!text.includes('://')) return escapeText(text);
  let markup = '';
  let from = 0;
  for (const match of text.matchAll(address)) {
    const written = match[0].replace(/[.,;:!?)\]}'’”]+$/u, '');
    const target = safeAddress(written);
    if (target === undefined) continue;
    markup += escapeText(text.slice(from, match.index)) + link(target, escapeText(written));
    from = match.index + written.length;
  }
  return markup + escapeText(text.slice(from));
}
