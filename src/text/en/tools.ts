/** What tools tell the model, and what they answer when something can't be done. A person reads it in the transcript. */
export const toolText = {
  /** Of the seeds; part of the system prompt. */
  whenToSearch:
    'When the user references something from a past conversation or you suspect relevant prior context exists, use session_search to recall it before asking them to repeat themselves.',
  noOthers: 'You can neither read files nor run commands: ask for what you need to see.',
  search: {
    description: [
      'Search and read past conversations, stored on this machine. Four shapes, chosen by the arguments:',
      '1. query: finds sessions in which it was said; the best hit of each with messages around it, and the beginning and end of the session.',
      '2. session_id and around_message_id: reads on around a message. messages_before and messages_after say how many there are beyond the window: to read on, pass the id of the last message (of the first to read back); the message itself comes again.',
      '3. session_id alone: reads a session, its beginning and end when it is long.',
      '4. nothing: lists the newest sessions.',
      'Query: words (all must be there), "exact phrase", OR, NOT, prefix*, and fields source:, title:, workspace:, before:2026-01-31, after:7d.',
    ].join('\n'),
    query: 'what to look for; leave it out to read or to list',
    limit: 'sessions that come back, 1 to 10 (3)',
    sort: 'by time instead of relevance',
    detail: 'adaptive: the first result with messages around it, the others with the hit alone; full: all of them',
    sessionId: 'session to read, as in a result or a link @session:profile/id',
    aroundMessageId: 'message to read around, with session_id',
    window: 'messages on either side, 1 to 20 (5)',
    roleFilter: 'roles, separated by commas (user,assistant); add tool for the output of tools',
    profile: 'another profile of this machine, read only',
    scope: 'for conversations of a messaging platform: current or all chats',
    /** Fixed (state-db.md 10). */
    none: 'No matching sessions found.',
    inContext: 'That message is part of this conversation and in your context already.',
    needsSession: 'around_message_id needs a session_id.',
    wrongMessageId: 'around_message_id is not a whole number.',
    noMessage: (id: number, session: string): string => `Message ${id} is not in session ${session}.`,
    noSession: (id: string): string => `No session '${id}'.`,
    rebound: (from: string, to: string): string =>
      `The message belongs to session ${to}, which continues the same conversation as ${from}.`,
    rebuilding: 'The search index is being rebuilt; results are complete, only slower.',
    leftOut: (count: number): string => `[… ${count} characters left out …]`,
    untimed: 'unknown time',
  },
  summary: {
    system: [
      'You summarise a past conversation for an assistant that needs what is relevant to a question. Say what was asked and done, decisions,',
      'commands, paths, names, numbers and errors exactly as they were, and what stayed open. Write in the language of the conversation, as plain',
      'text, without an introduction. If nothing in it bears on the question, say so in one sentence.',
    ].join(' '),
    prompt: (query: string, when: string, text: string): string => `Question: ${query}\n\nConversation of ${when}:\n\n${text}`,
    gap: '[… messages left out …]',
    timedOut: (seconds: number): string => `The summary took longer than ${seconds} s.`,
    noModel: (why: string): string => `No model summarises this: ${why}`,
  },
} as const;
