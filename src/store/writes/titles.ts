import { StoreError } from '../../errors.ts';
import { maxTitleLength, mayRetitle, nextLineageTitle, reservedTitle, sanitizeTitle, titleLength } from '../../session/title.ts';
import type { SessionId, TitleSource } from '../../session/types.ts';
import { storeWriteText } from '../../text/en/store-writes.ts';
import type { Connection } from '../connection.ts';
import { lineageTitles, titleHolder } from '../reads/resolve.ts';
import { segmentIds } from '../reads/sessions.ts';
import { demandSession, updateRow } from './rows.ts';

/**
 * The text as a title; undefined when nothing visible is left of it.
 * @throws StoreError `refused` when it is longer than 100 code points
 */
export function checkTitle(text: string): string | undefined {
  const title = sanitizeTitle(text);
  if (title === undefined) return undefined;
  const length = titleLength(title);
  if (length > maxTitleLength) throw new StoreError('refused', storeWriteText.titleTooLong(length, maxTitleLength));
  return title;
}

export type TitleOutcome =
  | { kind: 'set'; title: string | undefined }
  /** A title of a higher rank stands, or an instant one would have collided. */
  | { kind: 'kept'; title: string | undefined };

/**
 * Titles a session (state-db.md 2.7). A person's title always lands; an automatic one only on an untitled row or on one of lower rank, so
 * that a late automatic title never undoes a rename. Titles are unique: one held by an earlier segment of the same lineage moves, an
 * instant one (`derived`) gives way, one of the model's (`llm`) takes the next number, a person is told who has it. An empty text clears.
 *
 * @throws StoreError `refused`: taken, too long, or the reserved row
 */
export function setTitle(connection: Connection, id: SessionId, text: string, source: TitleSource): TitleOutcome {
  const session = demandSession(connection, id);
  if (session.hidden && session.title === reservedTitle) throw new StoreError('refused', storeWriteText.titleReserved(reservedTitle));
  let title = checkTitle(text);
  if (!mayRetitle(session, source) || (title === undefined && source !== 'user')) return { kind: 'kept', title: session.title };
  if (title === undefined) {
    updateRow(connection, 'sessions', id, { title: null, title_source: null });
    return { kind: 'set', title };
  }
  const holder = titleHolder(connection, title);
  if (holder !== undefined && holder !== id) {
    const segments = segmentIds(connection, id);
    const isAncestor = segments.slice(0, Math.max(0, segments.indexOf(id))).includes(holder);
    if (isAncestor) updateRow(connection, 'sessions', holder, { title: null, title_source: null });
    else if (source === 'llm') title = nextLineageTitle(title, lineageTitles(connection, title));
    else if (source === 'user') {
      const next = nextLineageTitle(title, lineageTitles(connection, title));
      throw new StoreError('refused', storeWriteText.titleInUse(title, holder), { hint: storeWriteText.titleNext(next) });
    } else return { kind: 'kept', title: session.title };
  }
  updateRow(connection, 'sessions', id, { title, title_source: source });
  return { kind: 'set', title };
}

/** `hermes sessions rename`, the picker and `/title`: a person's title, never empty. @throws StoreError `refused` */
export function renameSession(connection: Connection, id: SessionId, text: string): string {
  if (sanitizeTitle(text) === undefined) throw new StoreError('refused', storeWriteText.titleEmpty);
  return setTitle(connection, id, text, 'user').title ?? '';
}
