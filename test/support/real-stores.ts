import { chmodSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';

const FOLDER = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Files written by Hermes Agent itself; they are not part of the project. */
export const hasRealStores = existsSync(FOLDER);
if (!hasRealStores) console.warn(`No real stores at ${FOLDER}: the tests that compare with them are skipped.`);

export type RealStore = 'hermes-v31-empty.db' | 'hermes-v31-40.db' | 'hermes-v17-10.db' | 'hermes-v17-1000.db';

/** Copies one into `folder` (even reading leaves -wal and -shm beside a store). @returns its path */
export function copyRealStore(name: RealStore, folder: string): string {
  const target = join(folder, 'state.db');
  if (existsSync(join(FOLDER, name))) copyFileSync(join(FOLDER, name), target);
  else writeFileSync(target, gunzipSync(readFileSync(join(FOLDER, `${name}.gz`))));
  chmodSync(target, 0o600);
  return target;
}
