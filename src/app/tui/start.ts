import type { SessionRow } from '../../session/types.ts';
import { StoreError } from '../../errors.ts';
import { openForReading } from '../../store/open.ts';
import { firstRows } from '../../store/reads/first-rows.ts';
import { requireFullScreen } from '../../terminal/capabilities.ts';
import { installExits } from '../../terminal/exits.ts';
import { createChatScreen, type ChatState } from '../../ui/screens/chat/index.ts';
import { leastHeight, leastWidth } from '../../ui/root/least.ts';
import type { StartRequest } from '../choose-session.ts';
import { openChosen, type Opening } from '../opening.ts';
import type { Run } from '../run.ts';
import { findWorkspace, type Workspace } from '../workspace.ts';
import { chatFor } from './chat-start.ts';
import { openStage, type Stage } from './stage.ts';

/** What the screen starts with: a conversation, or the picker of `sessions browse`. */
export type TuiRequest = { kind: 'chat'; request: StartRequest } | { kind: 'browse'; source?: string; limit?: number };

export interface Started {
  readonly run: Run;
  readonly stage: Stage;
  readonly opening: Opening | undefined;
  readonly chat: ChatState | undefined;
  readonly browse: { readonly workspace: Workspace; readonly rows: readonly SessionRow[]; readonly source?: string } | undefined;
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
  const browse = wanted.kind === 'browse' ? readBrowse(run, wanted) : undefined;
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
  if (started.chat !== undefined) drawChat(run, stage, started.chat);
  const { runScreens } = await import('./session.ts');
  const code = await runScreens(started);
  removeExits();
  return code;
}

function reportCrash(started: Started, error: unknown): void {
  if (started.onCrash !== undefined) started.onCrash(error);
  else process.stderr.write(`hermes: ${(error as Error).message}\n`);
}

/** The whole first frame at once, without the machinery of the other screens. */
function drawChat(run: Run, stage: Stage, chat: ChatState): void {
  const { width, height } = stage.canvas.size();
  if (width < leastWidth || height < leastHeight) return;
  const screen = createChatScreen({ now: run.now });
  const { state } = screen.update(chat, { type: 'resize', width, height });
  const view = screen.view(state, { width, height, now: run.now(), userHome: run.userHome, glyphs: stage.glyphs });
  stage.canvas.render({
    layers: [{ x: 0, y: 0, width, lines: view.lines }],
    ...(view.cursor === undefined ? {} : { cursor: view.cursor }),
  });
}

function readBrowse(run: Run, wanted: { source?: string; limit?: number }): Started['browse'] {
  const workspace = findWorkspace(run.startedIn);
  const source = wanted.source === undefined ? {} : { source: wanted.source };
  try {
    const connection = openForReading(run.home.storePath, { now: run.now });
    try {
      const sources = wanted.source === undefined ? {} : { sources: [wanted.source] };
      const inWorkspace = firstRows(connection, { limit: 50, workspaces: workspace.keys, ...sources });
      const rows = inWorkspace.rows.length > 0 ? inWorkspace.rows : firstRows(connection, { limit: 50, ...sources }).rows;
      return { workspace, rows, ...source };
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return { workspace, rows: [], ...source };
    throw error;
  }
}
