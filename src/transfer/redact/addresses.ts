import { findingAt, type Finding } from './finding.ts';
import { isReference, looksRandom } from './values.ts';

/** `scheme://` and what stands before the host: no white space, quote or markup. */
const scheme = /:\/\/(?=[^\s"'`<>/?#]{0,512}@|[^\s"'`<>/?#:]{1,256}:[^\s"'`<>]{1,256}@)/g;
const authority = /[^\s"'`<>]{1,1024}/y;

/**
 * `scheme://user:PASSWORD@host` of any scheme, and `scheme://TOKEN@host`. A password may hold `/` and `@` that should have been encoded; a
 * port (`http://localhost:3000/@types`) is none.
 */
export function findAddressSecrets(text: string): Finding[] {
  if (!text.includes('@') || !text.includes('://')) return [];
  const found: Finding[] = [];
  for (const hit of text.matchAll(scheme)) {
    const start = hit.index + 3;
    if (!/[A-Za-z0-9+.-]/.test(text[hit.index - 1] ?? '')) continue;
    authority.lastIndex = start;
    const rest = authority.exec(text)?.[0] ?? '';
    const colon = rest.indexOf(':');
    const slash = rest.search(/[/?#]/);
    const plainAt = (slash === -1 ? rest : rest.slice(0, slash)).lastIndexOf('@');
    if (colon !== -1 && (plainAt === -1 || colon < plainAt) && (slash === -1 || colon < slash)) {
      const at = plainAt !== -1 ? plainAt : atBehindSlash(rest, colon);
      const password = rest.slice(colon + 1, at);
      if (at > colon + 1 && !isReference(password)) found.push(findingAt(text, 'url-password', start + colon + 1, start + at));
      continue;
    }
    const token = plainAt > 0 ? rest.slice(0, plainAt) : '';
    if (token.length >= 12 && looksRandom(token) && !isReference(token) && !token.includes('.')) {
      found.push(findingAt(text, 'url-token', start, start + plainAt));
    }
  }
  return found;
}

/** A `/` in the password: the `@` before the host stands behind it. */
function atBehindSlash(rest: string, colon: number): number {
  if (/^\d{1,5}(?:[/?#]|$)/.test(rest.slice(colon + 1))) return -1;
  const slash = rest.indexOf('/', colon);
  const host = /@(?:[A-Za-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?:[/?#]|$)/i.exec(rest.slice(slash));
  return host === null ? -1 : slash + host.index;
}
