import { createHash } from 'node:crypto';
import { constants, lstatSync, mkdirSync, statSync, type Stats } from 'node:fs';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HermesError } from '../errors.ts';
import { exportText as text } from '../text/en/export.ts';
import { draftPath, sweepDrafts } from './left-drafts.ts';
import type { Output } from './types.ts';

/** A file that appears under its name whole, or not at all. */
export interface Target extends Output {
  readonly path: string;
  /**
   * Gives the file its name, on disk.
   * @returns SHA-256 of its bytes, hex, where `hash` was asked for
   * @throws HermesError `export-exists` when somebody else took the name meanwhile
   */
  commit(): Promise<string>;
  /** Takes away what was written; nothing after `commit`. */
  discard(): Promise<void>;
}

export interface TargetOptions {
  /** Bytes are hashed as they are written; without it `commit` answers with an empty text. */
  readonly hash?: boolean;
  /** Replaces what has the name, if that is a file or a symbolic link (the link itself, never what it points to). */
  readonly force: boolean;
}

/** Bytes that are collected before they are handed to the system; two such buffers, one filled while the other is written. */
const bufferBytes = 1024 * 1024;
/** UTF-8 bytes of one UTF-16 unit, at most. */
const bytesPerUnit = 3;
/** Folders in which this process looked for what killed exports left. */
const swept = new Set<string>();

/**
 * Begins a file of mode 0600 under a name nobody looks for, in the folder of `path`; folders that are missing are made 0700.
 * @throws HermesError `export-exists`, `export-failed`
 */
export async function openTarget(path: string, options: TargetOptions): Promise<Target> {
  const folder = dirname(path);
  const draft = draftPath(folder);
  return explained(path, async () => {
    demandFree(path, options);
    makeFolder(folder);
    // The name is new, and a link planted under it would be refused.
    const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
    if (!swept.has(folder)) sweepDrafts(folder, (await handle.stat()).mtimeMs);
    swept.add(folder);
    return makeTarget(path, draft, handle, options);
  });
}

function makeTarget(path: string, draft: string, handle: FileHandle, { force, hash: isHashed = false }: TargetOptions): Target {
  const hash = createHash('sha256');
  let filling = Buffer.allocUnsafe(bufferBytes);
  let writing = Buffer.allocUnsafe(bufferBytes);
  let used = 0;
  let pending: Promise<unknown> = Promise.resolve();
  let isDone = false;

  /** Starts writing what is collected, once what went before is written. */
  const flush = async (): Promise<void> => {
    await pending;
    const bytes = filling.subarray(0, used);
    [filling, writing] = [writing, filling];
    used = 0;
    pending = writeWhole(handle, bytes);
    // Its failure is thrown by whoever waits for it next.
    pending.catch(() => undefined);
    if (isHashed) hash.update(bytes);
  };

  return {
    path,
    write(piece) {
      const most = piece.length * bytesPerUnit;
      if (most <= bufferBytes - used) {
        used += filling.write(piece, used);
        return used > bufferBytes * 0.9 ? explained(path, flush) : undefined;
      }
      return explained(path, async () => {
        for (const bytes of slices(Buffer.from(piece, 'utf8'))) {
          if (bytes.byteLength > bufferBytes - used) await flush();
          used += bytes.copy(filling, used);
        }
      });
    },
    async commit() {
      await explained(path, async () => {
        await flush();
        await pending;
        await handle.sync();
        await handle.close();
        await publish(draft, path, force);
        isDone = true;
      });
      return isHashed ? hash.digest('hex') : '';
    },
    async discard() {
      if (isDone) return;
      isDone = true;
      await pending.catch(() => undefined);
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.byteLength; at += bufferBytes) yield bytes.subarray(at, at + bufferBytes);
}

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Without `force` a hard link gives the name, which fails where the name is taken, at whatever moment it was. */
async function publish(draft: string, path: string, force: boolean): Promise<void> {
  if (force) {
    demandFree(path, { force });
    return rename(draft, path);
  }
  try {
    await link(draft, path);
    await rm(draft);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error))) throw error;
    // A disk without hard links: claim the name, then replace the claim.
    await (await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)).close();
    await rename(draft, path);
  }
}

/** No `force` replaces a device, a pipe or a directory, nor a link to one: as root, `/dev/stdout` would be gone for everybody. */
function demandFree(path: string, { force }: Pick<TargetOptions, 'force'>): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const meant = found.isSymbolicLink() ? statAt(path) : found;
  if (meant !== undefined && !meant.isFile()) throw new HermesError('export-refused', text.notAFile(path), { hint: text.stdoutHint });
  if (!force) throw new HermesError('export-exists', text.exists(path));
}

/** What a link leads to; undefined where it leads nowhere. */
function statAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    // Gone, a circle, or behind a closed door: only the link itself is there to be replaced.
    return undefined;
  }
}

/** Makes the folder and those above it that are missing, 0700; one that is there stays as it is. @throws HermesError as `openTarget` */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    // `mkdir` calls a file of that name one that is there already.
    if (codeOf(error) === 'EEXIST') throw new HermesError('export-refused', text.notAFolder(path), { cause: error });
    throw failure(path, error);
  }
}

/**
 * Adds whole lines to a file of ours, or begins it (0600). A symbolic link there is not followed; a line that was cut off is ended first.
 * @throws HermesError `export-failed`, `export-refused`
 */
export async function appendLines(path: string, lines: string): Promise<void> {
  await explained(path, async () => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw new HermesError('export-refused', text.notAFile(path));
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(path, flags, 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      await handle.write(size > 0 && last[0] !== 0x0a ? `\n${lines}` : lines);
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? '');

/** One sentence for what a disk may answer. */
async function explained<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (error instanceof HermesError || !/^E[A-Z0-9]+$/.test(code)) return error;
  if (code === 'EEXIST') return new HermesError('export-exists', text.exists(path), { cause: error });
  return new HermesError('export-failed', sentence(path, code), { cause: error, hint: text.nothingLeft });
}

function sentence(path: string, code: string): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return text.noRoom(path);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return text.noPermission(path);
  if (code === 'ELOOP') return text.isLink(path);
  if (code === 'ENOTDIR') return text.notAFolder(dirname(path));
  if (code === 'ENOENT') return text.noFolder(path);
  if (code === 'ENAMETOOLONG') return text.nameTooLong(path);
  return text.failed(path, code);
}
