import type { SessionId } from '../session/types.ts';
import { drawable } from '../terminal/width.ts';
import { binText as text } from '../text/en/bin.ts';

/** A session as questions and answers call it: `'20260601_120000_abcdef' "title"`; one without a title is told by what was asked first. */
export function nameOf({ id, title, preview }: { id: SessionId; title?: string; preview?: string }): string {
  const name = title ?? preview;
  const shownId = drawable(id);
  return name === undefined ? text.unnamed(shownId) : text.named(shownId, drawable(name));
}
