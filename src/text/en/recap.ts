/** Sentences of the panel shown when a conversation is resumed. */
export const recapText = {
  title: 'Previous conversation',
  you: 'You',
  agent: 'Hermes',
  readAll: (key: string) => `${key} reads everything`,
  messages: (count: number) => (count === 1 ? '1 message' : `${count} messages`),
  earlier: (count: number) => `... ${count} earlier ${count === 1 ? 'message' : 'messages'} ...`,
  toolCalls: (count: number, names: string) => `[${count} tool ${count === 1 ? 'call' : 'calls'}: ${names}]`,
};
