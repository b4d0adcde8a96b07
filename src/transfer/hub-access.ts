import { UploadError } from '../errors.ts';
import { uploadText } from '../text/en/upload.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** In the order in which they are asked (state-db.md 6.2: HF_TOKEN and three aliases). */
const tokenVariables = ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'HUGGINGFACE_TOKEN', 'HUGGINGFACEHUB_API_TOKEN'];
const defaultEndpoint = 'https://huggingface.co';

/** Which Hub, and who asks. */
export interface HubAccess {
  /** Address without a slash at its end. */
  readonly endpoint: string;
  readonly token: string;
}

/**
 * Token and address of the Hub from variables; the first environment that has one wins, so hand in the process's before `.env` of the home.
 * `HF_ENDPOINT` names another Hub than huggingface.co.
 * @throws UploadError no-token, bad-token (the Hub's own client takes only `hf_…`), refused (the address is none)
 */
export function findHubAccess(...environments: readonly Env[]): HubAccess {
  const endpoint = (firstSet(environments, ['HF_ENDPOINT']) ?? defaultEndpoint).replace(/\/+$/, '');
  if (!/^https?:\/\/[^\s/]+/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new UploadError('refused', uploadText.badEndpoint(endpoint), { hint: uploadText.badEndpointHint });
  }
  const token = firstSet(environments, tokenVariables);
  if (token === undefined) throw new UploadError('no-token', uploadText.noToken, { hint: uploadText.noTokenHint(endpoint) });
  if (!token.startsWith('hf_')) throw new UploadError('bad-token', uploadText.badToken, { hint: uploadText.badTokenHint });
  return { endpoint, token };
}

function firstSet(environments: readonly Env[], names: readonly string[]): string | undefined {
  for (const env of environments) {
    for (const name of names) {
      const value = env[name]?.trim();
      if (value !== undefined && value !== '') return value;
    }
  }
  return undefined;
}
