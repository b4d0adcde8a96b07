import { counted } from '../counted.ts';
import { grouped } from '../grouped.ts';

const quoted = (name: string): string => `“${name}”`;
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What is said of sessions that are pinned, archived, deleted, exported from a list or from their own conversation. */
export const manageText = {
  /** `“a”`, or how many. */
  which: (names: readonly string[]) => (names.length === 1 ? quoted(names[0] ?? '') : counted(names.length, 'session')),
  pinned: (which: string) => `Pinned ${which}`,
  unpinned: (which: string) => `Pin of ${which} taken away`,
  archived: (which: string) => `Archived ${which}`,
  unarchived: (which: string) => `${upper(which)} brought back out of the archive`,
  titleCleared: 'The title was taken away',
  titleTaken: (title: string, holder: string) => `“${title}” is taken by ${holder}`,
  useTitle: (title: string) => `Use “${title}”`,
  /** A terminal without a name is called by its process. */
  holder: (where: string, pid: number) => (where === '' || where === `pid ${pid}` ? `pid ${pid}` : `${where} (pid ${pid})`),
  renamed: (title: string) => `Renamed to ${quoted(title)}`,
  /** Without a day it can't come back. */
  gone: (which: string, until: string | undefined) =>
    until === undefined ? `Erased ${which} for good` : `Deleted ${which} · in the bin until ${until}`,
  undoes: (key: string) => ` · ${key} undoes`,
  pinnedSpared: (count: number) => `${counted(count, 'pinned one')} stayed`,
  left: (count: number, why: string) => (count === 1 ? why : `${grouped(count)} were left: ${why}`),
  nothingLeft: 'They are gone already.',
  allPinned: 'All that are marked are pinned, and pinned ones are only deleted one by one',
  undone: {
    deleted: (which: string) => `${upper(which)} restored`,
    pinned: (which: string) => `Undone: the pin of ${which}`,
    archived: (which: string) => `Undone: the archiving of ${which}`,
    unarchived: (which: string) => `${upper(which)} archived again`,
    unpinned: (which: string) => `${upper(which)} pinned again`,
    renamed: (title: string | undefined) =>
      title === undefined ? 'Undone: it has no title again' : `Undone: it is ${quoted(title)} again`,
    retitled: (from: string, to: string) => `${quoted(from)} is taken now: it came back as ${quoted(to)}`,
  },
  nothingSaid: 'Nothing was said here yet, so there is nothing in the store.',
  isForeign: 'It is open elsewhere, and only read along here.',
  isWorking: 'A turn is running: wait for it, or interrupt it with Esc.',
  exporting: (which: string) => `Exporting ${which} …`,
  exported: (which: string, path: string) => `Exported ${which} to ${path}`,
  exportFailed: (reason: string) => `Not exported: ${reason}`,
  exportedSome: (done: number, of: number, reason: string) => `${grouped(done)} of ${grouped(of)} exported, then: ${reason}`,
  wantsFolder: (format: string) => `${format} is written into a folder, under a name made of id and title; name the folder alone`,
  saved: (path: string) => `Saved to ${path}`,
  unknownFormat: (word: string, known: readonly string[]) => `${quoted(word)} is no format: ${known.join(', ')}`,
};
