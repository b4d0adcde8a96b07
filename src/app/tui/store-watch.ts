import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';

/** Changes that come closer together than this are one: a commit touches the log several times. Milliseconds. */
const gatherMs = 30;

export interface StoreWatch {
  stop(): void;
}

/**
 * Calls `changed` when the store's file, or its log, was written to: by the kernel's word where there is one (inotify, FSEvents; a write
 * of another process is told within a millisecond), and every `pollMs` in any case, since disks of other machines tell nothing and a
 * machine can run out of watches.
 *
 * @param folders looked at besides the store's own; any change in them counts (the live register)
 */
export function watchStore(
  storePath: string,
  options: { readonly folders: readonly string[]; readonly pollMs: number; readonly changed: () => void },
): StoreWatch {
  const names = new Set([path.basename(storePath), `${path.basename(storePath)}-wal`, `${path.basename(storePath)}-journal`]);
  const watchers: FSWatcher[] = [];
  let gathering: NodeJS.Timeout | undefined;

  function gather(): void {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      options.changed();
    }, gatherMs).unref();
  }

  function look(folder: string, isMeant: (name: string | null) => boolean): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (isMeant(name)) gather();
      });
      // A folder that went away, a disk that was taken off: the poll goes on.
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // The folder is not there yet, or the system has no watch left: the poll finds the change, only later.
    }
  }

  look(path.dirname(storePath), (name) => name === null || names.has(name));
  for (const folder of options.folders) look(folder, () => true);
  const poll = setInterval(options.changed, options.pollMs).unref();
  return {
    stop() {
      clearInterval(poll);
      clearTimeout(gathering);
      for (const watcher of watchers) watcher.close();
    },
  };
}
