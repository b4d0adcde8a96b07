import { statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { HermesError, StoreError } from '../../errors.ts';
import type { OpenConnection } from '../../store/connection.ts';
import { checkStore, explainFailure } from '../../store/damage.ts';
import { openForReading } from '../../store/open.ts';
import { health, turnLeases, type Health } from '../../store/reads/facts.ts';
import { isStored } from '../../store/reads/sessions.ts';
import { LAYOUT_VERSION } from '../../store/schema/create.ts';
import { isDeadHolder } from '../../store/writes/holder.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import { storeText } from '../../text/en/store.ts';
import { localTime } from '../../text/relative-time.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { formatBytes } from '../../text/format-bytes.ts';
import type { ShellContext } from '../context.ts';
import { readStore } from '../read-store.ts';
import { formatMode, othersMay } from './modes.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** What is left of a WAL after a checkpoint (state-db.md 1.3); a longer one means that none has come through for a while. */
const usualWalBytes = 67_108_864;
const lockWaitMs = 2_000;

/** Everything about state.db, by a read-only connection. Checking every page takes seconds per gigabyte. */
export function checkSessionStore(context: ShellContext, outside: Outside): Finding[] {
  const { storePath } = context.home;
  const file = statOrAbsent(storePath);
  if (file === undefined && !isHidden(storePath)) return [{ id: 'file', mark: 'ok', text: text.fresh(storePath) }];
  let connection: OpenConnection | undefined;
  try {
    // Looked at before it is opened: opening makes a -wal where there is none.
    const walBytes = statOrAbsent(`${storePath}-wal`)?.size ?? 0;
    connection = openForReading(storePath, { now: context.now, timeoutMs: lockWaitMs });
    return [
      ...checkFile(storePath, file, walBytes, connection.copiedAt !== undefined),
      ...checkAccess(storePath, file, outside),
      ...checkDisk(storePath, outside),
      ...checkContents(context, connection),
    ];
  } catch (error) {
    return [...(file === undefined ? [] : checkAccess(storePath, file, outside)), asFinding(explainFailure(error, storePath))];
  } finally {
    connection?.close();
  }
}

/** Whether the store knows this session; undefined where it can't be asked, which its own lines say. */
export function isSessionStored(context: ShellContext, id: string): boolean | undefined {
  try {
    return readStore(context, (connection) => isStored(connection, id)) ?? false;
  } catch (error) {
    if (error instanceof HermesError) return undefined;
    throw error;
  }
}

/** `newer` and `busy` are states of a sound store; anything else keeps sessions from being read or written. */
function asFinding(error: unknown): Finding {
  if (!(error instanceof StoreError)) throw error;
  if (error.trouble === 'index') return { id: 'index', mark: 'wrong', text: text.indexDamaged, hint: text.indexDamagedHint };
  const isPassing = error.trouble === 'busy' || error.trouble === 'newer' || error.trouble === 'missing';
  return { id: 'file', mark: isPassing ? 'look' : 'wrong', text: error.message, hint: error.hint };
}

function checkFile(path: string, file: Stats | undefined, walBytes: number, isCopy: boolean): Finding[] {
  const size = text.fileSize(path, formatBytes(file?.size ?? 0)) + (walBytes === 0 ? '' : text.walSize(formatBytes(walBytes)));
  const isLong = walBytes > usualWalBytes;
  return [
    { id: 'file', mark: isLong ? 'look' : 'ok', text: size, ...(isLong ? { hint: text.walHint } : {}) },
    ...(isCopy ? [{ id: 'file', mark: 'look', text: text.copy(path), hint: storeText.notWritableHint } as const] : []),
  ];
}

function checkAccess(path: string, file: Stats | undefined, { uid, canWrite }: Outside): Finding[] {
  if (file === undefined) return [];
  const mode = formatMode(file);
  if (uid !== undefined && file.uid !== uid) {
    return [{ id: 'access', mark: 'look', text: text.foreign(file.uid, mode), hint: text.foreignHint }];
  }
  if (!canWrite(path) || !canWrite(dirname(path))) {
    return [{ id: 'access', mark: 'wrong', text: storeText.notWritable(path), hint: storeText.notWritableHint }];
  }
  if (othersMay(file)) return [{ id: 'access', mark: 'look', text: text.openMode(mode), hint: text.privateHint('600', shellQuote(path)) }];
  return [{ id: 'access', mark: 'ok', text: text.ownFile(mode) }];
}

function checkDisk(path: string, outside: Outside): Finding[] {
  if (outside.isOnNetworkDisk(path)) return [{ id: 'disk', mark: 'look', text: storeText.networkNotice }];
  return [{ id: 'disk', mark: 'ok', text: text.localDisk }];
}

function checkContents(context: ShellContext, connection: OpenConnection): Finding[] {
  const facts = health(connection);
  return [
    checkLayout(facts.version),
    ...checkSoundness(connection, facts),
    ...(connection.copiedAt === undefined ? [{ id: 'journal', mark: 'ok', text: text.journal(facts.journalMode) } as const] : []),
    { id: 'contents', mark: 'ok', text: text.contents(facts.sessions, facts.messages) },
    checkLeases(context, connection),
  ];
}

function checkLayout(version: number): Finding {
  if (version > LAYOUT_VERSION) return { id: 'layout', mark: 'look', text: storeText.newerNotice(version, LAYOUT_VERSION) };
  return { id: 'layout', mark: 'ok', text: version < LAYOUT_VERSION ? text.olderLayout(version, LAYOUT_VERSION) : text.layout(version) };
}

/** Pages and search index, told apart: a damaged index can be made anew from sound tables. */
function checkSoundness(connection: OpenConnection, facts: Health): Finding[] {
  const { path } = connection;
  const checked = facts.problems.length === 0 ? ({ kind: 'ok', findings: [] } as const) : checkStore(connection);
  if (checked.kind === 'pages') {
    return [{ id: 'pages', mark: 'wrong', text: storeText.damaged(path), details: facts.problems, hint: storeText.damagedHint }];
  }
  const layout = facts.fts === 'none' ? text.noIndex : text.index(facts.fts, facts.hasTrigram);
  const pages: Finding = { id: 'pages', mark: 'ok', text: text.pagesSound };
  if (checked.kind === 'index') {
    return [{ id: 'index', mark: 'wrong', text: text.indexDamaged, details: [layout, ...facts.problems], hint: text.indexDamagedHint }];
  }
  if (facts.isFtsStale) return [{ id: 'index', mark: 'look', text: text.staleIndex, details: [layout], hint: text.staleIndexHint }, pages];
  const details = 'isOlderIndex' in checked && checked.isOlderIndex === true ? [text.olderTokenizer] : [];
  return [{ id: 'index', mark: facts.fts === 'none' ? 'note' : 'ok', text: layout, details }, pages];
}

function checkLeases(context: ShellContext, connection: OpenConnection): Finding {
  const now = context.now();
  const leases = [...turnLeases(connection)];
  const details = leases.map(([root, { holder, expiresAt }]) =>
    (isDeadHolder(holder) ? text.leaseDead : text.lease)(root, holder, localTime(expiresAt, now)),
  );
  return { id: 'leases', mark: 'ok', text: leases.length === 0 ? text.noLeases : text.leases(leases.length), details };
}

function statOrAbsent(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder on the way may not be looked into: `isHidden` tells that from a file that isn't there.
    return undefined;
  }
}

/** True when nobody can say whether the file is there. */
function isHidden(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
