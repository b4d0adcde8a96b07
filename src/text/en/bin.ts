import { counted } from '../counted.ts';

/** Sentences about deleting and the bin. Those marked are fixed: other programs and scripts read them (state-db.md 6). */
export const binText = {
  // ── what stands in the way of a deletion
  /** Fixed in its beginning. */
  active: (id: string, why: string) => `Cannot delete active session: ${id} ${why}.`,
  isOpen: (holder: string) => `is open in ${holder}`,
  hasTurn: (holder: string) => `has a turn running (${holder})`,
  isCompressed: (holder: string) => `is being compressed (${holder})`,
  hasDelegate: (delegate: string) => `has a sub-agent at work (${delegate})`,
  refusedByFile: (id: string) => `Cannot delete session ${id}: the store itself refuses it, so all of it stays.`,
  notStored: (id: string) => `The session ${id} is not in the store any more.`,

  // ── restoring
  notInBin: (id: string) => `There is no session ${id} in the bin.`,
  taken: (id: string, other: string) => `Cannot restore session ${id}: the store has a session ${other} already. It stays in the bin.`,
  noPlace: (id: string, column: string) => `Cannot restore session ${id}: this store has no place for its ${column}. It stays in the bin.`,
  notRestored: (id: string) => `Cannot restore session ${id}: the store itself refuses it. It stays in the bin.`,

  // ── the file of the bin
  newer: (path: string) => `The bin ${path} is of a newer version of this program, so it is left alone, and nothing was changed.`,
  newerHint: 'Use that version.',
  damaged: (path: string) => `The bin ${path} can't be read, so nothing was changed.`,
  foreign: (path: string) => `${path} is no bin of this program, so it is left alone, and nothing was changed.`,
  /** @param path as the shell reads it */
  moveAway: (path: string) => `Move it away to begin a new one: mv -n ${path} ${path}.damaged`,
  full: (path: string) => `The disk that holds the bin ${path} is full, so nothing was changed.`,
  fullHint: 'Make room, or delete with --forever, which needs no copy.',
  busy: (path: string) => `Another program keeps the bin ${path} locked.`,
  busyHint: 'Try again in a moment.',
  notOpened: (path: string) => `The bin ${path} can't be opened, so nothing was changed.`,
  notOpenedHint: 'Check the owner and the mode of the file and its folder, and whether the disk is mounted read-only.',

  fileStays: (path: string) => `${path} can't be taken away, so nothing was erased.`,
  fileStaysHint: 'Check the owner and the mode of its folder.',

  // ── hermes sessions delete
  /** Fixed in its form. */
  deleteOne: (name: string, isPinned: boolean, along: string, howLong: string) =>
    `Delete session ${name}${isPinned ? ' (this session is PINNED)' : ''} and all its messages${along}? ${howLong}`,
  deleteMany: (count: number) => `Delete these ${counted(count, 'session')} and all their messages?`,
  /** ` (4 segments, 1 sub-agent)` */
  along: (segments: number, delegates: number) => {
    const parts = [...(segments > 1 ? [counted(segments, 'segment')] : []), ...(delegates > 0 ? [counted(delegates, 'sub-agent')] : [])];
    return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  },
  named: (id: string, title: string) => `'${id}' "${title}"`,
  unnamed: (id: string) => `'${id}'`,
  row: (name: string, isPinned: boolean, messages: number, along: string) =>
    `  ${name}${isPinned ? '  PINNED' : ''}  ${counted(messages, 'message')}${along}`,
  /** What becomes of so many sessions; without a date there is no way back. */
  fate: (count: number, until: string | undefined) => {
    const [goes, it] = count === 1 ? ['It goes', 'it'] : ['They go', 'them'];
    if (until !== undefined) return `${goes} to the bin until ${until}; \`hermes sessions restore\` brings ${it} back.`;
    return count === 1 ? 'It is erased for good.' : 'They are erased for good.';
  },
  /** Fixed. */
  deleted: (id: string) => `Deleted session '${id}'.`,
  inBin: (date: string) => `in the bin until ${date} · --forever erases`,
  erased: 'erased for good',
  /** @param by without entries: somebody who can't be named */
  tracesHeld: (by: readonly { pid: number; command: string }[]) =>
    `Traces of it leave the store's files when ${by.length === 0 ? 'another program' : by.map(({ pid, command }) => `${command} (pid ${pid})`).join(', ')} has let go of them: \`hermes sessions optimize\` takes them away then.`,
  tracesStay: (why: string) => `Traces of it are still in the store's files: \`hermes sessions optimize\` takes them away. ${why}`,

  // ── hermes sessions restore, trash
  restored: (name: string) => `Restored session ${name}.`,
  retitled: (from: string, to: string) => `  "${from}" was taken meanwhile; it is called "${to}" now.`,
  noneMatches: (name: string) => `No session '${name}' in the bin.`,
  seeBin: '`hermes sessions trash` lists what is there.',
  severalMatch: (name: string, ids: readonly string[]) => `'${name}' could be ${counted(ids.length, 'deleted session')}: ${ids.join(', ')}`,
  severalHint: 'Type more of the id, or the whole of it.',
  empty: 'The bin is empty.',
  columns: { title: 'Title', deleted: 'Deleted', until: 'Until', messages: 'Msgs', source: 'Src', id: 'ID' },
  emptyBin: (count: number) => `Erase ${counted(count, 'session')} in the bin for good?`,
  emptied: (count: number) => `Erased ${counted(count, 'session')} for good.`,
  untitled: '—',
};
