/**
 * `import text from './page.css?raw'`: a file as text, the way Vite (and so vitest) spells it. A page that is written out has its style and its
 * script as files of their own that way, and nothing looks for them when the program runs.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export const rawText = {
  name: 'raw-text',
  setup(build) {
    build.onResolve({ filter: /\?raw$/ }, ({ path: name, resolveDir }) => ({
      path: path.join(resolveDir, name.replace(/\?raw$/, '')),
      namespace: 'raw-text',
    }));
    build.onLoad({ filter: /.*/, namespace: 'raw-text' }, async ({ path: file }) => ({
      contents: await readFile(file, 'utf8'),
      loader: 'text',
      watchFiles: [file],
    }));
  },
};
