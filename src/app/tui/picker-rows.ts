import { HermesError, StoreError } from '../../errors.ts';
import type { SessionRow } from '../../session/types.ts';
import type { ChangeMarker } from '../../store/reads/list-rows.ts';
import type { LiveHolder, SessionsAction, SessionsState } from '../../ui/screens/sessions/index.ts';
import type { Context } from './context.ts';

/** The store is asked that often whether somebody changed it, while the list is open (product.md 2: no faster than 1 s). */
const refreshMs = 2000;

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
  stop(): void;
}

export function createPickerRows(context: Context, { shown, tell, only }: PickerRowsOptions): PickerRows {
  const { store, run } = context;
  /** Where the store stood when it was looked at last. */
  let version = 0;
  let marker: ChangeMarker | undefined;
  let holdersTold = '';
  let timer: NodeJS.Timeout | undefined;

  /** A store that went away is said; an empty list would look as if nothing had ever been there. */
  function hadStore(): boolean {
    return marker !== undefined || context.desk.all().some((chat) => chat.seat.id() !== undefined);
  }

  async function load(token: number): Promise<void> {
    const narrow = createNarrowing(only());
    const tellRows = (rows: readonly SessionRow[], isLast: boolean): void =>
      tell({ type: 'loaded', what: 'rows', token, rows, isLast, now: run.now() });
    try {
      version = await store.dataVersion();
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
    } catch (error) {
      if (error instanceof StoreError && error.trouble === 'missing' && !hadStore()) return tellRows([], true);
      if (!(error instanceof HermesError)) throw error;
      const hint = error.hint === undefined ? {} : { hint: error.hint };
      tell({ type: 'failed', what: 'rows', token, message: error.message, ...hint });
    }
  }

  /** What another process changed: rows that gained something, and who is live. */
  async function refresh(): Promise<void> {
    if (shown() === undefined) return;
    try {
      tellHolders(false);
      const now = await store.dataVersion();
      if (now === version || marker === undefined) return;
      version = now;
      const changed = await store.read.rowsChangedSince(marker);
      marker = changed.marker;
      if (changed.rows.length === 0) return tell({ type: 'shown' });
      const { source } = only();
      const rows = createNarrowing(source === undefined ? {} : { source })(changed.rows);
      if (rows.length > 0) tell({ type: 'rows-changed', rows, removed: [], now: run.now() });
    } catch (error) {
      // The next look tries again; a store that stays unreadable is said by the list itself when it is opened.
      context.log.error('picker-refresh', error);
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
    watch() {
      tellHolders(true);
      timer ??= setInterval(() => void refresh(), refreshMs).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
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
