import { requireFullScreen } from '../../terminal/capabilities.ts';
import { installExits } from '../../terminal/exits.ts';
import { createChatScreen } from '../../ui/screens/chat/index.ts';
import { toFrame } from '../../ui/compose.ts';
import type { InputAction, ScreenDefinition } from '../../ui/screen.ts';
import { leastHeight, leastWidth } from '../../ui/root/least.ts';
import type { StartRequest } from '../choose-session.ts';
import { freshOpening, openChosen } from '../opening.ts';
import { printable } from '../../text/printable.ts';
import type { Run } from '../run.ts';
import { chatFor, lookFor } from './chat-start.ts';
import { createPicker, readBrowse } from './picker-start.ts';
import { openStage, type Stage } from './stage.ts';
import type { Started } from './started.ts';

/** What the screen starts with: a conversation, or the picker of `sessions browse`. */
export type TuiRequest = { kind: 'chat'; request: StartRequest } | { kind: 'browse'; source?: string; limit?: number };

/**
 * From the command line to the first frame. Everything up to it is read synchronously, on a connection that only reads; workers, probes and
 * registers come after it.
 *
 * @throws TerminalError, StoreError, NotFoundError, AmbiguousIdError before anything is drawn
 */
export async function runTui(run: Run, wanted: TuiRequest, exit: (code: number) => void): Promise<number> {
  requireFullScreen(process, run.env);
  const { opening, browse } = openWanted(run, wanted);
  const stage = openStage(run);
  const chat = browse === undefined ? chatFor(run, stage, opening) : undefined;
  const look = chat === undefined ? undefined : lookFor(run, stage, chat, opening);
  const started: Started = {
    run,
    stage,
    opening,
    chat,
    look,
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
  if (chat !== undefined) drawFirst(run, stage, createChatScreen({ now: run.now }), look ?? chat);
  else if (browse !== undefined) drawFirst(run, stage, createPicker(run), browse.picker);
  const { runScreens } = await import('./session.ts');
  const code = await runScreens(started);
  removeExits();
  return code;
}

function openWanted(run: Run, wanted: TuiRequest): Pick<Started, 'opening' | 'browse'> {
  if (wanted.kind === 'chat') return { opening: openChosen(run, wanted.request), browse: undefined };
  const browse = readBrowse(run, wanted);
  return { opening: freshOpening(browse.workspace), browse };
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
