/**
 * Turns one chunk of the bundle into a script whose machine code can be kept between runs (Node 20 offers that for scripts, not for modules).
 * The chunk's own name stays a module: it runs the script (src/app/run-cached.ts) and exports what it defines.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * `chunk` and `map` are outputs of a build, `metafile` their metafile, `name` the chunk's key in it.
 * @returns files to be written in place of the chunk: { name, contents }
 * @throws where the chunk exports something that may change after it ran: a script's exports are copied once
 */
export async function cacheChunk(esbuild, { metafile, name, chunk, map, banner }) {
  const { inputs, imports, exports } = metafile.outputs[name];
  await refuseLiveExports(Object.keys(inputs));
  const base = path.basename(name, '.js');
  const lazy = imports.filter((each) => each.kind === 'dynamic-import' && !each.external).map((each) => `./${path.basename(each.path)}`);
  // `import()` means the module it stands in; a script has none, so the chunk lends its own.
  let code = chunk.replace(banner, '');
  for (const file of lazy) code = code.replaceAll(`import(${JSON.stringify(file)})`, `__load(${JSON.stringify(file)})`);
  const inlineMap = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
  const script = await esbuild.transform(code.replace(/\/\/# sourceMappingURL=.*\s*$/, inlineMap), {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'import.meta.url': '__url' },
    sourcemap: 'external',
    sourcefile: `${base}.js`,
  });
  const wrapped = `(function(require,__load,__url){var module={exports:{}};${escapeLetters(script.code)}\nreturn module.exports})\n`;
  const chunks = [
    ...new Set(imports.filter((each) => each.kind === 'import-statement' && !each.external).map((each) => path.basename(each.path))),
  ];
  const facade = await esbuild.build({
    stdin: {
      contents: [
        `import { runCached } from './src/app/run-cached.ts';`,
        ...chunks.map((file, index) => `import * as chunk${index} from ${JSON.stringify(`./${file}`)};`),
        `const found = runCached(new URL(${JSON.stringify(`./${base}.script.cjs`)}, import.meta.url), {${chunks
          .map((file, index) => `${JSON.stringify(`./${file}`)}: chunk${index}`)
          .join(', ')}}, (name) => import(name));`,
        `export const { ${exports.join(', ')} } = found;`,
      ].join('\n'),
      resolveDir: root,
      loader: 'ts',
    },
    external: chunks.map((file) => `./${file}`),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    write: false,
    logLevel: 'silent',
  });
  return [
    { name: `${base}.js`, contents: facade.outputFiles[0].text },
    { name: `${base}.script.cjs`, contents: `${wrapped}//# sourceMappingURL=${base}.script.cjs.map\n` },
    { name: `${base}.script.cjs.map`, contents: script.map },
  ];
}

/** A script that is ASCII is kept with one byte per character. esbuild leaves other letters only where a regular expression names them. */
function escapeLetters(code) {
  return code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function refuseLiveExports(files) {
  for (const file of files) {
    const text = await readFile(path.join(root, file), 'utf8').catch(() => '');
    if (/^export (?:let|var)\b/m.test(text))
      throw new Error(`${file} exports a variable; it is in the first frame, whose exports are copied once`);
  }
}
