import { terminalText as text } from '../text/en/terminal.ts';
import type { ProcessInfo } from './process-tree.ts';

export type TerminalKind = 'tmux' | 'zellij' | 'screen' | 'kitty' | 'wezterm' | 'windows-terminal' | 'term-session' | 'tty' | 'none';

export type ReasonId =
  | 'accepted'
  | 'inherited'
  | 'incomplete'
  | 'stale-pane'
  | 'remote'
  | 'passed-through'
  | 'no-leader'
  | 'no-parent'
  | 'parent'
  | 'tty-decides'
  | 'no-tty';

/** One step of how the answer was found, for `hermes doctor`; tests go by `id`. */
export interface Reason {
  readonly id: ReasonId;
  readonly text: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A terminal that the environment and the process above agree on. */
export interface Claim {
  readonly kind: TerminalKind;
  /** Canonical: the same pane always gives the same text, two panes never do. */
  readonly identity: string;
  readonly label: string;
  /** The name is a random one (WT_SESSION, TERM_SESSION_ID): it means the same terminal after a reboot too. */
  readonly isLasting: boolean;
  readonly tmux?: TmuxPane;
}

export interface TmuxPane {
  readonly socket: string;
  readonly server: number;
  /** `%3` */
  readonly pane: string;
}

interface Claimant {
  readonly kind: TerminalKind;
  /** Present = the terminal says it is that one; without it nothing is said about it. */
  readonly variable: string;
  /** The process above is the one the variable speaks of. */
  names(env: Environment, terminal: ProcessInfo): boolean;
  /** Absent: a part of the name is missing from the environment. */
  claim(env: Environment, terminal: ProcessInfo): Claim | undefined;
}

const at = (process: ProcessInfo): string => `${process.pid}@${process.start}`;

/**
 * What terminals put into the environment, and which process must be above for it to count (product.md 4). Every program inherits the
 * variables of all terminals it was started through; only one of them can be that process.
 */
const claimants: readonly Claimant[] = [
  {
    kind: 'tmux',
    variable: 'TMUX',
    names: (env, terminal) => parseTmux(env)?.server === terminal.pid,
    claim(env, terminal) {
      const tmux = parseTmux(env);
      if (tmux === undefined || !/^%\d+$/.test(tmux.pane)) return undefined;
      return {
        kind: 'tmux',
        identity: `tmux socket=${tmux.socket} server=${at(terminal)} pane=${tmux.pane}`,
        label: `tmux ${tmux.pane}`,
        isLasting: false,
        tmux,
      };
    },
  },
  {
    kind: 'zellij',
    variable: 'ZELLIJ',
    names: (_env, terminal) => /^zellij/.test(terminal.name),
    claim(env, terminal) {
      const [session, pane] = [env['ZELLIJ_SESSION_NAME'], env['ZELLIJ_PANE_ID']];
      if (!session || !pane) return undefined;
      return {
        kind: 'zellij',
        identity: `zellij session=${session} server=${at(terminal)} pane=${pane}`,
        label: `zellij ${pane}`,
        isLasting: false,
      };
    },
  },
  {
    kind: 'screen',
    variable: 'STY',
    names: (env, terminal) => Number.parseInt(env['STY'] ?? '', 10) === terminal.pid,
    claim(env, terminal) {
      const [name, number] = [env['STY'], env['WINDOW']];
      if (!name || !number) return undefined;
      return {
        kind: 'screen',
        identity: `screen session=${name} server=${at(terminal)} window=${number}`,
        label: `screen ${number}`,
        isLasting: false,
      };
    },
  },
  {
    kind: 'kitty',
    variable: 'KITTY_PID',
    names: (env, terminal) => Number(env['KITTY_PID']) === terminal.pid,
    claim(env, terminal) {
      const number = env['KITTY_WINDOW_ID'];
      if (!number) return undefined;
      return { kind: 'kitty', identity: `kitty process=${at(terminal)} window=${number}`, label: `kitty ${number}`, isLasting: false };
    },
  },
  {
    kind: 'wezterm',
    variable: 'WEZTERM_PANE',
    names(env, terminal) {
      if (!/^wezterm/.test(terminal.name)) return false;
      // The GUI's own socket carries its pid; a mux server's doesn't.
      const owner = /gui-sock-(\d+)$/.exec(env['WEZTERM_UNIX_SOCKET'] ?? '')?.[1];
      return owner === undefined || Number(owner) === terminal.pid;
    },
    claim(env, terminal) {
      const [socket, pane] = [env['WEZTERM_UNIX_SOCKET'], env['WEZTERM_PANE']];
      if (!socket || !pane) return undefined;
      return {
        kind: 'wezterm',
        identity: `wezterm socket=${socket} process=${at(terminal)} pane=${pane}`,
        label: `wezterm ${pane}`,
        isLasting: false,
      };
    },
  },
  {
    kind: 'windows-terminal',
    variable: 'WT_SESSION',
    // Inside WSL the terminal is a Windows process, which Linux can't see: a shell of WSL's own init is as near as it gets.
    names: (env, terminal) =>
      /^(WindowsTerminal|OpenConsole)/.test(terminal.name) ||
      (env['WSL_DISTRO_NAME'] !== undefined && /^(init|SessionLeader|Relay\(\d+\))/.test(terminal.name)),
    claim(env) {
      const id = env['WT_SESSION'];
      if (!id) return undefined;
      return { kind: 'windows-terminal', identity: `windows-terminal ${id}`, label: 'Windows Terminal', isLasting: true };
    },
  },
  {
    kind: 'term-session',
    variable: 'TERM_SESSION_ID',
    // Terminal.app and iTerm start `login`, which leads the session; the terminal is its parent.
    names: (_env, terminal) => /^(Terminal|iTerm2|iTermServer)/.test(terminal.name),
    claim(env, terminal) {
      const id = env['TERM_SESSION_ID'];
      if (!id) return undefined;
      return {
        kind: 'term-session',
        identity: `term-session ${id}`,
        label: terminal.name.startsWith('iTerm') ? 'iTerm' : 'Terminal',
        isLasting: true,
      };
    },
  },
];

/** Logins from elsewhere: whatever the environment says was said on another machine or before. */
const REMOTE = /^(sshd|mosh-server|dropbear|in\.telnetd|telnetd)/;

/**
 * The terminal that `process` is, by the variables that name it. `why` gets a line for every variable that is set.
 * Absent: none of them does; they were inherited.
 */
export function claimTerminal(env: Environment, terminal: ProcessInfo, why: Reason[]): Claim | undefined {
  const isRemote = REMOTE.test(terminal.name);
  if (isRemote) why.push({ id: 'remote', text: text.remote(terminal.name, terminal.pid) });
  let found: Claim | undefined;
  for (const { kind, variable, names, claim } of claimants) {
    if (env[variable] === undefined || env[variable] === '') continue;
    if (isRemote || !names(env, terminal)) {
      why.push({ id: 'inherited', text: text.inherited(variable, env[variable], terminal.name, terminal.pid) });
      continue;
    }
    const claimed = claim(env, terminal);
    if (claimed === undefined) {
      why.push({ id: 'incomplete', text: text.incomplete(variable, kind) });
      continue;
    }
    why.push({ id: 'accepted', text: text.accepted(variable, terminal.name, terminal.pid) });
    found ??= claimed;
  }
  return found;
}

/** `TMUX` is `socket,server pid,session`; a socket path may hold commas. */
export function parseTmux(env: Environment): TmuxPane | undefined {
  const match = /^(.+),(\d+),\d+$/.exec(env['TMUX'] ?? '');
  return match === null ? undefined : { socket: match[1] as string, server: Number(match[2]), pane: env['TMUX_PANE'] ?? '' };
}
