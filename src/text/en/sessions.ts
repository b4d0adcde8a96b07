import { counted } from '../counted.ts';
import { grouped } from '../grouped.ts';

/** Sentences of `hermes sessions show, pin, unpin, pinned, archive, unarchive, prune`. Those marked are fixed (state-db.md 6). */
export const sessionsText = {
  // ── show
  header: (parts: readonly string[]) => parts.join(' · '),
  untitled: 'untitled',
  messages: (count: number) => counted(count, 'message'),
  segments: (count: number) => counted(count, 'segment'),
  you: '● You',
  hermes: '◆ Hermes',
  system: 'System',
  summary: 'Summary of what was said before',
  toolCall: (name: string, argument: string) => `  ▸ ${name}${argument === '' ? '' : `   ${argument}`}`,
  toolResult: (name: string, size: string) => `  ✓ ${name}   ${size}`,
  tool: 'tool',
  saidNothing: 'This session has no messages.',

  // ── pin, unpin, pinned
  /** Fixed. */
  pinned: (id: string, title: string | undefined) => `Pinned session '${id}'.${title === undefined ? '' : `  (${title})`}`,
  unpinned: (id: string, title: string | undefined) => `Unpinned session '${id}'.${title === undefined ? '' : `  (${title})`}`,
  nothingPinned: 'No pinned sessions.',

  // ── archive, unarchive
  /** Fixed in its beginning. */
  refusesAll: 'Refusing to archive every ended session: give a filter, or ids.',
  refusesAllHint: '`hermes sessions archive --help` lists the filters.',
  refusesUnarchive: 'Which sessions? Give ids, or a filter.',
  idsOrFilters: 'Ids and filters do not go together.',
  archive: (count: number) => `Archive ${counted(count, 'session')}? Lists leave them out then; nothing is deleted.`,
  wouldArchive: (count: number) => `Would archive ${grouped(count)} session(s).`,
  /** Fixed in its beginning. */
  archived: (count: number) =>
    `Archived ${grouped(count)} session(s). They can still be searched and resumed; \`hermes sessions unarchive\` brings them back.`,
  unarchive: (count: number) => `Bring ${counted(count, 'session')} back into the lists?`,
  wouldUnarchive: (count: number) => `Would unarchive ${grouped(count)} session(s).`,
  unarchived: (count: number) => `Unarchived ${grouped(count)} session(s).`,

  // ── prune
  /** Fixed in its end. */
  pruned: (count: number) => `Pruned ${grouped(count)} session(s).`,
  wouldPrune: (count: number) => `Would prune ${grouped(count)} session(s).`,
  prune: (count: number, delegates: number, howLong: string) =>
    `Delete ${counted(count, 'session')}${delegates === 0 ? '' : ` with ${counted(delegates, 'sub-agent')}`}? ${howLong}`,
  changedMeanwhile: (count: number) => `${counted(count, 'session')} changed meanwhile and stayed.`,

  // ── what fits
  /** Fixed. */
  noneMatch: (filters: string) => `No sessions match (${filters}).`,
  match: (count: number) => `${counted(count, 'session')} ${count === 1 ? 'matches' : 'match'}`,
  span: (oldest: string, newest: string) => (oldest === newest ? `last active ${oldest}` : `last active from ${oldest} to ${newest}`),
  more: (count: number) => `  … and ${grouped(count)} more (--dry-run shows all)`,
  count: (messages: number) => `${grouped(messages)} msgs`,
  missing: '—',
  spared: (pinned: number, open: number, archived: number) => {
    const parts = [
      ...(pinned > 0 ? [`${grouped(pinned)} pinned`] : []),
      ...(open > 0 ? [`${grouped(open)} not ended`] : []),
      ...(archived > 0 ? [`${grouped(archived)} archived`] : []),
    ];
    return `Left out: ${parts.join(', ')}.`;
  },
} as const;
