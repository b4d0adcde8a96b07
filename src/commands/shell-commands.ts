import type { ShellContext } from './context.ts';
import type { Flags, ShellCommandId } from './parse.ts';

/** Runs one shell command. @returns the exit code. @throws the errors of src/errors.ts, for the one printer */
export type ShellHandler = (context: ShellContext, args: readonly string[], flags: Flags) => Promise<number>;

/** Commands that open a screen or a conversation belong to app/; the rest print text and are joined here. */
export type PrintingCommandId = Exclude<ShellCommandId, 'shell.chat' | 'shell.sessions-browse'>;

/** Every printing command by id; each loads its code when it is run, so that no start pays for the others. */
export const shellCommands: Record<PrintingCommandId, ShellHandler> = {
  'shell.sessions-list': async (context, _args, flags) => (await import('./sessions-list.ts')).listSessions(context, flags),
  'shell.sessions-search': async (context, args, flags) => (await import('./sessions-search.ts')).searchSessions(context, args, flags),
  'shell.sessions-show': async (context, args, flags) => (await import('./sessions-show.ts')).showSession(context, args[0] ?? '', flags),
  'shell.sessions-pin': async (context, args) => (await import('./sessions-pin.ts')).pinFromShell(context, args, true),
  'shell.sessions-unpin': async (context, args) => (await import('./sessions-pin.ts')).pinFromShell(context, args, false),
  'shell.sessions-pinned': async (context, _args, flags) => (await import('./sessions-pin.ts')).listPinned(context, flags),
  'shell.sessions-archive': async (context, args, flags) =>
    (await import('./sessions-archive.ts')).archiveFromShell(context, args, flags, true),
  'shell.sessions-unarchive': async (context, args, flags) =>
    (await import('./sessions-archive.ts')).archiveFromShell(context, args, flags, false),
  'shell.sessions-prune': async (context, _args, flags) => (await import('./sessions-prune.ts')).pruneSessions(context, flags),
  'shell.sessions-export': async (context, args, flags) => (await import('./sessions-export.ts')).exportSessions(context, args, flags),
  'shell.sessions-import': async (context, args, flags) => (await import('./sessions-import.ts')).importSessions(context, args, flags),
  'shell.sessions-delete': async (context, args, flags) => (await import('./sessions-delete.ts')).deleteSessions(context, args, flags),
  'shell.sessions-restore': async (context, args) => (await import('./sessions-restore.ts')).restoreSessions(context, args),
  'shell.sessions-trash': async (context, args, flags) => (await import('./sessions-trash.ts')).showTrash(context, args, flags),
  'shell.sessions-rename': async (context, args) => (await import('./sessions-rename.ts')).renameFromShell(context, args),
  'shell.sessions-stats': async (context, _args, flags) => (await import('./sessions-stats.ts')).showStats(context, flags),
  'shell.sessions-optimize': async (context, _args, flags) => (await import('./sessions-optimize.ts')).optimizeStore(context, flags),
  'shell.sessions-repair': async (context, _args, flags) => (await import('./sessions-repair.ts')).repairStore(context, flags),
  'shell.sessions-set-journal-mode': async (context, args, flags) =>
    (await import('./sessions-journal-mode.ts')).setJournalMode(context, args, flags),
  'shell.insights': async (context, _args, flags) => (await import('./insights.ts')).showInsights(context, flags),
  'shell.doctor': async (context, args, flags) => (await import('./doctor.ts')).runDoctor(context, args, flags),
  'shell.completion': async (context, args) => {
    const { renderCompletion } = await import('./completion.ts');
    context.out.write(renderCompletion(args[0] as Parameters<typeof renderCompletion>[0]));
    return 0;
  },
};
