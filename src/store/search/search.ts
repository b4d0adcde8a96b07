import { isEverything } from '../../session/query.ts';
import type { SessionId } from '../../session/types.ts';
import { StoreError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import { failureCode } from '../damage.ts';
import { tipCondition, type Condition } from '../reads/scope.ts';
import { tipsOf } from '../reads/select-sql.ts';
import { all, first } from '../rows.ts';
import { candidatesOf, type Candidates } from './candidates.ts';
import { createGroups } from './groups.ts';
import { indexState } from './index-state.ts';
import { createPage } from './page.ts';
import { planOf, type Plan } from './plan.ts';
import { mayMatch, mayMatchWithTitle, scanAll, scanSessions } from './scan.ts';
import { searchedSessions, type SearchedSessions } from './sessions.ts';
import { createSeen } from './seen.ts';
import { isShortCjk, textEnds } from './text-ends.ts';
import { titledSessions, type Titled } from './titles.ts';
import type { SearchChunk, SearchRequest } from './types.ts';
import { createVerifier } from './verify.ts';

/** Messages of the newest slice: enough for a page of a common word, and 5 ms to look at. */
const firstSlice = 800;
const laterSlice = 4_000;
/** Sessions with a fitting title that are looked at before the first messages, the last active ones, and with every later slice. */
const firstTitles = 300;
const laterTitles = 1_000;
/** How long nothing need be said, milliseconds. */
const silence = 120;
/** Lineages of a filter that are gone through one by one instead of asking the index. */
const fewTips = 500;

/**
 * Finds whatever a reader would call a match (src/session/match-text.ts), as it comes: titles, then messages the index knows, newest first, then a
 * look at all the others. Every message is judged by its own text, so an index that is missing, behind or damaged costs time and no result.
 *
 * Hits of a common word are ranked in slices, the newest ones first: what older slices bring stands behind, and a page that was drawn stays.
 *
 * @throws StoppedError when the caller gave up; StoreError for damage of the messages themselves
 */
export function* search(connection: Connection, request: SearchRequest): Generator<SearchChunk, void, undefined> {
  yield { type: 'index', index: indexState(connection) };
  const groups = createGroups();
  const totals = () => ({ lineages: groups.lineages, hits: groups.hits });
  if (isEverything(request.query)) {
    yield { type: 'results', results: [], ...totals() };
    yield { type: 'done', isComplete: true, ...totals() };
    return;
  }
  const plan = planOf(request.query);
  const top = Number(first(connection, 'SELECT max(id) AS id FROM messages')?.['id'] ?? 0);
  const sessions = searchedSessions(connection, request);
  const titles = titledSessions(connection, plan);
  const verifier = createVerifier(connection, plan, sessions, titles, weightsOf(connection, plan));
  const page = createPage(connection, plan, sessions);
  const seen = createSeen(top);
  const demandWanted = connection.statement('SELECT hermes_stopped()');
  let floor = 0;
  let saidAt = performance.now();

  const lookAt = (ids: readonly number[]): void => {
    demandWanted.get();
    for (let at = 0; at < ids.length; at += 500) {
      const fresh = ids.slice(at, at + 500).filter((id) => id <= top && seen.add(id));
      for (const match of verifier.verify(fresh)) groups.addHit(match, match.id >= floor ? 0 : 1);
    }
  };
  const results = (): SearchChunk => {
    saidAt = performance.now();
    return { type: 'results', results: page.build(groups.page(request.sort, request.limit), request.sort), ...totals() };
  };
  /** What there is to say after a step, not too often. */
  function* tell(backTo?: number): Generator<SearchChunk, void, undefined> {
    if (performance.now() - saidAt >= silence) yield results();
    else yield { type: 'progress', ...totals(), ...(backTo === undefined ? {} : { backTo }) };
  }
  const isEnough = (): boolean =>
    request.until === 'page' && (request.sort === 'best' ? groups.countCertain() : groups.lineages) >= request.limit;
  function* finish(isComplete: boolean): Generator<SearchChunk, void, undefined> {
    yield results();
    yield { type: 'done', isComplete, ...totals() };
  }

  const titledIds = [...titles];
  const addTitles = (from: number, to: number): void => titledIds.slice(from, to).forEach(([id, titled]) => addTitle(id, titled));
  function addTitle(id: SessionId, titled: Titled): void {
    if (!verifier.matchesTitle(id, titled)) return;
    sessions.know(id, titled);
    const place = sessions.placeOf(id);
    if (place === undefined) return;
    const typed = plan.text.wanted.map((index) => plan.text.terms[index]!.text).join(' ');
    groups.addTitle(place.rootId, id, place.isMachine, titled.folded === typed ? 2 : 1, titled.active);
  }

  addTitles(0, firstTitles);
  const few = fewSessions(connection, request, sessions);
  if (few !== undefined) {
    addTitles(firstTitles, titledIds.length);
    for (const ids of scanSessions(connection, mayMatchWithTitle(connection, plan), few)) {
      lookAt(ids);
      yield* tell();
    }
    return yield* finish(true);
  }

  const ends = plan.text.terms.some(isShortCjk) ? textEnds(connection, top) : undefined;
  let candidates: Candidates | undefined;
  let titlesDone = firstTitles;
  for (let step = 0; ; step++) {
    let slice;
    try {
      if (step === 0) candidates = candidatesOf(connection, plan, ends);
      slice = candidates?.next(step === 0 ? firstSlice : laterSlice);
    } catch (error) {
      if (!isIndexTrouble(error)) throw error;
      yield { type: 'index', index: { state: 'damaged' } };
      break;
    }
    if (slice === undefined) break;
    if (step === 0) floor = slice.downTo;
    lookAt(slice.ids);
    if (step === 0 && groups.lineages > 0) yield results();
    else yield* tell();
    if (isEnough()) return yield* finish(false);
    addTitles(firstTitles + step * laterTitles, firstTitles + (step + 1) * laterTitles);
    titlesDone = firstTitles + (step + 1) * laterTitles;
  }
  for (; titlesDone < titledIds.length; titlesDone += laterTitles) {
    addTitles(titlesDone, titlesDone + laterTitles);
    yield* tell();
  }

  for (const ids of scanSessions(connection, mayMatchWithTitle(connection, plan), helpedSessions(plan, titles))) {
    lookAt(ids);
    yield* tell();
  }
  for (const { ids, to, from, backTo } of scanAll(connection, mayMatch(connection, plan), top)) {
    lookAt(ids);
    ends?.pass(to, from);
    yield* tell(backTo);
    if (isEnough()) return yield* finish(false);
  }
  yield* finish(true);
}

/** Sessions whose title has some of the words, so that a message need not have all of them. */
function helpedSessions({ clauses }: Plan, titles: ReadonlyMap<SessionId, Titled>): SessionId[] {
  const helping = new Set(clauses.filter((clause) => clauses.length > 1 || clause.terms.length > 1).flatMap((clause) => clause.terms));
  return [...titles].filter(([, { has }]) => has.some((isThere, index) => isThere && helping.has(index))).map(([id]) => id);
}

/** The index can't answer: it contradicts itself, or needs a tokenizer this program does not have. */
function isIndexTrouble(error: unknown): boolean {
  const code = failureCode(error);
  return !(error instanceof StoreError) && code !== undefined && (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_ERROR');
}

/** Messages a word is counted in: what is more common than that says equally little. */
const countedAtMost = 4_000;
const weighedAtMost = 6;

/** How much each term says: the fewer messages have it, the more. Only their proportion matters, so a single one is not counted. */
function weightsOf(connection: Connection, plan: Plan): number[] {
  const { terms, wanted } = plan.text;
  if (wanted.length < 2 || wanted.length > weighedAtMost) return [];
  const weights: number[] = [];
  for (const index of wanted) {
    try {
      const alone = candidatesOf(connection, { ...plan, clauses: [{ terms: [index], tests: [] }] })?.next(countedAtMost);
      weights[index] = Math.log(1 + (countedAtMost * 2) / ((alone?.ids.length ?? countedAtMost) + 1));
    } catch (error) {
      if (!isIndexTrouble(error)) throw error;
      weights[index] = terms[index]!.text.length;
    }
  }
  return weights;
}

/** All sessions of the lineages that the filters leave, where they are few, the newest first; undefined where they are many. */
function fewSessions(connection: Connection, request: SearchRequest, sessions: SearchedSessions): SessionId[] | undefined {
  const tips = [tipsOf(connection, request.query), tipCondition(connection, request)].filter(
    (each): each is Condition => each !== undefined,
  );
  if (tips.length === 0) return undefined;
  const where = tips.map((each) => `(${each.sql})`).join(' AND ');
  const sql = `SELECT s.id AS id FROM sessions AS s WHERE ${where} LIMIT ${fewTips + 1}`;
  const ids = all(connection, sql, ...tips.flatMap((each) => each.values)).map((row) => String(row['id']));
  if (ids.length > fewTips) return undefined;
  const segments = new Map<SessionId, number>();
  for (const id of ids) {
    const lineage = sessions.lineageOf(id);
    for (const segment of lineage?.segments ?? []) segments.set(segment.id, lineage!.lastActive);
    segments.set(id, lineage?.lastActive ?? 0);
  }
  return [...segments].sort((a, b) => b[1] - a[1]).map(([id]) => id);
}
