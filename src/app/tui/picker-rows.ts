import { HermesError, StoreError } from '../../errors.ts';
import type { SessionRow } from '../../session/types.ts';
import type { LiveHolder, SessionsAction, SessionsState } from '../../ui/screens/sessions/index.ts';
import { liveFolder } from '../../terminal/live-records.ts';
import type { Context } from './context.ts';
import { watchStore, type StoreWatch } from './store-watch.ts';

/** Where the system does not tell of changes, the store is asked that often (product.md 2: no faster than 1 s). Milliseconds. */
const pollMs = 2000;
/** While others write all the time, the reader's thread compares rows for at most half of it. */
const restPerWork = 1;

/** What `sessions browse` leaves out. */
export interface PickerOnly {
  /** Only sessions of this source. */
  readonly source?: string;
  /** No more than that many of the usual rows, the newest; pinned ones come first, beyond the limit. */
  readonly limit?: number;
}

/** The rows that `only` lets through, asked in the order of the list. */
export function createNarrowing({ source, limit = Infinity }: PickerOnly): (rows: readonly SessionRow[]) => SessionRow[] {
  let taken = 0;
  return (rows) =>
    rows.filter((row) => {
      if (source !== undefined && row.source !== source) return false;
      if (row.pinned) return true;
      if (taken >= limit) return false;
      if (row.class === 'shown') taken += 1;
      return true;
    });
}

export interface PickerRowsOptions {
  /** The list, while it is open. */
  readonly shown: () => SessionsState | undefined;
  readonly tell: (action: SessionsAction) => void;
  readonly only: () => PickerOnly;
}

/** The rows of the list: read once as a whole, then as they change, and who is live. */
export interface PickerRows {
  /** All lineages, streamed from the reader's thread; a fresh machine has none. A store that can't be read is said by the list. */
  load(token: number): Promise<void>;
  /** Looks at the store, and at who is live, until stopped. */
  watch(): void;
  /** What was changed since the last look, by this process too, is in the list when it resolves. */
  refresh(): Promise<void>;
  stop(): void;
}

export function createPickerRows(context: Context, { shown, tell, only }: PickerRowsOptions): PickerRows {
  const { store, run } = context;
  /** What the rows in the list are compared with; absent before they are read. */
  let marker: number | undefined;
  let holdersTold = '';
  let watching: StoreWatch | undefined;
  /** The comparison that is under way, and whether something changed since it began. */
  let comparing: Promise<void> | undefined;
  let isDue = false;
  let restUntil = 0;
  let resting: NodeJS.Timeout | undefined;

  /** A store that went away is said; an empty list would look as if nothing had ever been there. */
  function hadStore(): boolean {
    return marker !== undefined || context.desk.all().some((chat) => chat.seat.id() !== undefined);
  }

  async function load(token: number): Promise<void> {
    const narrow = createNarrowing(only());
    const tellRows = (rows: readonly SessionRow[], isLast: boolean): void =>
      tell({ type: 'loaded', what: 'rows', token, rows, isLast, now: run.now() });
    try {
      const list = shown();
      // With hidden kinds shown, an archived row may be all that the workspace has.
      const isUsual = list?.revealed === 'none';
      let last: readonly SessionRow[] | undefined;
      for await (const chunk of store.read.listRows(isUsual ? { workspaces: list.workspace.keys } : {})) {
        if (chunk.type === 'counts') {
          const { counts, inWorkspace } = chunk;
          marker = chunk.marker;
          tell({ type: 'loaded', what: 'counts', token, counts, ...(inWorkspace === undefined ? {} : { inWorkspace }) });
          continue;
        }
        if (last !== undefined) tellRows(last, false);
        last = narrow(chunk.rows);
      }
      tellRows(last ?? [], true);
      // What others wrote while the rows came.
      await refresh();
    } catch (error) {
      if (error instanceof StoreError && error.trouble === 'missing' && !hadStore()) return tellRows([], true);
      if (!(error instanceof HermesError)) throw error;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      tell({ type: 'failed', what: 'rows', token, message: error.message, ...hint });
    }
  }

  /** One comparison at a time; what changes meanwhile is found by the next. */
  function refresh(): Promise<void> {
    isDue = true;
    comparing ??= compareUntilDone().finally(() => {
      comparing = undefined;
    });
    return comparing;
  }

  async function compareUntilDone(): Promise<void> {
    while (isDue) {
      isDue = false;
      const startedAt = performance.now();
      await compare();
      const endedAt = performance.now();
      restUntil = endedAt + (endedAt - startedAt) * restPerWork;
    }
  }

  async function compare(): Promise<void> {
    const list = shown();
    // Rows that are on their way are as new as can be.
    if (list === undefined || list.loading.state === 'loading') return;
    try {
      const changes = marker === undefined ? undefined : await store.read.changedRows(marker);
      if (changes === undefined) {
        if (marker !== undefined || (await store.dataVersion()) !== 0) tell({ type: 'reload' });
        return;
      }
      const { source } = only();
      const rows = createNarrowing(source === undefined ? {} : { source })(changes.rows);
      if (rows.length + changes.removed.length > 0) tell({ type: 'rows-changed', rows, removed: changes.removed, now: run.now() });
    } catch (error) {
      // The next look tries again; a store that stays unreadable is said by the list itself when it is opened.
      context.log.error('picker-refresh', error);
    }
  }

  /** Somebody wrote: looked at once, unless the last look was just now and took long. */
  function noticed(): void {
    tellHolders(false);
    const wait = restUntil - performance.now();
    if (wait <= 0) void refresh();
    else {
      resting ??= setTimeout(() => {
        resting = undefined;
        void refresh();
      }, wait).unref();
    }
  }

  /** Who is live, unless the list shows just that: no frame is made for no news. */
  function tellHolders(isAnew: boolean): void {
    const holders = liveHolders(context);
    const told = JSON.stringify(holders);
    if (!isAnew && told === holdersTold) return;
    holdersTold = told;
    tell({ type: 'live-changed', holders });
  }

  return {
    load,
    refresh,
    watch() {
      tellHolders(true);
      watching ??= watchStore(run.home.storePath, { folders: [liveFolder(run.home.path)], pollMs, changed: noticed });
    },
    stop() {
      watching?.stop();
      watching = undefined;
      clearTimeout(resting);
      resting = undefined;
    },
  };
}

function liveHolders({ register }: Context): LiveHolder[] {
  return register.read().records.flatMap((record) =>
    record.sessions.map((session) => ({
      id: session.id,
      where: record.label,
      pid: record.pid,
      since: session.since,
      isOurs: record.pid === register.self.pid && record.start === register.self.start && record.host === register.self.host,
      isWorking: session.state === 'working',
    })),
  );
}
