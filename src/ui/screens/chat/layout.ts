import { viewEditor } from '../../editor/index.ts';
import type { ChatState } from './state.ts';

/** Where the parts of the conversation screen stand, in rows and cells from the top left. */
export interface ChatLayout {
  readonly bodyHeight: number;
  readonly composerTop: number;
  readonly composerRows: number;
  readonly composerLeft: number;
}

/** Header and a blank row. */
export const bodyTop = 2;
/** ` ❯ ` before the text, one cell free behind it. */
const promptWidth = 3;

export const composerWidth = (width: number): number => Math.max(1, width - promptWidth - 1);

/** Header, blank, transcript, rule, composer, rule, status. The composer grows to a third of the screen. */
export function layOutChat(state: ChatState): ChatLayout {
  if (state.look !== undefined && state.focus !== 'find') {
    // Nothing can be typed: header, blank, transcript, rule, status.
    const bodyHeight = Math.max(1, state.height - bodyTop - 2);
    return { bodyHeight, composerTop: bodyTop + bodyHeight + 1, composerRows: 0, composerLeft: promptWidth };
  }
  const most = composerLimit(state);
  const composerRows =
    state.composer.search !== undefined || state.focus === 'find' ? 1 : viewEditor(state.composer.editor, most).lines.length;
  const bodyHeight = Math.max(1, state.height - bodyTop - composerRows - 3);
  return { bodyHeight, composerTop: bodyTop + bodyHeight + 1, composerRows, composerLeft: promptWidth };
}

export const composerLimit = (state: { readonly height: number }): number => Math.max(1, Math.floor(state.height / 3));
