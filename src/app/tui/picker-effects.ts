import { HermesError, StoreError } from '../../errors.ts';
import { buildRecap } from '../../session/recap.ts';
import type { SessionId, SessionRow } from '../../session/types.ts';
import type { ChangeMarker } from '../../store/reads/list-rows.ts';
import { pickerText } from '../../text/en/picker.ts';
import { appText } from '../../text/en/app.ts';
import { askRename } from '../../ui/screens/dialog/index.ts';
import {
  createSessions,
  loadFuzzyMatch,
  type LiveHolder,
  type SessionsAction,
  type SessionsEffect,
  type SessionsState,
} from '../../ui/screens/sessions/index.ts';
import type { Context } from './context.ts';
import { copy } from './copy.ts';
import { pickerWorkspace } from './picker-start.ts';
import { resumeSession } from './resume.ts';

/** The store is asked that often whether somebody changed it, while the list is open (product.md 2: no faster than 1 s). */
const refreshMs = 2000;
const previewExchanges = 4;

/** The list as it was left: the same filter, scope and place the next time. */
let kept: SessionsState | undefined;
let marker: ChangeMarker | undefined;
let sourceFilter: string | undefined;
/** Nothing was opened yet: closing the list ends the program. */
let isAllThereIs = false;
let previewTimer: NodeJS.Timeout | undefined;
let refreshTimer: NodeJS.Timeout | undefined;
let version = 0;
let holdersTold = '';

const isOpen = (context: Context): boolean =>
  context
    .loop()
    .state()
    .stack.some((shown) => shown.name === 'sessions');

const tell = (context: Context, action: SessionsAction): void => context.loop().dispatch({ type: 'to', name: 'sessions', action });

export function openPicker(context: Context): void {
  const workspace = pickerWorkspace(context.desk.current().seat.workspace());
  const state = kept ?? createSessions(workspace);
  context.loop().dispatch({ type: 'open', screen: { name: 'sessions', state } });
  tell(context, { type: 'workspace', workspace });
  isAllThereIs = false;
  readRows(context);
}

/** `sessions browse`: the list is all there is until something is chosen, and leaving it leaves the program. */
export function showPicker(context: Context, source?: string): void {
  isAllThereIs = true;
  sourceFilter = source;
  readRows(context);
}

/** The list is on screen: rows are read, and read again when the store changes. */
function readRows(context: Context): void {
  tell(context, { type: 'shown' });
  tellHolders(context, true);
  refreshTimer ??= setInterval(() => void refresh(context), refreshMs).unref();
}

function closePicker(context: Context): void {
  const shown = context
    .loop()
    .state()
    .stack.find((each) => each.name === 'sessions');
  if (shown?.name === 'sessions') kept = shown.state;
  clearInterval(refreshTimer);
  refreshTimer = undefined;
  clearTimeout(previewTimer);
}

export function runSessionsEffect(context: Context, effect: SessionsEffect): void {
  const { loop } = context;
  switch (effect.type) {
    case 'load-rows':
      context.track(loadRows(context, effect.token));
      return;
    case 'continue-filter':
      context.track(afterFrame().then(() => tell(context, effect)));
      return;
    case 'load-fuzzy':
      context.track(loadFuzzyMatch().then((match) => tell(context, { type: 'loaded', what: 'fuzzy', match })));
      return;
    case 'load-preview':
      clearTimeout(previewTimer);
      previewTimer = setTimeout(() => context.track(loadPreview(context, effect.token, effect.id)), effect.restMs);
      return;
    case 'load-lineage':
      context.track(loadLineage(context, effect.rootId));
      return;
    case 'resume':
      resume(context, effect);
      return;
    case 'rename':
      context.ask(askRename({ id: effect.id, title: effect.title }));
      return;
    case 'pin':
      context.track(pin(context, effect.id, effect.isPinned));
      return;
    case 'copy':
      context.track(
        copy(context, effect.text, false).then(() => tell(context, { type: 'notice', text: pickerText.copiedId(effect.text) })),
      );
      return;
    case 'close':
      closePicker(context);
      if (isAllThereIs) context.finish({ leaving: 'cancelled' });
      else loop().dispatch({ type: 'close', name: 'sessions' });
      return;
    case 'run':
      isAllThereIs = false;
      closePicker(context);
      loop().dispatch({ type: 'close', name: 'sessions' });
      loop().dispatch({ type: 'run', id: effect.id });
      return;
  }
}

const afterFrame = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** All lineages, streamed from the reader's thread; a fresh machine has none. */
async function loadRows(context: Context, token: number): Promise<void> {
  const { store, run } = context;
  const isWanted = (row: SessionRow): boolean => sourceFilter === undefined || row.source === sourceFilter;
  try {
    version = await store.dataVersion();
    let last: readonly SessionRow[] | undefined;
    const shown = context
      .loop()
      .state()
      .stack.find((each) => each.name === 'sessions');
    // With hidden kinds shown, an archived row may be all that the workspace has.
    const isUsual = shown?.name === 'sessions' && shown.state.revealed === 'none';
    for await (const chunk of store.read.listRows(isUsual ? { workspaces: shown.state.workspace.keys } : {})) {
      if (chunk.type === 'counts') {
        const { counts, inWorkspace } = chunk;
        marker = chunk.marker;
        tell(context, { type: 'loaded', what: 'counts', token, counts, ...(inWorkspace === undefined ? {} : { inWorkspace }) });
        continue;
      }
      if (last !== undefined) tell(context, { type: 'loaded', what: 'rows', token, rows: last, isLast: false, now: run.now() });
      last = chunk.rows.filter(isWanted);
    }
    tell(context, { type: 'loaded', what: 'rows', token, rows: last ?? [], isLast: true, now: run.now() });
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') {
      tell(context, { type: 'loaded', what: 'rows', token, rows: [], isLast: true, now: run.now() });
      return;
    }
    if (!(error instanceof HermesError)) throw error;
    tell(context, {
      type: 'failed',
      what: 'rows',
      token,
      message: error.message,
      ...(error.hint === undefined ? {} : { hint: error.hint }),
    });
  }
}

/** What another process changed: rows that gained something, and who is live. */
async function refresh(context: Context): Promise<void> {
  if (!isOpen(context)) return;
  const { store, run } = context;
  try {
    tellHolders(context, false);
    const now = await store.dataVersion();
    if (now === version || marker === undefined) return;
    version = now;
    const changed = await store.read.rowsChangedSince(marker);
    marker = changed.marker;
    if (changed.rows.length > 0) tell(context, { type: 'rows-changed', rows: changed.rows, removed: [], now: run.now() });
    else tell(context, { type: 'shown' });
  } catch (error) {
    // The next look tries again; a store that stays unreadable is said by the list itself when it is opened.
    context.log.error('picker-refresh', error);
  }
}

/** Who is live, unless the list shows just that: no frame is made for no news. */
function tellHolders(context: Context, isAnew: boolean): void {
  const holders = liveHolders(context);
  const told = JSON.stringify(holders);
  if (!isAnew && told === holdersTold) return;
  holdersTold = told;
  tell(context, { type: 'live-changed', holders });
}

function liveHolders(context: Context): LiveHolder[] {
  const { register } = context;
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

async function loadPreview(context: Context, token: number, id: SessionId): Promise<void> {
  const { store } = context;
  try {
    const [recap, session, tree] = await Promise.all([
      store.read.recapMessages(id, { limit: previewExchanges }),
      store.read.sessionById(id),
      store.read.lineageTree(id),
    ]);
    const tokens = session === undefined ? 0 : session.inputTokens + session.outputTokens;
    tell(context, {
      type: 'loaded',
      what: 'preview',
      token,
      preview: {
        id,
        entries: buildRecap(recap.messages, { exchanges: previewExchanges }).entries,
        segments: tree?.segments.length ?? 1,
        branches: tree?.branches.length ?? 0,
        delegates: tree?.delegates.length ?? 0,
        ...(tokens === 0 ? {} : { tokens }),
        ...(session?.costUsd === undefined ? {} : { cost: session.costUsd }),
      },
    });
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    tell(context, { type: 'notice', text: error.message });
  }
}

async function loadLineage(context: Context, rootId: SessionId): Promise<void> {
  const tree = await context.store.read.lineageTree(rootId);
  const tip = tree?.segments.at(-1)?.id;
  const members = [
    ...(tree?.segments ?? []).filter((segment) => segment.id !== tip).map((member) => ({ ...member, kind: 'segment' as const })),
    ...(tree?.branches ?? []).map((member) => ({ ...member, kind: 'branch' as const })),
    ...(tree?.delegates ?? []).map((member) => ({ ...member, kind: 'delegate' as const })),
  ];
  const previews = await context.store.read.previewOf(members.filter((member) => member.title === undefined).map((member) => member.id));
  tell(context, {
    type: 'loaded',
    what: 'lineage',
    rootId,
    members: members.map((member) => {
      const preview = previews.get(member.id);
      const { id, kind, lastActive, messageCount } = member;
      return {
        id,
        kind,
        lastActive,
        messageCount,
        ...(member.title === undefined ? {} : { title: member.title }),
        ...(preview === undefined ? {} : { preview }),
      };
    }),
  });
}

function resume(context: Context, effect: SessionsEffect & { type: 'resume' }): void {
  const { loop } = context;
  closePicker(context);
  isAllThereIs = false;
  loop().dispatch({ type: 'close', name: 'sessions' });
  context.track(resumeSession(context, effect.id));
}

async function pin(context: Context, id: SessionId, isPinned: boolean): Promise<void> {
  try {
    await context.store.write.setPinned(id, isPinned);
    tell(context, { type: 'shown' });
    tell(context, { type: 'notice', text: isPinned ? appText.pinned : appText.unpinned });
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    tell(context, { type: 'notice', text: error.message });
  }
}

/** The answer to the rename question; a refused title keeps the question open. */
export async function rename(context: Context, id: SessionId, title: string): Promise<boolean> {
  try {
    const outcome = await context.store.write.setTitle(id, title, 'user');
    tell(context, { type: 'shown' });
    tell(context, { type: 'notice', text: outcome.title === undefined ? appText.titleCleared : appText.renamed(outcome.title) });
    const chat = context.desk.current();
    if (chat.seat.id() === id) {
      const stored = await chat.seat.setTitle(title);
      if (stored !== undefined) context.desk.tell(chat, { type: 'session', session: { title: stored } });
    }
    return true;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.loop().dispatch({ type: 'to', name: 'dialog', action: { type: 'refused', message: error.message } });
    return false;
  }
}
