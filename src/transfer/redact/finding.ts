/** What kind of secret it is (state-db.md 6.3); `preset` is what only the rules of secretlint know. */
export type Family =
  'vendor-key' | 'assignment' | 'authorization' | 'telegram' | 'private-key' | 'url-password' | 'url-token' | 'jwt' | 'phone' | 'preset';

/** One secret: `text.slice(start, end)` in UTF-16 units, and what stands there instead. */
export interface Finding {
  readonly family: Family;
  readonly start: number;
  readonly end: number;
  readonly masked: string;
}

export const privateKeyMask = '[REDACTED PRIVATE KEY]';

/**
 * What a secret is replaced by (state-db.md 6.3): `***` below 18 characters, else its first 6 and last 4 with `...` between, so that its
 * owner can tell which one it was. `***` as well where those ten hold a sign that ends a value (a quote, white space, `@`): the mask must be
 * one value where the secret was one.
 */
export function maskSecret(secret: string): string {
  const characters = secret.length < 18 ? [] : [...secret];
  if (characters.length < 18) return '***';
  const masked = `${characters.slice(0, 6).join('')}...${characters.slice(-4).join('')}`;
  return /[\s"'`\\<>,;&@?#()[\]{}$%]/.test(masked) ? '***' : masked;
}

/** What an earlier redaction left; it isn't struck again, so that redacting twice is redacting once. */
export function isMasked(value: string): boolean {
  return /^\*+$/.test(value) || /^.{6}\.{3}.{4}$/su.test(value) || value.includes(privateKeyMask);
}

/** A finding whose mask follows from the text. */
export function findingAt(text: string, family: Family, start: number, end: number): Finding {
  return { family, start, end, masked: family === 'private-key' ? privateKeyMask : maskSecret(text.slice(start, end)) };
}

/**
 * In order and apart from each other. Of two that overlap the longer one stays and takes in what the shorter one has beyond it; a private key
 * always keeps its own mask.
 */
export function mergeFindings(text: string, findings: readonly Finding[]): Finding[] {
  if (findings.length < 2) return [...findings];
  const merged: Finding[] = [];
  for (const finding of [...findings].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || finding.start >= last.end) merged.push(finding);
    else if (finding.family === 'private-key' || finding.end > last.end) {
      const family = [last.family, finding.family].includes('private-key') ? 'private-key' : last.family;
      merged[merged.length - 1] = findingAt(text, family, last.start, Math.max(last.end, finding.end));
    }
  }
  return merged;
}

/** The text with each finding replaced by its mask. `findings` are merged. */
export function applyFindings(text: string, findings: readonly Finding[]): string {
  let result = '';
  let from = 0;
  for (const { start, end, masked } of findings) {
    result += text.slice(from, start) + masked;
    from = end;
  }
  return result + text.slice(from);
}
