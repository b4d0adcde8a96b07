import type { KeyEvent, Modifiers, TextEvent } from './input-event.ts';
import { keyEvent, modifiersOf } from './key-event.ts';

/** Keys as code points: kitty's `CSI code:shifted:base ; modifiers:event ; text u` and xterm's `CSI 27 ; modifiers ; code ~`. */

const controls: Readonly<Record<number, string>> = { 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

const functional: Readonly<Record<number, string>> = Object.fromEntries([
  ...'escape enter tab backspace insert delete left right up down pageup pagedown home end'.split(' ').map((name, i) => [57344 + i, name]),
  ...Array.from({ length: 12 }, (_, i) => [57364 + i, `f${i + 1}`]),
  [57414, 'enter'],
  ...'left right up down pageup pagedown home end insert delete'.split(' ').map((name, i) => [57417 + i, name]),
]) as Record<number, string>;

/** Digits and signs of the keypad, from 57399; 57414 is its Enter. */
const keypad = '0123456789./*-+';
const keypadText = (code: number): string | undefined =>
  code === 57415 ? '=' : code === 57416 ? ',' : code >= 57399 ? keypad[code - 57399] : undefined;

const isFunctional = (code: number): boolean => code >= 57344 && code <= 63743;
const isCharacter = (code: number): boolean =>
  Number.isInteger(code) &&
  code > 0x1f &&
  code !== 0x7f &&
  !(code > 0x7f && code < 0xa0) &&
  code <= 0x10ffff &&
  !(code >= 0xd800 && code <= 0xdfff);

/** Ctrl+/ sends what Ctrl+_ sends on older terminals, and where Shift is reported apart, Ctrl+_ is Ctrl+Shift+-. */
function ctrlSign(char: string, held: Modifiers): KeyEvent | undefined {
  if (!held.ctrl) return undefined;
  if (char === '/' || char === '_' || (char === '-' && held.shift)) return keyEvent('_', { ctrl: true, alt: held.alt });
  if (char === '@') return keyEvent('space', { ctrl: true, alt: held.alt });
  return undefined;
}

/** A character with modifiers: text where only Shift is held, a key otherwise. */
export function modifiedCharacter(code: number, held: Modifiers): KeyEvent | TextEvent | undefined {
  const control = controls[code];
  if (control !== undefined) return keyEvent(control, held);
  if (!isCharacter(code)) return undefined;
  const char = String.fromCodePoint(code);
  if (!held.ctrl && !held.alt) return { type: 'text', text: char };
  if (char === ' ') return keyEvent('space', held);
  const sign = ctrlSign(char, held);
  if (sign !== undefined) return sign;
  const lower = char.toLowerCase();
  // A sign already is what Shift made of the key; a letter keeps it.
  const isLetter = lower !== char.toUpperCase();
  return keyEvent(lower, { ...held, shift: isLetter && (held.shift || lower !== char) });
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined || text === '' ? undefined : parseInt(text, 10));

/** Parameters of a `CSI … u` (not a release): key codes, modifiers, associated text. Lock and modifier keys give undefined. */
export function kittyKey(parts: readonly string[]): KeyEvent | TextEvent | undefined {
  const [codes = '', modifierPart = '', textPart = ''] = parts;
  const [own, shifted, base] = codes.split(':').map(numberOf);
  if (own === undefined) return undefined;
  const bits = Math.max(0, (numberOf(modifierPart.split(':')[0]) ?? 1) - 1);
  const held = modifiersOf(bits + 1);
  if (held === undefined) return undefined;
  const isTyped = !held.ctrl && !held.alt;

  const named = controls[own] ?? functional[own];
  if (named !== undefined) return keyEvent(named, held);
  const typed = textPart
    .split(':')
    .map(numberOf)
    .filter((code): code is number => code !== undefined && isCharacter(code));
  if (isTyped && typed.length > 0) return { type: 'text', text: String.fromCodePoint(...typed) };
  const onKeypad = keypadText(own);
  if (onKeypad !== undefined) return modifiedCharacter(onKeypad.charCodeAt(0), held);
  if (isFunctional(own)) return undefined;
  if (!isTyped) {
    // Another layout (Cyrillic, Hangul): the shortcut belongs to the key, not to what the layout writes on it.
    const isShiftedSign = held.shift && shifted !== undefined && isCharacter(shifted) && isSign(shifted);
    const code = isShiftedSign ? (shifted as number) : own > 0x7f && base !== undefined ? base : own;
    return modifiedCharacter(code, held);
  }
  const isUpper = held.shift !== ((bits & 64) !== 0);
  if (held.shift && shifted !== undefined) return modifiedCharacter(shifted, held);
  if (!isCharacter(own)) return undefined;
  const char = String.fromCodePoint(own);
  return { type: 'text', text: isUpper ? char.toUpperCase() : char };
}

function isSign(code: number): boolean {
  const char = String.fromCodePoint(code);
  return char.toLowerCase() === char.toUpperCase();
}
