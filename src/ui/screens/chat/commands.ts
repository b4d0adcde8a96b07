import type { CommandId } from '../../../commands/table.ts';
import { applyEdit, clearEditor, expandChip, isEditCommand, scrollToCaret } from '../../editor/index.ts';
import { chatText } from '../../../text/en/chat.ts';
import { parseSlash } from '../../slash.ts';
import type { Update } from '../../screen.ts';
import { blockText, clearSelection, moveCursor, setQuery, toggleFold } from '../../transcript/index.ts';
import {
  changeSearch,
  clear,
  closePopups,
  composerText,
  edit,
  isComposerEmpty,
  newline,
  newlineForBackslash,
  openSearch,
  step,
  takeCompletion,
  takeSearch,
  type Composer,
} from './composer.ts';
import { composerLimit } from './layout.ts';
import { refind } from './finding.ts';
import { findNext, page, startReading, stopReading, toBottom, toTop } from './reading.ts';
import { flashMs, leaveMs, type ChatEffect, type ChatState } from './state.ts';
import { requestWindow } from './windows.ts';

type Result = Update<ChatState, ChatEffect>;
/** Absent: the command means nothing on this screen. */
type Handler = (state: ChatState, now: number) => Result | undefined;

const same = (state: ChatState): Result => ({ state, effects: [] });
const withComposer = (state: ChatState, composer: Composer): Result =>
  same({ ...state, composer: { ...composer, editor: scrollToCaret(composer.editor, composerLimit(state)) } });
const elsewhere: Handler = () => undefined;
/** Carried out by the program; the arguments are those of a typed line. */
const program =
  (id: CommandId): Handler =>
  (state) => ({ state, effects: [{ type: 'run', id, args: '' }] });

export const isWorking = (state: ChatState): boolean => state.turn !== undefined;

const editing =
  (id: CommandId): Handler =>
  (state, now) => {
    if (!isEditCommand(id)) return undefined;
    if (state.focus === 'find') {
      return refind(state, applyEdit(state.find, id), now);
    }
    const { search } = state.composer;
    if (search !== undefined) return same({ ...state, composer: changeSearch(state.composer, { field: applyEdit(search.field, id) }) });
    return withComposer(state, edit(state.composer, id) ?? state.composer);
  };

function send(state: ChatState, now: number): Result {
  const { composer } = state;
  const newLine = newlineForBackslash(composer);
  if (newLine !== undefined) return withComposer(state, newLine);
  const chosen = composer.completion?.items[composer.completion.index];
  if (chosen !== undefined && composerText(composer) !== `/${chosen.name}`) {
    const taken = takeCompletion(composer);
    return chosen.args === '' ? submit({ ...state, composer: taken }, now) : withComposer(state, taken);
  }
  return submit(state, now);
}

function submit(state: ChatState, now: number): Result {
  const { composer } = state;
  const text = composerText(composer);
  if (text.trim() === '') {
    if (isWorking(state)) return same(state);
    if (state.readOnly !== undefined) return { state, effects: [{ type: 'locked' }] };
    if (state.offer !== undefined) return { state, effects: [{ type: 'run', id: state.offer.command, args: '' }] };
    return state.canRetry ? { state: { ...state, canRetry: false }, effects: [{ type: 'retry' }] } : same(state);
  }
  const line = parseSlash(text);
  if (line.kind === 'command') {
    const effects: ChatEffect[] = [
      { type: 'remember-command', line: text },
      { type: 'run', id: line.id, args: line.args },
    ];
    return { state: { ...state, composer: clear(composer) }, effects };
  }
  if (line.kind === 'unknown' && composer.refused !== text) {
    const flash = { text: chatText.unknownCommand(line.word, line.nearest), isError: false, until: now + 2 * flashMs };
    return same({ ...state, composer: { ...closePopups(composer), refused: text }, flash });
  }
  if (state.readOnly !== undefined) {
    const flash = { text: state.readOnly, isError: false, until: now + flashMs };
    return { state: { ...state, flash }, effects: [{ type: 'locked' }] };
  }
  const transcript = clearSelection({ ...state.transcript, top: undefined });
  return { state: { ...state, composer: clear(composer), transcript }, effects: [{ type: 'send', text }] };
}

function back(state: ChatState): Result {
  if (state.composer.completion !== undefined || state.composer.search !== undefined)
    return withComposer(state, closePopups(state.composer));
  // The words stay marked while reading goes on, for `n` and `N`.
  if (state.focus === 'find') return same({ ...state, focus: 'reading' });
  if (state.focus === 'reading' && state.look !== undefined) return { state, effects: [{ type: 'close-look' }] };
  if (state.focus === 'reading') return same(stopReading(state));
  if (isWorking(state)) return { state, effects: [{ type: 'interrupt' }] };
  if (state.transcript.selection !== undefined) return same({ ...state, transcript: clearSelection(state.transcript) });
  return same(state.transcript.top === undefined ? state : { ...state, transcript: { ...state.transcript, top: undefined } });
}

/** Closes, else interrupts, else clears the line, else leaves when pressed twice within 2 s (product.md 7). */
function cancel(state: ChatState, now: number): Result {
  const isOpen = state.composer.completion !== undefined || state.composer.search !== undefined || state.focus !== 'composer';
  if (isOpen || isWorking(state)) return back(state);
  if (!isComposerEmpty(state.composer)) {
    return same({ ...state, composer: clear(state.composer), flash: { text: chatText.cleared, isError: false, until: now + flashMs } });
  }
  if (now < state.leaveUntil) return { state, effects: [{ type: 'leave' }] };
  return same({ ...state, leaveUntil: now + leaveMs });
}

const history =
  (direction: 'up' | 'down'): Handler =>
  (state) => {
    // What waits is the newest message there is: it comes back to be changed before it is sent.
    if (direction === 'up' && state.queue.length > 0 && isComposerEmpty(state.composer))
      return { state, effects: [{ type: 'take-queue' }] };
    const moved = step(state.composer, direction);
    const { state: next } = withComposer(state, moved.composer);
    return { state: next, effects: moved.needsHistory ? [{ type: 'load-history' }] : [] };
  };

function complete(state: ChatState): Result {
  const { composer } = state;
  if (composer.completion !== undefined) return withComposer(state, takeCompletion(composer));
  // On a folded paste Tab shows it in full.
  return withComposer(state, { ...composer, editor: expandChip(composer.editor) });
}

const reading =
  (move: (state: ChatState) => Result): Handler =>
  (state) =>
    state.focus === 'composer' ? undefined : move(state);

const underCursor = (state: ChatState) => state.transcript.blocks.find((block) => block.id === state.transcript.cursor);

function moveReading(state: ChatState, direction: 'up' | 'down'): Result {
  const transcript = moveCursor(state.transcript, direction);
  if (transcript === state.transcript && direction === 'up' && state.transcript.hasEarlier) return requestWindow(state, 'stay');
  return same({ ...state, transcript });
}

const searchBy =
  (by: number): Handler =>
  (state) =>
    state.composer.search === undefined ? undefined : same({ ...state, composer: changeSearch(state.composer, { by }) });

/** Commands of the shell and of screens with keys of their own mean nothing here. */
type ChatCommandId = Exclude<CommandId, `shell.${string}` | `picker.${string}` | `search.${string}` | `insights.${string}`>;

/** What a command of the table means on this screen. */
export const chatHandler = (id: CommandId): Handler => (handlers as Partial<Record<CommandId, Handler>>)[id] ?? elsewhere;

const handlers: Record<ChatCommandId, Handler> = {
  'message.send': send,
  'message.newline': (state) => withComposer(state, newline(state.composer)),
  'session.new': program('session.new'),
  'session.title': program('session.title'),
  'session.status': program('session.status'),
  'session.directory': program('session.directory'),
  'session.pin': program('session.pin'),
  'session.archive': program('session.archive'),
  'session.delete': program('session.delete'),
  'session.export': program('session.export'),
  'session.save': program('session.save'),
  'session.history': (state) => toTop(state),
  'model.choose': program('model.choose'),
  'message.copy': program('message.copy'),
  'composer.editor': (state) => ({ state, effects: [{ type: 'edit', text: composerText(state.composer) }] }),
  'composer.complete': complete,
  'composer.previous': history('up'),
  'composer.next': history('down'),
  'composer.search': (state) => ({
    state: { ...state, composer: openSearch(state.composer) },
    effects: state.composer.history.isLoaded ? [] : [{ type: 'load-history' }],
  }),
  'app.sessions': program('app.sessions'),
  'app.insights': program('app.insights'),
  'app.search': program('app.search'),
  'session.resume': program('session.resume'),
  'look.resume': (state) => (state.look === undefined ? undefined : { state, effects: [{ type: 'resume-look' }] }),
  'transcript.page-up': (state) => page(state, 'up'),
  'transcript.page-down': (state) => page(state, 'down'),
  'transcript.top': toTop,
  'transcript.bottom': toBottom,
  'reading.enter': startReading,
  'reading.up': reading((state) => moveReading(state, 'up')),
  'reading.down': reading((state) => moveReading(state, 'down')),
  'reading.fold': reading((state) => {
    const { cursor } = state.transcript;
    return cursor === undefined ? same(state) : same({ ...state, transcript: toggleFold(state.transcript, cursor) });
  }),
  'reading.copy': reading((state) => {
    const block = underCursor(state);
    return block === undefined ? same(state) : { state, effects: [{ type: 'copy', text: blockText(block), what: 'message' }] };
  }),
  'reading.find': reading((state) =>
    same({ ...state, focus: 'find', find: clearEditor(state.find), found: undefined, transcript: setQuery(state.transcript, '') }),
  ),
  'reading.next': (state, now) => (state.focus === 'composer' ? undefined : findNext(state, 'next', now)),
  'reading.previous': (state, now) => (state.focus === 'composer' ? undefined : findNext(state, 'previous', now)),
  'list.up': searchBy(-1),
  'list.down': searchBy(1),
  'list.page-up': searchBy(-8),
  'list.page-down': searchBy(8),
  'list.first': searchBy(-Infinity),
  'list.last': searchBy(Infinity),
  'list.take': (state) => (state.composer.search === undefined ? undefined : withComposer(state, takeSearch(state.composer))),
  'list.scope': elsewhere,
  'dialog.left': elsewhere,
  'dialog.right': elsewhere,
  'edit.line-start': editing('edit.line-start'),
  'edit.line-end': editing('edit.line-end'),
  'edit.left': editing('edit.left'),
  'edit.right': editing('edit.right'),
  'edit.word-left': editing('edit.word-left'),
  'edit.word-right': editing('edit.word-right'),
  'edit.select-left': editing('edit.select-left'),
  'edit.select-right': editing('edit.select-right'),
  'edit.select-word-left': editing('edit.select-word-left'),
  'edit.select-word-right': editing('edit.select-word-right'),
  'edit.backspace': editing('edit.backspace'),
  'edit.delete': editing('edit.delete'),
  'edit.delete-word-left': editing('edit.delete-word-left'),
  'edit.delete-word-right': editing('edit.delete-word-right'),
  'edit.kill-to-start': editing('edit.kill-to-start'),
  'edit.kill-to-end': editing('edit.kill-to-end'),
  'edit.yank': editing('edit.yank'),
  'edit.undo': editing('edit.undo'),
  'app.palette': elsewhere,
  'app.help': program('app.help'),
  'app.theme': program('app.theme'),
  'app.mouse': program('app.mouse'),
  'app.reload': program('app.reload'),
  'app.redraw': elsewhere,
  'app.suspend': elsewhere,
  'app.back': back,
  'app.cancel': cancel,
  'app.leave': (state, now) => {
    if (!isComposerEmpty(state.composer)) return undefined;
    if (!isWorking(state)) return { state, effects: [{ type: 'leave' }] };
    return same({ ...state, flash: { text: chatText.turnRuns, isError: false, until: now + flashMs } });
  },
  'app.quit': (state) => ({ state, effects: [{ type: 'leave' }] }),
};
