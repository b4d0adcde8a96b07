import type { KeyEvent, Modifiers } from './input-event.ts';

const none: Modifiers = { shift: false, alt: false, ctrl: false };

/** Builds a key event. */
export const keyEvent = (name: string, modifiers: Partial<Modifiers> = none): KeyEvent => ({
  type: 'key',
  name,
  shift: modifiers.shift === true,
  alt: modifiers.alt === true,
  ctrl: modifiers.ctrl === true,
});

/**
 * The modifier parameter of xterm and kitty: 1 + bits (shift 1, alt 2, ctrl 4, super 8, hyper 16, meta 32, caps lock 64, num lock 128).
 * Undefined where Super or Hyper is held: those belong to the window manager.
 */
export function modifiersOf(parameter: number | undefined): Modifiers | undefined {
  const bits = Math.max(0, (parameter ?? 1) - 1);
  if ((bits & 24) !== 0) return undefined;
  return { shift: (bits & 1) !== 0, alt: (bits & 34) !== 0, ctrl: (bits & 4) !== 0 };
}
