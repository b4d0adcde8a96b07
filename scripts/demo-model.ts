import { createServer } from '@copilotkit/aimock';

import { demoFixtures } from '../fixtures/models/demo.ts';

/**
 * Starts the scripted model of the demo on a free port of this machine.
 * @returns `url` as a base_url for chat completions (it ends in `/v1`), and `stop`, which cuts an answer that still streams.
 */
export async function startDemoModel(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { server, url } = await createServer([...demoFixtures], { port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 20 });
  return {
    url: `${url}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
