/**
 * Lets a script use modules of `src` or `fixtures` (TypeScript) without a build: bundles them in memory and imports the result from a
 * temporary file inside the project, so that packages resolve.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './fresh.mjs';
import { rawText } from './raw-text.mjs';

/**
 * @param {readonly string[]} modules paths below the project
 * @returns the exports of all of them together
 */
export async function importSource(modules) {
  const result = await build({
    absWorkingDir: root,
    stdin: { contents: modules.map((module) => `export * from './${module}';`).join('\n'), resolveDir: root, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    plugins: [rawText],
    write: false,
    logLevel: 'silent',
  });
  const folder = await mkdtemp(path.join(root, 'node_modules/.hermes-source-'));
  try {
    const file = path.join(folder, 'source.mjs');
    await writeFile(file, result.outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
