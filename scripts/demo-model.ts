import { LLMock } from '@copilotkit/aimock';

import { demoFixtures } from '../fixtures/models/demo.ts';

/**
 * Starts the scripted model of the demo on a free port of this machine.
 * @returns `url` as a base_url for chat completions (it ends in `/v1`), and `stop`.
 */
export async function startDemoModel(): Promise<{ url: string; stop: () => Promise<void> }> {
  const model = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 20 });
  model.addFixtures([...demoFixtures]);
  await model.start();
  return { url: `${model.url}/v1`, stop: () => model.stop() };
}
