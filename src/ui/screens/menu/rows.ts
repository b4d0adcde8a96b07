import { commands, type CommandId, type CommandSpec, type Group, type Scope } from '../../../commands/table.ts';
import type { KeyEvent, TextEvent } from '../../../terminal/input-event.ts';
import { formatKey, keymapOf, type Key, type Keymap, type KeyOverrides } from '../../keymap.ts';

/** One command as a list shows it. */
export interface CommandRow {
  readonly id: CommandId;
  readonly name: string;
  readonly summary: string;
  /** Labels of the keys that really run it now, the first is shown first. */
  readonly keys: readonly string[];
  /** `/title`; absent where it has none. */
  readonly slash?: string;
  /** Why it can't run now. */
  readonly reason?: string;
}

/** The screen the rows are for, as it is at the moment. */
export interface RowSource {
  readonly scopes: readonly Scope[];
  disabledReason(id: CommandId): string | undefined;
  readonly overrides?: KeyOverrides;
  /** Arrows as words. */
  readonly plain?: boolean;
}

/** What a person looks for first stands first; the editing keys, which most know, come last. */
const groupOrder: readonly Group[] = ['Conversation', 'Sessions', 'Reading', 'Lists', 'Program', 'Writing', 'Shell'];
const specs = commands as readonly (CommandSpec & { id: CommandId })[];

/**
 * Every action of a screen: all commands with a key in one of its scopes, and in the conversation also those that have only a name and
 * those of its empty line (elsewhere that line is a filter, and only `?` counts on it).
 * A command whose key another one takes here is listed without a key, so that it can be run all the same.
 */
export function menuRows(source: RowSource): CommandRow[] {
  const keymap = keymapOf(source.overrides);
  const isChat = source.scopes.includes('chat');
  const isListed = (spec: CommandSpec & { id: CommandId }): boolean =>
    spec.id !== 'app.help' &&
    (keymap.keysOf(spec.id).some(({ scope }) => source.scopes.includes(scope) && (isChat || scope !== 'empty-line')) ||
      (isChat && spec.surfaces.includes('palette')));
  return specs
    .filter(isListed)
    .sort((a, b) => groupOrder.indexOf(a.group) - groupOrder.indexOf(b.group))
    .map((spec) => toRow(spec, source, keymap));
}

/** Every command that has a name of its own, in the order of the table. */
export function paletteRows(source: RowSource): CommandRow[] {
  const keymap = keymapOf(source.overrides);
  return specs.filter((spec) => spec.surfaces.includes('palette')).map((spec) => toRow(spec, source, keymap));
}

function toRow(spec: CommandSpec & { id: CommandId }, source: RowSource, keymap: Keymap): CommandRow {
  const reason = source.disabledReason(spec.id);
  const slash = spec.slash?.[0];
  return {
    id: spec.id,
    name: spec.name,
    summary: spec.summary,
    keys: workingKeys(spec.id, source, keymap),
    ...(slash === undefined ? {} : { slash: `/${slash}` }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function workingKeys(id: CommandId, source: RowSource, keymap: Keymap): string[] {
  const labels = new Set<string>();
  for (const { scope, key } of keymap.keysOf(id)) {
    if (!source.scopes.includes(scope) || keymap.resolve(source.scopes, eventOf(key)) !== id) continue;
    labels.add(formatKey(key, source.plain === true ? { plain: true } : {}));
  }
  return [...labels];
}

function eventOf(key: Key): KeyEvent | TextEvent {
  const isText = [...key.name].length === 1 && !key.ctrl && !key.alt;
  return isText ? { type: 'text', text: key.name } : { type: 'key', ...key };
}
