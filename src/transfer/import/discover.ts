import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { ForeignTool } from '../../session/foreign.ts';

export interface Places {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
}

export interface FoundLog {
  readonly tool: ForeignTool;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** A folder that could not be looked into. */
export type OnUnread = (path: string, code: string) => void;

interface LogPlace {
  folder(places: Places): string;
  /** Folders below it down to the logs, at most. */
  readonly depth: number;
  /** By the name of the file. */
  readonly isLog: RegExp;
}

const given = ({ env }: Places, name: string): string | undefined => env[name]?.trim() || undefined;

/** Where each agent keeps its logs; the sources stand with the formats. A sub-agent's log (`agent-….jsonl`) is no conversation. */
const logPlaces: Readonly<Record<ForeignTool, LogPlace>> = {
  'claude-code': {
    folder: (places) => join(given(places, 'CLAUDE_CONFIG_DIR') ?? join(places.userHome, '.claude'), 'projects'),
    depth: 1,
    isLog: /^(?!agent-).*\.jsonl$/,
  },
  'codex-cli': {
    folder: (places) => join(given(places, 'CODEX_HOME') ?? join(places.userHome, '.codex'), 'sessions'),
    depth: 4,
    isLog: /^rollout-.*\.jsonl$/,
  },
  'gemini-cli': {
    folder: (places) => join(given(places, 'GEMINI_CLI_HOME') ?? places.userHome, '.gemini', 'tmp'),
    depth: 2,
    isLog: /^session-.*\.jsonl?$/,
  },
  opencode: {
    folder: (places) => join(given(places, 'XDG_DATA_HOME') ?? join(places.userHome, '.local', 'share'), 'opencode', 'storage', 'session'),
    depth: 2,
    isLog: /^ses_.*\.json$/,
  },
  pi: {
    folder: (places) => join(given(places, 'PI_CODING_AGENT_DIR') ?? join(places.userHome, '.pi', 'agent'), 'sessions'),
    depth: 1,
    isLog: /\.jsonl$/,
  },
};

export const logFolder = (tool: ForeignTool, places: Places): string => logPlaces[tool].folder(places);

/** All logs of these agents, newest first. A folder that is not there has none. */
export function findLogs(tools: readonly ForeignTool[], places: Places, onUnread: OnUnread): FoundLog[] {
  const found = tools.flatMap((tool) => {
    const { folder, depth, isLog } = logPlaces[tool];
    return [...walk(folder(places), depth, onUnread)]
      .filter((file) => isLog.test(file.name))
      .map(({ path, stats }) => ({ tool, path, modifiedAt: stats.mtimeMs }));
  });
  return found.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.path < b.path ? -1 : 1));
}

/** Deeper than any folder of logs. */
const deepest = 12;

/** Files below a folder that may be logs or exports, in the order of their names. */
export function findFiles(folder: string, onUnread: OnUnread): string[] {
  return [...walk(folder, deepest, onUnread)].filter(({ name }) => /\.jsonl?$/.test(name)).map(({ path }) => path);
}

interface File {
  readonly path: string;
  readonly name: string;
  readonly stats: Stats;
}

/** Links are followed, but into no folder twice, since a link to a folder above would never end, and to no file twice. */
function* walk(folder: string, depth: number, onUnread: OnUnread, seen = new Set<string>()): Generator<File> {
  let names: string[];
  try {
    const real = realpathSync(folder);
    if (seen.has(real)) return;
    seen.add(real);
    names = readdirSync(folder).sort();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') onUnread(folder, code);
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    const stats = statOf(path, onUnread);
    if (stats?.isFile()) {
      const file = `${stats.dev}:${stats.ino}`;
      if (seen.has(file)) continue;
      seen.add(file);
      yield { path, name, stats };
    }
    if (stats?.isDirectory() && depth > 0) yield* walk(path, depth - 1, onUnread, seen);
  }
}

function statOf(path: string, onUnread: OnUnread): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A link that leads to itself; the other files are found.
    onUnread(path, (error as NodeJS.ErrnoException).code ?? '');
    return undefined;
  }
}
