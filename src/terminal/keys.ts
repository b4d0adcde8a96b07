import type { KeyEvent, TextEvent } from './input-event.ts';
import { keyEvent, modifiersOf } from './key-event.ts';
import { kittyKey, modifiedCharacter } from './keys-kitty.ts';

/** Pure decoders of finished sequences; what isn't a key gives undefined. */

const letters: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};
const rxvtArrows: Readonly<Record<string, string>> = { a: 'up', b: 'down', c: 'right', d: 'left' };

/** 1 and 4 are Home and End of the Linux console, 7 and 8 those of rxvt, 11 to 14 the first function keys of both. */
const numbered: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

/** A numbered key as rxvt ends it: `$` shift, `^` ctrl, `@` both. */
export const isRxvtNumber = (params: string): boolean => numbered[Number(params)] !== undefined && /^\d+$/u.test(params);

/** Third kind of event in kitty's `modifiers:event` parameter. */
const isRelease = (part: string | undefined): boolean => part?.split(':')[1] === '3';

/**
 * A key sent as `CSI params final` without a private prefix.
 * @param alt an ESC stood before the sequence (rxvt's way of Alt)
 */
export function csiKey(params: string, final: string, alt: boolean): KeyEvent | TextEvent | undefined {
  const parts = params.split(';');
  if (isRelease(parts[1])) return undefined;
  if (final === 'u') return kittyKey(parts);
  const modifiers = modifiersOf(parts[1] === undefined || parts[1] === '' ? undefined : parseInt(parts[1], 10));
  if (modifiers === undefined) return undefined;
  const held = { ...modifiers, alt: modifiers.alt || alt };
  if (final === '~') {
    if (parts[0] === '27' && parts[2] !== undefined) return modifiedCharacter(parseInt(parts[2], 10), held);
    const name = numbered[Number(parts[0])];
    return name === undefined ? undefined : keyEvent(name, held);
  }
  if (final === 'Z') return keyEvent('tab', { ...held, shift: true });
  if ('$^@'.includes(final)) {
    const name = numbered[Number(params)];
    return name === undefined ? undefined : keyEvent(name, { alt, shift: final !== '^', ctrl: final !== '$' });
  }
  const arrow = rxvtArrows[final];
  if (arrow !== undefined && params === '') return keyEvent(arrow, { alt, shift: true });
  const name = letters[final];
  return name === undefined ? undefined : keyEvent(name, held);
}

/** Keypad of application mode: `SS3 j` … `SS3 y`. */
const keypad = '*+,-./0123456789';

/** A key sent as `SS3 final`; `params` holds the modifier some old terminals put before the final. */
export function ss3Key(params: string, final: string, alt: boolean): KeyEvent | TextEvent | undefined {
  const modifiers = modifiersOf(params === '' ? undefined : parseInt(params.split(';').at(-1) as string, 10));
  if (modifiers === undefined) return undefined;
  const held = { ...modifiers, alt: modifiers.alt || alt };
  if (final === 'M') return keyEvent('enter', held);
  const arrow = rxvtArrows[final];
  if (arrow !== undefined) return keyEvent(arrow, { ...held, ctrl: true });
  const sign = final >= 'j' && final <= 'y' ? keypad[final.charCodeAt(0) - 0x6a] : undefined;
  if (sign !== undefined) return { type: 'text', text: sign };
  const name = letters[final];
  return name === undefined ? undefined : keyEvent(name, held);
}

/** The Linux console's F1 to F5: `CSI [ A` … `CSI [ E`. */
export const linuxFunctionKey = (final: string, alt: boolean): KeyEvent | undefined =>
  final >= 'A' && final <= 'E' ? keyEvent(`f${final.charCodeAt(0) - 0x40}`, { alt }) : undefined;

/** A control byte typed as such (below 0x20, or 0x7f). CR is Enter, LF is Ctrl+J, 0x7f is Backspace, 0x08 is Ctrl+H. */
export function controlKey(byte: number, alt: boolean): KeyEvent {
  switch (byte) {
    case 0x00:
      return keyEvent('space', { ctrl: true, alt });
    case 0x09:
      return keyEvent('tab', { alt });
    case 0x0d:
      return keyEvent('enter', { alt });
    case 0x7f:
      return keyEvent('backspace', { alt });
    default:
      return keyEvent(String.fromCharCode(byte < 0x1b ? byte + 0x60 : byte + 0x40), { ctrl: true, alt });
  }
}

/** A character typed with Alt (ESC before it). */
export function altCharacter(char: string): KeyEvent {
  if (char === ' ') return keyEvent('space', { alt: true });
  const lower = char.toLowerCase();
  return keyEvent(lower, { alt: true, shift: lower !== char });
}
