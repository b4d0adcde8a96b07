import { ConfigError } from '../errors.ts';
import { configText as text } from '../text/en/config.ts';
import { lineKey, type ParsedConfig } from './parse-yaml.ts';

type Path = readonly (string | number)[];

/**
 * Reads values out of the parsed file, each with the one check it needs. What doesn't pass becomes a problem with file, line, key and what
 * was expected, and is absent, so that the default stands.
 */
export interface Checks {
  readonly problems: ConfigError[];
  /** A map's entries; empty where the key is absent. */
  map(path: Path): Readonly<Record<string, unknown>>;
  list(path: Path): readonly unknown[];
  text(path: Path): string | undefined;
  flag(path: Path): boolean | undefined;
  whole(path: Path, least: number): number | undefined;
  choice<T extends string>(path: Path, choices: readonly T[]): T | undefined;
  address(path: Path): string | undefined;
  raw(path: Path): unknown;
  complain(path: Path, message: string): void;
  lineOf(path: Path): number | undefined;
}

/** Words PyYAML, Hermes Agent's parser, takes for booleans; this one leaves them texts. */
const FLAG_WORDS: Readonly<Record<string, boolean>> = { yes: true, on: true, true: true, no: false, off: false, false: false };

export const dotted = (path: Path): string =>
  path.map((step, at) => (typeof step === 'number' ? `[${step + 1}]` : at === 0 ? step : `.${step}`)).join('');

export function describeFound(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}

/** `variables` is what `${NAME}` stands for. */
export function openChecks(file: string, parsed: ParsedConfig, variables: Readonly<Record<string, string | undefined>>): Checks {
  const problems: ConfigError[] = [];

  function lineOf(path: Path): number | undefined {
    for (let end = path.length; end > 0; end -= 1) {
      const line = parsed.lines[lineKey(path.slice(0, end))];
      if (line !== undefined) return line;
    }
    return undefined;
  }

  function complain(path: Path, message: string): void {
    const line = lineOf(path);
    problems.push(new ConfigError(file, message, line === undefined ? {} : { line }));
  }

  function raw(path: Path): unknown {
    let node: unknown = parsed.value;
    for (const step of path) {
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
      node = (node as Record<string | number, unknown>)[step];
    }
    return node ?? undefined;
  }

  function wrong(path: Path, expected: string, value: unknown): undefined {
    // A key must never be shown, not even a wrong one.
    const found = path.at(-1) === 'api_key' ? 'something else' : describeFound(value);
    complain(path, text.expected(dotted(path), expected, found));
    return undefined;
  }

  /** The value with its variables put in; absent when one of them isn't set. */
  function expanded(path: Path): unknown {
    const value = raw(path);
    if (typeof value !== 'string' || !value.includes('${')) return value;
    let isComplete = true;
    const result = value.replace(/\$\{(\w+)\}/g, (_whole, name: string) => {
      const found = variables[name];
      if (found === undefined || found === '') {
        complain(path, text.variableUnset(dotted(path), name));
        isComplete = false;
      }
      return found ?? '';
    });
    return isComplete ? result : undefined;
  }

  function readText(path: Path): string | undefined {
    const value = expanded(path);
    if (value === undefined) return undefined;
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'string') return wrong(path, 'a text', value);
    return value.trim() === '' ? undefined : value.trim();
  }

  return {
    problems,
    raw,
    complain,
    lineOf,
    text: readText,
    map(path) {
      const value = raw(path);
      if (value === undefined) return {};
      if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
      wrong(path, 'a map', value);
      return {};
    },
    list(path) {
      const value = raw(path);
      if (value === undefined) return [];
      if (Array.isArray(value)) return value;
      wrong(path, 'a list', value);
      return [];
    },
    flag(path) {
      const value = expanded(path);
      if (value === undefined || typeof value === 'boolean') return value;
      const word = typeof value === 'string' ? FLAG_WORDS[value.trim().toLowerCase()] : undefined;
      return word ?? wrong(path, 'true or false', value);
    },
    whole(path, least) {
      const value = expanded(path);
      if (value === undefined) return undefined;
      const number = typeof value === 'string' && /^\s*\d+\s*$/.test(value) ? Number(value) : value;
      if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
      return wrong(path, `a whole number from ${least}`, value);
    },
    choice(path, choices) {
      const value = expanded(path);
      if (value === undefined) return undefined;
      const word = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
      return choices.find((choice) => choice === word) ?? wrong(path, choices.join(' or '), value);
    },
    address(path) {
      const value = readText(path);
      if (value === undefined) return undefined;
      const protocol = URL.canParse(value) ? new URL(value).protocol : undefined;
      if (protocol === 'http:' || protocol === 'https:') return value.replace(/\/+$/, '');
      return wrong(path, 'an address like https://host/v1', value);
    },
  };
}
