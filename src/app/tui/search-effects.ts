import { HermesError, NotFoundError, StoreError } from '../../errors.ts';
import { everything } from '../../session/query.ts';
import { localSources } from '../../session/source.ts';
import type { SessionRow } from '../../session/types.ts';
import { searchText } from '../../text/en/search.ts';
import { editorValue } from '../../ui/editor/index.ts';
import { createSearch, type SearchAction, type SearchEffect, type SearchPlace, type SearchState } from '../../ui/screens/search/index.ts';
import { recallCommands, rememberCommand } from '../command-history.ts';
import type { Context, Search } from './context.ts';
import { createLooks, type LookEffects } from './look-effects.ts';
import { resumeSession } from './resume.ts';
import { createSearchRefresh } from './search-refresh.ts';

/** How far a search is, is told no more often than that: each time is a frame. Milliseconds. */
const progressMs = 200;
/** Messages before and behind the hit in the context pane. */
const around = 6;
/** Snippets that are read with the hits of a conversation. */
const firstSnippets = 24;
/** Earlier searches that are offered. */
const mostRecent = 20;

/** Carries out what the search asks for; one for each run, because the panel comes back as it was left. */
export function createSearchEffects(context: Context): Search & LookEffects & { run(effect: SearchEffect): void } {
  const { loop, store, run } = context;
  let kept: SearchState | undefined;
  /** The search that is under way, the hits and the context that are read. A newer one ends the one before. */
  const running: { [What in 'search' | 'hits' | 'context']?: AbortController | undefined } = {};
  const timers: Partial<Record<'hits' | 'context', NodeJS.Timeout>> = {};

  const tell = (action: SearchAction): void => loop().dispatch({ type: 'to', name: 'search', action });
  const shown = (): SearchState | undefined => {
    const screen = loop()
      .state()
      .stack.find((each) => each.name === 'search');
    return screen?.name === 'search' ? screen.state : undefined;
  };

  const refresh = createSearchRefresh(context, {
    shown,
    isSearching: () => running.search !== undefined,
    lookAgain: () => tell({ type: 'store-changed' }),
  });

  function begin(what: keyof typeof running): AbortSignal {
    running[what]?.abort();
    const controller = new AbortController();
    running[what] = controller;
    return controller.signal;
  }

  /** A failure that is one of ours is said by `failed`; what was ended by a newer question is no failure. */
  async function said(signal: AbortSignal, work: () => Promise<void>, failed: (error: HermesError) => SearchAction): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof HermesError)) throw error;
      tell(failed(error));
    }
  }

  /** A store that went away is said; no result would look as if nothing had ever been said. */
  const hadStore = (): boolean => refresh.hasSeenStore() || context.desk.all().some((chat) => chat.seat.id() !== undefined);

  async function search(effect: SearchEffect & { type: 'search' }): Promise<void> {
    const signal = begin('search');
    const { token, query, sort, limit, scope, place } = effect;
    const startedAt = performance.now();
    let toldAt = startedAt;
    const live = context.register.read().records.flatMap((record) => record.sessions.map((session) => session.id));
    const request = { query, sort, limit, live, ...(scope === 'workspace' ? { workspaces: place.keys } : {}) };
    await said(
      signal,
      async () => {
        await refresh.began();
        for await (const chunk of store.reading(signal).search(request)) {
          if (signal.aborted) return;
          switch (chunk.type) {
            case 'index':
              tell({ type: 'loaded', what: 'index', token, index: chunk.index });
              break;
            case 'results':
              tell({ ...chunk, type: 'loaded', what: 'results', token });
              break;
            case 'progress':
              if (performance.now() - toldAt < progressMs) break;
              toldAt = performance.now();
              tell({ ...chunk, type: 'loaded', what: 'progress', token });
              break;
            case 'done':
              tell({ type: 'loaded', what: 'done', token, lineages: chunk.lineages, hits: chunk.hits });
          }
        }
      },
      (error) => {
        // A fresh machine: nothing was ever said.
        if (error instanceof StoreError && error.trouble === 'missing' && !hadStore()) {
          tell({ type: 'loaded', what: 'results', token, results: [], lineages: 0, hits: 0 });
          return { type: 'loaded', what: 'done', token, lineages: 0, hits: 0 };
        }
        const { message, hint } = error;
        return { type: 'failed', what: 'search', token, message, ...(hint === undefined ? {} : { hint }) };
      },
    );
    if (signal.aborted) return;
    running.search = undefined;
    refresh.ended(performance.now() - startedAt);
  }

  async function loadHits(effect: SearchEffect & { type: 'load-hits' }): Promise<void> {
    const signal = begin('hits');
    const { token, rootId, id, query } = effect;
    await said(
      signal,
      async () => {
        const reading = store.reading(signal);
        const ids = (await reading.hitsIn(id, query)).map((hit) => hit.messageId);
        const { sort } = shown() ?? { sort: 'best' };
        const first = sort === 'newest' ? ids.slice(-firstSnippets) : ids.slice(0, firstSnippets);
        tell({ type: 'loaded', what: 'hits', token, rootId, ids, known: await reading.snippetsOf(first, query) });
      },
      ({ message }) => ({ type: 'failed', what: 'hits', token, message }),
    );
  }

  async function loadSnippets({ rootId, ids, query }: SearchEffect & { type: 'load-snippets' }): Promise<void> {
    if (ids.length === 0) return;
    try {
      tell({ type: 'loaded', what: 'snippets', rootId, known: await store.read.snippetsOf(ids, query) });
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'notice', text: error.message });
    }
  }

  async function loadContext({ token, messageId, query }: SearchEffect & { type: 'load-context' }): Promise<void> {
    const signal = begin('context');
    await said(
      signal,
      async () => {
        const found = await store.reading(signal).contextAround(messageId, around, query);
        if (found === undefined) tell({ type: 'failed', what: 'context', token, message: searchText.messageGone });
        else tell({ type: 'loaded', what: 'context', token, context: { messageId, messages: found.messages, ranges: found.ranges } });
      },
      ({ message }) => ({ type: 'failed', what: 'context', token, message }),
    );
  }

  /** After the cursor has rested: keys that are held down read nothing. */
  function later(what: 'hits' | 'context', restMs: number, work: () => Promise<void>): void {
    clearTimeout(timers[what]);
    timers[what] = setTimeout(() => context.track(work()), restMs);
  }

  async function loadValues(): Promise<void> {
    try {
      const values = await store.read.fieldValues();
      const sources = [...new Set([...values.source, ...localSources])];
      tell({ type: 'loaded', what: 'values', values: { ...values, source: sources } });
    } catch (error) {
      // Only completion goes without; a store that can't be read is said by the search.
      if (!(error instanceof HermesError)) throw error;
      context.log.error('search-values', error);
    }
  }

  const recent = (): string[] => {
    const searches = recallCommands(run.home.path).flatMap((line) => /^\/search\s+(\S.*)$/u.exec(line)?.[1]?.trim() ?? []);
    return [...new Set(searches)].slice(0, mostRecent);
  };

  function stop(): void {
    for (const controller of Object.values(running)) controller?.abort();
    running.search = undefined;
    for (const timer of Object.values(timers)) clearTimeout(timer);
    refresh.cancel();
  }

  /** Goes off the screen; the next time it is as it was. */
  function close(): void {
    const state = shown();
    if (state === undefined) return;
    kept = state;
    stop();
    refresh.unwatch();
    loop().dispatch({ type: 'close', name: 'search' });
  }

  const looks = createLooks(context, {
    resume(id) {
      close();
      context.picker.leave();
      context.track(resumeSession(context, id));
    },
  });

  /** What is typed in the list of sessions goes along. */
  function wordsBelow(): string | undefined {
    const top = loop().state().stack.at(-1);
    const words = top?.name === 'sessions' ? editorValue(top.state.field).trim() : '';
    return words === '' ? undefined : words;
  }

  async function openFound({ found, messageId, query, text }: SearchEffect & { type: 'open' }): Promise<void> {
    if (text.trim() !== '') rememberCommand(run.home.path, `/search ${text.trim()}`, context.log);
    try {
      const at = messageId === undefined ? {} : { messageId };
      await looks.look({ id: found.row.id, row: found.row, query, text, ...at });
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'notice', text: error.message });
    }
  }

  function runEffect(effect: SearchEffect): void {
    switch (effect.type) {
      case 'search':
        return context.track(search(effect));
      case 'stop':
        return stop();
      case 'load-hits':
        return later('hits', effect.restMs, () => loadHits(effect));
      case 'load-snippets':
        return context.track(loadSnippets(effect));
      case 'load-context':
        return later('context', effect.restMs, () => loadContext(effect));
      case 'open':
        return context.track(openFound(effect));
      case 'close':
        return close();
      case 'run':
        // The palette's other commands are for the conversation below.
        close();
        context.picker.leave();
        return context.runCommand(effect.id, '');
    }
  }

  return {
    run: runEffect,
    runLook: looks.runLook,
    adoptLook: looks.adoptLook,
    open(text) {
      const words = text ?? wordsBelow();
      const { keys, gitRoot } = context.desk.current().seat.workspace();
      const place: SearchPlace = { keys, isRepository: gitRoot !== undefined };
      // A conversation that was looked at without a search goes: what is found opens in its place.
      if (shown() === undefined) loop().dispatch({ type: 'close', name: 'look' });
      if (shown() === undefined) loop().dispatch({ type: 'open', screen: { name: 'search', state: kept ?? createSearch(place) } });
      tell({ type: 'place', place });
      tell({ type: 'shown', recent: recent(), ...(words === undefined ? {} : { text: words }) });
      refresh.watch();
      context.track(loadValues());
    },
    async look({ id, messageId, text = '', query = everything }) {
      const session = await store.read.resumeTarget(id);
      if (session === undefined) throw new NotFoundError(searchText.messageGone);
      const row: Pick<SessionRow, 'id' | 'title' | 'model' | 'cwd' | 'gitBranch'> = session;
      await looks.look({ id: session.id, row, query, text, ...(messageId === undefined ? {} : { messageId }) });
    },
    leaveLook: looks.leaveLook,
    leave() {
      looks.leaveLook();
      close();
    },
  };
}
