import { chmodSync, lstatSync, mkdirSync } from 'node:fs';

const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;
const PRIVATE_FOLDER = 0o700;

/** Makes the folder and its missing parents, readable by their owner only; a folder that exists keeps its mode. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
}

/**
 * Takes the store and its companions away from everyone but their owner, who keeps the rights they have: a file that was write-protected stays
 * so. A symbolic link is left alone (its target may be shared on purpose),
 * and so is a file of another user, whose mode is not ours to set.
 */
export function makeStorePrivate(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile() || (found.mode & OTHERS) === 0) continue;
    if (found.uid === process.getuid?.()) chmodSync(file, found.mode & PRIVATE_FILE);
  }
}
