/** Sentences on which conversation opens and where. The wording of those marked is fixed: other programs and scripts read it. */
export const start = {
  resumed: (reason: string): string => `↻ ${reason}`,
  noCrumb: 'this pane has no session yet;',
  notFollowed: (why: string): string => `${why};`,
  continueOff: 'session.terminal_continue is off;',
  thisPane: "this pane's session",
  paneSessionGone: (id: string): string => `this pane's session ${id} is not in the store;`,
  newestHere: (workspace: string): string => `the newest session of ${workspace}`,
  newestAnywhere: (workspace: string): string => `no session of ${workspace}; the newest of all`,
  noneInDirectory: (directory: string): string => `No session for ${directory}: this is a new one there.`,
  /** Fixed. */
  noneToResume: 'No previous CLI session found to resume.',
  /** Fixed. */
  seeList: "Use 'hermes sessions list' to see available sessions.",
  /** Fixed. */
  noneToContinue: (front: 'CLI' | 'TUI'): string => `No previous ${front} session to continue.`,
  startOrList: 'Start a new one with `hermes`, or list sessions with `hermes sessions list`.',
  /** Fixed. */
  noMatch: (name: string): string => `No session found matching '${name}'.`,
  seeListOrCreate: [
    '`hermes sessions list` lists what there is, `hermes sessions browse` picks one;',
    '-c NAME --create-if-missing starts one of that title.',
  ].join('\n'),
  notInSession: (message: number, session: string): string => `Message ${message} is not in session ${session}.`,
  inOtherSession: (message: number, session: string): string => `It is in another one: hermes -r '${session}#${message}'`,
  findMessage: '`hermes sessions search` finds messages and prints their ids.',
  emptyName: 'The name of the session is empty.',
  /** Fixed. */
  directoryMissing: (directory: string): string => `--in directory not found: ${directory}`,
  directoryHint: 'Name a directory that exists.',
  /** Fixed. */
  restored: (directory: string): string => `↪ restored workspace dir: ${directory}`,
  /** Fixed. */
  directoryGone: (recorded: string, here: string): string => `⚠ session's recorded dir is gone (${recorded}); staying in ${here}`,
  directoryChoices: ({ root, here }: { root?: string; here: string }): string =>
    [
      'Tools stay off until a directory is chosen; you can go on without one.',
      ...(root === undefined ? [] : [`/directory root   ${root}`]),
      `/directory .      stay in ${here}`,
      '/directory PATH   another one',
    ].join('\n'),
} as const;
