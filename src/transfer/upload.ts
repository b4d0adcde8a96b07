import { pathToFileURL } from 'node:url';
import { HermesError, UploadError, type UploadTrouble } from '../errors.ts';
import { uploadText } from '../text/en/upload.ts';
import type { HubAccess } from './hub-access.ts';

export interface TraceUpload {
  readonly access: HubAccess;
  readonly sessionId: string;
  /** The trace itself, or the path of a file that holds it: a long one is read in pieces. */
  readonly content: { readonly text: string } | { readonly path: string };
  /** Makes a new dataset public, and allows one that is. */
  readonly isPublic: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds one request may take; ten times that for the trace itself. 60,000 unless said. */
  readonly timeoutMs?: number;
}

export interface UploadedTrace {
  /** `user/hermes-traces` */
  readonly dataset: string;
  /** Where a person looks at it. */
  readonly url: string;
  readonly isNewDataset: boolean;
  readonly isPublic: boolean;
}

const datasetName = 'hermes-traces';

/**
 * Adds a session's trace to the dataset `<user>/hermes-traces` as `sessions/<id>.jsonl`, in one commit; a dataset that isn't there is made,
 * private unless asked for otherwise. One that is public already gets no private upload.
 * @throws UploadError with one sentence for each way it can fail; the token stands in none of them
 */
export async function uploadTrace(upload: TraceUpload): Promise<UploadedTrace> {
  const { access, isPublic } = upload;
  const hub = await import('@huggingface/hub');
  const common = { hubUrl: access.endpoint, accessToken: access.token, fetch: fetchWithin(upload) };
  let dataset = datasetName;
  try {
    dataset = `${nameOf(await hub.whoAmI(common))}/${datasetName}`;
    const repo = { type: 'dataset', name: dataset } as const;
    const isNewDataset = await createDataset(() => hub.createRepo({ ...common, repo, visibility: isPublic ? 'public' : 'private' }), hub);
    const isPrivate = isNewDataset ? !isPublic : (await hub.datasetInfo({ ...common, name: dataset })).private;
    if (!isPrivate && !isPublic) {
      throw new UploadError('public-dataset', uploadText.publicDataset(dataset), { hint: uploadText.publicDatasetHint });
    }
    const path = `sessions/${fileName(upload.sessionId)}.jsonl`;
    const content = 'text' in upload.content ? new Blob([upload.content.text]) : pathToFileURL(upload.content.path);
    await hub.uploadFile({ ...common, repo, file: { path, content }, commitTitle: `Add ${path}`, abortSignal: upload.signal });
    return { dataset, url: `${access.endpoint}/datasets/${dataset}/blob/main/${path}`, isNewDataset, isPublic: !isPrivate };
  } catch (error) {
    throw asUploadError(error, upload, dataset, hub);
  }
}

/** @throws TypeError when the answer isn't that of a Hub, whatever its type says */
function nameOf({ name }: { readonly name: unknown }): string {
  if (typeof name !== 'string' || !/^[\w.-]+$/.test(name)) throw new TypeError('an account without a name');
  return name;
}

type Hub = typeof import('@huggingface/hub');

/** False when it was there before: the Hub answers 409. */
async function createDataset(create: () => Promise<unknown>, hub: Hub): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (error instanceof hub.HubApiError && error.statusCode === 409) return false;
    throw error;
  }
}

/** An id as a name in the dataset: it can't lead out of `sessions/`. */
function fileName(sessionId: string): string {
  return sessionId.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^\.+/, '') || 'session';
}

/** The client takes no signal for most of its requests, and has no limit of time. */
function fetchWithin({ signal, timeoutMs = 60_000 }: TraceUpload): typeof fetch {
  return async (input, init) => {
    const isContent = init?.method === 'PUT' || (typeof input === 'string' && input.includes('/commit/'));
    const limit = AbortSignal.timeout(isContent ? timeoutMs * 10 : timeoutMs);
    const signals = [signal, limit, ...(init?.signal ? [init.signal] : [])];
    return await fetch(input, { ...init, signal: AbortSignal.any(signals) });
  };
}

const byStatus: Readonly<Record<number, { trouble: UploadTrouble; hint: string }>> = {
  401: { trouble: 'unauthorized', hint: uploadText.unauthorizedHint },
  403: { trouble: 'forbidden', hint: uploadText.forbiddenHint },
  409: { trouble: 'conflict', hint: uploadText.conflictHint },
  412: { trouble: 'conflict', hint: uploadText.conflictHint },
  429: { trouble: 'rate-limited', hint: uploadText.rateLimitedHint },
};

function asUploadError(error: unknown, upload: TraceUpload, dataset: string, hub: Hub): HermesError {
  if (error instanceof HermesError) return error;
  const { host } = new URL(upload.access.endpoint);
  if (upload.signal.aborted) return new UploadError('interrupted', uploadText.interrupted, { cause: error });
  if (error instanceof hub.HubApiError) {
    const { statusCode: status } = error;
    const { trouble, hint } = byStatus[status] ?? { trouble: status >= 500 ? 'server' : 'refused', hint: uploadText.serverHint };
    const sentences: Partial<Record<UploadTrouble, string>> = {
      unauthorized: uploadText.unauthorized(host),
      forbidden: uploadText.forbidden(dataset),
      conflict: uploadText.conflict(dataset),
      'rate-limited': uploadText.rateLimited(host),
      server: uploadText.server(host, status),
    };
    return new UploadError(trouble, sentences[trouble] ?? uploadText.refused(host, status), { hint, cause: error });
  }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    const seconds = Math.round((upload.timeoutMs ?? 60_000) / 1000);
    return new UploadError('timeout', uploadText.timeout(host, seconds), { hint: uploadText.networkHint, cause: error });
  }
  // An answer of another kind of server: a page where JSON was expected, an object without the fields of the Hub.
  if (error instanceof SyntaxError || (error instanceof TypeError && error.cause === undefined && error.message !== 'fetch failed')) {
    return new UploadError('refused', uploadText.noHub(host), { hint: uploadText.noHubHint, cause: error });
  }
  return new UploadError('network', uploadText.network(host), { hint: uploadText.networkHint, cause: error });
}
