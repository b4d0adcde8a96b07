import {} from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../text/plain-file.ts';
import { ConfigError } from '../errors.ts';
import { configText as text } from '../text/en/config.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import { THEMES } from './sections.ts';
import type { ThemeName } from './types.ts';

/** What one terminal answered, remembered for the first frame of the next start; which fields, the terminal part decides. */
export type RememberedTerminal = Readonly<Record<string, string | number | boolean>>;

/** `<home>/tui/state.json`, version 1: what `/theme` and `/mouse` set and what terminals answered. config.yaml stays untouched by them. */
export interface AppState {
  readonly theme?: ThemeName;
  readonly mouse?: boolean;
  /** By a name of the terminal that is the same at the next start (program and version, not the pane). */
  readonly terminals: Readonly<Record<string, RememberedTerminal>>;
  /** The file is damaged or of a newer version. */
  readonly problem?: ConfigError;
}

export const statePath = (home: string): string => join(home, 'tui', 'state.json');
/** Terminals remembered; the one written longest ago goes. */
const MAX_TERMINALS = 40;

type Fields = Record<string, unknown>;

/** Reads the state: synchronous, about 0.1 ms, never throws. Unknown values are as if they weren't there. */
export function readState(home: string): AppState {
  const path = statePath(home);
  const fields = readFields(path);
  if (fields === undefined) return { terminals: {} };
  if (fields === 'damaged') return { terminals: {}, problem: new ConfigError(path, text.stateDamaged) };
  if (fields['v'] !== 1) return { terminals: {}, problem: new ConfigError(path, text.stateNewer) };
  const theme = THEMES.find((name) => name === fields['theme']);
  const mouse = fields['mouse'];
  const terminals: Record<string, RememberedTerminal> = {};
  for (const [name, remembered] of Object.entries(isFields(fields['terminals']) ? fields['terminals'] : {}))
    if (isFields(remembered)) terminals[name] = pickPlain(remembered);
  return { terminals, ...(theme === undefined ? {} : { theme }), ...(typeof mouse === 'boolean' ? { mouse } : {}) };
}

/** A change: what is absent stays as it is; `terminal` is one to remember. */
export interface StateChange {
  readonly theme?: ThemeName;
  readonly mouse?: boolean;
  readonly terminal?: { readonly name: string; readonly answers: RememberedTerminal };
}

/**
 * Writes a change into the state as it stands on disk (another window may have changed it since); fields it doesn't know are kept. False:
 * a newer version's file, left alone. Throws ConfigError when it can't be written.
 */
export function writeState(home: string, { theme, mouse, terminal }: StateChange): boolean {
  const path = statePath(home);
  const found = readFields(path);
  const fields: Fields = found === undefined || found === 'damaged' ? { v: 1 } : found;
  if (fields['v'] !== 1) return false;
  const terminals: Fields = { ...(isFields(fields['terminals']) ? fields['terminals'] : {}) };
  if (terminal !== undefined) {
    // Written last = stands last; the first one goes.
    delete terminals[terminal.name];
    terminals[terminal.name] = terminal.answers;
    for (const name of Object.keys(terminals).slice(0, -MAX_TERMINALS)) delete terminals[name];
  }
  const next = { ...fields, ...(theme === undefined ? {} : { theme }), ...(mouse === undefined ? {} : { mouse }), terminals };
  try {
    writeAtomic(path, `${JSON.stringify(next)}\n`);
  } catch (error) {
    throw new ConfigError(path, text.editUnwritable((error as NodeJS.ErrnoException).code ?? ''));
  }
  return true;
}

function readFields(path: string): Fields | 'damaged' | undefined {
  try {
    const value: unknown = JSON.parse(readPlainFile(path).replace(/^\uFEFF/, ''));
    return isFields(value) ? value : 'damaged';
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? undefined : 'damaged';
  }
}

function pickPlain(fields: Fields): RememberedTerminal {
  const isPlain = (value: unknown): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string | number | boolean] => isPlain(entry[1])));
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
