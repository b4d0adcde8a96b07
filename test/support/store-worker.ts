import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const NATIVE = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3')).href;

export interface StoreWorkers {
  readonly reader: URL;
  readonly writer: URL;
  /** Any other entry point that was asked for. */
  readonly extra: URL | undefined;
  dispose(): void;
}

/**
 * Bundles the store's threads from the sources, as the build does, into a folder of its own: Node 20 runs no TypeScript.
 *
 * @param methods module with `reads` and `writes` to serve instead of the product's own
 * @param extra one more entry point (a process that uses the store)
 */
export async function bundleStoreWorkers(options: { methods?: URL; extra?: URL } = {}): Promise<StoreWorkers> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-workers-'));
  const entries: Record<string, string> = { reader: `${SOURCE}store/worker/reader.ts`, writer: `${SOURCE}app/store-writer.ts` };
  if (options.methods !== undefined) {
    const methods = fileURLToPath(options.methods);
    for (const [kind, serve] of [
      ['reader', 'serveReads'],
      ['writer', 'serveWrites'],
    ] as const) {
      const entry = join(folder, `${kind}-entry.ts`);
      writeFileSync(
        entry,
        `import { parentPort, workerData } from 'node:worker_threads';
         import { ${kind === 'reader' ? 'reads' : 'writes'} as methods } from ${JSON.stringify(methods)};
         import { ${serve} } from ${JSON.stringify(`${SOURCE}store/worker/${kind === 'reader' ? 'serve-reads' : 'serve-writes'}.ts`)};
         ${serve}(parentPort!, workerData, methods);`,
      );
      entries[kind] = entry;
    }
  }
  if (options.extra !== undefined) entries['extra'] = fileURLToPath(options.extra);
  await build({
    entryPoints: entries,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    plugins: [
      {
        // The bundle stands outside the project, where the name would not be found.
        name: 'native-by-path',
        setup: (one) => one.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: NATIVE, external: true })),
      },
    ],
  });
  const at = (name: string) => pathToFileURL(join(folder, `${name}.mjs`));
  return {
    reader: at('reader'),
    writer: at('writer'),
    extra: options.extra === undefined ? undefined : at('extra'),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
