import DatabaseConstructor from 'better-sqlite3';
import { HermesError, StoreError } from '../../errors.ts';
import { binText } from '../../text/en/bin.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { failureCode, isBusy, isIndexDamage } from '../damage.ts';

/** Failures of which it is known that they are the store's, though the bin was at work too. */
const ofStore = new WeakSet();

/**
 * Runs work on the store in the midst of work on the bin, so that its failures stay the store's: a search index that is damaged is made anew then,
 * and nobody is told to move the bin away. What `inBin` was said about before stays so.
 */
export function inStore<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && !ofBin.has(error)) ofStore.add(error);
    throw error;
  }
}

/** Failures of the bin inside of work on the store. */
const ofBin = new WeakSet();

/** Rows of the bin, read in the midst of work on the store. */
export function* inBin<Row>(rows: Iterable<Row>): Generator<Row, void, undefined> {
  try {
    yield* rows;
  } catch (error) {
    if (error instanceof Error) ofBin.add(error);
    throw error;
  }
}

/**
 * What went wrong with the bin at `path`, said as such: the same failure of the store would stop all writing. A failure of the store is given
 * back as it is.
 */
export function explainBinFailure(error: unknown, path: string): unknown {
  if (error instanceof HermesError || !(error instanceof Error) || ofStore.has(error) || isIndexDamage(error)) return error;
  const trouble = (kind: StoreError['trouble'], message: string, hint: string) => new StoreError(kind, message, { hint, cause: error });
  const unreadable = (message: string) => trouble('unreadable', message, binText.moveAway(shellQuote(path)));
  // What the bin wrote of an entry is JSON.
  if (error instanceof SyntaxError) return unreadable(binText.damaged(path));
  const code = failureCode(error);
  if (code === undefined) return error;
  if (isBusy(error)) return trouble('busy', binText.busy(path), binText.busyHint);
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return trouble('full', binText.full(path), binText.fullHint);
  // Rows are copied from the store by the bin's own statements.
  if (code.startsWith('SQLITE_CORRUPT') && !ofBin.has(error) && isSound(path)) return error;
  if (/^(SQLITE_CORRUPT|SQLITE_NOTADB|SQLITE_IOERR|EIO)/.test(code)) return unreadable(binText.damaged(path));
  if (/^(SQLITE_READONLY|SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_AUTH|E[A-Z]+$)/.test(code)) {
    return trouble('readonly', binText.notOpened(path), binText.notOpenedHint);
  }
  if (code === 'SQLITE_ERROR' && /^no such (table|column): (?!state\.)/.test(error.message)) return unreadable(binText.foreign(path));
  return error;
}

function isSound(path: string): boolean {
  try {
    const db = new DatabaseConstructor(path, { fileMustExist: true, readonly: true });
    try {
      return db.pragma('quick_check(1)', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch {
    // It can't even be opened.
    return false;
  }
}
