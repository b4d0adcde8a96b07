/** Sentences about the session a front end holds. */
export const seatText = {
  nothingStored: 'Nothing of this conversation is stored yet.',
  turnElsewhere: (holder: string): string => `Another program is answering in this conversation (${holder}).`,
  turnElsewhereHint: 'Wait for it to finish, then press Enter; or /new starts another conversation.',
} as const;
