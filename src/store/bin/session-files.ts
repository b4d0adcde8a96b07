import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { draftFileName, fileNameOf } from '../../session/file-names.ts';
import type { SessionId } from '../../session/types.ts';
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
  const stale = new Set(staleEntries(bin));
  const entries = readEntries(bin);
  const inBin = entries.filter(({ entry }) => !stale.has(entry)).flatMap(({ facts }) => [...facts.ids, ...facts.delegates]);
  const kept = new Set(namesIn(filesFolder(connection.path)));
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

/** Takes the files of sessions away that are erased, wherever they are. */
export function eraseFiles(storePath: string, ids: readonly SessionId[]): void {
  const home = dirname(storePath);
  for (const { folder, nameOf } of kinds) {
    const there = new Set(namesIn(join(home, folder)));
    for (const id of ids) if (there.has(nameOf(id))) rmSync(join(home, folder, nameOf(id)), { force: true });
  }
  const kept = new Set(namesIn(filesFolder(storePath)));
  for (const id of ids) {
    if (kept.has(fileNameOf(id))) rmSync(join(filesFolder(storePath), fileNameOf(id)), { recursive: true, force: true });
  }
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
