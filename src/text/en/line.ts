/** Sentences of the line mode: one line per event, read aloud as well as seen. */
export const lineText = {
  /** Fixed. */
  resumed: (id: string, title: string | undefined, user: number, total: number): string =>
    `↻ Resumed session ${id}${title === undefined ? '' : ` "${title}"`} (${user} user ${user === 1 ? 'message' : 'messages'}, ${total} total messages)`,
  /** Fixed. */
  resumedEmpty: (id: string): string => `Session ${id} found but has no messages. Starting fresh.`,
  fresh: (directory: string, model: string | undefined): string =>
    `New conversation in ${directory}${model === undefined ? '' : `, answered by ${model}`}. /help lists the commands.`,
  prompt: '❯ ',
  more: '… ',
  you: (text: string): string => `● You: ${text}`,
  agent: '◆ ',
  agentSaid: (text: string): string => `◆ Hermes: ${text}`,
  toolCall: (name: string, args: string): string => `▸ ${name}  ${args}`,
  toolResult: (name: string, isError: boolean, time: string): string => `${isError ? '✗' : '✓'} ${name}  ${time}`,
  omitted: (bytes: number): string => `[… ${bytes} bytes in all …]`,
  queued: (count: number): string => `queued, ${count} waiting`,
  interrupted: 'interrupted; what arrived is stored, Enter on the empty line asks again',
  cutAtLength: 'the answer ends here because its length limit was reached',
  unsent: 'Not sent, and back in the line:',
  draft: 'Not sent last time, and back in the line:',
  waitingForStore: 'waiting for the store',
  answer: (count: number, first: string | undefined): string =>
    `Type a number from 1 to ${count}${first === undefined ? '' : `; Enter takes ${first}`}.`,
  noAnswer: (text: string): string => `${text} is none of the answers.`,
  readOnly: 'This session is read along here: nothing can be sent. /new starts another conversation.',
  busy: 'A turn is running. Ctrl+C interrupts it.',
  leaveAgain: 'Ctrl+C again leaves',
  afterTurn: 'leaving when the turn is over; Ctrl+C interrupts it',
  fullScreenOnly: (name: string): string => `/${name} belongs to the full screen (hermes --tui).`,
  alreadyOpen: 'That is this conversation.',
  pickModel: 'Type its number or name; Enter alone changes nothing.',
  noSessions: 'No sessions yet.',
  sessionsEnd: (more: boolean): string =>
    more ? '/resume and a number opens one; `hermes sessions list --limit N` shows more' : '/resume and a number opens one',
  noHistory: 'Nothing was said yet.',
  copyNeedsTerminal: 'Standard output is no terminal: nothing was copied.',
  openElsewhere: 'It can only be asked about in a terminal. Nothing was written.',
  /** Before the messages around one that was named. */
  around: (id: number): string => `Around message ${id}:`,
  here: '→',
  named: (who: string, text: string): string => `${who}: ${text}`,
  readOn: '/history prints the whole conversation.',
} as const;
