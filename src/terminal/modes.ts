/**
 * The modes of the terminal that the program turns on, and the one sequence that turns every one of them off again. neo-blessed would
 * leave bracketed paste on, asks for the 1005 mouse form only, and restores nothing on SIGHUP.
 */
export interface Modes {
  readonly mouse: boolean;
  /** The terminal answered the kitty keyboard query. */
  readonly kittyKeys: boolean;
}

const set = (modes: readonly number[], on: boolean): string => modes.map((mode) => `\x1b[?${mode}${on ? 'h' : 'l'}`).join('');

/** Buttons and wheel, drag, and SGR coordinates (without 1006 columns beyond 223 are lost). */
const mouseModes = [1000, 1002, 1006];
const bracketedPaste = 2004;
const focusReports = 1004;
const alternateScreen = 1049;

export const mouseOn = set(mouseModes, true);
export const mouseOff = set([...mouseModes].reverse(), false);

/** Disambiguated keys; pushed on the stack that kitty keeps for each screen, so it must be popped before the screen is left. */
export const kittyOn = '\x1b[>1u';
export const kittyOff = '\x1b[<u';

/** Level 1 keeps every well-known key as it was and makes Shift+Enter and Ctrl+Enter tell themselves from Enter. */
const modifyOtherKeysOn = '\x1b[>4;1m';
const modifyOtherKeysOff = '\x1b[>4;0m';

/**
 * xterm as it comes types `è` for Alt+H; with 1036 it sends Esc and the letter, as every other terminal does. What was set before is
 * saved and restored by xterm itself; others ignore all three.
 */
const altSendsEscape = '\x1b[?1036s\x1b[?1036h';
const altAsBefore = '\x1b[?1036r';

/** From the shell's screen to ours; the cursor is hidden until the first frame places it. */
export const enterSequence = (modes: Modes): string =>
  set([alternateScreen], true) +
  '\x1b[?25l\x1b[0m\x1b[H\x1b[J' +
  set([bracketedPaste, focusReports], true) +
  modifyOtherKeysOn +
  altSendsEscape +
  (modes.kittyKeys ? kittyOn : '') +
  (modes.mouse ? mouseOn : '');

/** Back to the shell's screen as it was. Turning off what is off already does nothing; only the kitty stack is counted. */
export const leaveSequence = (modes: Modes): string =>
  '\x1b[?2026l' +
  mouseOff +
  (modes.kittyKeys ? kittyOff : '') +
  modifyOtherKeysOff +
  altAsBefore +
  set([focusReports, bracketedPaste], false) +
  '\x1b[0m\x1b[?25h' +
  set([alternateScreen], false);
