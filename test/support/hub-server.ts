import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HubRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface HubServer {
  readonly url: string;
  readonly requests: HubRequest[];
  /** `sessions/x.jsonl` → what was committed; for a large file what was put into the store of large files. */
  readonly files: Map<string, string>;
  /** Datasets that exist, and whether they are private. */
  readonly datasets: Map<string, boolean>;
}

export interface HubBehaviour {
  readonly user?: string;
  /** Files above that go to the store of large files, as the Hub does from 10 MB on. */
  readonly largeFrom?: number;
  /** Answers a request in another way; true when it did. */
  readonly intercept?: (request: HubRequest, response: ServerResponse) => boolean;
}

/** A Hub as far as uploading goes: whoami-v2, repos/create, the dataset's facts, preupload, large files (basic transfer) and commit. */
export async function startHub(behaviour: HubBehaviour = {}): Promise<HubServer> {
  const requests: HubRequest[] = [];
  const files = new Map<string, string>();
  const datasets = new Map<string, boolean>();
  const large = new Map<string, string>();
  const user = behaviour.user ?? 'ann';
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization,
        body,
      };
      requests.push(request);
      if (behaviour.intercept?.(request, response) === true) return;
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url, requests, files, datasets };

  function answer({ method, path, body }: HubRequest, response: ServerResponse): void {
    const route = `${method} ${path.split('?')[0]}`;
    const dataset = `${user}/hermes-traces`;
    if (route === 'GET /api/whoami-v2') return send(response, 200, { type: 'user', name: user, auth: { type: 'access_token' } });
    if (route === 'POST /api/repos/create') {
      const made = JSON.parse(body) as { organization: string; name: string; type: string; visibility: string };
      if (datasets.has(dataset)) return send(response, 409, { error: 'You already created this dataset repo' });
      datasets.set(`${made.organization}/${made.name}`, made.visibility === 'private');
      return send(response, 200, { url: `${url}/datasets/${dataset}`, id: '1' });
    }
    if (route === `GET /api/datasets/${dataset}/revision/HEAD`) {
      return send(response, 200, { _id: '1', id: dataset, private: datasets.get(dataset), lastModified: '2026-01-01T00:00:00.000Z' });
    }
    if (route === `POST /api/datasets/${dataset}/preupload/main`) {
      const asked = JSON.parse(body) as { files: { path: string; size: number }[] };
      const mode = (size: number): string => (size > (behaviour.largeFrom ?? Infinity) ? 'lfs' : 'regular');
      return send(response, 200, { files: asked.files.map((file) => ({ path: file.path, uploadMode: mode(file.size) })) });
    }
    if (route === `POST /datasets/${dataset}.git/info/lfs/objects/batch`) {
      const asked = JSON.parse(body) as { objects: { oid: string; size: number }[] };
      const objects = asked.objects.map((object) => ({ ...object, actions: { upload: { href: `${url}/large/${object.oid}` } } }));
      return send(response, 200, { transfer: 'basic', objects });
    }
    if (route.startsWith('PUT /large/')) {
      large.set(path.split('/').at(-1) ?? '', body);
      return send(response, 200, {});
    }
    if (route === `POST /api/datasets/${dataset}/commit/main`) {
      for (const line of body.split('\n')) {
        const { key, value } = JSON.parse(line) as { key: string; value: { path: string; content: string; oid: string } };
        if (key === 'file') files.set(value.path, Buffer.from(value.content, 'base64').toString('utf8'));
        if (key === 'lfsFile') files.set(value.path, large.get(value.oid) ?? 'missing');
      }
      return send(response, 200, { commitOid: 'abc', commitUrl: `${url}/commit/abc`, hookOutput: '' });
    }
    send(response, 404, { error: `no such route: ${route}` });
  }
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
