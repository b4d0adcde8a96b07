/** Sentences on which terminal this is, its breadcrumbs, and who holds a session. */
export const terminalText = {
  noTerminal: 'no terminal',
  noTty: 'neither standard input nor output is a terminal, and the process has none',
  noLeader: "the leader of this terminal's session can't be seen",
  nothingTells: (tty: string): string => `nothing tells this terminal on ${tty} from the next one: it is not remembered`,
  noParent: (name: string, pid: number): string => `${name} (${pid}) leads the session; what started it can't be seen`,
  parent: (leader: string, pid: number, name: string, parent: number): string =>
    `${leader} (${pid}) leads the session and was started by ${name} (${parent})`,
  accepted: (variable: string, name: string, pid: number): string => `${variable} names ${name} (${pid}): accepted`,
  inherited: (variable: string, value: string | undefined, name: string, pid: number): string =>
    `${variable}=${value ?? ''} does not name ${name} (${pid}): inherited, ignored`,
  incomplete: (variable: string, kind: string): string => `${variable} is right, but the rest of what ${kind} sets is missing: ignored`,
  stalePane: (pane: string, actual: string | undefined, tty: string): string =>
    `TMUX_PANE=${pane} is ${actual === undefined ? 'no pane of that server' : `the pane on ${actual}`}, and this is ${tty}: ignored`,
  remote: (name: string, pid: number): string => `${name} (${pid}) is a login from elsewhere: variables of terminals do not count`,
  passedThrough: (name: string, pid: number, tty: string): string => `${name} (${pid}) itself sits on ${tty}: going on from there`,
  ttyDecides: (tty: string): string => `no variable names this terminal: ${tty} and the leader of its session decide`,
} as const;

const named = (sessionId: string | undefined): string => (sessionId === undefined ? '' : ` (${sessionId})`);

/** Why a breadcrumb was not followed; one line can say it. */
export const breadcrumbText = {
  rejected: {
    unreadable: (file: string): string => `the breadcrumb ${file} can't be read`,
    'not-json': (file: string): string => `the breadcrumb ${file} is damaged`,
    'no-session': (file: string): string => `the breadcrumb ${file} names no session`,
    'no-time': (file: string): string => `the breadcrumb ${file} has no time`,
    'too-old': (_file: string, id?: string): string => `this terminal's last session${named(id)} is older than 30 days`,
    future: (_file: string, id?: string): string => `this terminal's last session${named(id)} is dated in the future`,
    'newer-format': (file: string, id?: string): string => `the breadcrumb ${file}${named(id)} was written by a newer hermes: left alone`,
    'no-evidence': (file: string, id?: string): string => `the breadcrumb ${file}${named(id)} does not say which terminal it is of`,
    'other-terminal': (file: string, id?: string): string => `the breadcrumb ${file}${named(id)} is of another terminal`,
    'other-host': (_file: string, id?: string): string => `this terminal's last session${named(id)} is of another machine`,
    'before-reboot': (_file: string, id?: string): string => `this terminal's last session${named(id)} is from before the last reboot`,
    'other-leader': (_file: string, id?: string): string => `what this tty was last left at${named(id)} is of an earlier terminal`,
    'older-than-tty': (_file: string, id?: string): string =>
      `what this tty was last left at${named(id)} is older than the tty: an earlier terminal's`,
    'unknown-tty-age': (_file: string, id?: string): string =>
      `the age of this tty is not known, so its last session${named(id)} was not trusted`,
  },
  offered: (sessionId: string, window: { name: string; index: number }): string =>
    `${sessionId} was last used in window ${window.index} (${window.name}) of this directory, before the restart`,
  severalFit: (count: number): string => `${count} sessions fit this window from before the restart; none is taken by itself`,
  notRemembered: (code: string): string => `this terminal's session can't be remembered (${code})`,
} as const;
