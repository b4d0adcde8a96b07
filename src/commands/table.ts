/**
 * Every command and every key of the program, as data. Dispatch, CLI parser and `--help`, palette, F1 menu, footer hints, completion and
 * the generated docs read this table; a hint never spells a key by hand. Handlers join by `Record<CommandId, …>`, so a missing one
 * does not compile.
 *
 * Keys are written `ctrl+x`, `alt+c`, `shift+tab`, `f1`, `enter`; a single printable character (`?`, `y`) is typed text that counts as a
 * key only in the scope named. Rules that bind every row: nothing that closes or deletes hangs on Alt; ESC followed by
 * `[ ] O P X ^ _ \` is never bound (a terminal could send it as the start of a sequence).
 */

/**
 * Where a key means something, from the inside out. `field` is every line of text; `empty-line` the same while nothing is typed, and
 * `empty-filter` that of the sessions alone;
 * `list` every list; the others are screens.
 */
export type Scope =
  | 'field'
  | 'empty-line'
  | 'empty-filter'
  | 'list'
  | 'picker'
  | 'search'
  | 'look'
  | 'reading'
  | 'find'
  | 'dialog'
  | 'insights'
  | 'chat'
  | 'global';

export type Surface = 'shell' | 'slash' | 'palette' | 'key';

export type Group = 'Conversation' | 'Sessions' | 'Reading' | 'Writing' | 'Lists' | 'Program' | 'Shell';

export interface Argument {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly variadic?: boolean;
  /** Fixed choices, for completion and the error text. */
  readonly choices?: readonly string[];
}

export interface Flag {
  /** As typed: `--limit`. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value; absent = a switch. */
  readonly value?: string;
  /** The only values there are: for completion, and the error text. */
  readonly choices?: readonly string[];
  /** The value may be left out (`-c [NAME]`). */
  readonly optionalValue?: boolean;
  readonly summary: string;
}

export interface CommandSpec {
  readonly id: string;
  /** What menus show. */
  readonly name: string;
  readonly group: Group;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** `/name`; the first is shown, the rest are aliases. */
  readonly slash?: readonly string[];
  /** `hermes a b`, without `hermes`. */
  readonly shell?: string;
  readonly args?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly keys?: Readonly<Partial<Record<Scope, readonly string[]>>>;
  /** Shown in the footer of these scopes, with this word. */
  readonly hint?: string;
  readonly surfaces: readonly Surface[];
}

/** Options of `hermes` and `hermes chat`, the same after both. */
export const startFlags = [
  {
    name: '--continue',
    short: '-c',
    value: 'NAME',
    optionalValue: true,
    summary: "continue this pane's session, or the one with that id or title",
  },
  {
    name: '--resume',
    short: '-r',
    value: 'SESSION',
    summary:
      'resume by id, unique id prefix or title; `latest` is the newest local one, `@claude` and `@codex` let you choose one of theirs',
  },
  { name: '--at', value: 'MESSAGE', summary: 'with -r or -c: open at that message, by its id; `-r SESSION#MESSAGE` is the same' },
  { name: '--in', value: 'DIR', summary: 'start or resume in that directory, and only look at its sessions' },
  { name: '--no-restore-cwd', summary: 'stay in this directory instead of the one the session was in' },
  { name: '--tui', summary: 'full screen (the default on a terminal)' },
  { name: '--cli', summary: 'line mode: no cursor addressing, one line per event' },
  { name: '--query', short: '-q', value: 'TEXT', summary: 'answer on stdout and leave; piped input is appended' },
  { name: '--oneshot', value: 'TEXT', summary: 'the same as --query' },
  { name: '--source', value: 'TAG', summary: 'source written into a session this run creates' },
  { name: '--create-if-missing', summary: 'with -c NAME: start a session of that title where none exists' },
  { name: '--profile', short: '-p', value: 'NAME', summary: 'use that profile' },
  { name: '--debug', summary: 'also log key and statement names' },
] as const satisfies readonly Flag[];

/** What narrows list, export, prune and archive down; all that is given must hold. `src/commands/filters.ts` makes a query of it. */
export const filterFlags = [
  { name: '--older-than', value: 'TIME', summary: 'idle for longer than that: 90 (days), 12h, 2w, 2026-07-05, "2026-07-05 14:30"' },
  { name: '--newer-than', value: 'TIME', summary: 'active since then' },
  { name: '--before', value: 'TIME', summary: 'started before that' },
  { name: '--after', value: 'TIME', summary: 'started then or later' },
  { name: '--source', value: 'SOURCE', summary: 'only that source' },
  { name: '--query', value: 'TEXT', summary: 'something was said in it that a search for TEXT finds; fields such as is:pinned too' },
  { name: '--title', value: 'TEXT', summary: 'title contains that text' },
  { name: '--model', value: 'TEXT', summary: 'name of the model contains that text' },
  { name: '--provider', value: 'NAME', summary: 'billed by that provider' },
  { name: '--cwd', value: 'DIR', summary: 'worked in that directory or below it' },
  { name: '--branch', value: 'TEXT', summary: 'git branch contains that text' },
  { name: '--user', value: 'ID', summary: 'that user of a messaging platform' },
  { name: '--chat-id', value: 'ID', summary: 'that chat of a messaging platform' },
  { name: '--chat-type', value: 'TYPE', summary: 'dm, group, channel …' },
  { name: '--end-reason', value: 'REASON', summary: 'ended for that reason: tui_close, cli_close, compression …' },
  { name: '--min-messages', value: 'N', summary: 'at least N messages' },
  { name: '--max-messages', value: 'N', summary: 'at most N messages' },
  { name: '--min-tokens', value: 'N', summary: 'at least N tokens, input and output' },
  { name: '--max-tokens', value: 'N', summary: 'at most N tokens' },
  { name: '--min-cost', value: 'USD', summary: 'cost at least that much' },
  { name: '--max-cost', value: 'USD', summary: 'cost at most that much' },
  { name: '--min-tool-calls', value: 'N', summary: 'at least N tool calls' },
  { name: '--max-tool-calls', value: 'N', summary: 'at most N tool calls' },
] as const satisfies readonly Flag[];

/** Filters of `sessions search`, where the query itself says the rest. */
const searchFlags: readonly Flag[] = filterFlags.filter((flag) => flag.name !== '--query');

// prettier-ignore
export const commands = [
  // ── Conversation
  { id: 'message.send', name: 'Send', group: 'Conversation', summary: 'Send the message; while a turn runs it is queued', keys: { chat: ['enter'] }, surfaces: ['key'] },
  { id: 'message.newline', name: 'New line', group: 'Writing', summary: 'Begin a new line in the message', keys: { chat: ['shift+enter', 'alt+enter', 'ctrl+j'] }, hint: 'new line', surfaces: ['key'] },
  { id: 'session.new', name: 'New conversation', group: 'Conversation', summary: 'Start a new conversation, with a title if one is given', slash: ['new', 'clear'], args: [{ name: 'name', summary: 'title of the new session', variadic: true }], surfaces: ['slash', 'palette'] },
  { id: 'session.title', name: 'Title', group: 'Conversation', summary: 'Show the title, or set it', slash: ['title'], args: [{ name: 'text', summary: 'the new title', variadic: true }], surfaces: ['slash', 'palette'] },
  { id: 'session.status', name: 'Status', group: 'Conversation', summary: 'Show session, model, directory, times and a short recap', slash: ['status'], surfaces: ['slash', 'palette'] },
  { id: 'session.directory', name: 'Directory', group: 'Conversation', summary: 'Choose the directory this conversation works in', slash: ['directory'], args: [{ name: 'path', summary: 'the directory; without it you are asked' }], surfaces: ['slash', 'palette'] },
  { id: 'session.pin', name: 'Pin', group: 'Conversation', summary: 'Pin this session, or take the pin away', slash: ['pin'], surfaces: ['slash', 'palette'] },
  { id: 'session.archive', name: 'Archive', group: 'Conversation', summary: 'Archive this session, or bring it back out of the archive', slash: ['archive'], surfaces: ['slash', 'palette'] },
  { id: 'session.delete', name: 'Delete', group: 'Conversation', summary: 'End this session and move it to the bin (asks)', slash: ['delete'], surfaces: ['slash', 'palette'] },
  { id: 'session.export', name: 'Export', group: 'Conversation', summary: 'Write this session to a file', slash: ['export'], args: [{ name: 'format', summary: 'md unless given', choices: ['md', 'qmd', 'html', 'jsonl', 'trace'] }, { name: 'path', summary: 'file or folder; this directory unless given', variadic: true }], surfaces: ['slash', 'palette'] },
  { id: 'session.save', name: 'Save', group: 'Conversation', summary: 'Save what was said among the saved sessions of the home, or in a file', slash: ['save'], args: [{ name: 'json|md|html', summary: 'md unless given', choices: ['json', 'md', 'html'] }, { name: 'file', summary: 'where to', variadic: true }], surfaces: ['slash', 'palette'] },
  { id: 'session.history', name: 'History', group: 'Conversation', summary: 'Read the whole conversation from its beginning', slash: ['history'], surfaces: ['slash', 'palette'] },
  { id: 'model.choose', name: 'Model', group: 'Conversation', summary: 'Choose the model that answers', slash: ['model'], args: [{ name: 'name', summary: 'model to use; without it the list opens' }], surfaces: ['slash', 'palette'] },
  { id: 'message.copy', name: 'Copy', group: 'Conversation', summary: 'Copy the last answer, or the n-th last', slash: ['copy'], args: [{ name: 'n', summary: '1 is the last answer' }], surfaces: ['slash', 'palette'] },
  { id: 'composer.editor', name: 'Editor', group: 'Writing', summary: 'Write the message in $EDITOR', slash: ['editor'], keys: { chat: ['ctrl+g'] }, surfaces: ['slash', 'palette', 'key'] },
  { id: 'composer.complete', name: 'Complete', group: 'Writing', summary: 'Complete the slash command', keys: { chat: ['tab'] }, hint: 'complete', surfaces: ['key'] },
  { id: 'composer.previous', name: 'Earlier message', group: 'Writing', summary: 'Bring back what waits to be sent, or an earlier message of yours', keys: { chat: ['up'] }, surfaces: ['key'] },
  { id: 'composer.next', name: 'Later message', group: 'Writing', summary: 'Forward again through your messages', keys: { chat: ['down'] }, surfaces: ['key'] },
  { id: 'composer.search', name: 'Search my messages', group: 'Writing', summary: 'Find an earlier message of yours by its words', keys: { chat: ['ctrl+r'] }, surfaces: ['palette', 'key'] },

  // ── Sessions
  { id: 'app.sessions', name: 'Sessions', group: 'Sessions', summary: 'Pick a session', slash: ['sessions'], keys: { global: ['ctrl+x'] }, hint: 'sessions', surfaces: ['slash', 'palette', 'key'] },
  { id: 'app.insights', name: 'Insights', group: 'Sessions', summary: 'Show tokens, cost, tools and habits of the last days', slash: ['insights'], args: [{ name: 'days', summary: '30 unless given' }], surfaces: ['slash', 'palette'] },
  { id: 'session.resume', name: 'Resume', group: 'Sessions', summary: 'Resume a session by title, id or its number in the list', slash: ['resume'], args: [{ name: 'name|id|n', summary: 'which session; without it the picker opens', variadic: true }], surfaces: ['slash', 'palette'] },
  { id: 'picker.rename', name: 'Rename', group: 'Sessions', summary: 'Rename the session under the cursor', keys: { picker: ['ctrl+r'] }, hint: 'rename', surfaces: ['key'] },
  { id: 'picker.pin', name: 'Pin', group: 'Sessions', summary: 'Pin the session, or take the pin away; pinned ones come first', keys: { picker: ['ctrl+t'] }, hint: 'pin', surfaces: ['key'] },
  { id: 'picker.archive', name: 'Archive', group: 'Sessions', summary: 'Archive the session, or bring it back out of the archive', keys: { picker: ['alt+a'] }, hint: 'archive', surfaces: ['key'] },
  { id: 'picker.delete', name: 'Delete', group: 'Sessions', summary: 'Move the session, or the marked ones, to the bin (asks)', keys: { picker: ['ctrl+d'] }, hint: 'delete', surfaces: ['key'] },
  { id: 'picker.export', name: 'Export', group: 'Sessions', summary: 'Write the session, or the marked ones, to files (asks for format and place)', keys: { picker: ['alt+e'] }, hint: 'export', surfaces: ['key'] },
  { id: 'picker.mark', name: 'Mark', group: 'Sessions', summary: 'Mark the session, or take its mark off; actions then are for the marked ones', keys: { picker: ['insert', 'ctrl+space'], 'empty-filter': ['space'] }, hint: 'mark', surfaces: ['key'] },
  { id: 'picker.mark-up', name: 'Mark upwards', group: 'Sessions', summary: 'Extend the marks by the row above', keys: { picker: ['shift+up'] }, surfaces: ['key'] },
  { id: 'picker.mark-down', name: 'Mark downwards', group: 'Sessions', summary: 'Extend the marks by the row below', keys: { picker: ['shift+down'] }, surfaces: ['key'] },
  { id: 'picker.undo', name: 'Undo', group: 'Sessions', summary: 'Undo the last action of the list: delete, archive, pin, rename', keys: { picker: ['ctrl+_'] }, hint: 'undo', surfaces: ['key'] },
  { id: 'picker.hidden', name: 'Hidden kinds', group: 'Sessions', summary: 'Show machine-made, archived and empty sessions, or hide them again', keys: { picker: ['alt+h'] }, hint: 'hidden', surfaces: ['key'] },
  { id: 'picker.copy-id', name: 'Copy id', group: 'Sessions', summary: 'Copy the session id', keys: { picker: ['alt+c'] }, hint: 'copy id', surfaces: ['key'] },
  { id: 'picker.unfold', name: 'Unfold', group: 'Sessions', summary: 'Show the segments, branches and delegates of the lineage', keys: { picker: ['right'] }, surfaces: ['key'] },
  { id: 'picker.fold', name: 'Fold', group: 'Sessions', summary: 'Fold the lineage into one row again', keys: { picker: ['left'] }, surfaces: ['key'] },

  { id: 'app.search', name: 'Search', group: 'Sessions', summary: 'Find anything that was ever said, in all sessions', slash: ['search'], args: [{ name: 'query', summary: 'words, "phrases", OR, NOT, fields such as source:telegram', variadic: true }], keys: { global: ['ctrl+f'] }, hint: 'search', surfaces: ['slash', 'palette', 'key'] },
  { id: 'search.sort', name: 'Order', group: 'Sessions', summary: 'Best matches first, newest first, oldest first', keys: { search: ['ctrl+s'] }, hint: 'order', surfaces: ['key'] },
  { id: 'search.next-session', name: 'Next session', group: 'Sessions', summary: 'Go to the first match of the next session', keys: { search: ['ctrl+down'] }, hint: 'session', surfaces: ['key'] },
  { id: 'search.previous-session', name: 'Session before', group: 'Sessions', summary: 'Go to the first match of the session before', keys: { search: ['ctrl+up'] }, surfaces: ['key'] },
  { id: 'search.complete', name: 'Complete', group: 'Sessions', summary: 'Complete the name or the value of a field: source:, role:, workspace:, branch:, model:, title:, tool:, before:, after:, is:', keys: { search: ['right'] }, hint: 'completes', surfaces: ['key'] },

  // ── Reading
  { id: 'look.resume', name: 'Resume', group: 'Reading', summary: 'Go on with the conversation that is looked at', keys: { look: ['enter'] }, hint: 'resume', surfaces: ['key'] },
  { id: 'transcript.page-up', name: 'Read back', group: 'Reading', summary: 'Scroll the transcript back by a page', keys: { chat: ['pageup'], reading: ['pageup'] }, surfaces: ['key'] },
  { id: 'transcript.page-down', name: 'Read on', group: 'Reading', summary: 'Scroll the transcript on by a page', keys: { chat: ['pagedown'], reading: ['pagedown'] }, surfaces: ['key'] },
  { id: 'transcript.top', name: 'Beginning', group: 'Reading', summary: 'Go to the beginning of the conversation', keys: { 'empty-line': ['home'], reading: ['g', 'home'] }, surfaces: ['key'] },
  { id: 'transcript.bottom', name: 'End', group: 'Reading', summary: 'Go to the end of the conversation', keys: { 'empty-line': ['end'], reading: ['G', 'end'] }, surfaces: ['key'] },
  { id: 'reading.enter', name: 'Reading mode', group: 'Reading', summary: 'Move through the transcript message by message', keys: { chat: ['shift+tab'] }, hint: 'read', surfaces: ['palette', 'key'] },
  { id: 'reading.up', name: 'Message before', group: 'Reading', summary: 'Go to the message before', keys: { reading: ['up'] }, surfaces: ['key'] },
  { id: 'reading.down', name: 'Message after', group: 'Reading', summary: 'Go to the message after', keys: { reading: ['down'] }, surfaces: ['key'] },
  { id: 'reading.fold', name: 'Fold or unfold', group: 'Reading', summary: 'Fold or unfold the message', keys: { reading: ['enter'], look: ['space'] }, hint: 'fold', surfaces: ['key'] },
  { id: 'reading.copy', name: 'Copy message', group: 'Reading', summary: 'Copy the message', keys: { reading: ['y'] }, hint: 'copy', surfaces: ['key'] },
  { id: 'reading.find', name: 'Find', group: 'Reading', summary: 'Find words in the conversation', keys: { reading: ['/'] }, hint: 'find', surfaces: ['key'] },
  { id: 'reading.next', name: 'Next match', group: 'Reading', summary: 'Go to the next match', keys: { reading: ['n'], find: ['enter', 'down'] }, hint: 'next', surfaces: ['key'] },
  { id: 'reading.previous', name: 'Previous match', group: 'Reading', summary: 'Go to the match before', keys: { reading: ['N'], find: ['up'] }, surfaces: ['key'] },

  // ── Lists
  { id: 'list.up', name: 'Up', group: 'Lists', summary: 'One row up', keys: { list: ['up', 'ctrl+p'] }, surfaces: ['key'] },
  { id: 'list.down', name: 'Down', group: 'Lists', summary: 'One row down', keys: { list: ['down', 'ctrl+n', 'ctrl+j'] }, surfaces: ['key'] },
  { id: 'list.page-up', name: 'Page up', group: 'Lists', summary: 'One page up', keys: { list: ['pageup'] }, surfaces: ['key'] },
  { id: 'list.page-down', name: 'Page down', group: 'Lists', summary: 'One page down', keys: { list: ['pagedown'] }, surfaces: ['key'] },
  { id: 'list.first', name: 'First', group: 'Lists', summary: 'First row', keys: { list: ['home'] }, surfaces: ['key'] },
  { id: 'list.last', name: 'Last', group: 'Lists', summary: 'Last row', keys: { list: ['end'] }, surfaces: ['key'] },
  { id: 'list.take', name: 'Take', group: 'Lists', summary: 'Take the row under the cursor', keys: { list: ['enter'], dialog: ['enter'] }, hint: 'take', surfaces: ['key'] },
  { id: 'list.scope', name: 'Scope', group: 'Lists', summary: 'This workspace, or everywhere', keys: { list: ['tab'] }, hint: 'scope', surfaces: ['key'] },
  { id: 'insights.shorter', name: 'Shorter period', group: 'Lists', summary: 'Look at fewer days', keys: { insights: ['left', 'shift+tab'] }, surfaces: ['key'] },
  { id: 'insights.longer', name: 'Longer period', group: 'Lists', summary: 'Look further back', keys: { insights: ['right', 'tab'] }, surfaces: ['key'] },
  { id: 'dialog.left', name: 'Answer before', group: 'Lists', summary: 'The answer to the left', keys: { dialog: ['left', 'up', 'shift+tab'] }, surfaces: ['key'] },
  { id: 'dialog.right', name: 'Answer after', group: 'Lists', summary: 'The answer to the right', keys: { dialog: ['right', 'down', 'tab'] }, surfaces: ['key'] },

  // ── Writing: what readline means, nothing else
  { id: 'edit.line-start', name: 'Line start', group: 'Writing', summary: 'To the beginning of the line', keys: { field: ['ctrl+a', 'home'] }, surfaces: ['key'] },
  { id: 'edit.line-end', name: 'Line end', group: 'Writing', summary: 'To the end of the line', keys: { field: ['ctrl+e', 'end'] }, surfaces: ['key'] },
  { id: 'edit.left', name: 'Left', group: 'Writing', summary: 'One character left', keys: { field: ['left', 'ctrl+b'] }, surfaces: ['key'] },
  { id: 'edit.right', name: 'Right', group: 'Writing', summary: 'One character right', keys: { field: ['right'] }, surfaces: ['key'] },
  { id: 'edit.word-left', name: 'Word left', group: 'Writing', summary: 'One word left', keys: { field: ['ctrl+left', 'alt+left', 'alt+b'] }, surfaces: ['key'] },
  { id: 'edit.word-right', name: 'Word right', group: 'Writing', summary: 'One word right', keys: { field: ['ctrl+right', 'alt+right', 'alt+f'] }, surfaces: ['key'] },
  { id: 'edit.select-left', name: 'Select left', group: 'Writing', summary: 'Extend the selection left', keys: { field: ['shift+left'] }, surfaces: ['key'] },
  { id: 'edit.select-right', name: 'Select right', group: 'Writing', summary: 'Extend the selection right', keys: { field: ['shift+right'] }, surfaces: ['key'] },
  { id: 'edit.select-word-left', name: 'Select word left', group: 'Writing', summary: 'Extend the selection by a word to the left', keys: { field: ['ctrl+shift+left'] }, surfaces: ['key'] },
  { id: 'edit.select-word-right', name: 'Select word right', group: 'Writing', summary: 'Extend the selection by a word to the right', keys: { field: ['ctrl+shift+right'] }, surfaces: ['key'] },
  { id: 'edit.backspace', name: 'Delete left', group: 'Writing', summary: 'Delete the character to the left', keys: { field: ['backspace', 'ctrl+h', 'shift+backspace'] }, surfaces: ['key'] },
  { id: 'edit.delete', name: 'Delete right', group: 'Writing', summary: 'Delete the character to the right', keys: { field: ['delete'] }, surfaces: ['key'] },
  { id: 'edit.delete-word-left', name: 'Delete word left', group: 'Writing', summary: 'Delete the word to the left', keys: { field: ['ctrl+w', 'alt+backspace', 'ctrl+backspace'] }, surfaces: ['key'] },
  { id: 'edit.delete-word-right', name: 'Delete word right', group: 'Writing', summary: 'Delete the word to the right', keys: { field: ['alt+d', 'ctrl+delete'] }, surfaces: ['key'] },
  { id: 'edit.kill-to-start', name: 'Cut to line start', group: 'Writing', summary: 'Cut from the beginning of the line', keys: { field: ['ctrl+u'] }, surfaces: ['key'] },
  { id: 'edit.kill-to-end', name: 'Cut to line end', group: 'Writing', summary: 'Cut to the end of the line', keys: { field: ['ctrl+k'] }, surfaces: ['key'] },
  { id: 'edit.yank', name: 'Put back', group: 'Writing', summary: 'Put back what was cut', keys: { field: ['ctrl+y'] }, surfaces: ['key'] },
  { id: 'edit.undo', name: 'Undo', group: 'Writing', summary: 'Undo the last change of the text', keys: { field: ['ctrl+_'] }, surfaces: ['key'] },

  // ── Program
  { id: 'app.palette', name: 'Commands', group: 'Program', summary: 'Find any command by its name', keys: { global: ['ctrl+p'] }, hint: 'commands', surfaces: ['key'] },
  { id: 'app.help', name: 'Help', group: 'Program', summary: 'All actions of this screen, as a menu', slash: ['help'], keys: { global: ['f1'], 'empty-line': ['?'], reading: ['?'] }, hint: 'help', surfaces: ['slash', 'palette', 'key'] },
  { id: 'app.theme', name: 'Theme', group: 'Program', summary: 'Dark, light, 16 colours or none', slash: ['theme'], args: [{ name: 'name', summary: 'which theme; without it the next one', choices: ['auto', 'dark', 'light', 'dark-16', 'light-16', 'none'] }], surfaces: ['slash', 'palette'] },
  { id: 'app.mouse', name: 'Mouse', group: 'Program', summary: "Mouse on, or off so that the terminal's own selection works", slash: ['mouse'], args: [{ name: 'on|off', summary: 'without it: the other of the two', choices: ['on', 'off'] }], surfaces: ['slash', 'palette'] },
  { id: 'app.reload', name: 'Reload', group: 'Program', summary: 'Read config.yaml and .env again', slash: ['reload'], surfaces: ['slash', 'palette'] },
  { id: 'app.redraw', name: 'Redraw', group: 'Program', summary: 'Draw the whole screen again', keys: { global: ['ctrl+l'] }, surfaces: ['palette', 'key'] },
  { id: 'app.suspend', name: 'Suspend', group: 'Program', summary: 'Back to the shell; `fg` returns', keys: { global: ['ctrl+z'] }, surfaces: ['palette', 'key'] },
  { id: 'app.back', name: 'Back', group: 'Program', summary: 'Close what is open, else leave reading mode, else interrupt the turn; never clears text', keys: { global: ['escape'] }, hint: 'back', surfaces: ['key'] },
  { id: 'app.cancel', name: 'Cancel', group: 'Program', summary: 'Close, else interrupt, else clear the line, else leave when pressed twice', keys: { global: ['ctrl+c'] }, surfaces: ['key'] },
  { id: 'app.leave', name: 'Leave', group: 'Program', summary: 'Leave, on an empty line with no turn running', keys: { 'empty-line': ['ctrl+d'] }, surfaces: ['key'] },
  { id: 'app.quit', name: 'Quit', group: 'Program', summary: 'Leave the program', slash: ['quit', 'exit', 'q'], surfaces: ['slash', 'palette'] },

  // ── Shell
  { id: 'shell.chat', name: 'hermes chat', group: 'Shell', summary: 'Start or resume a conversation; the same as `hermes` alone', shell: 'chat', flags: startFlags, surfaces: ['shell'] },
  { id: 'shell.sessions-list', name: 'hermes sessions list', group: 'Shell', summary: 'List sessions, newest first', shell: 'sessions list', flags: [{ name: '--limit', value: 'N', summary: 'at most N rows (20)' }, ...filterFlags, { name: '--workspace', value: 'TEXT', summary: 'only workspaces whose path contains that text or whose folder is called so' }, { name: '--include-archived', summary: 'archived ones too' }, { name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-search', name: 'hermes sessions search', group: 'Shell', summary: 'Find sessions by what was said in them', shell: 'sessions search', args: [{ name: 'query', summary: 'words (all of them), "a phrase", OR, NOT, prefix*, fields such as source: role: before:', required: true, variadic: true }], flags: [{ name: '--limit', value: 'N', summary: 'at most N sessions (20)' }, { name: '--sort', value: 'ORDER', choices: ['best', 'newest', 'oldest'], summary: 'best (the default), newest or oldest' }, { name: '--context', value: 'N', summary: 'N messages before and after each one found' }, ...searchFlags, { name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-show', name: 'hermes sessions show', group: 'Shell', summary: 'Print a conversation', shell: 'sessions show', args: [{ name: 'session', summary: 'id, unique prefix or title', required: true }], flags: [{ name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-browse', name: 'hermes sessions browse', group: 'Shell', summary: 'Open the session picker', shell: 'sessions browse', flags: [{ name: '--source', value: 'SOURCE', summary: 'only that source' }, { name: '--limit', value: 'N', summary: 'at most N rows (all)' }], surfaces: ['shell'] },
  { id: 'shell.sessions-export', name: 'hermes sessions export', group: 'Shell', summary: 'Write sessions to files: a backup, documents, a page, traces. With filters, those that have ended', shell: 'sessions export', args: [{ name: 'output', summary: 'file, directory, or - for standard output; md and qmd write into a directory, session-exports in the home unless given' }], flags: [{ name: '--format', value: 'FORMAT', summary: 'jsonl (the default), md, qmd, html or trace' }, { name: '--only', value: 'WHAT', summary: 'user-prompts: only what you wrote, as jsonl or md' }, { name: '--session-id', value: 'ID', summary: 'only that session: id, unique prefix or title' }, ...filterFlags, { name: '--lineage', value: 'MODE', summary: 'single, or logical: a conversation as a whole, before and after it was compressed' }, { name: '--redact', summary: 'strike keys, tokens and passwords out' }, { name: '--no-redact', summary: 'leave them in a trace, which strikes them out by itself' }, { name: '--dry-run', summary: 'only show what would be written, and with --redact what would be struck out' }, { name: '--force', summary: 'replace files that exist' }, { name: '--upload', summary: 'send a trace to your dataset on the Hugging Face Hub' }, { name: '--public', summary: 'let anybody read the dataset' }, { name: '--delete-after-verified', summary: 'with --session-id, --yes and md or qmd: move it to the bin once its files are verified' }, { name: '--yes', short: '-y', summary: 'ask nothing' }], surfaces: ['shell'] },
  { id: 'shell.sessions-import', name: 'hermes sessions import', group: 'Shell', summary: 'Import an export, or logs of Claude Code, Codex CLI, Gemini CLI, OpenCode and pi', shell: 'sessions import', args: [{ name: 'path', summary: 'a file, or a folder with all that is in it; without it you choose from the newest logs' }], flags: [{ name: '--from', value: 'PROGRAM', summary: 'claude, codex, gemini, opencode, pi or hermes; found out from the file unless given' }, { name: '--all', summary: 'all logs of that program, or of every one' }, { name: '--dry-run', summary: 'only say what would be imported' }, { name: '--json', summary: 'print what was done as JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-delete', name: 'hermes sessions delete', group: 'Shell', summary: 'Delete sessions; they stay in the bin for a while', shell: 'sessions delete', args: [{ name: 'id', summary: 'id, unique prefix or title', required: true, variadic: true }], flags: [{ name: '--forever', summary: 'erase them at once and for good, past the bin' }, { name: '--yes', short: '-y', summary: 'ask nothing' }], surfaces: ['shell'] },
  { id: 'shell.sessions-restore', name: 'hermes sessions restore', group: 'Shell', summary: 'Bring deleted sessions back from the bin', shell: 'sessions restore', args: [{ name: 'id', summary: 'id, unique prefix or title', required: true, variadic: true }], surfaces: ['shell'] },
  { id: 'shell.sessions-trash', name: 'hermes sessions trash', group: 'Shell', summary: 'Show what is in the bin, or empty it for good', shell: 'sessions trash', args: [{ name: 'action', summary: 'list unless given', choices: ['list', 'empty'] }], flags: [{ name: '--json', summary: 'print the list as JSON' }, { name: '--yes', short: '-y', summary: 'empty it without asking' }], surfaces: ['shell'] },
  { id: 'shell.sessions-rename', name: 'hermes sessions rename', group: 'Shell', summary: 'Set or change the title of a session', shell: 'sessions rename', args: [{ name: 'id', summary: 'id or unique prefix', required: true }, { name: 'title', summary: 'the new title', required: true, variadic: true }], surfaces: ['shell'] },
  { id: 'shell.sessions-pin', name: 'hermes sessions pin', group: 'Shell', summary: 'Pin sessions: they come first in every list, and nothing deletes or archives them unasked', shell: 'sessions pin', args: [{ name: 'id', summary: 'id, unique prefix or title', required: true, variadic: true }], surfaces: ['shell'] },
  { id: 'shell.sessions-unpin', name: 'hermes sessions unpin', group: 'Shell', summary: 'Take the pin of sessions away', shell: 'sessions unpin', args: [{ name: 'id', summary: 'id, unique prefix or title', required: true, variadic: true }], surfaces: ['shell'] },
  { id: 'shell.sessions-pinned', name: 'hermes sessions pinned', group: 'Shell', summary: 'List pinned sessions', shell: 'sessions pinned', flags: [{ name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-archive', name: 'hermes sessions archive', group: 'Shell', summary: 'Take ended sessions out of the lists, by filter or by id; nothing is deleted', shell: 'sessions archive', args: [{ name: 'id', summary: 'id, unique prefix or title, instead of filters', variadic: true }], flags: [...filterFlags, { name: '--include-pinned', summary: 'pinned ones too' }, { name: '--dry-run', summary: 'only show which' }, { name: '--yes', short: '-y', summary: 'ask nothing' }], surfaces: ['shell'] },
  { id: 'shell.sessions-unarchive', name: 'hermes sessions unarchive', group: 'Shell', summary: 'Bring archived sessions back into the lists, by filter or by id', shell: 'sessions unarchive', args: [{ name: 'id', summary: 'id, unique prefix or title, instead of filters', variadic: true }], flags: [...filterFlags, { name: '--dry-run', summary: 'only show which' }, { name: '--yes', short: '-y', summary: 'ask nothing' }], surfaces: ['shell'] },
  { id: 'shell.sessions-prune', name: 'hermes sessions prune', group: 'Shell', summary: 'Delete old ended sessions: those idle for 90 days, or what the filters say', shell: 'sessions prune', flags: [...filterFlags, { name: '--include-archived', summary: 'archived ones too' }, { name: '--include-pinned', summary: 'pinned ones too' }, { name: '--forever', summary: 'erase at once, past the bin' }, { name: '--dry-run', summary: 'only show which' }, { name: '--yes', short: '-y', summary: 'ask nothing' }], surfaces: ['shell'] },
  { id: 'shell.sessions-stats', name: 'hermes sessions stats', group: 'Shell', summary: 'Count sessions and messages', shell: 'sessions stats', flags: [{ name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.sessions-optimize', name: 'hermes sessions optimize', group: 'Shell', summary: 'Merge the search index and give unused space back to the disk', shell: 'sessions optimize', flags: [{ name: '--force', summary: 'while another program has the store open too: then only the search index is merged' }], surfaces: ['shell'] },
  { id: 'shell.sessions-repair', name: 'hermes sessions repair', group: 'Shell', summary: 'Check the session store, and repair what is damaged', shell: 'sessions repair', flags: [{ name: '--check-only', summary: 'change nothing' }, { name: '--no-backup', summary: 'keep no copy where the store is repaired in place' }, { name: '--yes', short: '-y', summary: 'put a salvaged store in place without asking' }], surfaces: ['shell'] },
  { id: 'shell.sessions-set-journal-mode', name: 'hermes sessions set-journal-mode', group: 'Shell', summary: 'Switch the store to another journal mode', shell: 'sessions set-journal-mode', args: [{ name: 'mode', summary: '`wal`, or `delete` for disks that cannot do WAL', required: true, choices: ['delete', 'wal'] }], flags: [{ name: '--db', value: 'PATH', summary: 'another database than the store of this home' }, { name: '--force', summary: 'also where WAL can lose data, or nobody can tell whether the store is in use' }], surfaces: ['shell'] },
  { id: 'shell.insights', name: 'hermes insights', group: 'Shell', summary: 'Show tokens, cost, models, tools and habits of the last days', shell: 'insights', flags: [{ name: '--days', value: 'N', summary: 'sessions that began in the last N days (30)' }, { name: '--source', value: 'SOURCE', summary: 'only that source' }, { name: '--json', summary: 'print JSON' }], surfaces: ['shell'] },
  { id: 'shell.doctor', name: 'hermes doctor', group: 'Shell', summary: 'Check terminal, clipboard, store, config and models', shell: 'doctor', surfaces: ['shell'] },
  { id: 'shell.completion', name: 'hermes completion', group: 'Shell', summary: 'Print a completion script', shell: 'completion', args: [{ name: 'shell', summary: 'which shell', required: true, choices: ['bash', 'zsh', 'fish'] }], surfaces: ['shell'] },
] as const satisfies readonly CommandSpec[];

export type CommandId = (typeof commands)[number]['id'];

/** The row of one command, with its optional fields. */
export function commandSpec(id: CommandId): CommandSpec {
  const row = (commands as readonly CommandSpec[]).find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`no command ${id}`);
  return row;
}
