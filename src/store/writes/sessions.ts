import { StoreError } from '../../errors.ts';
import { newSessionId } from '../../session/id.ts';
import { isLegacyBranch, isLegacyReset, markers } from '../../session/lineage.ts';
import { nextLineageTitle } from '../../session/title.ts';
import type { Session, SessionId, TitleSource } from '../../session/types.ts';
import { storeWriteText } from '../../text/en/store-writes.ts';
import type { Connection } from '../connection.ts';
import { scrubText } from '../content.ts';
import { columnOr, liveSql } from '../reads/columns.ts';
import { lineageTitles, titleHolder } from '../reads/resolve.ts';
import { isStored, resumeTarget, segmentIds } from '../reads/sessions.ts';
import { all, first, readSession, sessionSelect, writeTime } from '../rows.ts';
import { demandSession, insertRow, recount, updateRow } from './rows.ts';
import { checkTitle } from './titles.ts';

export interface NewSession {
  /** Default: a fresh one. */
  id?: SessionId;
  /** Written once: a session keeps the surface it was made on (product.md 1). */
  source: string;
  model?: string;
  /** JSON object of `model_config`: model, provider, base_url … */
  modelConfig?: Readonly<Record<string, unknown>>;
  cwd?: string;
  gitRepoRoot?: string;
  gitBranch?: string;
  title?: string;
  titleSource?: TitleSource;
  /** Milliseconds; default now. */
  startedAt?: number;
  profileName?: string;
}

/**
 * Makes the row of a session. A row with the source `unknown` is a placeholder of token accounting and is taken over (state-db.md 2.2).
 *
 * @throws StoreError `refused`: the id is taken, or a title somebody gave is
 */
export function createSession(connection: Connection, wanted: NewSession): Session {
  const startedAt = wanted.startedAt ?? connection.now();
  const id = wanted.id ?? newSessionId(startedAt, (candidate) => isStored(connection, candidate));
  const title = wanted.title === undefined ? undefined : checkTitle(wanted.title);
  const titleSource = wanted.titleSource ?? 'user';
  const holder = title === undefined ? undefined : titleHolder(connection, title);
  if (holder !== undefined && titleSource === 'user') throw new StoreError('refused', storeWriteText.titleInUse(title ?? '', holder));
  const isTitled = title !== undefined && holder === undefined;
  const values = {
    source: wanted.source,
    created_source: wanted.source,
    model: wanted.model,
    model_config: JSON.stringify(wanted.modelConfig ?? {}),
    started_at: writeTime(startedAt),
    cwd: wanted.cwd,
    git_repo_root: wanted.gitRepoRoot,
    git_branch: wanted.gitBranch,
    profile_name: wanted.profileName,
    title: isTitled ? title : undefined,
    title_source: isTitled ? titleSource : undefined,
  };
  const known = first(connection, 'SELECT source FROM sessions WHERE id = ?', id);
  if (known === undefined) insertRow(connection, 'sessions', { id, ...values });
  else if (known['source'] === 'unknown') updateRow(connection, 'sessions', id, values);
  else throw new StoreError('refused', storeWriteText.sessionTaken(id));
  return demandSession(connection, id);
}

/** A handoff took the row elsewhere, or is about to: its end is not this program's to say (product.md 1). */
const handedOver = new Set(['pending', 'running', 'completed']);

/**
 * Stamps the end of a session; the first stamp wins, and a handed-over row is never stamped (state-db.md 2.3).
 * @returns whether it was stamped
 */
export function endSession(connection: Connection, id: SessionId, reason: string, at: number = connection.now()): boolean {
  const handoff = columnOr(connection, 'sessions', 'sessions', 'handoff_state');
  const row = first(connection, `SELECT ended_at, ${handoff} AS handoff FROM sessions WHERE id = ?`, id);
  if (row === undefined || row['ended_at'] !== null || handedOver.has(String(row['handoff']))) return false;
  return updateRow(connection, 'sessions', id, { ended_at: writeTime(at), end_reason: reason });
}

/**
 * Opens an ended session again: no end and no reason, prompts that were queued and never sent are retired, a lineage that was archived
 * automatically is shown again (store-v31.md B1, 2.3). Children that were told apart by the reason alone get their marker first.
 *
 * @returns whether anything was to do
 * @throws StoreError `refused` for a compressed row: its tip is the one to open
 */
export function reopenSession(connection: Connection, id: SessionId): boolean {
  const session = demandSession(connection, id);
  if (session.endReason === 'compression') {
    throw new StoreError('refused', storeWriteText.compressed(id), {
      hint: storeWriteText.compressedHint(segmentIds(connection, id).at(-1) ?? id),
    });
  }
  const retired = retireQueued(connection, id);
  const shown = unhideAutoArchived(connection, id);
  if (session.endedAt === undefined && session.endReason === undefined) return retired || shown;
  freezeChildren(connection, session);
  updateRow(connection, 'sessions', id, { ended_at: null, end_reason: null });
  return true;
}

/** Reset and branch siblings from before markers are recognised by the parent's end; without a marker they would become sub-agents. */
function freezeChildren(connection: Connection, parent: Session): void {
  if (!connection.has('sessions', 'parent_session_id') || !connection.has('sessions', 'model_config')) return;
  for (const row of all(connection, `SELECT ${sessionSelect(connection)} FROM sessions AS s WHERE s.parent_session_id = ?`, parent.id)) {
    const child = readSession(row);
    const marker = isLegacyReset(child, parent) ? '_reset_from' : isLegacyBranch(child, parent) ? '_branched_from' : undefined;
    if (marker === undefined || markers.some((name) => child.modelConfig[name] !== undefined)) continue;
    updateRow(connection, 'sessions', child.id, { model_config: JSON.stringify({ ...child.modelConfig, [marker]: parent.id }) });
  }
}

function retireQueued(connection: Connection, id: SessionId): boolean {
  if (!connection.has('messages', 'display_metadata') || !connection.has('messages', 'active')) return false;
  const sql = `UPDATE messages SET active = 0 WHERE session_id = ? AND role = 'user' AND active = 1 AND display_metadata LIKE '%"\\_queued\\_prompt"%' ESCAPE '\\'
    AND json_extract(CASE WHEN json_valid(display_metadata) THEN display_metadata ELSE '{}' END, '$._queued_prompt') = 1`;
  if (connection.statement(sql).run(id).changes === 0) return false;
  recount(connection, id);
  return true;
}

function unhideAutoArchived(connection: Connection, id: SessionId): boolean {
  if (!connection.has('sessions', 'auto_archived')) return false;
  const ids = JSON.stringify(segmentIds(connection, id));
  const row = first(
    connection,
    `SELECT count(*) FILTER (WHERE auto_archived = 1) AS automatic, count(*) FILTER (WHERE archived = 1 AND auto_archived = 0) AS byHand
      FROM sessions WHERE id IN (SELECT value FROM json_each(?))`,
    ids,
  );
  if (Number(row?.['automatic']) === 0 || Number(row?.['byHand']) > 0) return false;
  connection.statement('UPDATE sessions SET archived = 0, auto_archived = 0 WHERE id IN (SELECT value FROM json_each(?))').run(ids);
  return true;
}

/** Pins or unpins the whole lineage; a pinned one is not hidden (state-db.md 2.3). */
export function setPinned(connection: Connection, id: SessionId, isPinned: boolean): void {
  demandSession(connection, id);
  for (const segment of segmentIds(connection, id)) {
    updateRow(connection, 'sessions', segment, { pinned: isPinned ? 1 : 0, ...(isPinned ? { hidden: 0 } : {}) });
  }
}

/** Archives the whole lineage by hand, or brings it back (store-v31.md B2.5). */
export function setArchived(connection: Connection, id: SessionId, isArchived: boolean): void {
  demandSession(connection, id);
  for (const segment of segmentIds(connection, id)) {
    updateRow(connection, 'sessions', segment, { archived: isArchived ? 1 : 0, auto_archived: 0 });
  }
}

export interface SessionModel {
  model: string;
  provider?: string;
  baseUrl?: string;
}

/** Which model answers from now on; other keys of `model_config` stay as they are. */
export function setModel(connection: Connection, id: SessionId, choice: SessionModel): void {
  const { modelConfig } = demandSession(connection, id);
  const config: Record<string, unknown> = { ...modelConfig, model: choice.model };
  if (choice.provider !== undefined) config['provider'] = choice.provider;
  if (choice.baseUrl === undefined) delete config['base_url'];
  else config['base_url'] = choice.baseUrl;
  updateRow(connection, 'sessions', id, { model: choice.model, model_config: JSON.stringify(config) });
}

export interface SessionPlace {
  cwd: string;
  gitRepoRoot?: string;
  gitBranch?: string;
}

/** Where the session works from now on. */
export function setWorkspace(connection: Connection, id: SessionId, place: SessionPlace): void {
  demandSession(connection, id);
  updateRow(connection, 'sessions', id, { cwd: place.cwd, git_repo_root: place.gitRepoRoot ?? null, git_branch: place.gitBranch ?? null });
}

export interface BranchOptions {
  /** Copied as far as here; default: all of it. */
  upToMessage?: number;
  /** Default: the next title of the lineage, from the one it is copied from. */
  title?: string;
  source: string;
  /** `/branch` ends what it leaves as `branched`; a copy of a session that is live elsewhere leaves it alone. */
  endParent?: boolean;
  id?: SessionId;
}

/** Columns of the copied session that the branch begins with; routing, counters, costs and flags are its own. */
const inherited = ['model', 'system_prompt', 'system_prompt_hash', 'tool_names', 'cwd', 'git_branch', 'git_repo_root', 'profile_name'];

/**
 * Copies the live conversation into a new session marked `_branched_from` (state-db.md 2.4). Copies keep message_uid and timestamp
 * (store-v31.md B2.6, B4.3.5); their identity and order are left to the triggers.
 */
export function branchSession(connection: Connection, fromId: SessionId, options: BranchOptions): Session {
  const parent = resumeTarget(connection, fromId) ?? demandSession(connection, fromId);
  const now = connection.now();
  const id = options.id ?? newSessionId(now, (candidate) => isStored(connection, candidate));
  const config: Record<string, unknown> = { ...parent.modelConfig };
  for (const name of markers) delete config[name];
  config['_branched_from'] = parent.id;

  const named = options.title === undefined ? undefined : checkTitle(options.title);
  if (named !== undefined) {
    const holder = titleHolder(connection, named);
    if (holder !== undefined) throw new StoreError('refused', storeWriteText.titleInUse(named, holder));
  }
  const next = parent.title === undefined ? undefined : nextLineageTitle(parent.title, lineageTitles(connection, parent.title));
  const columns = inherited.filter((name) => connection.has('sessions', name));
  const row = first(connection, `SELECT ${columns.join(', ')} FROM sessions WHERE id = ?`, parent.id) ?? {};
  insertRow(connection, 'sessions', {
    ...Object.fromEntries(columns.map((name) => [name, row[name] ?? undefined])),
    id,
    source: options.source,
    created_source: options.source,
    parent_session_id: parent.id,
    model_config: scrubText(JSON.stringify(config)),
    started_at: writeTime(now),
    last_activity_at: writeTime(now),
    title: named ?? next,
    title_source: named !== undefined ? 'user' : next === undefined ? undefined : (parent.titleSource ?? 'user'),
  });
  copyMessages(connection, parent.id, id, options.upToMessage ?? Number.MAX_SAFE_INTEGER);
  recount(connection, id);
  if (options.endParent === true) endSession(connection, parent.id, 'branched', now);
  return demandSession(connection, id);
}

function copyMessages(connection: Connection, from: SessionId, to: SessionId, upTo: number): void {
  const left = new Set(['id', 'session_id', 'display_identity', 'display_order']);
  const names = [...(connection.shape.columns.get('messages') ?? [])].filter((name) => !left.has(name)).map((name) => `"${name}"`);
  const sql = `INSERT INTO messages (session_id, ${names.join(', ')}) SELECT ?, ${names.join(', ')} FROM messages AS m
    WHERE m.session_id = ? AND m.id <= ? AND ${liveSql(connection, 'm')} ORDER BY m.id`;
  connection.statement(sql).run(to, from, upTo);
}
