import { commands, type CommandId, type CommandSpec } from '../commands/table.ts';
import { nearestWords } from '../text/nearest.ts';

export type SlashLine =
  | { kind: 'message' }
  | { kind: 'command'; id: CommandId; args: string }
  /** Looks like a command, but is none: the text stays, and Enter again sends it as it is. */
  | { kind: 'unknown'; word: string; nearest: readonly string[] };

interface SlashName {
  readonly name: string;
  readonly spec: CommandSpec & { id: CommandId };
  /** The name that is shown; the others are aliases. */
  readonly isMain: boolean;
}

const names: readonly SlashName[] = (commands as readonly (CommandSpec & { id: CommandId })[]).flatMap((spec) =>
  (spec.slash ?? []).map((name, index) => ({ name, spec, isMain: index === 0 })),
);

/**
 * Reads a line as a slash command (product.md 6): one line only, and the first word is `/` and a known name, an alias or a unique prefix;
 * case does not matter. `/etc/hosts …` and anything with a second line are messages.
 */
export function parseSlash(text: string): SlashLine {
  const match = /^\/([A-Za-z][A-Za-z-]*)(?:[ \t]+(.*))?[ \t]*$/.exec(text);
  if (match === null) return { kind: 'message' };
  const word = match[1]!.toLowerCase();
  const args = (match[2] ?? '').trim();
  const exact = names.find((candidate) => candidate.name === word);
  if (exact !== undefined) return { kind: 'command', id: exact.spec.id, args };
  const ids = new Set(names.filter((candidate) => candidate.name.startsWith(word)).map((candidate) => candidate.spec.id));
  if (ids.size === 1) return { kind: 'command', id: [...ids][0]!, args };
  return { kind: 'unknown', word, nearest: nearestNames(word) };
}

export interface SlashCompletion {
  readonly name: string;
  readonly args: string;
  readonly summary: string;
  readonly id: CommandId;
}

/** What the completion list shows for the word before the caret: names that start with it, then aliases; all of them for `/` alone. */
export function completeSlash(text: string): readonly SlashCompletion[] {
  const match = /^\/([A-Za-z-]*)$/.exec(text);
  if (match === null) return [];
  const word = match[1]!.toLowerCase();
  const seen = new Set<CommandId>();
  const found: SlashCompletion[] = [];
  for (const wantsMain of [true, false]) {
    for (const { name, spec, isMain } of names) {
      if (isMain !== wantsMain || !name.startsWith(word) || seen.has(spec.id)) continue;
      seen.add(spec.id);
      found.push({ name, args: (spec.args ?? []).map((arg) => `[${arg.name}]`).join(' '), summary: spec.summary, id: spec.id });
    }
  }
  return found;
}

function nearestNames(word: string): string[] {
  const prefixed = names.filter((candidate) => candidate.name.startsWith(word)).map((candidate) => candidate.name);
  if (prefixed.length > 0) return prefixed.slice(0, 4);
  return nearestWords(
    word,
    names.map(({ name }) => name),
  );
}
