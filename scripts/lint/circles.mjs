/**
 * Modules of `src` that import one another in a circle: what each of them holds while it loads then depends on who was asked for first, and
 * none of them can be read, tested or split off alone. Imports of types alone don't count, since nothing of them is left when the program
 * runs: a part may name the shape of what it is handed. Neither do imports inside a function (`await import`): they run after loading.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** Whether nothing of this import or export is left when the program runs (verbatimModuleSyntax: `import { type A }` leaves its module). */
const isTypeOnly = (node) => (ts.isImportDeclaration(node) ? node.importClause?.isTypeOnly === true : node.isTypeOnly);

/** Paths of the modules that this one loads before it runs itself. */
function loadedBy(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements
    .filter((node) => (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined)
    .filter((node) => !isTypeOnly(node) && node.moduleSpecifier.text.startsWith('.'))
    .map((node) => path.resolve(path.dirname(file), node.moduleSpecifier.text));
}

/**
 * @param {string} root the project
 * @returns {string[]} one line for every circle found, `a.ts → b.ts → a.ts`, below `src`. Circles that share modules may come as one: break
 *   it and look again.
 */
export function findCircles(root) {
  const home = path.join(root, 'src');
  const files = readdirSync(home, { recursive: true })
    .filter((name) => /\.(?:ts|mjs)$/.test(name))
    .sort()
    .map((name) => path.join(home, name));
  const loads = new Map(files.map((file) => [file, loadedBy(file)]));
  const done = new Set();
  const way = [];
  const circles = [];

  function walk(file) {
    const start = way.indexOf(file);
    if (start !== -1) {
      const names = [...way.slice(start), file].map((each) => path.relative(home, each).split(path.sep).join('/'));
      circles.push(names.join(' → '));
      return;
    }
    if (done.has(file)) return;
    way.push(file);
    for (const next of loads.get(file) ?? []) walk(next);
    way.pop();
    done.add(file);
  }

  files.forEach(walk);
  return circles;
}
