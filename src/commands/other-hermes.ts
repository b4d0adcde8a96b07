import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Other programs called `hermes` on PATH, in its order. Links that lead to us are not others.
 * @param searchPath the value of PATH
 * @param own file this program was started from (`process.argv[1]`)
 */
export function findOtherHermes(searchPath: string | undefined, own: string | undefined): string[] {
  const self = own === undefined ? undefined : realPathOf(own);
  const found: string[] = [];
  const seen = new Set<string>();
  for (const folder of (searchPath ?? '').split(path.delimiter)) {
    if (folder === '') continue;
    const file = path.join(folder, 'hermes');
    const real = realPathOf(file);
    if (real === undefined || real === self || seen.has(real) || !isProgram(real)) continue;
    seen.add(real);
    found.push(file);
  }
  return found;
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // Not there, or in a folder we may not look into: either way nothing that could be called.
    return undefined;
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not executable for us.
    return false;
  }
}
