import { getJson } from './http-json.ts';
import { PROVIDERS } from './provider-table.ts';

export type LocalServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm';

/** A model server found running on this machine. */
export interface LocalServer {
  kind: LocalServerKind;
  /** As shown: `LM Studio`. */
  label: string;
  baseUrl: string;
  /** Names as the server lists them; may be empty (nothing pulled or loaded yet). */
  models: string[];
}

/** Where the four usual servers listen unless told otherwise. */
export const LOCAL_PORTS: Readonly<Record<LocalServerKind, number>> = { ollama: 11434, lmstudio: 1234, llamacpp: 8080, vllm: 8000 };

/** Anything may listen on 8080: only a list of named models counts as a model server. */
function readModelNames(json: unknown, list: string, name: string): string[] | undefined {
  const entries = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const names = entries.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>)[name] : undefined,
  );
  return names.every((value) => typeof value === 'string') ? (names as string[]) : undefined;
}

async function askServer(
  kind: LocalServerKind,
  port: number,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<LocalServer | undefined> {
  const root = `http://127.0.0.1:${port}`;
  const path = kind === 'ollama' ? '/api/tags' : '/v1/models';
  try {
    const reply = await getJson(`${root}${path}`, { timeoutMs, ...(signal === undefined ? {} : { signal }) });
    if (reply.status !== 200) return undefined;
    const models = kind === 'ollama' ? readModelNames(reply.json, 'models', 'name') : readModelNames(reply.json, 'data', 'id');
    if (models === undefined) return undefined;
    const label = PROVIDERS.find((facts) => facts.id === kind)?.label ?? kind;
    return { kind, label, baseUrl: `${root}/v1`, models };
  } catch {
    return undefined; // nothing there, too slow, or not HTTP: either way no server to offer
  }
}

/**
 * Asks Ollama, LM Studio, llama.cpp and vLLM on 127.0.0.1, all at once; takes `timeoutMs` (300) at most and never throws. Called only
 * when a model is missing or `/model` is open: nothing is probed behind anybody's back.
 */
export async function findLocalServers(
  options: { ports?: Partial<Record<LocalServerKind, number>>; timeoutMs?: number; signal?: AbortSignal } = {},
): Promise<LocalServer[]> {
  const { ports = {}, timeoutMs = 300, signal } = options;
  const kinds = Object.keys(LOCAL_PORTS) as LocalServerKind[];
  const found = await Promise.all(kinds.map((kind) => askServer(kind, ports[kind] ?? LOCAL_PORTS[kind], timeoutMs, signal)));
  return found.filter((server) => server !== undefined);
}
