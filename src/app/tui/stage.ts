import { readState, type AppState, type RememberedTerminal } from '../../config/state.ts';
import type { ThemeName } from '../../config/types.ts';
import { backgroundFromEnvironment, colourDepth, escapeDelayMs, type ColourDepth } from '../../terminal/capabilities.ts';
import type { InputEvent } from '../../terminal/input-event.ts';
import { createTokenizer, type Tokenizer } from '../../terminal/tokenizer.ts';
import { openTty, type Tty } from '../../terminal/tty.ts';
import { setAmbiguousWidth } from '../../terminal/width.ts';
import type { Glyphs } from '../../ui/screen.ts';
import { chooseTheme, glyphsFor, type Theme } from '../../ui/theme.ts';
import { mountCanvas, type Canvas } from '../../ui/widgets/canvas.ts';
import type { Run } from '../run.ts';

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
  /** Bytes taken from the terminal so far. */
  bytesRead(): number;
  /** Events that came before anybody listened are delivered first. */
  listen(listener: (event: InputEvent) => void): void;
}

/** The terminal with our modes not yet set, and a canvas on it; what this kind of terminal answered before counts for the first frame. */
export function openStage(run: Run): Stage {
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
  let bytesRead = 0;
  tty.onInput((bytes) => {
    bytesRead += bytes.length;
    tokenizer.feed(bytes);
  });
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
    bytesRead: () => bytesRead,
    listen(next) {
      listener = next;
      for (const event of waiting.splice(0)) next(event);
    },
  };
}

/** `/theme` wins over config.yaml; HERMES_TUI_THEME is in the config already and wins over both. */
export function themeName(run: Run, state: AppState): ThemeName {
  const { theme } = run.loaded().config.display;
  return run.env['HERMES_TUI_THEME'] === undefined ? (state.theme ?? theme) : theme;
}

/** Terminals of one kind answer alike: the program and its version, else TERM. */
function nameOfTerminal(env: Run['env']): string {
  const program = env['TERM_PROGRAM'];
  return program === undefined ? (env['TERM'] ?? 'unknown') : `${program} ${env['TERM_PROGRAM_VERSION'] ?? ''}`.trim();
}
