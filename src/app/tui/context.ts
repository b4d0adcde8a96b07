import type { CommandId } from '../../commands/table.ts';
import type { Query } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import type { ProcessTable } from '../../terminal/process-tree.ts';
import type { LiveRegister } from '../../terminal/live-register.ts';
import type { Question } from '../../ui/screens/dialog/index.ts';
import type { SessionsState } from '../../ui/screens/sessions/index.ts';
import type { Log } from '../log.ts';
import type { SessionStore } from '../recorder.ts';
import type { Run } from '../run.ts';
import type { Desk } from './desk.ts';
import type { Loop } from './loop.ts';
import type { ListActions } from './picker-actions.ts';
import type { Stage } from './stage.ts';

/** The list of sessions, as the rest of the program uses it. */
export interface Picker {
  /** Opens it as it was left. */
  open(): void;
  /** `sessions browse`: that list is all there is until something is chosen, and leaving it leaves the program. */
  browse(state: SessionsState, only: { readonly source?: string; readonly limit?: number }): void;
  /** A write waits for another program's lock, or waits no more. */
  setStoreWaiting(isWaiting: boolean): void;
  /** Takes it off the screen: something was chosen that goes on with the program. */
  leave(): void;
  /** What can be done with its sessions. */
  readonly actions: ListActions;
}

/** The search over everything that was said, as the rest of the program uses it. */
export interface Search {
  /** Opens it as it was left; `text` is looked for in place of what was. */
  open(text?: string): void;
  /** Opens a conversation at a message, or at its end, as a look: the pane's own conversation stays. @throws StoreError, NotFoundError */
  look(at: LookRequest): Promise<void>;
  /** Takes it, and a conversation looked at, off the screen; the next time it is as it was. */
  leave(): void;
}

export interface LookRequest {
  /** Any session of the conversation. */
  readonly id: SessionId;
  readonly messageId?: number;
  /** What is marked there, and gone through with `n`. */
  readonly text?: string;
  readonly query?: Query;
}

/** The model chooser, as the rest of the program uses it. */
export interface ModelChooser {
  open(): void;
  /** `/model NAME`: for this session; `/model NAME --save` asks with the lines to be written. @throws AgentError, ConfigError */
  take(args: string): Promise<void>;
  /** The answer to that question. @throws AgentError, ConfigError */
  answer(choice: string): Promise<void>;
}

/** The report about the last days, as the rest of the program uses it. */
export interface InsightsReport {
  /** @param args what stood behind `/insights`: a number of days or nothing. @throws UsageError */
  open(args: string): void;
}

/** Everything the effects of the screens work with. */
export interface Context {
  readonly run: Run;
  readonly stage: Stage;
  readonly store: SessionStore;
  readonly register: LiveRegister;
  readonly processes: ProcessTable;
  readonly desk: Desk;
  readonly log: Log;
  readonly picker: Picker;
  readonly search: Search;
  readonly models: ModelChooser;
  readonly insights: InsightsReport;
  loop(): Loop;
  /** Work whose end the screen waits for; a failure is said in the conversation. */
  track<Value>(work: Promise<Value>): void;
  notice(tone: 'info' | 'error', text: string, hint?: string): void;
  flash(text: string, isError?: boolean): void;
  ask(question: Question): void;
  /** A command of the program, with what stood behind its name. */
  runCommand(id: CommandId, args: string): void;
  /** Ends the run; `cancelled` when a picker was left without a choice. */
  finish(outcome: { leaving: 'tui_close' } | { leaving: 'cancelled' }): void;
}
