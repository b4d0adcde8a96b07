import { HermesError, NotFoundError } from '../errors.ts';
import type { Session, SessionId } from '../session/types.ts';
import { appText } from '../text/en/app.ts';
import { manageText } from '../text/en/manage.ts';
import { askDelete, exportFormats } from '../ui/screens/dialog/index.ts';
import { binUntil, type DeleteContext } from './delete-sessions.ts';
import { exportSessions } from './export-session.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';

/** What screen and line mode do alike with the conversation that is open. Each answers with what is said then. */

/** @throws NotFoundError when somebody deleted it */
async function stored(store: SessionStore, id: SessionId): Promise<Session> {
  const session = await store.read.sessionById(id);
  if (session === undefined) throw new NotFoundError(appText.sessionGone(id));
  return session;
}

/** @throws StoreError, NotFoundError */
export async function togglePinned(store: SessionStore, id: SessionId): Promise<string> {
  const session = await stored(store, id);
  const which = manageText.which([session.title ?? id]);
  await store.write.setPinned(id, !session.pinned);
  return session.pinned ? manageText.unpinned(which) : manageText.pinned(which);
}

/** @throws StoreError, NotFoundError */
export async function toggleArchived(store: SessionStore, id: SessionId): Promise<string> {
  const session = await stored(store, id);
  const which = manageText.which([session.title ?? id]);
  await store.write.setArchived(id, !session.archived);
  return session.archived ? manageText.unarchived(which) : manageText.archived(which);
}

/**
 * The question before it is deleted. The answer gives it up first, so that it is open here does not stand in the way.
 * @throws HermesError `active` when something else does; StoreError, NotFoundError
 */
export async function askDeleteOpen(
  { run, store }: Pick<DeleteContext, 'run' | 'store'>,
  id: SessionId,
): Promise<ReturnType<typeof askDelete>> {
  const [session, holds] = await Promise.all([stored(store, id), store.read.deletionSize({ ids: [id], held: {} })]);
  const [refusal] = holds.refused;
  if (refusal !== undefined) throw new HermesError('active', refusal.message);
  const names = [session.title ?? id];
  return askDelete({ openId: id, names, holds, isPinned: session.pinned, spared: 0, notInView: 0, until: binUntil(run) });
}

/** `/export [format] [path]`: Markdown into a folder of its own in `cwd` unless said otherwise. */
export async function exportOpen(
  run: Run,
  store: SessionStore,
  id: SessionId,
  args: string,
  cwd: string,
): Promise<{ text: string; isError: boolean }> {
  const [word = '', ...rest] = args.split(/\s+/u).filter((part) => part !== '');
  const named = exportFormats.find((format) => format === word);
  // A path alone is one, a bare word that is no format a slip.
  if (named === undefined && word !== '' && !/[./~]/.test(word))
    return { text: manageText.unknownFormat(word, exportFormats), isError: true };
  const place = named === undefined ? args.trim() : rest.join(' ');
  const outcome = await exportSessions(run, { ids: [id], format: named ?? 'md', place: place === '' ? '.' : place, cwd });
  if ('failed' in outcome) return { text: manageText.exportFailed(outcome.failed), isError: true };
  const title = (await store.read.sessionById(id))?.title;
  return { text: manageText.exported(manageText.which([title ?? id]), outcome.path), isError: false };
}
