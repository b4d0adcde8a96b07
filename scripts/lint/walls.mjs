/**
 * The import walls of docs/architecture.md as data: who may import whom below `src`, and what to do instead. `types` may be imported as
 * types only. A folder that is not listed fails, so that a new one is thought about.
 */

const everything = [
  'agent',
  'app',
  'commands',
  'config',
  'errors',
  'gateway',
  'session',
  'store',
  'terminal',
  'text',
  'transfer',
  'ui',
  'main',
];
const without = (...names) => everything.filter((name) => !names.includes(name));

export const walls = {
  text: { may: [], instead: 'text/ holds leaves: move what needs our nouns to session/, or pass plain values in' },
  errors: { may: [], instead: 'errors.ts imports nothing of ours' },
  session: { may: ['text', 'errors'], instead: 'session/ is pure: pass the fact in as a value, or put the code that needs it into app/' },
  config: {
    may: ['text', 'errors'],
    instead: 'config/ only reads settings: put code that acts on them into the folder that acts, or into app/',
  },
  store: {
    may: ['session', 'text', 'errors'],
    instead: 'store/ knows nouns and SQL only: pass values in; joining it to the rest is the work of app/ and commands/',
  },
  transfer: {
    may: ['session', 'text', 'errors'],
    instead: 'transfer/ knows formats only: reading and writing the store is the work of commands/',
  },
  agent: {
    may: ['session', 'text', 'errors'],
    types: ['config/types'],
    instead: 'agent/ persists and reports through interfaces that app/ passes in',
  },
  gateway: {
    may: ['agent', 'session', 'errors'],
    types: ['config/types'],
    instead: 'gateway/ is handed the store and the terminal by main',
  },
  terminal: { may: ['text', 'errors'], instead: 'terminal/ knows ttys only: what concerns sessions belongs to app/' },
  ui: {
    may: ['session', 'text', 'errors', 'terminal', 'commands/table'],
    types: ['config/types', 'agent/events'],
    instead: 'a screen is handed functions: return an effect and let app/ run it',
  },
  commands: {
    may: without('ui', 'app', 'main'),
    instead: 'a shell command prints text: share the code through session/ or text/, or start the screen from main.ts',
  },
  app: { may: without('main'), instead: 'main.ts is the outermost: pass what you need from there in' },
  main: { may: without('main'), instead: '' },
};

/** Packages that belong to one place; the message says which. */
export const packageHomes = [
  { packages: ['neo-blessed'], homes: ['ui/widgets/'], because: 'neo-blessed is a shell for our own drawing and stays in ui/widgets/' },
  { packages: ['better-sqlite3'], homes: ['store/'], because: 'SQLite is opened in store/ only; call one of its functions' },
  { packages: ['ai', '@ai-sdk'], homes: ['agent/'], because: 'model clients live in agent/' },
  { packages: ['clipboardy'], homes: ['terminal/'], because: 'the clipboard is part of the terminal: terminal/' },
];

/**
 * @param {string} from path below src, `ui/screens/chat/view.ts`
 * @param {string} to path below src of the imported module
 * @param {boolean} isTypeOnly
 * @returns a sentence when the import is forbidden, else undefined
 */
export function judgeImport(from, to, isTypeOnly) {
  const home = folderOf(from);
  const target = folderOf(to);
  const wall = walls[home];
  if (wall === undefined) return `src/${home} is no folder of docs/architecture.md; add it there and to scripts/lint/walls.mjs`;
  if (home === target) return undefined;
  const name = to.replace(/\.[cm]?[jt]s$/, '');
  if (wall.may.includes(target) || wall.may.includes(name)) return undefined;
  const asType = wall.types?.includes(name) ?? false;
  if (asType && isTypeOnly) return undefined;
  if (asType) return `${home} may import ${name} as types only (import type)`;
  return `${home} may not import ${name}: ${wall.instead} (docs/architecture.md)`;
}

/** @returns a sentence when a package is imported outside of its home, else undefined */
export function judgePackage(from, name) {
  const rule = packageHomes.find((entry) => entry.packages.some((known) => name === known || name.startsWith(`${known}/`)));
  if (rule === undefined || rule.homes.some((home) => from.startsWith(home))) return undefined;
  return rule.because;
}

function folderOf(file) {
  const slash = file.indexOf('/');
  return slash === -1 ? file.replace(/\.[cm]?[jt]s$/, '') : file.slice(0, slash);
}
