/** Longest piece of a sentence that stands on a terminal whole; a sentence names one thing, and its hint comes after it. In UTF-16 units. */
const longestLine = 2000;

const obeyed = /[\u0000-\u001f]/gu;
const unseen = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu;

/**
 * A sentence of ours as it may stand on a terminal: what it quotes (a name, a path, an answer of a server) is data, so that control
 * characters become their pictures, and bidi overrides and lone surrogates U+FFFD. Lines stay lines; each is cut in the middle
 * where something of a megabyte was quoted. Small and without Intl, for what is said before or without a screen.
 */
export function printable(text: string): string {
  return text
    .split('\n')
    .map((line) => shorten(line).replace(obeyed, picture).replace(unseen, '\ufffd'))
    .join('\n');
}

const picture = (char: string): string => (char === '\t' ? ' ' : String.fromCharCode(0x2400 + char.charCodeAt(0)));

function shorten(line: string): string {
  if (line.length <= longestLine) return line;
  const half = longestLine / 2;
  return `${line.slice(0, half)} … ${line.slice(-half)}`;
}
