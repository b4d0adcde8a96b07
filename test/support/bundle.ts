import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll } from 'vitest';

/** Bundles a script of `test/support` so that plain `node` runs it as a process of its own; gone after the test file. */
export async function bundleScript(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-script-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, `${name}.mjs`);
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' });
  return outfile;
}
