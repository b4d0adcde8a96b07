import { grouped } from '../grouped.ts';

const processes = (by: readonly { pid: number; command: string }[]): string =>
  by.length === 0
    ? 'Another program'
    : by.map(({ pid, command }) => (command === '' ? `process ${pid}` : `${command} (pid ${pid})`)).join(', ');

const has = (by: readonly unknown[]): string => (by.length < 2 ? 'has' : 'have');

/** What is said about work on the whole store: optimizing, repairing, its journal mode. Sizes and paths stand as they are. */
export const housekeepingText = {
  // ── who is in the way
  held: (by: readonly { pid: number; command: string }[], path: string) => `${processes(by)} ${has(by)} the session store ${path} open.`,
  unsure: (path: string) => `Whether another program has the session store ${path} open can't be seen from here.`,
  closeFirst: 'Close it first.',
  closeFirstOrForce: 'Close it first, or give --force: then the search index is merged, and the file keeps its size.',
  unsureForce: 'If no other hermes uses it, --force goes on.',

  // ── sessions optimize
  nothingToOptimize: (path: string) => `There is no session store at ${path}, so there is nothing to optimize.`,
  merging: 'merging the search index, pages',
  vacuuming: 'writing the file anew …',
  optimized: (before: string, after: string, saved: string) =>
    `Search index merged, file written anew: ${before} before, ${after} now, ${saved} saved.`,
  optimizedSame: (size: string) => `Search index merged, file written anew: ${size}, as before.`,
  mergedOnly: 'Search index merged. The file was not written anew:',
  noRoom: (folder: string, missing: string) => `the disk of ${folder} lacks ${missing} for it.`,

  // ── sessions set-journal-mode
  noStore: (path: string) => `There is no database at ${path}.`,
  isMode: (path: string, mode: string) => `${path} is in ${mode.toUpperCase()} mode already.`,
  modeSet: (path: string, mode: string) => `${path} is in ${mode.toUpperCase()} mode now.`,
  modeRefused: (path: string, mode: string) => `The disk of ${path} does not work with ${mode.toUpperCase()} mode; nothing was changed.`,
  networkWal: (path: string) => `${path} lies on a network disk, where WAL mode can damage it.`,
  networkWalHint: 'DELETE mode works there. --force switches all the same.',
  faultyWal: (version: string) => `SQLite ${version} can lose data in WAL mode.`,
  faultyWalHint: 'A newer build of hermes comes with a repaired one. --force switches all the same.',
  keepsMode: 'New stores are made in the mode that database.journal_mode of config.yaml names.',

  // ── sessions repair
  repairNothing: (path: string) => `There is no session store at ${path}, so there is nothing to repair.`,
  checking: (size: string) => `checking ${size} …`,
  sound: 'The session store is sound: every page, every index and the search index.',
  soundOlderIndex:
    'The session store is sound. Its search index was filled by an older SQLite, which reads texts with NUL differently; search works.',
  damagedIndex: 'The search index is damaged; the conversations themselves are intact.',
  damagedPages: 'Pages of the session store are damaged.',
  missingObjects: (names: readonly string[]) => `Missing in the store: ${names.join(', ')}.`,
  foreignMissing: (names: readonly string[]) =>
    `Missing in the store, and for Hermes Agent to make: ${names.join(', ')}. Start it once on this home.`,
  finding: (line: string) => `  ${line}`,
  checkedOnly: 'Nothing was changed. Without --check-only it is repaired.',
  backup: (path: string) => `A copy of the store as it was is kept: ${path}`,
  rebuilt: (messages: number) => `The search index was made anew from ${grouped(messages)} messages.`,
  remade: (names: readonly string[]) => `Made anew: ${names.join(', ')}.`,
  salvaging: (table: string) => `reading ${table}, rows`,
  salvaged: 'What can be read, by table:',
  salvagedTable: (table: string, saved: number, lost: number | undefined) =>
    `  ${table}: ${grouped(saved)} saved, ${lost === undefined ? 'how many are lost is not known' : lost === 0 ? 'none lost' : `${grouped(lost)} lost`}`,
  placeholders: (count: number) =>
    `${count === 1 ? 'One session whose own row is lost was' : `${grouped(count)} sessions whose own rows are lost were`} put back around ${count === 1 ? 'its' : 'their'} messages.`,
  lostSessions: (ids: readonly string[], more: number) =>
    `Lost for good: ${ids.join(', ')}${more === 0 ? '' : ` and ${grouped(more)} more`}.`,
  askReplace: 'Put the salvaged store in place of the damaged one?',
  replaced: (damaged: string) => `The salvaged store is in place. The damaged one stays at ${damaged}`,
  notReplaced: 'The damaged store was left as it is.',
  nothingReadable: (path: string) => `Nothing can be read from the session store ${path} any more.`,
  nothingReadableHint: (path: string) =>
    `It was left as it is. A backup can take its place; what is left of it may be found with: sqlite3 ${path} .recover`,
};
