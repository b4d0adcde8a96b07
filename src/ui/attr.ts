/**
 * One number for colours and attributes of a cell, in neo-blessed's layout (flags << 18 | foreground << 9 | background), with two
 * additions: flag bits for dim, italic and strike, which it lacks, and colours 256 … 510 as slots for true colours, which it reduces.
 */
export const flag = { bold: 1, underline: 2, blink: 4, inverse: 8, invisible: 16, dim: 32, italic: 64, strike: 128 } as const;

/** The terminal's own colour. */
export const defaultColour = 0x1ff;
const firstSlot = 256;
const lastSlot = 0x1fe;

const slots: number[] = [];
const slotOf = new Map<number, number>();

export const packAttr = (foreground: number = defaultColour, background: number = defaultColour, flags = 0): number =>
  (flags << 18) | (foreground << 9) | background;

export const plainAttr = packAttr();
export const foregroundOf = (attr: number): number => (attr >> 9) & 0x1ff;
export const backgroundOf = (attr: number): number => attr & 0x1ff;
export const flagsOf = (attr: number): number => attr >> 18;

/** A cell without ink: only what is seen on a blank is kept, so that equal-looking cells are equal. */
export function blankAttr(attr: number): number {
  const flags = flagsOf(attr) & (flag.underline | flag.inverse | flag.strike);
  return flags === 0 ? packAttr(defaultColour, backgroundOf(attr)) : packAttr(foregroundOf(attr), backgroundOf(attr), flags);
}

/** `#rrggbb` as a number. Throws on anything else: colours come from themes and highlighting, not from data. */
export function parseHex(colour: string): number {
  if (!/^#[0-9a-f]{6}$/iu.test(colour)) throw new Error(`not a colour: ${colour}`);
  return parseInt(colour.slice(1), 16);
}

/** The colour number of a true colour; once all 255 slots are taken, the nearest of the 256 colours. */
export function trueColour(rgb: number): number {
  let slot = slotOf.get(rgb);
  if (slot !== undefined) return slot;
  slot = firstSlot + slots.length;
  if (slot > lastSlot) return nearest256(rgb);
  slots.push(rgb);
  slotOf.set(rgb, slot);
  return slot;
}

const steps = [0, 95, 135, 175, 215, 255];

/** The nearest colour of the 6×6×6 cube and the grey ramp; the first 16 are the user's own and mean something else everywhere. */
export function nearest256(rgb: number): number {
  const parts = [(rgb >> 16) & 0xff, (rgb >> 8) & 0xff, rgb & 0xff];
  const distance = (other: readonly number[]) => parts.reduce((sum, part, i) => sum + (part - (other[i] as number)) ** 2, 0);
  const nearestStep = (part: number) =>
    steps.reduce((best, step, i) => (Math.abs(step - part) < Math.abs((steps[best] as number) - part) ? i : best), 0);
  const [r, g, b] = parts.map(nearestStep) as [number, number, number];
  const cube = 16 + 36 * r + 6 * g + b;
  const grey = Math.min(23, Math.max(0, Math.round(((parts[0] as number) + (parts[1] as number) + (parts[2] as number)) / 3 / 10 - 0.8)));
  const level = 8 + grey * 10;
  return distance([level, level, level]) < distance([steps[r], steps[g], steps[b]] as number[]) ? 232 + grey : cube;
}

function colourCodes(colour: number, base: 30 | 40): string {
  if (colour === defaultColour) return '';
  if (colour >= firstSlot) {
    const rgb = slots[colour - firstSlot] as number;
    return `;${base + 8};2;${rgb >> 16};${(rgb >> 8) & 0xff};${rgb & 0xff}`;
  }
  if (colour < 8) return `;${base + colour}`;
  return colour < 16 ? `;${base + 60 + colour - 8}` : `;${base + 8};5;${colour}`;
}

const codes: ReadonlyArray<readonly [bit: number, code: string]> = [
  [flag.bold, ';1'],
  [flag.dim, ';2'],
  [flag.italic, ';3'],
  [flag.underline, ';4'],
  [flag.blink, ';5'],
  [flag.inverse, ';7'],
  [flag.invisible, ';8'],
  [flag.strike, ';9'],
];

const sequences = new Map<number, string>();

/** The SGR sequence that sets exactly this attribute, whatever was set before. */
export function sgr(attr: number): string {
  let sequence = sequences.get(attr);
  if (sequence !== undefined) return sequence;
  const flags = flagsOf(attr);
  sequence = '\x1b[0';
  for (const [bit, code] of codes) if ((flags & bit) !== 0) sequence += code;
  sequence += `${colourCodes(foregroundOf(attr), 30)}${colourCodes(backgroundOf(attr), 40)}m`;
  sequences.set(attr, sequence);
  return sequence;
}
