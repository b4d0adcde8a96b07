import { AmbiguousIdError, NotFoundError } from '../errors.ts';
import type { SessionId } from '../session/types.ts';
import { appText } from '../text/en/app.ts';
import type { SessionStore } from './recorder.ts';

/**
 * What `/resume` names: the number of a row of the list, an id, a title, a unique id prefix.
 * @throws NotFoundError, AmbiguousIdError
 */
export async function findSession(store: SessionStore, name: string): Promise<SessionId> {
  if (/^\d{1,4}$/.test(name)) {
    const { rows } = await store.read.firstRows({ limit: Number(name) });
    const row = rows[Number(name) - 1];
    if (row !== undefined) return row.id;
  }
  const found = await store.read.resolveSession(name, {});
  if (found.kind === 'found') return found.session.id;
  if (found.kind === 'ambiguous') throw new AmbiguousIdError(name, found.candidates);
  throw new NotFoundError(appText.noMatch(name));
}
