import { AmbiguousIdError, NotFoundError } from '../errors.ts';
import type { Session, SessionId } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { resolveSession } from '../store/reads/resolve.ts';
import { shellText as text } from '../text/en/shell.ts';

export interface NamedSession {
  /** What the name says: an earlier segment where its whole id was given. */
  readonly id: SessionId;
  /** What its conversation goes on with. */
  readonly tip: Session;
  readonly isByTitle: boolean;
}

/** The session of an id, a unique beginning of one, or a title. @throws NotFoundError, AmbiguousIdError */
export function findSession(connection: Connection, name: string): NamedSession {
  const found = resolveSession(connection, name);
  if (found.kind === 'ambiguous') throw new AmbiguousIdError(name, found.candidates);
  if (found.kind === 'none') throw unknownSession(name);
  return { id: found.matched, tip: found.session, isByTitle: found.by === 'title' };
}

export const unknownSession = (name: string): NotFoundError => new NotFoundError(text.noSession(name), text.findId);
