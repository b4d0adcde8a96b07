/**
 * The one way a stored text gets into the page. Markup never survives it, in text or in a quoted attribute, and whatever would steer a
 * terminal or turn the direction of a line shows as a symbol.
 */

/** Everything that isn't written as it is. Line feed and tab are; a carriage return never reaches this. */
const special = /[&<>"'\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;
const isMarkup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The sign the terminal shows for it as well: a control picture, `⇄` for bidi controls, else U+FFFD. */
function symbolOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return code >= 0x202a && code <= 0x2069 ? '⇄' : '\ufffd';
}

const nameOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A parser makes line feeds of carriage returns; one that stands alone (a progress bar) shows as a sign and a new line. */
const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', `${String.fromCharCode(0x240d)}\n`) : text;

/** Text as markup. A character that has no look of its own is a symbol that says its name, and is no part of what the search reads. */
export function escapeText(text: string): string {
  return withLineFeeds(text).replace(special, (char) => isMarkup[char] ?? `<i class="c ctl" title="${nameOf(char)}">${symbolOf(char)}</i>`);
}

/** The symbols alone, before anything else is made of the text. */
const withSymbols = (text: string): string =>
  withLineFeeds(text).replace(special, (char) => (isMarkup[char] === undefined ? symbolOf(char) : char));

/** For a quoted attribute, and where an element may hold text alone: the same symbols, without their names. */
export function escapePlain(text: string): string {
  return withLineFeeds(text).replace(special, (char) => isMarkup[char] ?? symbolOf(char));
}

/** What is ours and no part of the conversation: the search passes over it, by this very markup (page.js). */
export const chrome = (text: string, name = ''): string => `<i class="c${name === '' ? '' : ` ${name}`}">${escapePlain(text)}</i>`;

/** Addresses a reader may follow. Anything else (javascript:, data:, file:, what has no scheme) is shown and leads nowhere. */
const followed = new Set(['http:', 'https:', 'mailto:']);

/** The address as a browser will understand it, or undefined where it must not be a link. */
export function safeAddress(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return followed.has(url.protocol) ? url.href : undefined;
}

/** A link that says where it leads, tells the place nothing of this page, and leaves the page open. `label` is markup. */
export const link = (address: string, label: string): string =>
  `<a href="${escapePlain(address)}" title="${escapePlain(address)}" target="_blank" rel="noopener noreferrer">${label}</a>`;

/** An anchor of this page: the element's id as it stands there, percent-encoded. */
export const anchorAddress = (sessionId: string, messageId?: number): string =>
  `#${encodeURIComponent(withSymbols(sessionId))}${messageId === undefined ? '' : `/${messageId}`}`;
