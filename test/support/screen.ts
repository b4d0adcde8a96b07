import { stringWidth } from '../../src/terminal/width.ts';
import { lineText } from '../../src/ui/compose.ts';
import { unicodeGlyphs, type Glyphs, type InputAction, type ScreenDefinition, type View } from '../../src/ui/screen.ts';
import { keymapOf, parseKey } from '../../src/ui/keymap.ts';
import { createStyler } from '../../src/ui/style.ts';
import { dark } from '../../src/ui/themes/dark.ts';

/** A clock that stands still, for views. */
export const fixedNow = 1_800_000_000_000;
export const userHome = '/home/ann';

export interface ScreenDriver<State, Action, Effect> {
  state(): State;
  /** Feeds actions; returns their effects. */
  send(...actions: (Action | InputAction)[]): Effect[];
  /** Presses keys as written in the table (`ctrl+r`); a key that means nothing in the scopes of the screen is an error. */
  press(...keys: string[]): Effect[];
  type(text: string): Effect[];
  view(glyphs?: Glyphs): View;
  /** The lines as plain text, without blanks at their ends. */
  lines(): string[];
  text(): string;
}

/** Throws on a style word that no theme has. */
const style = createStyler(dark, 'truecolor');

/** Drives a screen the way the program does: keys through its own scopes, views at the size last set. */
export function driveScreen<State, Action, Effect>(
  screen: ScreenDefinition<State, Action, Effect>,
  initial: State,
  size: { width: number; height: number },
): ScreenDriver<State, Action, Effect> {
  let state = initial;
  const send = (...actions: (Action | InputAction)[]): Effect[] => {
    const effects: Effect[] = [];
    for (const action of actions) {
      const result = screen.update(state, action);
      state = result.state;
      effects.push(...result.effects);
    }
    return effects;
  };
  const press = (...keys: string[]): Effect[] =>
    keys.flatMap((notation) => {
      const key = parseKey(notation);
      if (key === undefined) throw new Error(`${notation} is no key`);
      const isText = [...key.name].length === 1 && !key.ctrl && !key.alt;
      const id = keymapOf().resolve(screen.scopes(state), isText ? { type: 'text', text: key.name } : { type: 'key', ...key });
      if (id === undefined) throw new Error(`${notation} means nothing in ${screen.scopes(state).join(', ')}`);
      return send({ type: 'command', id });
    });
  const view = (glyphs: Glyphs = unicodeGlyphs): View => screen.view(state, { ...size, now: fixedNow, userHome, glyphs });
  const lines = (): string[] => {
    const shown = view().lines;
    if (shown.length !== size.height) throw new Error(`${shown.length} lines in a box of ${size.height}`);
    for (const line of shown) {
      for (const each of line) style(each.style);
      if (stringWidth(lineText(line)) > size.width) throw new Error(`wider than ${size.width}: ${lineText(line)}`);
    }
    return shown.map((line) => lineText(line).trimEnd());
  };
  send({ type: 'resize', ...size });
  return { state: () => state, send, press, type: (text) => send({ type: 'text', text }), view, lines, text: () => lines().join('\n') };
}
