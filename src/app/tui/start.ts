import { requireFullScreen } from '../../terminal/capabilities.ts';
import { installExits } from '../../terminal/exits.ts';
import { createChatScreen, type ChatState } from '../../ui/screens/chat/index.ts';
import { toFrame } from '../../ui/compose.ts';
import type { InputAction, ScreenDefinition } from '../../ui/screen.ts';
import { leastHeight, leastWidth } from '../../ui/root/least.ts';
import type { StartRequest } from '../choose-session.ts';
import { openChosen, type Opening } from '../opening.ts';
import { printable } from '../../text/printable.ts';
import type { Run } from '../run.ts';
import { chatFor } from './chat-start.ts';
import { createPicker, readBrowse, type Browse } from './picker-start.ts';
import { openStage, type Stage } from './stage.ts';

/** What the screen starts with: a conversation, or the picker of `sessions browse`. */
export type TuiRequest = { kind: 'chat'; request: StartRequest } | { kind: 'browse'; source?: string; limit?: number };

export interface Started {
  readonly run: Run;
  readonly stage: Stage;
  readonly opening: Opening | undefined;
  readonly chat: ChatState | undefined;
  readonly browse: Browse | undefined;
  /** What is done on a signal, a crash, a closed pane; set once there is something to store. */
  onEnd: (() => Promise<void>) | undefined;
  onCrash: ((error: unknown) => void) | undefined;
}

/**
 * From the command line to the first frame. Everything up to it is read synchronously, on a connection that only reads; workers, probes and
 * registers come after it.
 *
 * @throws TerminalError, StoreError, NotFoundError, AmbiguousIdError before anything is drawn
 */
export async function runTui(run: Run, wanted: TuiRequest, exit: (code: number) => void): Promise<number> {
  requireFullScreen(process, run.env);
  const opening = wanted.kind === 'chat' ? openChosen(run, wanted.request) : undefined;
  const browse = wanted.kind === 'browse' ? readBrowse(run, wanted.source) : undefined;
  const stage = openStage(run);
  const started: Started = {
    run,
    stage,
    opening,
    chat: opening === undefined ? undefined : chatFor(run, stage, opening),
    browse,
    onEnd: undefined,
    onCrash: undefined,
  };
  const removeExits = installExits({
    tty: stage.tty,
    exit,
    store: async () => started.onEnd?.(),
    report: (reason) => {
      if (reason.kind === 'crash') reportCrash(started, reason.error);
    },
  });
  stage.tty.enter();
  if (started.chat !== undefined) drawFirst(run, stage, createChatScreen({ now: run.now }), started.chat);
  else if (browse !== undefined) drawFirst(run, stage, createPicker(run), browse.picker);
  const { runScreens } = await import('./session.ts');
  const code = await runScreens(started);
  removeExits();
  return code;
}

function reportCrash(started: Started, error: unknown): void {
  if (started.onCrash !== undefined) started.onCrash(error);
  else process.stderr.write(printable(`hermes: ${(error as Error).message}\n`));
}

/** The whole first frame at once, without the machinery of the other screens. */
function drawFirst<State, Action, Effect>(
  run: Run,
  stage: Stage,
  screen: ScreenDefinition<State, Action | InputAction, Effect>,
  initial: State,
): void {
  const { width, height } = stage.canvas.size();
  if (width < leastWidth || height < leastHeight) return;
  const { state } = screen.update(initial, { type: 'resize', width, height });
  const view = screen.view(state, { width, height, now: run.now(), userHome: run.userHome, glyphs: stage.glyphs });
  stage.canvas.render(toFrame(view, width, []));
}
