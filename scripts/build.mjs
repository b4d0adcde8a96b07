#!/usr/bin/env node
/**
 * Bundles `src` into `dist`: hermes.js (the program) and the two store workers, split into chunks so that start-up loads only what the
 * first frame needs. Runs alone (`npm run build`) or as a function. `--quiet` prints nothing unless something is wrong.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheChunk } from './cached-chunk.mjs';
import { rawText } from './raw-text.mjs';
import { findStartUpFaults, measureStartUp } from './start-up-set.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const firstFrame = path.join(root, 'src/app/first-frame.ts');

const entryPoints = [
  { in: 'src/main.ts', out: 'hermes', holds: 'argv in, exit code out' },
  { in: 'src/app/store-writer.ts', out: 'store-writer', holds: 'the writing worker' },
  { in: 'src/store/worker/reader.ts', out: 'store-reader', holds: 'the reading worker' },
];

/**
 * Native code and files found by path (terminfo, helper programs) can't live inside a bundle: better-sqlite3, neo-blessed and clipboardy stay
 * outside. The first two are CommonJS and are loaded with require(): `import` would first parse them for the names they export, with a
 * parser in WebAssembly, which costs 13 ms of every start.
 */
const requireCommonJs = {
  name: 'require-commonjs',
  setup(build) {
    build.onResolve({ filter: /^(?:better-sqlite3|neo-blessed)(?:$|\/)/ }, ({ path: name, kind }) =>
      kind === 'require-call' ? { path: name, external: true } : { path: name, namespace: 'require-commonjs' },
    );
    build.onLoad({ filter: /.*/, namespace: 'require-commonjs' }, ({ path: name }) => ({
      contents: `module.exports = require(${JSON.stringify(name)});`,
      loader: 'js',
      resolveDir: root,
    }));
  },
};

/**
 * Keeps the first frame in one chunk. esbuild cuts a chunk for every combination of entry points that share a module, and each `import()` is
 * an entry point: thirty files for the first frame, half a millisecond each. Whatever is loaded later runs when the first frame has been
 * loaded; saying so (each lazy module of ours imports it) makes all combinations the same.
 */
const keepFirstFrameWhole = {
  name: 'keep-first-frame-whole',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ path: name, kind, resolveDir }) => {
      const file = path.join(resolveDir, name);
      const isLazy = kind === 'dynamic-import' && file.startsWith(path.join(root, 'src')) && file !== firstFrame;
      return isLazy ? { path: file, namespace: 'lazy' } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path: file }) => ({
      contents: `import ${JSON.stringify(firstFrame)};\nexport * from ${JSON.stringify(file)};`,
      loader: 'ts',
      resolveDir: path.dirname(file),
    }));
  },
};

/** CommonJS parts of the model SDKs call require() for built-in modules. */
const requireBanner = "import{createRequire as __hermesRequire}from'node:module';const require=__hermesRequire(import.meta.url);";

/** Chunks of an earlier build stay this long: a running program may still load one lazily. */
const staleChunkMs = 60 * 60 * 1000;

/**
 * Builds into `outDir`. Throws when an entry point is missing or esbuild finds an error, and leaves `dist` as it was then.
 * @returns {Promise<{ files: number, startUp: ReturnType<typeof measureStartUp> }>}
 */
export async function build({ outDir = path.join(root, 'dist') } = {}) {
  const missing = entryPoints.filter((entry) => !existsSync(path.join(root, entry.in)));
  if (missing.length > 0) throw new Error(`can't build: ${missing.map((entry) => `${entry.in} (${entry.holds}) is missing`).join('; ')}`);

  const esbuild = await import('esbuild');
  const options = {
    absWorkingDir: root,
    outdir: outDir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Names stay: error classes carry theirs (`new.target.name`), and a crash report is readable.
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    external: ['clipboardy'],
    banner: { js: requireBanner },
    metafile: true,
    write: false,
    logLevel: 'silent',
  };
  const [main, ...workers] = entryPoints.map((entry) => ({ in: entry.in, out: entry.out }));
  // Workers share no chunk with the program: they are loaded into threads of their own anyway.
  const results = await Promise.all([
    esbuild.build({ ...options, entryPoints: [main], plugins: [rawText, requireCommonJs, keepFirstFrameWhole] }),
    esbuild.build({ ...options, entryPoints: workers, plugins: [requireCommonJs] }),
  ]);
  const metafile = {
    inputs: Object.assign({}, ...results.map((result) => result.metafile.inputs)),
    outputs: Object.assign({}, ...results.map((result) => result.metafile.outputs)),
  };

  const startUp = measureStartUp(metafile);
  await mkdir(outDir, { recursive: true });
  const written = new Set(['meta.json', '.cache']);
  const files = [...(await cacheFirstFrame(esbuild, results[0])), ...results[1].outputFiles];
  for (const file of files) {
    written.add(path.basename(file.path));
    await writeWhole(file.path, file.contents);
  }
  await writeWhole(path.join(outDir, 'meta.json'), JSON.stringify(metafile));
  await removeStaleChunks(outDir, written);

  return { files: written.size, startUp };
}

/** The outputs of the program, the chunk of the first frame as a script whose machine code is kept. */
async function cacheFirstFrame(esbuild, { metafile, outputFiles }) {
  const module = path.relative(root, path.join(path.dirname(firstFrame), 'tui/start.ts'));
  const name = Object.keys(metafile.outputs).find((each) => metafile.outputs[each].inputs[module] !== undefined);
  const find = (suffix) => outputFiles.find((file) => path.basename(file.path) === path.basename(name) + suffix);
  const [chunk, map] = [find(''), find('.map')];
  const made = await cacheChunk(esbuild, { metafile, name, chunk: chunk.text, map: map.text, banner: requireBanner });
  const others = outputFiles.filter((file) => file !== chunk && file !== map);
  return [...others, ...made.map((file) => ({ path: path.join(path.dirname(chunk.path), file.name), contents: file.contents }))];
}

/** A reader sees the old file or the new one, never half of it. */
async function writeWhole(file, contents) {
  const temporary = `${file}.${process.pid}.tmp`;
  await writeFile(temporary, contents);
  await rename(temporary, file);
}

async function removeStaleChunks(outDir, written) {
  const oldest = Date.now() - staleChunkMs;
  for (const name of await readdir(outDir)) {
    if (written.has(name)) continue;
    const file = path.join(outDir, name);
    if ((await stat(file)).mtimeMs < oldest) await rm(file, { force: true, recursive: true });
  }
  const caches = path.join(outDir, '.cache');
  for (const name of existsSync(caches) ? await readdir(caches) : []) {
    if (![...written].some((file) => name.startsWith(`${file}-`))) await rm(path.join(caches, name), { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const { files, startUp } = await build();
    const faults = findStartUpFaults(startUp);
    if (faults.length > 0) process.stderr.write(`warning (fails npm test): start-up loads too much\n  ${faults.join('\n  ')}\n`);
    if (!process.argv.includes('--quiet')) {
      const sets = startUp.map((set) => `${set.name} ${Math.ceil(set.bytes / 1024)} kB`).join(', ');
      process.stdout.write(`built ${files} files; loaded at start: ${sets}\n`);
    }
  } catch (error) {
    const details = error.errors?.map((entry) => `${entry.location?.file ?? ''}:${entry.location?.line ?? ''} ${entry.text}`).join('\n');
    process.stderr.write(`build failed: ${details ?? error.message}\n`);
    process.exitCode = 1;
  }
}
