import { AmbiguousIdError, HermesError, NotFoundError } from '../errors.ts';
import { sanitizeTitle } from '../session/title.ts';
import type { SessionId } from '../session/types.ts';
import type { Connection } from '../store/connection.ts';
import { resolveSession } from '../store/reads/resolve.ts';
import { renameSession } from '../store/writes/titles.ts';
import { drawable } from '../terminal/width.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';
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
  if (id === undefined) throw new NotFoundError(text.noSession(name), text.findId);
  const stored = await writeStore(context, (connection) => renameSession(connection, id, title));
  context.out.write(`${text.renamed(drawable(id), drawable(stored))}\n`);
  return 0;
}

function findId(connection: Connection, name: string): SessionId | undefined {
  const found = resolveSession(connection, name);
  if (found.kind === 'ambiguous') throw new AmbiguousIdError(name, found.candidates);
  if (found.kind === 'none') return undefined;
  if (found.by === 'title') throw new NotFoundError(text.noSession(name), text.isTitle(name, found.matched));
  return found.matched;
}
