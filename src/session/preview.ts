/** Code points. */
const previewLength = 60;

/** The opening message on one line, at most 60 code points and `...` (state-db.md 2.9); undefined when it says nothing. */
export function previewText(text: string): string | undefined {
  const line = text.replace(/\s+/gu, ' ').trim();
  if (line === '') return undefined;
  const letters = Array.from(line);
  return letters.length <= previewLength ? line : `${letters.slice(0, previewLength).join('').trimEnd()}...`;
}
