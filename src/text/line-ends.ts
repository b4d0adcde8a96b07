/**
 * The text without the line breaks at its end, however many. `text.replace(/\n+$/, '')` would begin anew at each break of every run inside the
 * text: 200,000 of them in a row cost 20 s.
 */
export function withoutLastBreaks(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === 10) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}
