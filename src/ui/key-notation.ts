import type { KeyEvent, Modifiers } from '../terminal/input-event.ts';

/** A key as data: `name` as in `KeyEvent`, or one printable character as typed. */
export interface Key extends Modifiers {
  readonly name: string;
}

const names = new Set(
  'enter escape tab backspace space up down left right home end pageup pagedown insert delete f1 f2 f3 f4 f5 f6 f7 f8 f9 f10 f11 f12'.split(
    ' ',
  ),
);
const aliases: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  pgup: 'pageup',
  pgdn: 'pagedown',
  ins: 'insert',
  del: 'delete',
};

/**
 * Reads `ctrl+x`, `shift+tab`, `alt+.`, `?`, `G`. Undefined where it is no key: an unknown name, shift on a character (write the
 * character itself), more than one character.
 */
export function parseKey(notation: string): Key | undefined {
  let rest = notation.trim();
  const key = { ctrl: false, alt: false, shift: false };
  for (;;) {
    const found = /^(ctrl|alt|shift)\+(.+)$/isu.exec(rest);
    if (found === null) break;
    const modifier = (found[1] as string).toLowerCase() as keyof typeof key;
    if (key[modifier]) return undefined;
    key[modifier] = true;
    rest = found[2] as string;
  }
  const lower = rest.toLowerCase();
  const named = aliases[lower] ?? lower;
  if (names.has(named)) return { ...key, name: named };
  if ([...rest].length !== 1 || /\s|\p{C}/u.test(rest)) return undefined;
  if (key.shift && !key.ctrl && !key.alt) return undefined;
  return { ...key, name: key.ctrl || key.alt ? lower : rest };
}

/** The one spelling of a key, for look-up: `ctrl+alt+shift+name`. */
export const canonicalKey = (key: Key | KeyEvent): string =>
  `${key.ctrl ? 'ctrl+' : ''}${key.alt ? 'alt+' : ''}${key.shift ? 'shift+' : ''}${key.name}`;

const shown: Readonly<Record<string, string>> = {
  enter: 'Enter',
  escape: 'Esc',
  tab: 'Tab',
  backspace: 'Backspace',
  space: 'Space',
  home: 'Home',
  end: 'End',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  insert: 'Ins',
  delete: 'Del',
};
const arrows: Readonly<Record<string, readonly [sign: string, word: string]>> = {
  up: ['↑', 'Up'],
  down: ['↓', 'Down'],
  left: ['←', 'Left'],
  right: ['→', 'Right'],
};

/** As hints and menus write it: `^X`, `M-c`, `Shift+Tab`, `PgUp`, `?`. `plain` spells arrows as words (ASCII glyphs). */
export function formatKey(key: Key, options: { plain?: boolean } = {}): string {
  const arrow = arrows[key.name];
  const isFunction = /^f\d+$/u.test(key.name);
  const name = arrow?.[options.plain === true ? 1 : 0] ?? shown[key.name] ?? (isFunction ? key.name.toUpperCase() : key.name);
  const isCharacter = [...key.name].length === 1;
  if (isCharacter && key.ctrl && !key.alt && !key.shift) return `^${name.toUpperCase()}`;
  if (isCharacter && key.alt && !key.ctrl) return `M-${key.shift ? name.toUpperCase() : name}`;
  return `${key.ctrl ? 'Ctrl+' : ''}${key.alt ? 'Alt+' : ''}${key.shift ? 'Shift+' : ''}${isCharacter && (key.ctrl || key.alt) ? name.toUpperCase() : name}`;
}

/**
 * Why a key can't be bound: ESC and one of these begins a sequence of the terminal (CSI, OSC, SS3, DCS, SOS, PM, APC, ST), and
 * `Alt` sends ESC.
 */
export const isSequenceStart = (key: Key): boolean =>
  key.alt && !key.ctrl && ('[]^_\\'.includes(key.name) || (key.shift && 'opx'.includes(key.name)));
