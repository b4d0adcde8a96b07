import type { SessionId } from '../../session/types.ts';
import type { LiveRegister } from '../../terminal/live-register.ts';
import type { TerminalWindow } from '../../terminal/tmux.ts';
import type { Question } from '../../ui/screens/dialog/index.ts';
import type { Drafts } from '../drafts.ts';
import type { Log } from '../log.ts';
import type { Opening } from '../opening.ts';
import type { SessionStore } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { Seat } from '../seat.ts';
import type { Printer, Tone } from './printer.ts';

/** The conversation of the line mode. */
export interface OpenConversation {
  readonly seat: Seat;
  /** Every id of its lineage. */
  ids: readonly SessionId[];
  /** Why nothing can be sent here: read along, taken over, a private copy. Never stamped, never written. */
  readOnly: string | undefined;
  /** Row id of the newest message its recap was made of. */
  readonly seenUpTo: number | undefined;
  /** Stops following what somebody else adds. */
  stopFollowing: (() => void) | undefined;
}

/** An answer by its id; a text that is none of the answers; undefined: nobody could be asked, or the question was put away. */
export type Reply<Id extends string> = { readonly id: Id } | { readonly text: string } | undefined;

/** What the commands of the line mode work with. */
export interface LineContext {
  readonly run: Run;
  readonly store: SessionStore;
  readonly register: LiveRegister;
  readonly drafts: Drafts;
  readonly log: Log;
  readonly printer: Printer;
  /** Somebody sits at the other end: questions can be asked. */
  readonly isInteractive: boolean;
  /** The rows `/sessions` printed last; numbers mean these. */
  listed: readonly SessionId[];
  window: TerminalWindow | undefined;
  /** Absent until the first one is open. */
  shown(): OpenConversation | undefined;
  /** The same for what can only run once one is open. */
  current(): OpenConversation;
  setCurrent(conversation: OpenConversation): void;
  say(text: string, tone?: Tone): void;
  fail(message: string, hint?: string): void;
  /** Something asked for was not done: a pipe ends with 1. `fail` does this too. */
  noteFailure(): void;
  /** Puts a text back into the line. */
  giveBack(text: string, why: string): void;
  ask<Id extends string>(question: Question<Id>): Promise<Reply<Id>>;
  /** Opens a conversation in place of the current one. */
  open(opening: Opening): Promise<void>;
  leave(): void;
  /** Handled like a typed message; for what was typed in place of an answer. */
  receive(text: string): void;
}
