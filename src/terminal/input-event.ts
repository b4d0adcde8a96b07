/** What the tokenizer makes of the bytes a terminal sends. */

export interface Modifiers {
  shift: boolean;
  alt: boolean;
  ctrl: boolean;
}

/**
 * A key that is not text. `name` is lower-case: a letter or sign (`x`, `_`, `]`), or one of enter, escape, tab, backspace, space,
 * up, down, left, right, home, end, pageup, pagedown, insert, delete, f1 … f12. Ctrl+J (LF) arrives as `j` with ctrl, Enter (CR) as
 * `enter`; Hangul letters with alt arrive as they are (`ㅂ`).
 */
export interface KeyEvent extends Modifiers {
  type: 'key';
  name: string;
}

/** Typed text, one or more whole characters, no control characters. */
export interface TextEvent {
  type: 'text';
  text: string;
}

/** One paste of any size: CR and CRLF are LF, everything else as it came, invalid UTF-8 is U+FFFD. */
export interface PasteEvent {
  type: 'paste';
  text: string;
}

export interface MouseEvent extends Modifiers {
  type: 'mouse';
  action: 'press' | 'release' | 'drag' | 'wheel-up' | 'wheel-down';
  button: 'left' | 'middle' | 'right' | 'none';
  /** Cell, counted from 0. */
  x: number;
  y: number;
}

export interface FocusEvent {
  type: 'focus';
  focused: boolean;
}

/** An answer of the terminal (DA, CPR, OSC 10/11, kitty flags …); never text. `data` is the sequence without ESC. */
export interface ReplyEvent {
  type: 'reply';
  kind: 'csi' | 'cpr' | 'osc' | 'dcs' | 'apc' | 'pm' | 'sos';
  data: string;
}

export type InputEvent = KeyEvent | TextEvent | PasteEvent | MouseEvent | FocusEvent | ReplyEvent;
