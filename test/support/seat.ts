import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../src/app/run.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openProcessTable } from '../../src/terminal/process-tree.ts';
import { chatEvent, replyWith, startByteServer, type ByteServer } from './model-server.ts';

/** A model on this machine that answers every question with `answer(question)`. */
export async function startEchoModel(answer: (question: string, count: number) => string): Promise<ByteServer> {
  let count = 0;
  return startByteServer((response, request) => {
    const { messages } = request.body as { messages: { role: string; content: string | { text?: string }[] }[] };
    const asked = messages.findLast((message) => message.role === 'user')?.content ?? '';
    const question = typeof asked === 'string' ? asked : asked.map((part) => part.text ?? '').join('');
    count += 1;
    const text = answer(question, count);
    const half = Math.ceil(text.length / 2);
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    const events = [chatEvent({ role: 'assistant', content: text.slice(0, half) }), chatEvent({ content: text.slice(half) })];
    replyWith(...events, chatEvent({}, 'stop', { usage }), 'data: [DONE]\n\n')(response);
  });
}

/** config.yaml that knows one model, `small` of `custom:lab`, at `url`. */
export function writeLabConfig(home: string, url: string, more: readonly string[] = []): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const lines = [
    'model:',
    '  default: small',
    '  provider: custom:lab',
    'custom_providers:',
    '  - name: lab',
    `    base_url: ${url}/v1`,
    '    api_key: none',
    '    model: small',
    ...more,
  ];
  writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** A run in the home `folder` that no terminal belongs to. */
export async function makeRun(folder: string, workers: Run['workers'], now: () => number): Promise<Run> {
  const home = { path: folder, storePath: join(folder, 'state.db') };
  const loaded = await loadConfig(home, { env: {}, now: now() });
  return {
    home,
    env: {},
    userHome: folder,
    startedIn: folder,
    flags: {},
    workers,
    now,
    loaded: () => loaded,
    reload: () => Promise.resolve(loaded),
    modelEnvironment: () => ({ process: {}, dotenv: {} }),
    terminal: () => {
      throw new Error('this run stands in no terminal');
    },
    processes: openProcessTable(),
  };
}
