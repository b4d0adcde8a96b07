import { TerminalError } from '../errors.ts';
import { ttyText } from '../text/en/tty.ts';
import type { ReplyEvent } from './input-event.ts';
import type { Timers } from './tokenizer.ts';

/** What this terminal can do: what the environment says at once, and what the terminal answers after the first frame. */

export type ColourDepth = 'truecolor' | '256' | '16' | 'none';
export type Background = 'dark' | 'light';
type Environment = Readonly<Record<string, string | undefined>>;

const trueColourTerms = /^(xterm-kitty|xterm-ghostty|wezterm|alacritty|foot|.*-direct)/u;
const trueColourPrograms = new Set(['iTerm.app', 'WezTerm', 'ghostty', 'vscode', 'Hyper']);

/**
 * How many colours may be sent. NO_COLOR (any value) wins over FORCE_COLOR (0 to 3, as chalk reads it), that over COLORTERM and TERM.
 * The terminfo database is not asked: it is wrong or unreadable for half of the terminals in use.
 */
export function colourDepth(env: Environment = process.env): ColourDepth {
  if ((env['NO_COLOR'] ?? '') !== '') return 'none';
  const forced = env['FORCE_COLOR'];
  if (forced === '0' || forced === 'false') return 'none';
  if (forced === '1') return '16';
  if (forced === '2') return '256';
  if (forced === '3') return 'truecolor';
  const term = env['TERM'] ?? '';
  if (isDumb(env)) return 'none';
  if (/^(truecolor|24bit)$/iu.test(env['COLORTERM'] ?? '') || trueColourTerms.test(term) || env['WT_SESSION'] !== undefined)
    return 'truecolor';
  if (trueColourPrograms.has(env['TERM_PROGRAM'] ?? '')) return 'truecolor';
  return /-256(color)?$/u.test(term) || env['TERM_PROGRAM'] === 'Apple_Terminal' ? '256' : '16';
}

/** No cursor addressing: TERM=dumb, an Emacs shell (its `term` modes are terminals and set TERM). */
export function isDumb(env: Environment = process.env): boolean {
  const term = env['TERM'] ?? '';
  return term === 'dumb' || term === 'emacs' || (term === '' && env['INSIDE_EMACS'] !== undefined);
}

/** Throws TerminalError where the full screen can't be: no terminal on one of the two ends (exit code 2), or one without addressing. */
export function requireFullScreen(ends: { stdin: { isTTY?: boolean }; stdout: { isTTY?: boolean } }, env: Environment = process.env): void {
  if (ends.stdin.isTTY !== true) throw new TerminalError('not-a-tty', ttyText.stdinNoTerminal, ttyText.noTerminalHint);
  if (ends.stdout.isTTY !== true) throw new TerminalError('not-a-tty', ttyText.stdoutNoTerminal, ttyText.noTerminalHint);
  if (isDumb(env)) throw new TerminalError('dumb', ttyText.dumb(env['TERM'] ?? ''), ttyText.dumbHint);
}

/** Whether keys come over a network, so that a sequence may be split: a lone Esc then waits longer (product.md 7). */
const isOverSsh = (env: Environment = process.env): boolean => env['SSH_CONNECTION'] !== undefined || env['SSH_TTY'] !== undefined;

/** How long a lone ESC waits. */
export const escapeDelayMs = (terminal: { kittyKeys: boolean }, env: Environment = process.env): number =>
  terminal.kittyKeys ? 0 : isOverSsh(env) ? 100 : 30;

/** `COLORFGBG` (rxvt, Konsole): `foreground;background`, the last number a colour of the 16. */
export function backgroundFromEnvironment(env: Environment = process.env): Background | undefined {
  const colour = /;(\d+)$/u.exec(env['COLORFGBG'] ?? '')?.[1];
  if (colour === undefined) return undefined;
  return Number(colour) === 7 || (Number(colour) >= 9 && Number(colour) <= 15) ? 'light' : 'dark';
}

/** `rgb:1616/1616/1a1a` or `#16161a` → by perceived lightness. */
export function backgroundOfColour(colour: string): Background | undefined {
  const parts =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/iu.exec(colour) ?? /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/iu.exec(colour);
  if (parts === null) return undefined;
  const [red, green, blue] = parts.slice(1).map((part) => parseInt(part, 16) / (16 ** part.length - 1)) as [number, number, number];
  return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 ? 'light' : 'dark';
}

/** What the terminal said; undefined = it did not say. To be remembered for each terminal and used for its next first frame. */
export interface Answers {
  readonly kittyKeys: boolean;
  readonly background: Background | undefined;
  readonly ambiguousWide: boolean | undefined;
  /** DEC 2026. */
  readonly syncUpdate: boolean | undefined;
}

export interface Probe {
  /** What to send. It spoils the second row: draw everything again right after it, in the same tick. */
  readonly query: string;
  /** To be called with every reply; true = it was an answer to this probe. */
  take(reply: ReplyEvent): boolean;
  /** Resolves when the terminal has answered the last question, or with what is known when time is up. Never rejects. */
  readonly answers: Promise<Answers>;
}

/** Not in row 1: a cursor report from there looks like F3 with a modifier. */
const probeRow = 2;

/**
 * Questions for the terminal, none of which the first frame waits for: kitty keys, background, synchronized updates, and how wide an
 * ambiguous character is (written, then the cursor asked for). Every terminal answers the last one, DA1, so that its answer says that
 * no other will come.
 */
export function createProbe(options: { timers: Timers; timeoutMs?: number; env?: Environment }): Probe {
  const { timers, timeoutMs = 1000, env = process.env } = options;
  // The Linux console prints what it does not know.
  const isConsole = env['TERM'] === 'linux';
  const ambiguous = `\x1b[${probeRow};1H\x1b[8m●\x1b[6n\x1b[0m`;
  const query = `${ambiguous}${isConsole ? '' : '\x1b[?u\x1b]11;?\x1b\\\x1b[?2026$p'}\x1b[c`;

  let kittyKeys = false;
  let background: Background | undefined;
  let ambiguousWide: boolean | undefined;
  let syncUpdate: boolean | undefined;
  let isDone = false;
  let resolve: (answers: Answers) => void;
  const answers = new Promise<Answers>((done) => (resolve = done));
  const finish = () => {
    if (isDone) return;
    isDone = true;
    timers.clear(timer);
    resolve({ kittyKeys, background, ambiguousWide, syncUpdate });
  };
  const timer = timers.set(finish, timeoutMs);

  return {
    query,
    answers,
    take({ kind, data }) {
      if (isDone) return false;
      const column = kind === 'cpr' ? new RegExp(`^\\[${probeRow};(\\d+)R$`, 'u').exec(data)?.[1] : undefined;
      const colour = kind === 'osc' && data.startsWith(']11;') ? data.slice(4) : undefined;
      const sync = kind === 'csi' ? /^\[\?2026;(\d)\$y$/u.exec(data)?.[1] : undefined;
      if (column !== undefined) ambiguousWide = Number(column) > 2;
      else if (colour !== undefined) background = backgroundOfColour(colour);
      else if (sync !== undefined) syncUpdate = sync === '1' || sync === '2';
      else if (kind === 'csi' && /^\[\?\d+u$/u.test(data)) kittyKeys = true;
      else if (kind === 'csi' && /^\[\?[\d;]*c$/u.test(data)) finish();
      else return false;
      return true;
    },
  };
}

/** Runs something with these variables hidden: for libraries that look at the environment of the process themselves. */
export function withoutVariables<Result>(names: readonly string[], run: () => Result): Result {
  const saved = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return run();
  } finally {
    for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
  }
}
