import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readPlainFile } from '../text/plain-file.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import { isSecret, parseYaml, type ParsedConfig } from './parse-yaml.ts';

/** `newer`: written by a newer hermes, left alone. `off`: not kept, because a key would be copied or the home is not ours to write. */
export type CacheUse = 'hit' | 'written' | 'newer' | 'off';

/*
 * `<home>/tui/config-cache.json`: {v: 2, file: {mtime, ctime, size, inode}, parsed}. Importing a YAML parser costs about 60 ms, a third of a
 * start; this file costs a tenth of a millisecond. It may be deleted at any time. API keys are not in it: it says where in config.yaml they
 * stand, which holds as long as the file is the same, and otherwise the cache doesn't count.
 */
const VERSION = 2;
/** A file this young may change again within the same tick of its clock, unseen: it is not cached yet. */
const SETTLED_MS = 50;

export const cachePath = (home: string): string => join(home, 'tui', 'config-cache.json');

/**
 * config.yaml, from the cache while the file is the same, else parsed and cached. Throws what reading the file throws (ENOENT, EACCES …);
 * trouble with the cache itself is no trouble.
 */
export async function readYaml(
  path: string,
  home: string,
  now: number,
): Promise<{ parsed: ParsedConfig; cache: CacheUse; source: string }> {
  const before = fingerprint(path);
  const source = readPlainFile(path);
  const kept = readCache(cachePath(home));
  if (kept !== undefined && kept !== 'newer' && JSON.stringify(kept.file) === JSON.stringify(before)) {
    return { parsed: withSecrets(kept.parsed, source), cache: 'hit', source };
  }
  const parsed = await parseYaml(source);
  if (kept === 'newer') return { parsed, cache: 'newer', source };
  const bare = withoutSecrets(parsed);
  const after = fingerprint(path);
  const isSettled = JSON.stringify(after) === JSON.stringify(before) && now - Number(BigInt(before.mtime) / 1_000_000n) > SETTLED_MS;
  if (bare === undefined || !isSettled || !isOurs(home)) return { parsed, cache: 'off', source };
  try {
    writeAtomic(cachePath(home), JSON.stringify({ v: VERSION, file: before, parsed: bare }));
    return { parsed, cache: 'written', source };
  } catch {
    // A read-only or full home: the next start parses again.
    return { parsed, cache: 'off', source };
  }
}

interface Fingerprint {
  readonly mtime: string;
  /** Can't be set by hand, as `cp -p` and `touch -d` set the other. */
  readonly ctime: string;
  readonly size: string;
  readonly inode: string;
}

function fingerprint(path: string): Fingerprint {
  const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true });
  return { mtime: String(mtimeNs), ctime: String(ctimeNs), size: String(size), inode: String(ino) };
}

function readCache(path: string): { file: unknown; parsed: ParsedConfig } | 'newer' | undefined {
  try {
    const kept = JSON.parse(readPlainFile(path)) as { v?: unknown; file?: unknown; parsed?: ParsedConfig };
    // An older one lacks sections that are read now.
    if (typeof kept.v === 'number' && kept.v < VERSION) return undefined;
    if (kept.v !== VERSION) return 'newer';
    return kept.parsed === undefined ? undefined : { file: kept.file, parsed: kept.parsed };
  } catch {
    // None yet, or damaged: parsed anew and written over.
    return undefined;
  }
}

/** A home of somebody else is not written to. */
function isOurs(home: string): boolean {
  const user = process.getuid?.();
  try {
    return user === undefined || statSync(home).uid === user;
  } catch {
    // It went away; nothing to write to.
    return false;
  }
}

/** The parsed file without its keys; absent when one would remain, or a password in an address. */
function withoutSecrets(parsed: ParsedConfig): ParsedConfig | undefined {
  const value = structuredClone(parsed.value);
  for (const { path } of parsed.secrets) setAt(value, path, '');
  return hasSecret(value) ? undefined : { ...parsed, value };
}

function withSecrets(parsed: ParsedConfig, source: string): ParsedConfig {
  for (const { path, from, to } of parsed.secrets) setAt(parsed.value, path, source.slice(from, to));
  return parsed;
}

function setAt(root: unknown, path: readonly (string | number)[], value: string): void {
  let node = root as Record<string | number, unknown> | undefined;
  for (const step of path.slice(0, -1)) node = node?.[step] as Record<string | number, unknown> | undefined;
  const last = path.at(-1);
  if (node !== undefined && last !== undefined && Object.hasOwn(node, last)) node[last] = value;
}

function hasSecret(value: unknown, key?: string): boolean {
  if (typeof value === 'string') return (key === 'api_key' && isSecret(value)) || /:\/\/[^/@\s]*:[^/@\s]*@/.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([name, child]) => hasSecret(child, name));
}
