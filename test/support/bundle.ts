import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a TypeScript program of the tests, so that plain node can run it. It stands inside node_modules because its packages are
 * found from there.
 */
export async function bundleProgram(source: string): Promise<{ path: string; remove(): void }> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'hermes-test-'));
  const path = join(folder, 'program.mjs');
  await build({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
