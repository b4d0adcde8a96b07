import { chmodSync, realpathSync } from 'node:fs';
import { readPlainFile } from '../text/plain-file.ts';
import type { Document, Pair, Scalar, YAMLMap } from 'yaml';
import { ConfigError } from '../errors.ts';
import { loadYaml } from './load-yaml.ts';
import { configText as text } from '../text/en/config.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import { diffLines, type DiffLine } from './diff-lines.ts';

/** A change of config.yaml that was worked out and not yet written. */
export interface ConfigEdit {
  readonly path: string;
  /** Text of the file; empty when there is none yet. */
  readonly before: string;
  readonly after: string;
  /** Lines that change, with one unchanged line around each; empty = nothing changes. */
  readonly lines: readonly DiffLine[];
}

/** What `model:` shall say; an undefined field is left as it is, null takes it away. */
export interface ModelChange {
  readonly model: string;
  readonly provider?: string | null;
  readonly baseUrl?: string | null;
  readonly apiMode?: string | null;
}

/**
 * Works out how config.yaml changes so that `model` is the default (`/model --save`, first set-up). Comments, order and all other lines stay
 * as they are. Reads the file, writes nothing. Throws ConfigError when the file can't be read or is not valid YAML.
 */
export async function proposeModelChange(path: string, change: ModelChange): Promise<ConfigEdit> {
  const before = readText(path);
  const { parseDocument, isMap, isScalar } = await loadYaml();
  const parse = (source: string): Document.Parsed => parseDocument(source, { logLevel: 'silent' });
  const document = parse(before);
  const broken = document.errors[0];
  if (broken !== undefined) {
    const line = before.slice(0, broken.pos[0]).split('\n').length;
    throw new ConfigError(path, text.editBroken, { line, hint: text.editBrokenHint });
  }
  const model = document.get('model', true);
  const isPlain = !isMap(model);
  const nameKey = !isPlain && !model.has('default') && model.has('model') ? 'model' : 'default';
  const fields: [string, string | null | undefined][] = [
    [nameKey, change.model],
    ['provider', change.provider],
    ['base_url', change.baseUrl],
    ['api_mode', change.apiMode],
  ];
  const set = fields.filter((field): field is [string, string] => typeof field[1] === 'string');
  const remove = fields.filter(([, value]) => value === null).map(([key]) => key);

  // What the result must say, whichever way it is written.
  const wanted = parse(before);
  if (isPlain && set.length === 1) wanted.set('model', change.model);
  else {
    if (isPlain) wanted.set('model', wanted.createNode({}));
    for (const key of remove) wanted.deleteIn(['model', key]);
    for (const [key, value] of set) wanted.setIn(['model', key], value);
  }
  const spliced = splice();
  const isRight = spliced !== undefined && says(parse(spliced)) === says(wanted);
  const after = isRight ? spliced : wanted.toString({ lineWidth: 0 });
  return {
    path,
    before,
    after,
    lines: before === after ? [] : diffLines(before, after).filter((line, at, all) => !isLastBlank(line, at, all)),
  };

  function says(of: Document): string {
    return of.errors.length > 0
      ? 'broken'
      : JSON.stringify(of.toJS(), (_key, value: unknown) => (isFields(value) ? sortKeys(value) : value));
  }

  /** The text with only the lines concerned changed; absent where `model` is written in a way that needs rewriting (flow style, anchors). */
  function splice(): string | undefined {
    const ending = before === '' || before.endsWith('\n') ? '' : '\n';
    if (isPlain) {
      const block =
        set.length === 1
          ? `model: ${quote(change.model)}\n`
          : `model:\n${set.map(([key, value]) => `  ${key}: ${quote(value)}\n`).join('')}`;
      const pair = pairOf(document.contents as YAMLMap | null, 'model');
      if (pair === undefined) return document.contents === null && before.trim() === '...' ? undefined : `${before}${ending}${block}`;
      const range = (pair.value as Scalar | null)?.range;
      if (set.length === 1 && isScalar(pair.value) && range) return replaceRange(before, range[0], range[1], quote(change.model));
      const start = (pair.key as Scalar).range?.[0];
      if (start === undefined || !range) return undefined;
      return replaceRange(before, start, range[1], block.trimEnd());
    }
    if (model.flow === true || remove.length > 0) return undefined;
    let result = before;
    // From the last to the first, so that places found before stay right.
    const edits = set.map(([key, value]): [number, number, string] | undefined => {
      const range = (pairOf(model, key)?.value as Scalar | undefined)?.range;
      if (range) return [range[0], range[1], quote(value)];
      // A field to add comes below the name, in its indentation; where there is no name yet, above the first field.
      const name = pairOf(model, nameKey);
      const anchor = name ?? model.items[0];
      const start = (anchor?.key as Scalar | undefined)?.range?.[0];
      const valueEnd = (name?.value as Scalar | undefined)?.range?.[1];
      if (start === undefined) return undefined;
      const indent = before.slice(before.lastIndexOf('\n', start - 1) + 1, start);
      if (valueEnd === undefined) return [start, start, `${key}: ${quote(value)}\n${indent}`];
      const lineEnd = before.indexOf('\n', valueEnd) === -1 ? before.length : before.indexOf('\n', valueEnd);
      return [lineEnd, lineEnd, `\n${indent}${key}: ${quote(value)}`];
    });
    for (const edit of edits.reverse().sort((a, b) => (b?.[0] ?? 0) - (a?.[0] ?? 0))) {
      if (edit === undefined) return undefined;
      result = replaceRange(result, ...edit);
    }
    return result;
  }
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortKeys(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function pairOf(map: YAMLMap | null, key: string): Pair | undefined {
  return map?.items?.find((pair) => (pair.key as Scalar | null)?.value === key);
}

function replaceRange(source: string, from: number, to: number, insert: string): string {
  return source.slice(0, from) + insert + source.slice(to);
}

/** As plain text where YAML 1.1 and 1.2 both read it as that text, else in double quotes. */
function quote(value: string): string {
  const isPlain = /^[A-Za-z][\w./-]*(:[\w./-]+)*$/.test(value) && !/^(true|false|yes|no|on|off|null|y|n)$/i.test(value);
  return isPlain ? value : JSON.stringify(value);
}

function isLastBlank(line: DiffLine, at: number, all: readonly DiffLine[]): boolean {
  return at === all.length - 1 && line.text === '';
}

/**
 * Writes a proposed change: at once, 0600, through a symbolic link into the file it points to. Throws ConfigError when the file is not any
 * more what the change was worked out from, or can't be written.
 */
export function applyConfigEdit(edit: ConfigEdit): void {
  if (readText(edit.path) !== edit.before) throw new ConfigError(edit.path, text.editChanged, { hint: text.editChangedHint });
  if (edit.after === edit.before) return;
  try {
    const target = edit.before === '' ? edit.path : realpathSync(edit.path);
    writeAtomic(target, edit.after);
    chmodSync(target, 0o600);
  } catch (error) {
    throw new ConfigError(edit.path, text.editUnwritable((error as NodeJS.ErrnoException).code ?? ''));
  }
}

function readText(path: string): string {
  try {
    return readPlainFile(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new ConfigError(path, text.unreadable(code));
  }
}
