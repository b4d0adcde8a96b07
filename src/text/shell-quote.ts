/** Quotes one word so that sh, bash, zsh and fish read it back unchanged; plain words stay as they are. */
export function shellQuote(word: string): string {
  if (word !== '' && /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) && !word.startsWith('-')) return word;
  // fish reads a backslash inside single quotes as an escape, sh and zsh do not: keep both the quote and the backslash outside of them.
  return `'${word.replace(/['\\]/g, (sign) => (sign === "'" ? `'"'"'` : `'"\\\\"'`))}'`;
}
