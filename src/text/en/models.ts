/** Sentences of the model chooser. */
export const modelsText = {
  title: 'Model',
  count: (count: number) => (count === 1 ? '1 model' : `${count} models`),
  asking: 'asking the servers of this machine …',
  kinds: {
    configured: 'config.yaml',
    alias: 'alias',
    custom: 'own endpoint',
    key: 'key found',
    local: 'this machine',
  },
  keyFrom: (place: string) => `key in ${place}`,
  inUse: 'in use',
  unusable: (reason: string) => `not yet: ${reason}`,
  none: 'No model is configured, no key was found, no server runs here.',
  noneHint: (envPath: string) =>
    `Start a local server (Ollama, LM Studio, llama.cpp, vLLM), or set one of these in the shell or in ${envPath} and /reload.`,
  noMatch: (query: string) => `No model of the list is called ${query}`,
  byName: (key: string, name: string) => `${key} asks for ${name} by that name`,
  choose: 'choose',
  oneList: 'there is one list of models',
};
