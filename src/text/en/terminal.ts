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
