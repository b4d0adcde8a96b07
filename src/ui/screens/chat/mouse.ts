import type { MouseEvent } from '../../../terminal/input-event.ts';
import { chatText } from '../../../text/en/chat.ts';
import { dragTo, pressAt } from '../../editor/index.ts';
import type { Update } from '../../screen.ts';
import {
  blockAt,
  clearSelection,
  dragSelection,
  keepCursorInSight,
  placeAt,
  scrollBy,
  selectedText,
  startSelection,
  toggleFold,
} from '../../transcript/index.ts';
import { replaceEditor } from './composer.ts';
import { bodyTop, layOutChat } from './layout.ts';
import { flashMs, type ChatEffect, type ChatState } from './state.ts';
import { requestWindow } from './windows.ts';

type Result = Update<ChatState, ChatEffect>;
const same = (state: ChatState): Result => ({ state, effects: [] });

/** Lines of one step of the wheel. */
const wheelRows = 3;

/** The wheel scrolls, a press sets the caret or begins a selection, a drag extends it. */
export function handleMouse(state: ChatState, event: MouseEvent, now: number): Result {
  const layout = layOutChat(state);
  if (event.action === 'wheel-up' || event.action === 'wheel-down')
    return wheel(state, event.action === 'wheel-up' ? -wheelRows : wheelRows);
  const y = event.y - bodyTop;
  const isInBody = y >= 0 && y < layout.bodyHeight;
  if (event.action === 'press' && event.button === 'left') {
    if (isInBody) return same({ ...state, drag: 'transcript', transcript: startSelection(clearSelection(state.transcript), event.x, y) });
    const row = event.y - layout.composerTop;
    if (row < 0 || row >= layout.composerRows || state.focus !== 'composer') return same(state);
    const editor = pressAt(state.composer.editor, layout.composerRows, event.x - layout.composerLeft, row);
    return same({ ...state, drag: 'composer', composer: replaceEditor(state.composer, editor) });
  }
  if (state.drag === 'composer' && event.action === 'drag') {
    const editor = dragTo(state.composer.editor, layout.composerRows, event.x - layout.composerLeft, event.y - layout.composerTop);
    return same({ ...state, composer: replaceEditor(state.composer, editor) });
  }
  if (state.drag === 'transcript' && event.action === 'drag') {
    // Beyond the edge the transcript scrolls, so that a selection can be longer than the screen.
    const scrolled = isInBody ? state.transcript : scrollBy(state.transcript, y < 0 ? -1 : 1);
    const row = Math.max(0, Math.min(layout.bodyHeight - 1, y));
    return same({ ...state, transcript: dragSelection(scrolled, event.x, row) });
  }
  if (event.action !== 'release') return same(state);
  return state.drag === 'transcript' ? endDrag({ ...state, drag: undefined }, y, now) : same({ ...state, drag: undefined });
}

/** A drag copies what it marked; a plain click folds or unfolds what can be. */
function endDrag(state: ChatState, y: number, now: number): Result {
  const text = selectedText(state.transcript);
  if (text !== '') {
    const flash = { text: chatText.copied(text.split('\n').length), isError: false, until: now + flashMs };
    return { state: { ...state, flash }, effects: [{ type: 'copy', text, what: 'selection' }] };
  }
  const transcript = clearSelection(state.transcript);
  const block = blockAt(transcript, y);
  const place = placeAt(transcript, 0, y);
  if ((block?.kind !== 'tool' && block?.kind !== 'reasoning') || place === undefined || place.unit > 0)
    return same({ ...state, transcript });
  return same({ ...state, transcript: toggleFold(transcript, block.id) });
}

function wheel(state: ChatState, rows: number): Result {
  if (state.backlog.isRecap) return rows < 0 ? requestWindow(state, 'page-up') : same(state);
  return same({ ...state, transcript: keepCursorInSight(scrollBy(state.transcript, rows)) });
}
