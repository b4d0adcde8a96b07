import path from 'node:path';
import { HermesError, NotFoundError } from '../errors.ts';
import type { Message, SessionId } from '../session/types.ts';
import { appText } from '../text/en/app.ts';
import { manageText } from '../text/en/manage.ts';
import type { Position } from '../store/reads/transcript.ts';
import { exportSession } from './export-session.ts';
import type { SessionStore } from './recorder.ts';
import type { Run } from './run.ts';
import { namedDirectory } from './workspace.ts';

const saveFormats = ['md', 'json', 'html'] as const;
type SaveFormat = (typeof saveFormats)[number];

const batch = 200;

/**
 * `/save [json|md|html] [file]` (state-db.md 7): without a file the session has one of its own among the saved ones of the home, which is
 * brought up to date; a file that is named must not exist yet.
 *
 * @returns the file
 * @throws HermesError: what stands there already, a folder that can't be written, a format nobody knows
 */
export async function saveSession(run: Run, store: SessionStore, id: SessionId, args: string, cwd: string): Promise<string> {
  const [word = '', ...rest] = args.split(/\s+/u).filter((part) => part !== '');
  const named = saveFormats.find((format) => format === word);
  const file = named === undefined ? [word, ...rest].join(' ').trim() : rest.join(' ');
  const format = named ?? formatOf(file);
  if (format === undefined) throw new HermesError('save-format', manageText.unknownFormat(file, saveFormats));
  const isOwn = file === '';
  const place = isOwn
    ? path.join(run.home.path, 'sessions', 'saved', `hermes_session_${id}.${format}`)
    : namedDirectory(file, cwd, run.userHome);
  if (format === 'md') await saveMarkdown(store, id, place, isOwn);
  else {
    // One record of JSON Lines is one JSON document.
    const wish = { id, format: format === 'json' ? 'jsonl' : format, place, cwd, isForced: isOwn } as const;
    const outcome = await exportSession(run, wish);
    if ('failed' in outcome) throw new HermesError('save-failed', outcome.failed);
  }
  return place;
}

/** By the ending of the file; Markdown where there is none. */
function formatOf(file: string): SaveFormat | undefined {
  const ending = path.extname(file).slice(1).toLowerCase();
  return ending === '' && (file === '' || /[./~]/.test(file)) ? 'md' : saveFormats.find((format) => format === ending);
}

async function saveMarkdown(store: SessionStore, id: SessionId, place: string, isForced: boolean): Promise<void> {
  const session = await store.read.sessionById(id);
  if (session === undefined) throw new NotFoundError(appText.sessionGone(id));
  const [{ openTarget }, { writeSavedMarkdown }] = await Promise.all([
    import('../transfer/target.ts'),
    import('../transfer/saved-markdown.ts'),
  ]);
  const target = await openTarget(place, { force: isForced });
  try {
    await writeSavedMarkdown(session, readAll(store, id), target);
    await target.commit();
  } catch (error) {
    await target.discard();
    throw error;
  }
}

async function* readAll(store: SessionStore, id: SessionId): AsyncGenerator<readonly Message[]> {
  let cursor: Position | undefined;
  do {
    const window = await store.read.messagesAfter(id, cursor, batch);
    yield await Promise.all(
      window.messages.map(async (message) =>
        message.cut === undefined ? message : ((await store.read.fullMessage(message.id)) ?? message),
      ),
    );
    cursor = window.hasAfter ? window.end : undefined;
  } while (cursor !== undefined);
}
