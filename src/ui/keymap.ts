import { commands } from '../commands/table.ts';
import type { CommandId, CommandSpec, Scope } from '../commands/table.ts';
import type { KeyEvent, TextEvent } from '../terminal/input-event.ts';
import { letterOfJamo } from './hangul-keys.ts';
import { canonicalKey, formatKey, isSequenceStart, parseKey } from './key-notation.ts';
import type { Key } from './key-notation.ts';

export { canonicalKey, formatKey, parseKey } from './key-notation.ts';
export type { Key } from './key-notation.ts';

/** `tui.keys` of config.yaml: command id → one key, or several with spaces between. */
export type KeyOverrides = Readonly<Record<string, string>>;

/** What is wrong with one line of `tui.keys`; that line is left out, the rest counts. Said by `text/en/keys.ts`. */
export type KeyProblem =
  | { readonly kind: 'unknown-command'; readonly id: string }
  | { readonly kind: 'bad-key'; readonly id: string; readonly key: string }
  /** The terminal could send it as the beginning of a sequence. */
  | { readonly kind: 'sequence-start'; readonly id: CommandId; readonly key: string }
  /** Alt is ESC and a letter: a slow connection could turn Esc and a letter into it, so nothing that deletes or closes hangs on it. */
  | { readonly kind: 'dangerous-alt'; readonly id: CommandId; readonly key: string }
  | { readonly kind: 'clash'; readonly id: CommandId; readonly other: CommandId; readonly key: string; readonly scope: Scope };

export interface HintOptions {
  /** The terminal answered the kitty keyboard query: it tells Shift+Enter from Enter. */
  readonly kittyKeys?: boolean;
  /** Arrows as words. */
  readonly plain?: boolean;
}

export interface Keymap {
  /** The command of a key in the innermost scope that binds it. Text counts only if it is a single character. */
  resolve(scopes: readonly Scope[], event: KeyEvent | TextEvent): CommandId | undefined;
  /** How a hint writes the key that really runs the command in these scopes; undefined where none does. */
  hint(id: CommandId, scopes: readonly Scope[], options?: HintOptions): string | undefined;
  /** Every key of a command, by scope, for help and docs. */
  keysOf(id: CommandId): ReadonlyArray<{ readonly scope: Scope; readonly key: Key }>;
  readonly problems: readonly KeyProblem[];
}

/** Kitty keyboards report these as such; older ones send what the second spelling sends. */
const legacyTwins: Readonly<Record<string, string>> = { 'ctrl+i': 'tab', 'ctrl+m': 'enter', 'ctrl+[': 'escape' };

const closesOrDeletes = /(^|[.-])(delete|prune|trash|erase|close|leave|quit|cancel|back)$/u;

/** Editing keys may hang on Alt (readline's Alt+D): they can be undone with one key. */
const mayHangOnAlt = (id: string): boolean => id.startsWith('edit.') || !closesOrDeletes.test(id);

type Bindings = Map<Scope, Map<string, CommandId>>;

function bind(bindings: Bindings, scope: Scope, key: Key, id: CommandId): CommandId | undefined {
  let keys = bindings.get(scope);
  if (keys === undefined) bindings.set(scope, (keys = new Map()));
  const name = canonicalKey(key);
  const holder = keys.get(name);
  if (holder !== undefined && holder !== id) return holder;
  keys.set(name, id);
  return undefined;
}

/** The spellings under which an event may be bound, most literal first. */
function spellings(event: KeyEvent | TextEvent): string[] {
  if (event.type === 'text') {
    const { text } = event;
    if ([...text].length !== 1) return [];
    if (text === ' ') return ['space'];
    const letter = letterOfJamo(text);
    return letter === undefined ? [text] : [text, letter];
  }
  const name = canonicalKey(event);
  const found = [name];
  const letter = letterOfJamo(event.name);
  if (letter !== undefined) {
    const lower = letter.toLowerCase();
    found.push(canonicalKey({ ...event, name: lower, shift: event.shift || letter !== lower }));
  }
  const twin = legacyTwins[found.at(-1) as string];
  if (twin !== undefined) found.push(twin);
  return found;
}

interface Row {
  readonly id: CommandId;
  readonly scopes: ReadonlyArray<{ readonly scope: Scope; readonly keys: readonly string[] }>;
}

const rows: readonly Row[] = (commands as readonly CommandSpec[]).map((row) => ({
  id: row.id as CommandId,
  scopes: Object.entries(row.keys ?? {}).map(([scope, keys]) => ({ scope: scope as Scope, keys })),
}));

/** The keys of one override, or what is wrong with it. */
function readOverride(id: string, notation: string): { row: Row; keys: Key[] } | KeyProblem {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) return { kind: 'unknown-command', id };
  const keys: Key[] = [];
  for (const part of notation.split(/\s+/u).filter((each) => each !== '')) {
    const key = parseKey(part);
    if (key === undefined) return { kind: 'bad-key', id, key: part };
    if (isSequenceStart(key)) return { kind: 'sequence-start', id: row.id, key: part };
    if (key.alt && !mayHangOnAlt(id)) return { kind: 'dangerous-alt', id: row.id, key: part };
    keys.push(key);
  }
  return keys.length === 0 ? { kind: 'bad-key', id, key: notation } : { row, keys };
}

/** Joins the command table and the user's own keys. A faulty or clashing override is named in `problems` and the default stays. */
export function createKeymap(overrides: KeyOverrides = {}): Keymap {
  const problems: KeyProblem[] = [];
  const replaced = new Map<CommandId, Key[]>();
  for (const [id, notation] of Object.entries(overrides)) {
    const read = readOverride(id, notation);
    if ('kind' in read) problems.push(read);
    else replaced.set(read.row.id, read.keys);
  }

  const scopesOf = (row: Row): readonly Scope[] => (row.scopes.length === 0 ? ['global'] : row.scopes.map(({ scope }) => scope));
  const build = (): { bindings: Bindings; clash: (KeyProblem & { kind: 'clash' }) | undefined } => {
    const bindings: Bindings = new Map();
    for (const row of rows) {
      if (replaced.has(row.id)) continue;
      for (const { scope, keys } of row.scopes) for (const key of keys) bind(bindings, scope, parseKey(key) as Key, row.id);
    }
    for (const [id, keys] of replaced) {
      const row = rows.find((candidate) => candidate.id === id) as Row;
      for (const scope of scopesOf(row)) {
        for (const key of keys) {
          const other = bind(bindings, scope, key, id);
          if (other !== undefined) return { bindings, clash: { kind: 'clash', id, other, key: canonicalKey(key), scope } };
        }
      }
    }
    return { bindings, clash: undefined };
  };
  let built = build();
  while (built.clash !== undefined) {
    problems.push(built.clash);
    replaced.delete(built.clash.id);
    built = build();
  }
  const { bindings } = built;

  const lookUp = (scopes: readonly Scope[], names: readonly string[]): CommandId | undefined => {
    for (const scope of scopes) {
      const keys = bindings.get(scope);
      if (keys === undefined) continue;
      for (const name of names) {
        const id = keys.get(name);
        if (id !== undefined) return id;
      }
    }
    return undefined;
  };

  /** Every frame asks for the keys of its hints: they are read once. */
  const known = new Map<CommandId, ReturnType<Keymap['keysOf']>>();
  const keysOf: Keymap['keysOf'] = (id) => {
    let keys = known.get(id);
    if (keys === undefined) known.set(id, (keys = readKeys(id)));
    return keys;
  };
  const readKeys = (id: CommandId): ReturnType<Keymap['keysOf']> => {
    const row = rows.find((candidate) => candidate.id === id);
    if (row === undefined) return [];
    const own = replaced.get(id);
    if (own !== undefined) return scopesOf(row).flatMap((scope) => own.map((key) => ({ scope, key })));
    return row.scopes.flatMap(({ scope, keys }) => keys.map((key) => ({ scope, key: parseKey(key) as Key })));
  };

  return {
    problems,
    keysOf,
    resolve: (scopes, event) => lookUp(scopes, spellings(event)),
    hint(id, scopes, options = {}) {
      const keys = keysOf(id);
      for (const scope of scopes) {
        for (const bound of keys) {
          if (bound.scope !== scope || lookUp(scopes, [canonicalKey(bound.key)]) !== id) continue;
          const isModifiedEnter = bound.key.name === 'enter' && (bound.key.shift || bound.key.alt || bound.key.ctrl);
          if (isModifiedEnter && options.kittyKeys !== true) continue;
          return formatKey(bound.key, options.plain === undefined ? {} : { plain: options.plain });
        }
      }
      return undefined;
    },
  };
}

const noOverrides: KeyOverrides = {};
const keymaps = new WeakMap<KeyOverrides, Keymap>();

/** The keymap of these overrides, made once for each object. */
export function keymapOf(overrides: KeyOverrides = noOverrides): Keymap {
  let keymap = keymaps.get(overrides);
  if (keymap === undefined) keymaps.set(overrides, (keymap = createKeymap(overrides)));
  return keymap;
}

/** How hints write the key of a command in these scopes, or undefined where no key reaches it. */
export const hintFor = (
  id: CommandId,
  scopes: readonly Scope[],
  options: HintOptions & { readonly overrides?: KeyOverrides } = {},
): string | undefined => keymapOf(options.overrides).hint(id, scopes, options);
