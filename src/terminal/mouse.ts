import type { MouseEvent } from './input-event.ts';

const buttons = ['left', 'middle', 'right', 'none'] as const;

/**
 * `CSI < code ; column ; row M` (press, drag) or `m` (release), the SGR form. Undefined for what nobody uses: moving without a button,
 * the sideways wheel, extra buttons, broken numbers.
 * @param params without the `<`
 */
export function sgrMouse(params: string, isRelease: boolean): MouseEvent | undefined {
  const found = /^(\d{1,4});(\d{1,5});(\d{1,5})$/u.exec(params);
  if (found === null) return undefined;
  const [code, column, row] = found.slice(1).map(Number) as [number, number, number];
  const button = buttons[code & 3] as (typeof buttons)[number];
  const place = {
    type: 'mouse',
    x: Math.max(0, column - 1),
    y: Math.max(0, row - 1),
    shift: (code & 4) !== 0,
    alt: (code & 8) !== 0,
    ctrl: (code & 16) !== 0,
  } as const;
  if (code >= 128) return undefined;
  if (code & 64) {
    if (isRelease || (code & 3) > 1) return undefined;
    return { ...place, action: (code & 3) === 0 ? 'wheel-up' : 'wheel-down', button: 'none' };
  }
  if (isRelease) return { ...place, action: 'release', button };
  if (code & 32) return button === 'none' ? undefined : { ...place, action: 'drag', button };
  return { ...place, action: 'press', button };
}
