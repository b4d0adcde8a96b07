import { findingAt, type Finding } from './finding.ts';
import { classifyName } from './names.ts';
import { isCode, isReference, isVersion, looksRandom } from './values.ts';

/** A line of a Markdown table: its first two cells, without the signs that make them bold or code. */
const cells =
  /(?:^|\\n)[ \t>]{0,8}\|[ \t]{0,20}[*_`]{0,3}([A-Za-z][\w .-]{1,60}?)[*_`]{0,3}[ \t]{0,60}\|[ \t]{0,20}[*_`]{0,3}([^\s|*`]{8,256})[*_`]{0,3}[ \t]{0,200}\|/dgm;

/** Secrets in the cell beside their name. The other lines of such a table tell what a setting means, so that only what looks made by chance counts. */
export function findTableSecrets(text: string): Finding[] {
  const found: Finding[] = [];
  for (const { 1: name = '', 2: value = '', indices } of text.matchAll(cells)) {
    if (classifyName(name.replaceAll(' ', '_')) === undefined) continue;
    if (!/\d/.test(value) || !looksRandom(value) || isCode(value) || isReference(value) || isVersion(value)) continue;
    const [start, end] = indices?.[2] ?? [0, 0];
    found.push(findingAt(text, 'assignment', start, end));
  }
  return found;
}
