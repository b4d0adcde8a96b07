import { counted } from '../counted.ts';
import { grouped } from '../grouped.ts';

/** Sentences about conversations of other agents and backups of our own. Those marked are fixed (state-db.md 3). */
export const importText = {
  /** Names of the agents, by the source their sessions get. */
  tools: {
    'claude-code': 'Claude Code',
    'codex-cli': 'Codex CLI',
    'gemini-cli': 'Gemini CLI',
    opencode: 'OpenCode',
    pi: 'pi',
  },
  /** Fixed. */
  title: (tool: string, line: string) => `Imported from ${tool}: ${line}`,
  /** Stands for what a person said before a log begins. */
  stub: (tool: string) => `[${tool}: the log begins with an answer]`,

  // ── files
  unreadable: (path: string, code: string) => `${path} can't be read (${code}).`,
  notAFile: (path: string) => `${path} is no file.`,
  noSuchPath: (path: string) => `There is nothing at ${path}.`,
  unknownFormat: (path: string) => `${path} is no log of an agent known here, and no export of this program.`,
  unknownFormatHint: '--from says which it is: claude, codex, gemini, opencode, pi or hermes.',
  broken: {
    tooLong: 'longer than 64 MB',
    noJson: 'no JSON',
    cutOff: 'cut off',
    noObject: 'no object',
    noRecord: (what: string) => `no session: ${what}`,
    wrongCell: (column: string) => `${column} holds what no column can`,
  },
  brokenLines: (count: number, lines: readonly number[]) => {
    const rest = count - lines.length;
    const more = rest > 0 ? ` and ${grouped(rest)} more` : '';
    return `${grouped(count)} ${count === 1 ? 'line' : 'lines'} could not be read: ${lines.join(', ')}${more}`;
  },

  // ── choosing a log
  columns: { age: 'Age', tool: 'From', folder: 'Directory', says: 'Conversation' },
  nothingSaid: '—',
  already: (id: string) => `(imported as ${id})`,
  whichLog: (count: number) => `Number of the one to import, 1 to ${count} (Enter: none): `,
  noSuchNumber: (typed: string, count: number) => `'${typed}' is no number from 1 to ${count}.`,
  noneChosen: 'Nothing chosen, nothing imported.',
  noLogs: (tools: readonly string[], folders: readonly string[]) => `No logs of ${tools.join(', ')} in ${folders.join(', ')}.`,
  noLogsHint: 'OpenCode keeps newer sessions in a database: opencode export ID > FILE, then hermes sessions import FILE.',
  needsTerminal: 'Choosing a log needs a terminal.',
  needsTerminalHint: 'Name a file or a folder, or take all of them with --all: hermes sessions import --from claude --all',
  resumeNeedsTerminalHint: 'hermes sessions import --from claude PATH imports a log without asking; then resume it by its id.',
  wrongTool: (name: string) => `'${name}' is no agent whose logs can be imported.`,
  oneOf: (names: readonly string[]) => `One of: ${names.join(', ')}.`,
  pathAndAll: 'PATH names what is imported; --all goes without it.',
  pathAndAllHint: 'A folder is imported with all that is in it: hermes sessions import PATH',
  needsPath: 'An export of this program is imported from a file.',
  needsPathHint: 'hermes sessions import PATH',
  nothingToImport: (path: string) => `No log of an agent known here, and no export of this program, lies in ${path}.`,
  folderUnread: (path: string, code: string) => `${path} was left out (${code}).`,

  // ── what was done
  label: 'importing',
  stopped: (done: number) => `Stopped after ${grouped(done)}; nothing is half done.`,
  /** Fixed. */
  resuming: (id: string) => `✓ Imported as ${id} — resuming it now.`,
  resumingCopy: (id: string) => `✓ Already imported as ${id} — resuming it now.`,
  /** Fixed. */
  later: (id: string) => `  (later: hermes --resume ${id})`,
  imported: (id: string, title: string, messages: number) => `Imported as ${id}: ${title} (${counted(messages, 'message')})`,
  wouldImport: (path: string, messages: number) => `Would import ${path} (${counted(messages, 'message')})`,
  same: (id: string, path: string) => `Already imported as ${id}: ${path}`,
  grown: (id: string, messages: number) => `Added ${counted(messages, 'message')} to ${id}: its log had gone on.`,
  wouldGrow: (id: string, path: string) => `Would look whether ${path} has gone on since it was imported as ${id}`,
  continuedHere: (id: string, path: string) => `Left as it is: ${id} was continued here, and so was its log ${path}.`,
  nothingInIt: (path: string) => `Nothing was said in ${path}.`,
  busy: (id: string) => `Left as it is: another program is at work on ${id}.`,
  restored: (records: number, messages: number) => `Imported ${counted(records, 'session')}, ${counted(messages, 'message')}.`,
  wouldRestore: (path: string, records: number, messages: number) =>
    `Would import ${counted(records, 'session')}, ${counted(messages, 'message')} from ${path}`,
  equal: (records: number) => `${counted(records, 'session')} already here, left as ${records === 1 ? 'it is' : 'they are'}.`,
  merged: (records: number, messages: number) =>
    `${counted(messages, 'missing message')} put back into ${counted(records, 'session')} already here.`,
  notPlaced: (id: string, messages: number) =>
    `${counted(messages, 'message')} of ${id} left out: the session went on here, and their place is taken.`,
  notTaken: (id: string, why: string) => `${id} was not imported: ${why}`,
  doneBefore: (sessions: number) => `${counted(sessions, 'session')} done before that; importing again goes on from there.`,
  binned: (id: string) => `${id} is in the bin: \`hermes sessions restore ${id}\` brings it back, then import it again.`,
  notMerged: (id: string) => `${id} was compressed here; its messages are left as they are.`,
  retitled: (id: string, from: string, to: string) => `The title '${from}' of ${id} is taken; it is now '${to}'.`,
  untitled: (id: string) => `The title of ${id} is taken; it has none now.`,
  lostColumns: (columns: readonly string[]) => `This store has no column for: ${columns.join(', ')}`,
  wouldSummary: (imported: number, same: number, failed: number) =>
    `${grouped(imported)} to import, ${grouped(same)} already here${failed === 0 ? '' : `, ${grouped(failed)} can't be imported`}.`,
  summary: (imported: number, same: number, failed: number) =>
    `${grouped(imported)} imported, ${grouped(same)} already here${failed === 0 ? '' : `, ${grouped(failed)} not imported`}.`,
} as const;
