import { readState, type AppState, type RememberedTerminal } from '../../config/state.ts';
import type { SessionRow } from '../../session/types.ts';
import { StoreError } from '../../errors.ts';
import { openForReading } from '../../store/open.ts';
import { firstRows } from '../../store/reads/first-rows.ts';
import { backgroundFromEnvironment, colourDepth, escapeDelayMs, requireFullScreen, type ColourDepth } from '../../terminal/capabilities.ts';
import type { InputEvent } from '../../terminal/input-event.ts';
import { createTokenizer, type Tokenizer } from '../../terminal/tokenizer.ts';
import { setAmbiguousWidth } from '../../terminal/width.ts';
import { openTty, type Tty } from '../../terminal/tty.ts';
import { installExits } from '../../terminal/exits.ts';
import { hintFor } from '../../ui/keymap.ts';
import { createChat, createChatScreen, type ChatState } from '../../ui/screens/chat/index.ts';
import { chooseTheme, glyphsFor, type Theme } from '../../ui/theme.ts';
import { mountCanvas, type Canvas } from '../../ui/widgets/canvas.ts';
import { leastHeight, leastWidth } from '../../ui/root/least.ts';
import type { Glyphs } from '../../ui/screen.ts';
import { localTime } from '../../text/relative-time.ts';
import type { StartRequest } from '../choose-session.ts';
import { openChosen, openingBlocks, type Opening } from '../opening.ts';
import type { Run } from '../run.ts';
import { findWorkspace, type Workspace } from '../workspace.ts';

/** What the screen starts with: a conversation, or the picker of `sessions browse`. */
export type TuiRequest = { kind: 'chat'; request: StartRequest } | { kind: 'browse'; source?: string; limit?: number };

/** The terminal as this run uses it. */
export interface Stage {
  readonly tty: Tty;
  readonly canvas: Canvas;
  readonly tokenizer: Tokenizer;
  readonly state: AppState;
  readonly remembered: RememberedTerminal | undefined;
  /** Name under which answers of this kind of terminal are kept. */
  readonly terminalName: string;
  readonly depth: ColourDepth;
  theme: Theme;
  glyphs: Glyphs;
  isMouseOn: boolean;
  /** Events that came before anybody listened are delivered first. */
  listen(listener: (event: InputEvent) => void): void;
}

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

/** The state of the conversation screen for what was opened. */
export function chatFor(run: Run, stage: Pick<Stage, 'glyphs' | 'remembered'>, opening: Opening): ChatState {
  const { config } = run.loaded();
  const { plan } = opening;
  const { session } = plan;
  const readKey = hintFor('transcript.page-up', ['chat'], { overrides: config.keys }) ?? '';
  const blocks = openingBlocks(config, opening, run.now(), readKey);
  const title = session?.title ?? plan.title;
  const model = session?.model ?? config.model.model;
  const limit = config.model.contextLength;
  const branch = plan.workspace.gitBranch;
  return createChat({
    session: {
      ...(session === undefined ? {} : { id: session.id }),
      ...(title === undefined ? {} : { title }),
      ...(model === undefined ? {} : { model }),
    },
    place: { path: plan.workspace.cwd, ...(branch === undefined ? {} : { branch }), terminal: run.terminal().label },
    ...(limit === undefined ? {} : { context: { used: 0, limit } }),
    blocks,
    hasBacklog: opening.recap !== undefined && session !== undefined,
    glyphs: stage.glyphs,
    hasKittyKeys: stage.remembered?.['kittyKeys'] === true,
    ...(opening.copiedAt === undefined ? {} : { copyOf: localTime(opening.copiedAt, run.now()) }),
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

function openStage(run: Run): Stage {
  const { config } = run.loaded();
  const state = readState(run.home.path);
  const terminalName = nameOfTerminal(run.env);
  const remembered = state.terminals[terminalName];
  const depth = colourDepth(run.env);
  const background = remembered?.['background'] ?? backgroundFromEnvironment(run.env);
  const ambiguous = config.display.ambiguousWidth;
  const ambiguousWide = ambiguous === 'wide' || (ambiguous === 'auto' && remembered?.['ambiguousWide'] === true);
  setAmbiguousWidth(ambiguousWide ? 'wide' : 'narrow');
  const theme = chooseTheme(themeName(run, state), {
    depth,
    background: background === 'light' || background === 'dark' ? background : undefined,
  });
  const isMouseOn = state.mouse ?? config.display.mouse;
  const tty = openTty({ mouse: isMouseOn });
  const waiting: InputEvent[] = [];
  let listener: ((event: InputEvent) => void) | undefined;
  const tokenizer = createTokenizer({
    emit: (event) => (listener === undefined ? void waiting.push(event) : listener(event)),
    timers: { set: (work, ms) => setTimeout(work, ms), clear: (handle) => clearTimeout(handle as NodeJS.Timeout) },
    now: () => performance.now(),
    escapeDelayMs: escapeDelayMs({ kittyKeys: false }, run.env),
  });
  tty.onInput((bytes) => tokenizer.feed(bytes));
  const canvas = mountCanvas({ tty, theme, depth, ...(remembered?.['syncUpdate'] === false ? { syncUpdate: false } : {}) });
  return {
    tty,
    canvas,
    tokenizer,
    state,
    remembered,
    terminalName,
    depth,
    theme,
    glyphs: glyphsFor({ ambiguousWide }),
    isMouseOn,
    listen(next) {
      listener = next;
      for (const event of waiting.splice(0)) next(event);
    },
  };
}

/** `/theme` wins over config.yaml; HERMES_TUI_THEME is in the config already and wins over both. */
export function themeName(run: Run, state: AppState): ReturnType<Run['loaded']>['config']['display']['theme'] {
  const { theme } = run.loaded().config.display;
  return run.env['HERMES_TUI_THEME'] === undefined ? (state.theme ?? theme) : theme;
}

/** Terminals of one kind answer alike: the program and its version, else TERM. */
function nameOfTerminal(env: Run['env']): string {
  const program = env['TERM_PROGRAM'];
  return program === undefined ? (env['TERM'] ?? 'unknown') : `${program} ${env['TERM_PROGRAM_VERSION'] ?? ''}`.trim();
}
