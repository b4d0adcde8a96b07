import type { LanguageFn } from 'highlight.js';

/** Each grammar is a module of its own; the bundle splits them. */
export const grammars: Readonly<Record<string, () => Promise<{ default: LanguageFn }>>> = {
  bash: () => import('highlight.js/lib/languages/bash'),
  c: () => import('highlight.js/lib/languages/c'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  css: () => import('highlight.js/lib/languages/css'),
  diff: () => import('highlight.js/lib/languages/diff'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
  go: () => import('highlight.js/lib/languages/go'),
  ini: () => import('highlight.js/lib/languages/ini'),
  java: () => import('highlight.js/lib/languages/java'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  lua: () => import('highlight.js/lib/languages/lua'),
  makefile: () => import('highlight.js/lib/languages/makefile'),
  php: () => import('highlight.js/lib/languages/php'),
  python: () => import('highlight.js/lib/languages/python'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  rust: () => import('highlight.js/lib/languages/rust'),
  sql: () => import('highlight.js/lib/languages/sql'),
  swift: () => import('highlight.js/lib/languages/swift'),
  typescript: () => import('highlight.js/lib/languages/typescript'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
};

const aliases: Readonly<Record<string, string>> = {
  sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', 'c++': 'cpp', h: 'c', hpp: 'cpp', cs: 'csharp', docker: 'dockerfile', golang: 'go',
  toml: 'ini', js: 'javascript', jsx: 'javascript', mjs: 'javascript', cjs: 'javascript', jsonc: 'json', kt: 'kotlin', make: 'makefile', py: 'python', python3: 'python',
  rb: 'ruby', rs: 'rust', ts: 'typescript', tsx: 'typescript', mts: 'typescript', html: 'xml', svg: 'xml', vue: 'xml', yml: 'yaml', patch: 'diff',
}; // prettier-ignore

/** The key in `grammars` of what stands behind a fence (`TS`, `c++`); undefined when the language isn't known. */
export const languageName = (language: string): string | undefined => {
  const name = language.toLowerCase();
  const known = aliases[name] ?? name;
  return Object.hasOwn(grammars, known) ? known : undefined;
};
