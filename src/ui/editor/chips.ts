import { editorText } from '../../text/en/editor.ts';
import { stringWidth } from '../../terminal/width.ts';
import { firstChipUnit, lastChipUnit } from './clusters.ts';

/** Long pastes that stand folded in the text: a private unit in the line, the full text here. Never changed, only added to. */
export type Chips = ReadonlyMap<string, string>;

/** From here on a paste is folded: what would fill most of the composer. */
const foldLines = 9;
const foldUnits = 2000;

const chipUnit = new RegExp(`[${String.fromCharCode(firstChipUnit)}-${String.fromCharCode(lastChipUnit)}]`);
const halfPair = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const countLines = (text: string): number => {
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
};

export const isLong = (text: string): boolean => text.length > foldUnits || countLines(text) > foldLines;

/** Text from outside never holds a unit of ours: half a surrogate pair is no text and would be stored as U+FFFD anyway. */
export const toWellFormed = (text: string): string => (halfPair.test(text) ? text.replace(new RegExp(halfPair, 'g'), '\ufffd') : text);

/** A free unit for one more chip; undefined when all 1,024 are taken, and the paste is then put in as it is. */
export function addChip(chips: Chips, text: string): { chips: Chips; unit: string } | undefined {
  const code = firstChipUnit + chips.size;
  if (code > lastChipUnit) return undefined;
  const unit = String.fromCharCode(code);
  return { chips: new Map(chips).set(unit, text), unit };
}

function chipLabel(text: string): string {
  const lines = countLines(text);
  return lines > 1 ? editorText.pastedLines(lines) : editorText.pastedCharacters(text.length);
}

const labels = new WeakMap<Chips, Map<string, { label: string; width: number }>>();

/** The drawn form of a chip and its cells; counted once per chip. */
export function chipShape(chips: Chips, unit: string): { label: string; width: number } {
  let known = labels.get(chips);
  if (known === undefined) labels.set(chips, (known = new Map()));
  let shape = known.get(unit);
  if (shape === undefined) {
    const label = chipLabel(chips.get(unit) ?? '');
    known.set(unit, (shape = { label, width: stringWidth(label) }));
  }
  return shape;
}

/** The text with every chip replaced by what was pasted. */
export function expandChips(text: string, chips: Chips): string {
  if (chips.size === 0 || !chipUnit.test(text)) return text;
  let out = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code <= 0xdbff) {
      at++;
      continue;
    }
    if (code < firstChipUnit || code > lastChipUnit) continue;
    out += text.slice(from, at) + (chips.get(text.charAt(at)) ?? '\ufffd');
    from = at + 1;
  }
  return out + text.slice(from);
}
