import { HermesError, NotFoundError } from '../errors.ts';
import { sanitizeTitle } from '../session/title.ts';
import type { SessionId } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { renameSession } from '../store/writes/titles.ts';
import { drawable } from '../terminal/width.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';
import { findSession, unknownSession } from './find-session.ts';
import { readStore } from './read-store.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions rename ID TITLE…`: words are joined by spaces. The row named is the row renamed; a unique beginning of an id means its
 * conversation. A title that is empty or has line breaks is refused, as is one in use (state-db.md 2.7).
 *
 * @returns the exit code
 * @throws NotFoundError, AmbiguousIdError, StoreError, HermesError `title`
 */
export async function renameFromShell(context: ShellContext, args: readonly string[]): Promise<number> {
  const [name = '', ...words] = args;
  const title = words.join(' ');
  if (/[\r\n]/.test(title)) throw new HermesError('title', text.titleOneLine);
  if (sanitizeTitle(title) === undefined) throw new HermesError('title', text.emptyTitle, { hint: text.emptyTitleHint });

  // Looked for on a connection that writes nothing: a mistyped id leaves the file as it is, and makes none.
  const id = readStore(context, (connection) => findId(connection, name));
  if (id === undefined) throw unknownSession(name);
  const stored = await writeStore(context, (connection) => renameSession(connection, id, title));
  context.out.write(`${text.renamed(drawable(id), drawable(stored))}\n`);
  return 0;
}

/** By its id alone: a title may be what is to be changed, or one of the words. */
function findId(connection: Connection, name: string): SessionId {
  const { id, isByTitle } = findSession(connection, name);
  if (isByTitle) throw new NotFoundError(text.noSession(name), text.isTitle(name, id));
  return id;
}
