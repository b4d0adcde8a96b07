import {} from 'node:fs';
import { readPlainFile } from '../text/plain-file.ts';
import { ConfigError } from '../errors.ts';
import { configText as text } from '../text/en/config.ts';

export type Variables = Readonly<Record<string, string>>;

export interface EnvReading {
  /** Variables of the file alone. */
  readonly variables: Variables;
  readonly problems: readonly ConfigError[];
}

/** Reads `.env`; one that isn't there is empty, one that can't be read a problem. `outer` is what `${NAME}` may refer to. */
export function readEnvFile(path: string, outer: Readonly<Record<string, string | undefined>> = {}): EnvReading {
  let source: string;
  try {
    source = readPlainFile(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { variables: {}, problems: code === 'ENOENT' || code === 'ENOTDIR' ? [] : [new ConfigError(path, text.unreadable(code))] };
  }
  return parseEnv(source, path, outer);
}

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\', $: '$' };

/**
 * Dotenv syntax: `NAME=value`, `export NAME=value`, comments, 'as it stands', "with \n and \"", both over several lines, `${NAME}` and
 * `${NAME:-default}` outside of single quotes. A line that is none of these is a problem and is skipped; the last of equal names counts.
 */
export function parseEnv(source: string, path: string, outer: Readonly<Record<string, string | undefined>> = {}): EnvReading {
  const variables: Record<string, string> = {};
  const problems: ConfigError[] = [];
  const input = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const refer = (value: string): string =>
    value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (whole, name: string, otherwise?: string) => {
      return outer[name] ?? variables[name] ?? otherwise ?? whole;
    });
  let at = 0;
  let line = 1;
  while (at < input.length) {
    const lineEnd = endOfLine(input, at);
    const start = input.slice(at, lineEnd);
    const match = ASSIGNMENT.exec(start);
    let next = lineEnd + 1;
    if (match !== null) {
      const name = match[1] as string;
      const rest = at + match[0].length;
      const quote = input[rest];
      if (quote === '"' || quote === "'") {
        const close = closingQuote(input, rest);
        if (close === undefined) problems.push(new ConfigError(path, text.envQuote(name), { line }));
        else {
          const inside = input.slice(rest + 1, close);
          variables[name] =
            quote === "'" ? inside : refer(inside).replace(/\\([nrt"'\\$])/g, (_whole, letter: string) => ESCAPES[letter] as string);
          next = endOfLine(input, close) + 1;
        }
      } else
        variables[name] = refer(
          input
            .slice(rest, lineEnd)
            .replace(/(^|\s+)#.*$/, '')
            .trim(),
        );
    } else if (!/^\s*(#.*)?$/.test(start)) problems.push(new ConfigError(path, text.envLine, { line }));
    line += input.slice(at, next).split('\n').length - 1;
    at = next;
  }
  return { variables, problems };
}

function endOfLine(input: string, from: number): number {
  const end = input.indexOf('\n', from);
  return end === -1 ? input.length : end;
}

/** Position of the quote that closes the one at `open`; a backslash keeps a double quote open. */
function closingQuote(input: string, open: number): number | undefined {
  const quote = input[open];
  for (let at = open + 1; at < input.length; at += 1) {
    if (input[at] === '\\' && quote === '"') at += 1;
    else if (input[at] === quote) return at;
  }
  return undefined;
}

/** The variables of a run: those of the process over those of `.env`. */
export function mergeVariables(process: Readonly<Record<string, string | undefined>>, file: Variables): Variables {
  const merged: Record<string, string> = { ...file };
  for (const [name, value] of Object.entries(process)) if (value !== undefined) merged[name] = value;
  return merged;
}
