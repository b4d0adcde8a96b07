/**
 * A message cut into what is rendered each by itself: code of a fence at the margin, and runs of Markdown that end where a block ends.
 * Markdown costs more than its length (a list in a list in a list …), so that a message of a megabyte is many small ones.
 */
export type Piece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'code'; readonly text: string; readonly language: string };

/** UTF-16 units after which a run of Markdown ends at the next blank line before the margin. */
const enough = 8000;

const fenceStart = /^(`{3,}|~{3,})[ \t]*([^\s`{]*)[^`]*$/;

const closes = (line: string, marker: string): boolean => {
  const trimmed = line.trim();
  return trimmed.length >= marker.length && !line.startsWith('    ') && trimmed === (marker[0] ?? '`').repeat(trimmed.length);
};

/** The pieces in order; all text is in one of them, but for fences and the blank lines between pieces. */
export function cutPieces(source: string): Piece[] {
  const text = source.includes('\r\n') ? source.replaceAll('\r\n', '\n') : source;
  const pieces: Piece[] = [];
  let start = 0;
  let open: { marker: string; language: string } | undefined;
  let wasBlank = false;
  const end = (to: number): void => {
    const part = text.slice(start, to);
    if (open !== undefined) pieces.push({ kind: 'code', text: part.endsWith('\n') ? part.slice(0, -1) : part, language: open.language });
    else if (part.trim() !== '') pieces.push({ kind: 'text', text: part });
  };
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\n', at);
    const next = lineEnd === -1 ? text.length : lineEnd + 1;
    const first = text[at];
    if (open !== undefined) {
      if ((first === ' ' || first === open.marker[0]) && closes(text.slice(at, next), open.marker)) {
        end(at);
        open = undefined;
        start = next;
      }
    } else if (first === '`' || first === '~') {
      const fence = fenceStart.exec(text.slice(at, next).trimEnd());
      if (fence !== null) {
        end(at);
        open = { marker: fence[1] ?? '```', language: fence[2] ?? '' };
        start = next;
      }
    } else if (wasBlank && at - start >= enough && first !== ' ' && first !== '\t' && first !== '\n') {
      end(at);
      start = at;
    }
    wasBlank = first === '\n';
    at = next;
  }
  if (start < text.length || open !== undefined) end(text.length);
  return pieces;
}
