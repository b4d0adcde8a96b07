import type { ForeignTurn } from '../../session/foreign.ts';

/** What one line of a log says. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly isTool?: boolean;
  /** Milliseconds since the epoch; undefined where the log does not say. */
  readonly at?: number | undefined;
}

/** A tool that was used, as it stands in an imported conversation (state-db.md 3). */
export const ranTool = (name: string): Omit<Piece, 'role' | 'at'> => ({ text: `[ran tool: ${name}]`, isTool: true });

export const imageMark = '[image]';

/**
 * Pieces of one speaker in a row become one turn, so that user and assistant strictly alternate; where the assistant speaks first, a stub
 * stands for the user (state-db.md 3). Every turn has a time of its own, later than the one before: equal ones would be one message in the
 * display (store-v31.md B3).
 *
 * @param options.start time for turns before the first one that has any; ms since the epoch
 */
export function* mergeTurns(pieces: Iterable<Piece>, options: { stub: string; start: number }): Generator<ForeignTurn> {
  let latest = options.start - 1;
  let held: { role: Piece['role']; at: number | undefined; parts: string[]; isTool: boolean } | undefined;
  const turn = (role: Piece['role'], text: string, at: number | undefined): ForeignTurn => {
    latest = at === undefined || at <= latest ? latest + 1 : at;
    return { role, text, at: latest };
  };
  for (const piece of pieces) {
    // A stored text that begins with U+0000 would be read as a list of parts (state-db.md 2.8).
    const text = piece.text.replace(/^[\s\u0000]+/, '').trimEnd();
    if (text === '') continue;
    const isTool = piece.isTool === true;
    if (held?.role === piece.role) {
      held.parts.push(held.isTool && isTool ? '\n' : '\n\n', text);
      held.isTool = isTool;
      continue;
    }
    if (held !== undefined) yield turn(held.role, held.parts.join(''), held.at);
    else if (piece.role === 'assistant') yield turn('user', options.stub, piece.at === undefined ? undefined : piece.at - 1);
    held = { role: piece.role, at: piece.at, parts: [text], isTool };
  }
  if (held !== undefined) yield turn(held.role, held.parts.join(''), held.at);
}
