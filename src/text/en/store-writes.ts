/** What is said when the store will not take a change. The title sentences are those of Hermes Agent, word for word (state-db.md 2.7). */
export const storeWriteText = {
  titleTooLong: (length: number, most: number) => `Title too long (${length} chars, max ${most})`,
  titleInUse: (title: string, holder: string) => `Title '${title}' is already in use by session ${holder}`,
  titleNext: (next: string) => `The next title that is free: ${next}`,
  titleReserved: (title: string) => `'${title}' belongs to Hermes Agent and keeps its name.`,
  titleEmpty: 'A title needs at least one visible character.',
  sessionGone: (id: string) => `The session ${id} is not in the store any more.`,
  sessionGoneHint: 'It was deleted in another window. `/new` begins another one; what was typed is kept.',
  sessionTaken: (id: string) => `There already is a session ${id}.`,
  compressed: (id: string) => `The session ${id} was compressed; it goes on in another one.`,
  compressedHint: (tip: string) => `Go on with \`hermes --resume ${tip}\`.`,
  messageGone: (id: number) => `The message ${id} is not in the store any more.`,
  /** What a model reads where a tool's answer is missing. */
  callWithoutResult: '[interrupted before this tool returned a result]',
};
