import type { ChatState } from '../../ui/screens/chat/index.ts';
import type { Opening } from '../opening.ts';
import type { Run } from '../run.ts';
import type { Browse } from './picker-start.ts';
import type { Stage } from './stage.ts';

/** The program when its first frame stands: what the rest of the run begins with. */
export interface Started {
  readonly run: Run;
  readonly stage: Stage;
  /** The conversation that is there; below the list of `sessions browse` a new one. */
  readonly opening: Opening;
  /** Its state as it was drawn; undefined where the list was. */
  readonly chat: ChatState | undefined;
  /** The same conversation above it, looked at where a message was named. */
  readonly look: ChatState | undefined;
  readonly browse: Browse | undefined;
  /** What is done on a signal, a crash, a closed pane; set once there is something to store. */
  onEnd: (() => Promise<void>) | undefined;
  onCrash: ((error: unknown) => void) | undefined;
}
