import type { SearchState } from '../../ui/screens/search/index.ts';
import type { Context } from './context.ts';
import { watchStore, type StoreWatch } from './store-watch.ts';

/** Where the system does not tell of changes, the store is asked that often. Milliseconds. */
const pollMs = 1000;
/** While others write all the time, it is looked at anew no more often than that, and for at most half of the time. Milliseconds. */
const leastRestMs = 250;

export interface SearchRefresh {
  /** A search begins: what is written from here on is another reason to look. */
  began(): Promise<void>;
  /** It came to its end, however. @param tookMs how long it ran */
  ended(tookMs: number): void;
  /** Some search of this run read a store that was there. */
  hasSeenStore(): boolean;
  /** While the panel is on screen. */
  watch(): void;
  unwatch(): void;
  /** Gives up a look that is due; the watch goes on. */
  cancel(): void;
}

/** Tells the panel when other processes wrote, so that what they said is found within a second. `lookAgain` is called for a store that changed. */
export function createSearchRefresh(
  { store, run, log, track }: Pick<Context, 'store' | 'run' | 'log' | 'track'>,
  panel: { readonly shown: () => SearchState | undefined; readonly isSearching: () => boolean; readonly lookAgain: () => void },
): SearchRefresh {
  let watching: StoreWatch | undefined;
  let resting: NodeJS.Timeout | undefined;
  let restUntil = 0;
  let seenVersion: number | undefined;
  /** Somebody wrote while a search was under way. */
  let isDue = false;

  /** Somebody wrote: looked at anew, unless a search is under way or was just now. */
  function noticed(): void {
    const state = panel.shown();
    if (state === undefined || state.searching.state === 'idle') return;
    if (panel.isSearching()) {
      isDue = true;
      return;
    }
    resting ??= setTimeout(
      () => {
        resting = undefined;
        track(look());
      },
      Math.max(0, restUntil - performance.now()),
    ).unref();
  }

  async function look(): Promise<void> {
    try {
      const version = await store.dataVersion();
      if (version === seenVersion && panel.shown()?.searching.state !== 'failed') return;
      seenVersion = version;
      panel.lookAgain();
    } catch (error) {
      // The next look tries again; a store that stays unreadable is said by the next search.
      log.error('search-refresh', error);
    }
  }

  return {
    async began() {
      isDue = false;
      const version = await store.dataVersion();
      seenVersion = version === 0 ? seenVersion : version;
    },
    ended(tookMs) {
      restUntil = performance.now() + Math.max(leastRestMs, tookMs);
      if (isDue) noticed();
    },
    hasSeenStore: () => seenVersion !== undefined,
    watch() {
      watching ??= watchStore(run.home.storePath, { folders: [], pollMs, changed: noticed });
    },
    unwatch() {
      watching?.stop();
      watching = undefined;
    },
    cancel() {
      clearTimeout(resting);
      resting = undefined;
    },
  };
}
