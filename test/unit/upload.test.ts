import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UploadError } from '../../src/errors.ts';
import { findHubAccess } from '../../src/transfer/hub-access.ts';
import { uploadTrace, type TraceUpload } from '../../src/transfer/upload.ts';
import { send, startHub, type HubServer } from '../support/hub-server.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const id = '20250305_091523_a1b2c3d4';
const token = 'hf_abcdefghijklmnopqrstuvwxyz';
const trace = '{"type":"user","message":"안녕"}\n{"type":"assistant"}\n';

function uploadTo(hub: Pick<HubServer, 'url'>, more: Partial<TraceUpload> = {}) {
  return uploadTrace({
    access: { endpoint: hub.url, token },
    sessionId: id,
    content: { text: trace },
    isPublic: false,
    signal: new AbortController().signal,
    ...more,
  });
}

async function troubleOf(work: Promise<unknown>): Promise<UploadError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(UploadError);
  const upload = error as UploadError;
  // One sentence of one line, exit code 1, and never the token.
  expect(upload.message).toMatch(/^[^\n]+\.$/);
  expect(upload.exitCode).toBe(1);
  expect(JSON.stringify([upload.message, upload.hint])).not.toContain(token);
  return upload;
}

describe('uploading a trace', () => {
  test('the first one makes a private dataset and commits one file to it', async () => {
    const hub = await startHub();
    const uploaded = await uploadTo(hub);
    expect(uploaded).toEqual({
      dataset: 'ann/hermes-traces',
      url: `${hub.url}/datasets/ann/hermes-traces/blob/main/sessions/${id}.jsonl`,
      isNewDataset: true,
      isPublic: false,
    });
    expect(hub.requests.map((request) => `${request.method} ${request.path}`)).toEqual([
      'GET /api/whoami-v2',
      'POST /api/repos/create',
      'POST /api/datasets/ann/hermes-traces/preupload/main',
      'POST /api/datasets/ann/hermes-traces/commit/main',
    ]);
    expect(hub.requests.every((request) => request.authorization === `Bearer ${token}`)).toBe(true);
    expect(JSON.parse(hub.requests[1]?.body ?? '')).toMatchObject({
      name: 'hermes-traces',
      organization: 'ann',
      type: 'dataset',
      visibility: 'private',
    });
    expect([...hub.files]).toEqual([[`sessions/${id}.jsonl`, trace]]);
  });

  test('the second one adds to the dataset that is there', async () => {
    const hub = await startHub();
    await uploadTo(hub);
    const second = await uploadTo(hub, { sessionId: '20250306_101010_b', content: { text: 'second' } });
    expect(second.isNewDataset).toBe(false);
    expect([...hub.files.keys()]).toEqual([`sessions/${id}.jsonl`, 'sessions/20250306_101010_b.jsonl']);
  });

  test('--public makes a public dataset', async () => {
    const hub = await startHub();
    expect((await uploadTo(hub, { isPublic: true })).isPublic).toBe(true);
    expect(hub.datasets.get('ann/hermes-traces')).toBe(false);
  });

  test('a dataset that is public gets no private upload', async () => {
    const hub = await startHub();
    hub.datasets.set('ann/hermes-traces', false);
    expect((await troubleOf(uploadTo(hub))).trouble).toBe('public-dataset');
    expect(hub.files.size).toBe(0);
  });

  test('--public leaves a private dataset private, and says so', async () => {
    const hub = await startHub();
    hub.datasets.set('ann/hermes-traces', true);
    expect((await uploadTo(hub, { isPublic: true })).isPublic).toBe(false);
  });

  test('a large file goes to the store of large files, and its hash into the commit', async () => {
    const hub = await startHub({ largeFrom: 1000 });
    const path = join(temporaryFolder(), 'trace.jsonl');
    const text = trace.repeat(5_000);
    writeFileSync(path, text);
    await uploadTo(hub, { content: { path } });
    expect(hub.files.get(`sessions/${id}.jsonl`)).toBe(text);
    const commit = hub.requests.at(-1)?.body ?? '';
    expect(commit).toContain(createHash('sha256').update(text).digest('hex'));
    expect(commit.length).toBeLessThan(1000);
    // The store of large files is another server; the token is not for it.
    expect(hub.requests.find((request) => request.method === 'PUT')?.authorization).toBeUndefined();
  });

  test('an id can not lead out of the folder of sessions', async () => {
    const hub = await startHub();
    await uploadTo(hub, { sessionId: '../../README' });
    expect([...hub.files.keys()]).toEqual(['sessions/-..-README.jsonl']);
  });
});

describe('what can go wrong', () => {
  const cases = [
    [401, '/api/whoami-v2', 'unauthorized'],
    [403, '/api/repos/create', 'forbidden'],
    [403, '/commit/', 'forbidden'],
    [409, '/commit/', 'conflict'],
    [412, '/commit/', 'conflict'],
    [429, '/preupload/', 'rate-limited'],
    [500, '/commit/', 'server'],
    [503, '/api/whoami-v2', 'server'],
    [400, '/commit/', 'refused'],
  ] as const;
  test.each(cases)('status %i at %s is %s', async (status, path, trouble) => {
    const hub = await startHub({
      intercept: (request, response) => {
        if (!request.path.includes(path)) return false;
        send(response, status, { error: `no: ${token}` });
        return true;
      },
    });
    expect((await troubleOf(uploadTo(hub))).trouble).toBe(trouble);
  });

  test('a server that is no Hub', async () => {
    const page = await startHub({
      intercept: (_, response) => (response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), true),
    });
    expect((await troubleOf(uploadTo(page))).trouble).toBe('refused');
    const empty = await startHub({ intercept: (_, response) => (send(response, 200, { auth: {} }), true) });
    expect((await troubleOf(uploadTo(empty))).trouble).toBe('refused');
    const bare = await startHub({ intercept: (_, response) => (send(response, 200, {}), true) });
    expect((await troubleOf(uploadTo(bare))).trouble).toBe('refused');
  });

  test('nobody listens', async () => {
    expect((await troubleOf(uploadTo({ url: 'http://127.0.0.1:1' }))).trouble).toBe('network');
  });

  test('the line breaks', async () => {
    const hub = await startHub({ intercept: (request, response) => request.path.includes('/commit/') && (response.destroy(), true) });
    expect((await troubleOf(uploadTo(hub))).trouble).toBe('network');
  });

  test('no answer within the time', async () => {
    const hub = await startHub({ intercept: (request) => request.path.includes('create') });
    expect((await troubleOf(uploadTo(hub, { timeoutMs: 50 }))).trouble).toBe('timeout');
  });

  test('Ctrl+C while it waits', async () => {
    const stop = new AbortController();
    const hub = await startHub({ intercept: (request) => request.path.includes('preupload') && (stop.abort(), true) });
    expect((await troubleOf(uploadTo(hub, { signal: stop.signal }))).trouble).toBe('interrupted');
  });
});

describe('token and address of the Hub', () => {
  test.each(['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN', 'HUGGINGFACE_TOKEN', 'HUGGINGFACEHUB_API_TOKEN'])('%s is a token', (name) => {
    expect(findHubAccess({}, { [name]: ` ${token} ` })).toEqual({ endpoint: 'https://huggingface.co', token });
  });

  test('the environment wins over .env, HF_TOKEN over its aliases', () => {
    const env = { HUGGINGFACE_TOKEN: 'hf_alias', HF_TOKEN: 'hf_one', HF_ENDPOINT: 'https://hub.example/' };
    expect(findHubAccess(env, { HF_TOKEN: 'hf_two' })).toEqual({ endpoint: 'https://hub.example', token: 'hf_one' });
  });

  test.each([
    [{}, 'no-token'],
    [{ HF_TOKEN: '' }, 'no-token'],
    [{ HF_TOKEN: 'abc' }, 'bad-token'],
    [{ HF_TOKEN: token, HF_ENDPOINT: 'hub.example' }, 'refused'],
  ] as const)('%j is %s', (env, trouble) => {
    expect(() => findHubAccess(env)).toThrow(expect.objectContaining({ trouble, exitCode: 1 }) as Error);
  });
});
