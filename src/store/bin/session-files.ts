import { accessSync, constants, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '../../errors.ts';
import { draftFileName, fileNameOf } from '../../session/file-names.ts';
import type { SessionId } from '../../session/types.ts';
import { binText } from '../../text/en/bin.ts';
import type { Connection, Database } from '../connection.ts';
import { failureCode } from '../damage.ts';
import { readEntries, staleEntries } from './entries.ts';
import { binFolder } from './file.ts';

/** Files a session has beside its rows; what a person exported is theirs, wherever it lies. */
const kinds = [
  { kept: 'messages.jsonl', folder: 'sessions', nameOf: (id: SessionId) => `${fileNameOf(id)}.jsonl` },
  { kept: 'session.json', folder: 'sessions', nameOf: (id: SessionId) => `session_${fileNameOf(id)}.json` },
  { kept: 'draft.json', folder: 'tui/drafts', nameOf: draftFileName },
] as const;

const filesFolder = (storePath: string): string => join(binFolder(storePath), 'files');

/**
 * Puts files where their sessions are, inside a transaction of the bin's: those of sessions in the bin lie in `<home>/trash/files/<id>`, those
 * of stored ones in their places, those of sessions that are in neither go. It looks at what is there, not at what was just done, so that
 * it also ends what a killed process had begun.
 */
export function settleFiles(connection: Connection, bin: Database): void {
  const home = dirname(connection.path);
  const kept = new Set(namesIn(filesFolder(connection.path)));
  // Entries are read only where there is a file to be moved: 5,000 of them take 110 ms.
  if (kept.size === 0 && kinds.every(({ folder }) => namesIn(join(home, folder)).length === 0)) return;
  const stale = new Set(staleEntries(bin));
  const entries = readEntries(bin);
  const inBin = entries.filter(({ entry }) => !stale.has(entry)).flatMap(({ facts }) => [...facts.ids, ...facts.delegates]);
  if (inBin.length > 0) takeAlong(home, inBin, connection.path);

  const names = new Map(inBin.map((id) => [fileNameOf(id), id]));
  const stored = bin.prepare('SELECT id FROM state.sessions WHERE id = ?').pluck();
  const leaving = new Map(entries.flatMap(({ facts }) => [...facts.ids, ...facts.delegates]).map((id) => [fileNameOf(id), id]));
  for (const name of kept) {
    if (names.has(name)) continue;
    const id = leaving.get(name) ?? name;
    const folder = join(filesFolder(connection.path), name);
    if (stored.get(id) !== undefined) putBack(home, id, folder);
    else rmSync(folder, { recursive: true, force: true });
  }
}

/** Files of sessions in the bin that still lie in their places. */
function takeAlong(home: string, ids: readonly SessionId[], storePath: string): void {
  for (const { kept, folder, nameOf } of kinds) {
    const there = new Set(namesIn(join(home, folder)));
    if (there.size === 0) continue;
    for (const id of ids) {
      const name = nameOf(id);
      if (!there.has(name)) continue;
      const target = join(filesFolder(storePath), fileNameOf(id));
      mkdirSync(target, { recursive: true, mode: 0o700 });
      moveFile(join(home, folder, name), join(target, kept));
    }
  }
}

/** A file that was made meanwhile is newer than the one that comes back, and stays. */
function putBack(home: string, id: SessionId, from: string): void {
  for (const { kept, folder, nameOf } of kinds) {
    const place = join(home, folder);
    if (!namesIn(from).includes(kept)) continue;
    if (namesIn(place).includes(nameOf(id))) rmSync(join(from, kept), { force: true });
    else {
      mkdirSync(place, { recursive: true, mode: 0o700 });
      moveFile(join(from, kept), join(place, nameOf(id)));
    }
  }
  if (namesIn(from).length === 0) rmdirSync(from);
}

/**
 * Asked before anything is erased: a file that stays would hold words that are said to be gone.
 * @throws StoreError `readonly`, naming a file that can't be taken away
 */
export function demandErasable(storePath: string, ids: readonly SessionId[]): void {
  for (const path of filesOf(storePath, ids)) {
    try {
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new StoreError('readonly', binText.fileStays(path), { hint: binText.fileStaysHint, cause: error });
    }
  }
}

/** Takes the files of sessions away that are erased, wherever they are; the store has let go of them already. */
export function eraseFiles(storePath: string, ids: readonly SessionId[]): void {
  for (const path of filesOf(storePath, ids)) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      // Closed to us since it was asked for, or marked by its owner not to be removed: what is done can't be taken back over it.
      if (failureCode(error) === undefined) throw error;
    }
  }
}

/** Files, and folders of the bin, that are there. */
function filesOf(storePath: string, ids: readonly SessionId[]): string[] {
  const home = dirname(storePath);
  const places = [
    ...kinds.map(({ folder, nameOf }) => ({ folder: join(home, folder), nameOf })),
    { folder: filesFolder(storePath), nameOf: fileNameOf },
  ];
  return places.flatMap(({ folder, nameOf }) => {
    const there = new Set(namesIn(folder));
    return there.size === 0 ? [] : ids.map(nameOf).flatMap((name) => (there.has(name) ? [join(folder, name)] : []));
  });
}

function moveFile(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // A folder on another disk, or one that may not be written: the file stays where it is, and is found there again.
    if (!['EXDEV', 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EISDIR', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes(failureCode(error) ?? ''))
      throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or closed to us: it holds nothing that could be moved.
    return [];
  }
}
