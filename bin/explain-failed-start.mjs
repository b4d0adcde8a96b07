/**
 * One plain sentence for a bundle that can't be loaded: not built, a dependency not installed, or compiled for another Node. Anything
 * else is a fault of ours and keeps its stack trace. Sets the exit code 1.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function explainFailedStart(error) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const sentence = describe(error, root);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}

function describe(error, root) {
  if (!existsSync(`${root}dist/hermes.js`)) return `hermes is not built yet: run \`npm start\` or \`npm run build\` in ${root}`;
  if (error?.code === 'ERR_MODULE_NOT_FOUND' || error?.code === 'MODULE_NOT_FOUND') {
    return `A part of hermes is not installed: run \`npm start\` in ${root} (${String(error.message).split('\n')[0]})`;
  }
  if (error?.code === 'ERR_DLOPEN_FAILED')
    return `better-sqlite3 was compiled for another Node: run \`npm rebuild better-sqlite3\` in ${root}`;
  return undefined;
}
