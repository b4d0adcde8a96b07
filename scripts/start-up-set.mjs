#!/usr/bin/env node
/**
 * What a start really loads: the eager closure of the bundle's entry chunks, read from esbuild's metafile. Start-up is paid on every
 * `hermes`, so each set has a budget and a list of packages that must stay out of it (they load on first use). Run alone it judges the
 * bundle in `dist`.
 */

/** Loaded on first use, never before the first frame; each costs 10 to 200 ms to import. */
export const lazyPackages = [
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
  '@ai-sdk/provider-utils',
  'commander',
  'fuse.js',
  'highlight.js',
  'lowlight',
  'marked',
  'yaml',
  'zod',
];

/** `modules`: what that way of starting imports before it shows anything, beside main.ts itself. */
export const startUpSets = [
  { name: 'main', modules: ['src/main.ts'], maxBytes: 90 * 1024 },
  { name: 'first frame', modules: ['src/main.ts', 'src/app/first-frame.ts'], maxBytes: 460 * 1024 },
  // The threads start after the first frame; 100 kB take one about 2 ms to compile.
  { name: 'store-writer', modules: ['src/app/store-writer.ts'], maxBytes: 240 * 1024 },
  { name: 'store-reader', modules: ['src/store/worker/reader.ts'], maxBytes: 240 * 1024 },
];

/**
 * @param {{ outputs: Record<string, { bytes: number, entryPoint?: string, imports: { path: string, kind: string, external?: boolean }[], inputs: Record<string, unknown> }> }} metafile
 * @returns one record per set: chunks, bytes, and the modules inside
 */
export function measureStartUp(metafile, sets = startUpSets) {
  return sets.map((set) => {
    const seen = new Set();
    const missing = [];
    const queue = [];
    for (const module of set.modules) {
      const chunk = Object.keys(metafile.outputs).find((name) => metafile.outputs[name].entryPoint === module);
      if (chunk === undefined) missing.push(module);
      else queue.push(chunk);
    }
    for (let chunk = queue.pop(); chunk !== undefined; chunk = queue.pop()) {
      if (seen.has(chunk)) continue;
      seen.add(chunk);
      for (const imported of metafile.outputs[chunk].imports) {
        if (imported.kind === 'import-statement' && !imported.external) queue.push(imported.path);
      }
    }
    const chunks = [...seen];
    return {
      name: set.name,
      maxBytes: set.maxBytes,
      missing,
      chunks,
      bytes: chunks.reduce((sum, chunk) => sum + metafile.outputs[chunk].bytes, 0),
      modules: chunks.flatMap((chunk) => Object.keys(metafile.outputs[chunk].inputs)),
    };
  });
}

/** Sentences, one per broken rule; empty when start-up is as light as it must be. */
export function findStartUpFaults(measured) {
  const faults = [];
  for (const set of measured) {
    for (const module of set.missing) faults.push(`${set.name}: ${module} is no chunk of its own (it must be loaded with import())`);
    if (set.bytes > set.maxBytes) {
      faults.push(`${set.name}: ${Math.ceil(set.bytes / 1024)} kB, budget ${Math.floor(set.maxBytes / 1024)} kB; load something lazily`);
    }
    for (const name of lazyPackages) {
      const module = set.modules.find((file) => file.includes(`node_modules/${name}/`));
      if (module !== undefined) faults.push(`${set.name}: loads ${name} (${module}); import() it where it is first used`);
    }
  }
  return faults;
}

if (process.argv[1] === import.meta.filename) {
  const { readFileSync } = await import('node:fs');
  const measured = measureStartUp(JSON.parse(readFileSync(new URL('../dist/meta.json', import.meta.url), 'utf8')));
  for (const set of measured) {
    process.stdout.write(
      `${set.name}: ${Math.ceil(set.bytes / 1024)} of ${Math.floor(set.maxBytes / 1024)} kB, ${set.modules.length} modules\n`,
    );
  }
  for (const fault of findStartUpFaults(measured)) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
  }
}
