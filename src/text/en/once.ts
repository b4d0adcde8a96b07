/** Sentences of a one-shot run: all of them stand on standard error. */
export const onceText = {
  nothingToAsk: 'There is no prompt: it is empty.',
  nothingToAskHint: 'Add -q "…" with a text, or pipe one in.',
  unreadableInput: (code: string): string => `Standard input could not be read (${code}).`,
  unreadableInputHint: 'Pipe a text in, or use `< /dev/null` to leave it out.',
  stillReading: 'reading standard input until it ends; `< /dev/null` leaves it out',
  readOnly: (time: string): string => `The store can only be read here (copy of ${time}), so the answer could not be kept.`,
  readOnlyHint: 'Ask without -c and -r in a home that can be written (HERMES_HOME).',
  liveElsewhere: (where: string, pid: number, since: string): string => `This session is open in ${where} (pid ${pid}, since ${since}).`,
  liveElsewhereHint: 'Go on there, close it first, or ask without -c and -r. Nothing was written.',
  notSentHint: 'Nothing was sent and nothing was written.',
  noModelHint: [
    'Start `hermes` in a terminal and type /model: it writes one into config.yaml, from keys',
    'in the environment or in .env and from servers on this machine. For one run, with a key:',
    '  HERMES_INFERENCE_MODEL=NAME hermes -q …',
  ].join('\n'),
  localServers: (names: readonly string[]): string =>
    `Running on this machine: ${names.join(', ')}; \`hermes\` and /model take one of them.`,
  cutAtLength: 'the answer ends here because its length limit was reached (model.max_tokens)',
  unstored: 'The answer above could not be stored completely.',
  stored: (id: string): string => `The question is stored: hermes -r ${id} goes on from it.`,
  /** What to try; the agent's own hints speak of a line that is not there. */
  hints: {
    'no-model': 'Set one up first.',
    unauthorized: 'Check the key in the environment or in .env.',
    'rate-limited': 'Try again later, or with another model under `model:` in config.yaml.',
    server: 'Try again later.',
    'cut-off': 'What arrived is stored.',
    network: 'Check the network and base_url in config.yaml.',
    'unknown-model': 'Name another model under `model:` in config.yaml.',
    'bad-request': 'Check `model:` in config.yaml.',
    interrupted: 'What arrived is stored.',
    'context-overflow': 'Ask without -c and -r, or with a model that takes more.',
  },
  debug: {
    reasoning: 'reasoning',
    call: (name: string, args: string): string => `tool ${name} ${args}`,
    result: (name: string, ms: number, isError: boolean): string => `tool ${name} ${isError ? 'failed' : 'done'} after ${ms} ms`,
  },
} as const;
