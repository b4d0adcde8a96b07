import type { CommandId, Scope } from '../../../commands/table.ts';
import { chatText } from '../../../text/en/chat.ts';
import { createEditor, insertText, pasteText, resizeEditor } from '../../editor/index.ts';
import type { InputAction, Update } from '../../screen.ts';
import {
  appendBlocks,
  createTranscript,
  leaveReading,
  mergeBlocks,
  messageBlocks,
  prependBlocks,
  removeBlock,
  resizeTranscript,
  viewTranscript,
  type Block,
} from '../../transcript/index.ts';
import { chatHandler, isWorking } from './commands.ts';
import { changeSearch, createComposer, fill, isComposerEmpty, paste, receiveHistory, resize, typeText } from './composer.ts';
import { addBlock, addNotice, receiveEvent, takeBack } from './events.ts';
import { receiveHits, refind } from './finding.ts';
import { askLater, failLook, receiveAround, receiveLater } from './looking.ts';
import { handleMouse } from './mouse.ts';
import { readFrom } from './reading.ts';
import { composerWidth, layOutChat } from './layout.ts';
import { flashMs, type ChatAction, type ChatEffect, type ChatPlace, type ChatSession, type ChatState } from './state.ts';
import { requestWindow } from './windows.ts';

type Result = Update<ChatState, ChatEffect>;
const none: readonly ChatEffect[] = [];
const same = (state: ChatState): Result => ({ state, effects: none });

export interface ChatStart {
  readonly session: ChatSession;
  readonly place: ChatPlace;
  readonly context?: { readonly used: number; readonly limit?: number };
  /** What stands in the transcript at first: the recap, notices. */
  readonly blocks: readonly Block[];
  /** A stored conversation stands behind the recap. */
  readonly hasBacklog: boolean;
  /** It ends without an answer: Enter on the empty line asks again. */
  readonly canRetry?: boolean;
  readonly draft?: string;
  readonly copyOf?: string;
  readonly readOnly?: string;
  readonly hasKittyKeys?: boolean;
  readonly glyphs?: ChatState['transcript']['layout']['glyphs'];
}

export function createChat(start: ChatStart): ChatState {
  const transcript = createTranscript(start.glyphs === undefined ? {} : { glyphs: start.glyphs });
  return {
    width: 80,
    height: 24,
    session: start.session,
    place: start.place,
    context: start.context,
    copyOf: start.copyOf,
    readOnly: start.readOnly,
    transcript: appendBlocks(transcript, start.blocks),
    backlog: { isRecap: start.hasBacklog, cursor: undefined, pending: undefined, then: 'stay' },
    composer: createComposer(start.draft),
    queue: [],
    turn: undefined,
    isStoreWaiting: false,
    offer: undefined,
    canRetry: start.canRetry ?? false,
    focus: 'composer',
    find: createEditor({ singleLine: true }),
    found: undefined,
    look: undefined,
    drag: undefined,
    leaveUntil: 0,
    flash: undefined,
    hasKittyKeys: start.hasKittyKeys ?? false,
    serial: 1,
  };
}

/** Innermost first. `empty-line` binds only while there is nothing to edit. */
export function chatScopes(state: ChatState): readonly Scope[] {
  if (state.focus === 'reading') return state.look === undefined ? ['reading', 'global'] : ['look', 'reading', 'global'];
  if (state.focus === 'find') return ['find', 'field', 'global'];
  if (state.composer.search !== undefined) return ['list', 'field', 'global'];
  return isComposerEmpty(state.composer) ? ['empty-line', 'chat', 'field', 'global'] : ['chat', 'field', 'global'];
}

/** Why a command can't run now; undefined = it can. */
export function chatDisabledReason(state: ChatState, id: CommandId): string | undefined {
  const isEmpty = isComposerEmpty(state.composer);
  switch (id) {
    case 'message.copy':
      return state.transcript.blocks.some((block) => block.kind === 'agent') || state.backlog.isRecap ? undefined : chatText.nothingToCopy;
    case 'reading.enter':
    case 'session.history':
      return state.transcript.blocks.length > 0 ? undefined : chatText.nothingSaid;
    case 'app.leave':
      if (!isEmpty) return chatText.emptyLineOnly;
      return isWorking(state) ? chatText.turnRuns : undefined;
    default:
      return undefined;
  }
}

export function updateChat(state: ChatState, action: ChatAction | InputAction, now: () => number): Result {
  const next = change(state, action, now);
  return settle(next, state);
}

/** After every change: the transcript has the rows the composer leaves, a window is asked for when its edge is near. */
function settle(result: Result, before: ChatState): Result {
  let { state } = result;
  const { bodyHeight } = layOutChat(state);
  if (state.transcript.layout.height !== bodyHeight || state.transcript.layout.width !== state.width) {
    state = { ...state, transcript: resizeTranscript(state.transcript, { width: state.width, height: bodyHeight }) };
  }
  if (state.look !== undefined && state.transcript !== before.transcript) {
    const asked = askLater(state);
    if (asked !== undefined) return { state: asked.state, effects: [...result.effects, ...asked.effects] };
  }
  const isEdgeNear =
    !state.backlog.isRecap && state.transcript.hasEarlier && state.backlog.pending === undefined && state.transcript.top !== undefined;
  if (isEdgeNear && state.transcript !== before.transcript && viewTranscript(state.transcript).needsEarlier) {
    const asked = requestWindow(state, 'stay');
    return { state: asked.state, effects: [...result.effects, ...asked.effects] };
  }
  return state === result.state ? result : { state, effects: result.effects };
}

function change(state: ChatState, action: ChatAction | InputAction, now: () => number): Result {
  switch (action.type) {
    case 'command':
      return runCommand(state, action.id, now());
    case 'text':
      return typed(state, action.text, now());
    case 'paste':
      return pasted(state, action.text, now());
    case 'mouse':
      return handleMouse(state, action.event, now());
    case 'resize':
      return same({
        ...state,
        width: action.width,
        height: action.height,
        composer: resize(state.composer, composerWidth(action.width)),
        find: resizeEditor(state.find, composerWidth(action.width)),
      });
    case 'conversation':
      return receiveEvent(state, action.event, action.now);
    case 'loaded':
      return receive(state, action, now());
    case 'followed':
      return same({ ...state, transcript: mergeBlocks(state.transcript, messageBlocks(action.messages, { isOngoing: action.isOngoing })) });
    case 'failed': {
      if (state.look !== undefined) return same(failLook(state, action, now()));
      if (state.backlog.pending !== action.token) return same(state);
      const calm = { ...state, backlog: { ...state.backlog, pending: undefined, then: 'stay' as const } };
      return same(addNotice(calm, 'error', action.message, action.hint));
    }
    case 'session':
      return same({ ...state, session: { ...state.session, ...action.session } });
    case 'place':
      return same({ ...state, place: action.place });
    case 'context-limit':
      return same({ ...state, context: { used: state.context?.used ?? 0, limit: action.limit } });
    case 'block':
      return same(addBlock(state, action.block));
    case 'notice':
      return same(toldNotice(state, action));
    case 'flash':
      return same({ ...state, flash: { text: action.text, isError: action.isError ?? false, until: action.now + flashMs } });
    case 'store-waiting':
      return same({ ...state, isStoreWaiting: action.isWaiting });
    case 'offer':
      return same({ ...state, offer: action.offer });
    case 'read-only':
      return same({ ...state, readOnly: action.reason });
    case 'unsent':
      return { state: takeBack(state, action.texts), effects: [{ type: 'draft' }] };
    case 'fill':
      return { state: { ...state, composer: fill(state.composer, action.text) }, effects: [{ type: 'draft' }] };
    case 'capabilities':
      return same({ ...state, hasKittyKeys: action.hasKittyKeys });
    case 'glyphs':
      return same({ ...state, transcript: resizeTranscript(state.transcript, { glyphs: action.glyphs }) });
    case 'repaint':
      return same({ ...state });
    case 'focused':
      return same(state);
  }
}

function receive(state: ChatState, action: ChatAction & { type: 'loaded' }, now: number): Result {
  switch (action.what) {
    case 'window':
      return receiveWindow(state, action, now);
    case 'hits':
      return receiveHits(state, action, now);
    case 'later':
      return same(receiveLater(state, action));
    case 'around':
      return receiveAround(state, action, now);
    case 'history':
      return same(receiveStored(state, action));
  }
}

function runCommand(state: ChatState, id: CommandId, now: number): Result {
  const calm = state.leaveUntil > 0 && id !== 'app.cancel' ? { ...state, leaveUntil: 0 } : state;
  const result = chatHandler(id)(calm, now);
  return result === undefined ? same(calm) : withDraft(result, calm);
}

/** Any change of the line is kept on disk. */
function withDraft(result: Result, before: ChatState): Result {
  if (result.state.composer.editor.lines === before.composer.editor.lines) return result;
  return { state: result.state, effects: [...result.effects, { type: 'draft' }] };
}

function typed(state: ChatState, text: string, now: number): Result {
  if (state.focus === 'find') return refind(state, insertText(state.find, text), now);
  if (state.look !== undefined) return same(state);
  const search = state.composer.search;
  if (search !== undefined) return same({ ...state, composer: changeSearch(state.composer, { field: insertText(search.field, text) }) });
  // Any letter that reading mode does not know goes back to the line, and is typed there.
  const back = state.focus === 'reading' ? leave(state) : state;
  return withDraft(same({ ...back, leaveUntil: 0, composer: typeText(back.composer, text) }), state);
}

function pasted(state: ChatState, text: string, now: number): Result {
  if (state.focus === 'find') return refind(state, pasteText(state.find, text), now);
  if (state.look !== undefined) return same(state);
  const search = state.composer.search;
  if (search !== undefined) return same({ ...state, composer: changeSearch(state.composer, { field: pasteText(search.field, text) }) });
  const back = state.focus === 'reading' ? leave(state) : state;
  return withDraft(same({ ...back, leaveUntil: 0, composer: paste(back.composer, text) }), state);
}

const leave = (state: ChatState): ChatState => ({ ...state, focus: 'composer', transcript: leaveReading(state.transcript) });

function toldNotice(state: ChatState, { tone, text, hint, isAsked }: ChatAction & { type: 'notice' }): ChatState {
  const told = addNotice(state, tone, text, hint);
  return isAsked === true ? { ...told, transcript: { ...told.transcript, top: undefined } } : told;
}

function receiveStored(state: ChatState, action: { readonly stored: readonly string[]; slash: readonly string[] }): ChatState {
  return { ...state, composer: receiveHistory(state.composer, action.stored, action.slash) };
}

/** An earlier part of the conversation: the recap gives way to it, what is on screen stays in place. */
function receiveWindow(state: ChatState, action: ChatAction & { what: 'window'; type: 'loaded' }, now: number): Result {
  const { backlog } = state;
  if (backlog.pending !== action.token) return same(state);
  const blocks = messageBlocks(action.messages);
  const recap = state.transcript.blocks.find((block) => block.kind === 'recap');
  const bare = recap === undefined ? state.transcript : removeBlock(state.transcript, recap.id);
  const transcript = prependBlocks(bare, blocks, action.hasBefore);
  const cursor = action.start ?? backlog.cursor;
  const loaded: ChatState = { ...state, transcript, backlog: { isRecap: false, cursor, pending: undefined, then: 'stay' } };
  return readFrom(loaded, backlog.then, now);
}
