import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { LLMock } from '@copilotkit/aimock';
import type { Fixture } from '@copilotkit/aimock';

import type { ModelChoice } from '../../src/agent/events.ts';

/** One request as it arrived. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
  /** Resolves when the caller has closed the socket before the reply was complete. */
  aborted: Promise<void>;
}

export interface ByteServer {
  /** `http://127.0.0.1:PORT` */
  url: string;
  port: number;
  requests: SeenRequest[];
  stop(): Promise<void>;
}

/** A server that answers with exactly the bytes a test writes: for the faults that no well-behaved fake can make. */
export async function startByteServer(
  answer: (response: ServerResponse, request: SeenRequest) => void | Promise<void>,
): Promise<ByteServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    const aborted = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const seen: SeenRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: text === '' ? undefined : JSON.parse(text),
        aborted,
      };
      requests.push(seen);
      void Promise.resolve(answer(response, seen)).catch((error: unknown) => response.destroy(error as Error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** One event of a chat completion stream, as text. */
export function chatEvent(delta: Record<string, unknown>, finish: string | null = null, more: Record<string, unknown> = {}): string {
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
}

export const SSE = { 'content-type': 'text/event-stream' };

/** Sends a whole stream in one write. */
export function replyWith(...events: string[]): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(200, SSE);
    response.end(events.join(''));
  };
}

/** aimock on a random port of this machine: one address for OpenAI, Anthropic and Gemini. */
export async function startAimock(fixtures: Fixture[] = []): Promise<LLMock> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' });
  mock.addFixtures(fixtures);
  await mock.start();
  return mock;
}

/** A choice that talks to a local server in one of the three wire formats. */
export function localChoice(url: string, api: ModelChoice['api'] = 'openai-compatible', more: Partial<ModelChoice> = {}): ModelChoice {
  const path = api === 'google' ? '/v1beta' : '/v1';
  const model = api === 'anthropic' ? 'claude-sonnet-4-5' : api === 'google' ? 'gemini-2.5-flash' : 'gpt-5-mini';
  return { model, api, provider: 'custom:test', baseUrl: `${url}${path}`, apiKey: 'test-key-123456', keyFrom: 'TEST_KEY', ...more };
}
