/** Every sentence about models and answers that a person reads. Messages say what happened, hints what to try. */

interface Said {
  message: string;
  hint: string;
}

function inSeconds(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

const retry = 'Your message is stored; Enter on the empty line tries again.';
const otherModel = '/model picks another model.';

/** A provider's own words, after ours. */
function quoted(detail: string | undefined): string {
  return detail === undefined ? '' : ` It says: ${detail}`;
}

export const agentText = {
  /** `keys` are the names of the keys that were found. */
  noModel: (keys: readonly string[]): Said => ({
    message:
      keys.length === 0
        ? 'No model is set up yet, so nothing was sent.'
        : `A key is there (${keys.join(', ')}), but no model is chosen yet, so nothing was sent.`,
    hint: 'Type /model to choose one: it lists keys found in the environment and servers on this machine.',
  }),
  noModelName: (provider: string): Said => ({
    message: `Provider ${provider} is configured, but no model is named.`,
    hint: 'Type /model to choose one, or set model.default in config.yaml.',
  }),
  noProviderFor: (model: string): Said => ({
    message: `Nothing that is configured serves the model ${model}.`,
    hint: 'Set an API key for its provider, name the provider under model: in config.yaml, or type /model to choose another.',
  }),
  unknownProvider: (provider: string, known: readonly string[]): Said => ({
    message: `Provider '${provider}' is not known here.`,
    hint:
      known.length === 0
        ? otherModel
        : `Did you mean ${known.join(' or ')}? An own endpoint goes under custom_providers: with its base_url.`,
  }),
  unsupportedProvider: (provider: string): Said => ({
    message: `Provider ${provider} needs a sign-in that this program does not have.`,
    hint: otherModel,
  }),
  unsupportedApi: (provider: string, apiMode: string): Said => ({
    message: `Provider ${provider} is set to api_mode ${apiMode}, which this program does not speak.`,
    hint: 'Known: chat_completions, anthropic_messages, gemini.',
  }),
  noKey: (provider: string, variables: readonly string[]): Said => ({
    message: `No API key for ${provider}.`,
    hint: `Set ${variables.join(' or ')} in the environment or in .env of the home, or type /model to choose another.`,
  }),
  noBaseUrl: (provider: string): Said => ({
    message: `Provider ${provider} has no base_url.`,
    hint: 'Add base_url: http://… to its entry in config.yaml.',
  }),
  /** The model a session was made with can't be reached any more (named, never replaced silently). */
  sessionModelGone: (model: string, provider: string, why: string, instead: string | undefined): Said => ({
    message: `This session was made with ${model} of ${provider}. ${why}`,
    hint:
      instead === undefined
        ? 'The history is all there. /model chooses a model for the next message.'
        : `The history is all there. /model goes on with ${instead} or another model.`,
  }),

  unauthorized: (provider: string, keyFrom: string | undefined, detail: string | undefined): Said => ({
    message: `${provider} refused the key${keyFrom === undefined ? '' : ` from ${keyFrom}`}.${quoted(detail)}`,
    hint: `Check the key, then try again: ${retry.charAt(0).toLowerCase()}${retry.slice(1)}`,
  }),
  noKeySent: (provider: string, detail: string | undefined): Said => ({
    message: `${provider} wants a key and none is set.${quoted(detail)}`,
    hint: `Set its key in .env or the environment, then /reload. ${retry}`,
  }),
  noCredit: (provider: string, detail: string | undefined): Said => ({
    message: `The account at ${provider} has no credit left for this.${quoted(detail)}`,
    hint: `Add credit there, or ${otherModel} ${retry}`,
  }),
  rateLimited: (provider: string, retryAfterMs: number | undefined, detail: string | undefined): Said => ({
    message: `${provider} is limiting requests${retryAfterMs === undefined ? '' : `; it asks to wait ${inSeconds(retryAfterMs)}`}.${quoted(detail)}`,
    hint: retry,
  }),
  server: (provider: string, status: number | undefined, retryAfterMs: number | undefined, detail: string | undefined): Said => ({
    message: `${provider} failed on its side${status === undefined ? '' : ` (${status})`}${retryAfterMs === undefined ? '' : `; it asks to wait ${inSeconds(retryAfterMs)}`}.${quoted(detail)}`,
    hint: retry,
  }),
  unreadable: (provider: string): Said => ({ message: `${provider} sent something that could not be read.`, hint: retry }),
  emptyAnswer: (provider: string): Said => ({ message: `${provider} ended without saying anything.`, hint: retry }),
  emptyAtLimit: (provider: string): Said => ({
    message: `${provider} used up the answer's length before writing any text.`,
    hint: `Raise model.max_tokens in config.yaml, or ${otherModel} ${retry}`,
  }),
  filtered: (provider: string): Said => ({
    message: `${provider} withheld the answer (content filter).`,
    hint: 'Put it another way, or choose another model with /model.',
  }),
  cutOff: (provider: string): Said => ({ message: `The answer from ${provider} broke off.`, hint: `What arrived is kept. ${retry}` }),
  silent: (provider: string, afterMs: number): Said => ({
    message: `${provider} sent nothing for ${inSeconds(afterMs)}; the connection was closed.`,
    hint: retry,
  }),
  refused: (host: string, isLocal: boolean): Said => ({
    message: `Nothing answers at ${host}.`,
    hint: isLocal ? `Is the model server running? Start it, then try again. ${retry}` : `Check base_url and the network. ${retry}`,
  }),
  unknownHost: (host: string): Said => ({
    message: `The address ${host} could not be found.`,
    hint: `No network, or a wrong base_url. ${retry}`,
  }),
  network: (host: string, code: string | undefined): Said => ({
    message: `${host} could not be reached${code === undefined ? '' : ` (${code})`}.`,
    hint: `Check the network. ${retry}`,
  }),
  certificate: (host: string, code: string): Said => ({
    message: `The certificate of ${host} was not accepted (${code}).`,
    hint: 'A proxy or a self-signed server: NODE_EXTRA_CA_CERTS can name its certificate.',
  }),
  unknownModel: (provider: string, model: string, detail: string | undefined): Said => ({
    message: `${provider} does not know the model ${model}.${quoted(detail)}`,
    hint: `${otherModel} ${retry}`,
  }),
  wrongAddress: (url: string): Said => ({
    message: `There is no model interface at ${url}.`,
    hint: 'Check base_url in config.yaml; most end in /v1.',
  }),
  badRequest: (provider: string, status: number | undefined, detail: string | undefined): Said => ({
    message: `${provider} did not accept the request${status === undefined ? '' : ` (${status})`}.${quoted(detail)}`,
    hint: otherModel,
  }),
  contextOverflow: (provider: string, model: string): Said => ({
    message: `The conversation no longer fits into ${model} of ${provider}.`,
    hint: 'Go on with a model that takes more (/model), or start a new conversation (/new). Nothing is lost.',
  }),

  /** Stands as the result of a tool call that never came to an end. */
  toolInterrupted: '[interrupted before this tool finished]',
  toolNotStarted: '[not run: the turn ended before this tool started]',
  toolLost: '[no result of this call was stored]',
  toolUnknown: (name: string): string => `There is no tool named '${name}' here.`,
  toolBadArguments: (detail: string): string => `The arguments are not a JSON object: ${detail}`,
  toolFailed: (detail: string): string => `The tool failed: ${detail}`,
  tooManySteps: (steps: number): string => `Stopped after ${steps} tool steps in one turn. Send a message to go on.`,
  conversationGoesOn: '[The beginning of this conversation is not included.]',

  nothingToRetry: (): Said => ({ message: 'There is no unanswered message to try again.', hint: 'Type a message.' }),
  busy: (): Said => ({ message: 'A turn is running.', hint: 'Esc interrupts it.' }),
  storeFailed: (detail: string): Said => ({ message: detail, hint: 'Nothing is lost; it is stored with the next message.' }),
  userNotStored: (detail: string): Said => ({ message: detail, hint: 'The message was not sent and is back in the line.' }),

  enable: {
    ready: 'ready',
    setKey: (variables: readonly string[]): string => `set ${variables.join(' or ')}`,
    pickModel: 'choose one of its models',
    start: (label: string): string => `start ${label}`,
  },
  from: { config: 'config.yaml', dotenv: (name: string): string => `.env (${name})`, environment: (name: string): string => name },
} as const;
