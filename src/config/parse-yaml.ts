import { loadYaml } from './load-yaml.ts';
import { configText as text } from '../text/en/config.ts';

/** A string that is not copied into the cache: where it stands in the file instead. */
export interface SecretPlace {
  readonly path: readonly (string | number)[];
  readonly from: number;
  readonly to: number;
}

export interface SyntaxProblem {
  readonly line: number;
  readonly message: string;
  readonly hint?: string;
}

/** config.yaml as plain values, with what a message about one of them needs. JSON in, JSON out: it is cached. */
export interface ParsedConfig {
  /** Sections this program reads; empty when the file is no YAML. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Line of every key and list entry, by its path: JSON text of the list of names and numbers → line from 1. */
  readonly lines: Readonly<Record<string, number>>;
  readonly problems: readonly SyntaxProblem[];
  /** Keys written letter by letter; those written otherwise (escapes, anchors) have no place. */
  readonly secrets: readonly SecretPlace[];
}

/** Sections of config.yaml that this program reads; the others are Hermes Agent's alone. */
const SECTIONS = [
  ...['model', 'custom_providers', 'providers', 'model_aliases', 'display', 'session', 'sessions', 'session_search', 'auxiliary'],
  ...['database', 'tui'],
];

/** Of `auxiliary`: what is read of it, and no other task's. */
const AUXILIARY = new Set(['session_search']);
const AUXILIARY_KEYS = new Set(['provider', 'model', 'base_url', 'api_key', 'timeout', 'max_concurrency']);

/** Keys inside a provider that are read; what else stands there (headers, options) may hold secrets and is dropped. */
const PROVIDER_KEYS = new Set(['name', 'base_url', 'url', 'api', 'api_key', 'key_env', 'api_mode', 'model', 'default_model', 'models']);

export const lineKey = (path: readonly (string | number)[]): string => JSON.stringify(path);

/**
 * Parses config.yaml as Hermes Agent's parser would (merge keys; the last of two equal keys counts). Loads the `yaml` package: about
 * 60 ms, so the result is cached by `readCachedYaml`. Never throws for what stands in the file.
 */
export async function parseYaml(source: string): Promise<ParsedConfig> {
  const { parseDocument, LineCounter, visit, isScalar, isMap, isPair, isSeq } = await loadYaml();
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, merge: true, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
  const lineAt = (offset: number): number => counter.linePos(offset).line;
  const broken = document.errors[0];
  if (broken !== undefined) {
    const problem = { line: lineAt(broken.pos[0]), message: text.notYaml(firstLine(broken.message)), hint: text.notYamlHint };
    return { value: {}, lines: {}, problems: [problem], secrets: [] };
  }
  let circle: number | undefined;
  visit(document, {
    Alias(_key, alias, ancestors) {
      const target = alias.resolve(document);
      if (target !== undefined && ancestors.includes(target)) circle ??= lineAt(alias.range?.[0] ?? 0);
    },
  });
  if (circle !== undefined) return { value: {}, lines: {}, problems: [{ line: circle, message: text.notYaml(text.circle) }], secrets: [] };
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    // An alias to nothing, or aliases that unfold without end.
    return { value: {}, lines: {}, problems: [{ line: 1, message: text.notYaml(firstLine((error as Error).message)) }], secrets: [] };
  }
  if (plain === null || plain === undefined) return { value: {}, lines: {}, problems: [], secrets: [] };
  if (!isMap(document.contents)) {
    const found = Array.isArray(plain) ? 'a list' : 'a single value';
    return {
      value: {},
      lines: {},
      problems: [{ line: lineAt(document.contents?.range?.[0] ?? 0), message: text.notMap(found) }],
      secrets: [],
    };
  }

  const lines: Record<string, number> = {};
  const problems: SyntaxProblem[] = [];
  const secrets: SecretPlace[] = [];
  const markItem = (key: unknown, node: { range?: readonly number[] | null }, ancestors: readonly unknown[]): void => {
    if (!isSeq(ancestors.at(-1)) || typeof key !== 'number') return;
    const path = [...pathOf(ancestors), key];
    if (SECTIONS.includes(String(path[0]))) lines[lineKey(path)] = lineAt(node.range?.[0] ?? 0);
  };
  visit(document, {
    Map: markItem,
    Scalar: markItem,
    Pair(_key, pair, ancestors) {
      if (!isScalar(pair.key)) return;
      const path = [...pathOf(ancestors), String(pair.key.value)];
      if (!SECTIONS.includes(String(path[0]))) return;
      const line = lineAt(pair.key.range?.[0] ?? 0);
      if (lines[lineKey(path)] !== undefined) problems.push({ line, message: text.duplicateKey(path.join('.')) });
      lines[lineKey(path)] = line;
      if (path.at(-1) !== 'api_key' || !isScalar(pair.value) || !isSecret(pair.value.value)) return;
      const place = placeOf(source, pair.value.value, pair.value.range?.[0]);
      if (place !== undefined) secrets.push({ path, ...place });
    },
  });
  return { value: pickRead(plain as Record<string, unknown>), lines, problems, secrets };

  function pathOf(ancestors: readonly unknown[]): (string | number)[] {
    const path: (string | number)[] = [];
    ancestors.forEach((node, depth) => {
      if (isPair(node) && isScalar(node.key)) path.push(String(node.key.value));
      const parent = ancestors[depth - 1] as { items?: unknown[] } | undefined;
      if (parent?.items !== undefined && !isPair(node)) path.push(parent.items.indexOf(node));
    });
    return path;
  }
}

/** A key itself, not the name of a variable that holds it. */
export function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/^\$\{\w+\}$/.test(value);
}

/** Where a value stands letter by letter, plain or between quotes. */
function placeOf(source: string, value: string, start: number | undefined): { from: number; to: number } | undefined {
  if (start === undefined) return undefined;
  const from = source[start] === '"' || source[start] === "'" ? start + 1 : start;
  return source.slice(from, from + value.length) === value ? { from, to: from + value.length } : undefined;
}

function pickRead(plain: Record<string, unknown>): Record<string, unknown> {
  const value = Object.fromEntries(SECTIONS.filter((name) => name in plain).map((name) => [name, plain[name]]));
  const only = (entry: unknown, keys: ReadonlySet<string>): unknown =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).filter(([key]) => keys.has(key)))
      : entry;
  const keep = (entry: unknown): unknown => only(entry, PROVIDER_KEYS);
  const { custom_providers: list, providers: map, auxiliary } = value;
  if (Array.isArray(list)) value['custom_providers'] = list.map(keep);
  const tasks = only(auxiliary, AUXILIARY);
  if (typeof tasks === 'object' && tasks !== null && !Array.isArray(tasks))
    value['auxiliary'] = Object.fromEntries(Object.entries(tasks).map(([name, entry]) => [name, only(entry, AUXILIARY_KEYS)]));
  if (typeof map === 'object' && map !== null && !Array.isArray(map))
    value['providers'] = Object.fromEntries(Object.entries(map).map(([name, entry]) => [name, keep(entry)]));
  return value;
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? message;
}
