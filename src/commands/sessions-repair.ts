import { rmSync, statSync } from 'node:fs';
import { StoreError } from '../errors.ts';
import { explainFailure, inspectFile } from '../store/damage.ts';
import { findNamedHolders } from '../store/holders.ts';
import { storeBytes } from '../store/housekeeping.ts';
import { openForWriting } from '../store/open.ts';
import { stats } from '../store/reads/facts.ts';
import { rebuildIndex } from '../store/rebuild-index.ts';
import { diagnose, type Diagnosis } from '../store/repair/check.ts';
import { makeMissing } from '../store/repair/missing.ts';
import { claimName, keepCopy, replaceStore } from '../store/repair/replace.ts';
import { salvage, type Salvage } from '../store/repair/salvage.ts';
import { housekeepingText as text } from '../text/en/housekeeping.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { confirm } from './ask.ts';
import type { ShellContext } from './context.ts';
import { demandAlone } from './demand-alone.ts';
import type { Flags } from './parse.ts';
import { showProgress, type Progress } from './progress.ts';

const lockWaitMs = 20_000;

/** Findings and lost sessions that are named; the rest is counted. */
const named = 20;

/** What the check came to: a diagnosis, or a file that can't even be opened. */
type Checked = Diagnosis | 'not-openable';

/**
 * `hermes sessions repair [--check-only] [--no-backup] [--yes]`. Checks every page, every index and the search index. A wrong search index is made
 * anew, as are objects of the schema that are ours to make; a copy of the store as it was is kept. From a store with damaged pages
 * everything that can be read is put into a new one, which takes its place only after a yes; the damaged one stays beside it.
 *
 * @returns 0: sound, repaired, or left as it was by a no; 1: something is wrong and stays so
 * @throws HermesError `store-held`, StoreError
 */
export async function repairStore(context: ShellContext, flags: Flags): Promise<number> {
  const path = context.home.storePath;
  const say = (line: string): void => void context.out.write(`${line}\n`);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    say(text.repairNothing(path));
    return 0;
  }
  try {
    const checked = check(context, path);
    for (const line of describe(checked)) say(line);
    if (isSound(checked)) return 0;
    if (flags['check-only'] === true) {
      say(text.checkedOnly);
      return 1;
    }
    if (checked === 'not-openable' || checked.kind === 'pages') return await replaceDamaged(context, path, flags['yes'] === true);
    return await repairInPlace(context, path, checked, flags['no-backup'] !== true);
  } catch (error) {
    throw explainFailure(error, path);
  }
}

function check(context: ShellContext, path: string): Checked {
  if (context.err.isTTY === true) context.err.write(`${text.checking(formatBytes(storeBytes(path)))}\r`);
  try {
    return diagnose(path, { now: context.now, timeoutMs: lockWaitMs });
  } catch (error) {
    const known = explainFailure(error, path);
    // An empty file, a text, another database: nothing of a store is in it.
    if (known instanceof StoreError && known.trouble === 'corrupt' && inspectFile(path) === undefined) return 'not-openable';
    throw known;
  } finally {
    if (context.err.isTTY === true) context.err.write('\u001b[K');
  }
}

function isSound(checked: Checked): boolean {
  return checked !== 'not-openable' && checked.kind === 'ok' && checked.missing.ours.length === 0 && checked.missing.foreign.length === 0;
}

function describe(checked: Checked): readonly string[] {
  if (checked === 'not-openable') return [text.damagedPages];
  const { ours, foreign } = checked.missing;
  return [
    ...(isSound(checked) ? [checked.isOlderIndex === true ? text.soundOlderIndex : text.sound] : []),
    ...(checked.kind === 'index' ? [text.damagedIndex] : []),
    ...(checked.kind === 'pages' ? [text.damagedPages] : []),
    ...checked.findings.slice(0, named).map(text.finding),
    ...(ours.length === 0 ? [] : [text.missingObjects(ours)]),
    ...(foreign.length === 0 ? [] : [text.foreignMissing(foreign)]),
  ];
}

async function repairInPlace(context: ShellContext, path: string, found: Diagnosis, keepsCopy: boolean): Promise<number> {
  const isOursToDo = found.kind === 'index' || found.missing.ours.length > 0;
  if (!isOursToDo) return 1;
  const options = { now: context.now, timeoutMs: lockWaitMs };
  const connection = openForWriting(path, options);
  try {
    if (keepsCopy) context.out.write(`${text.backup(await keepCopy(connection, `${path}.before-repair-${stamp(context.now())}`))}\n`);
    const made = makeMissing(connection);
    if (made.length > 0) context.out.write(`${text.remade(made)}\n`);
    if (found.kind === 'index') {
      rebuildIndex(connection);
      context.out.write(`${text.rebuilt(stats(connection).messages)}\n`);
    }
  } finally {
    connection.close();
  }
  const after = diagnose(path, options);
  for (const line of describe(after)) context.out.write(`${line}\n`);
  return isSound(after) ? 0 : 1;
}

/** @returns the exit code */
async function replaceDamaged(context: ShellContext, path: string, isAgreed: boolean): Promise<number> {
  demandNobodyNamed(path);
  const at = stamp(context.now());
  const fresh = claimName(`${path}.salvaged-${at}`);
  let isInPlace = false;
  try {
    const found = readWithProgress(context, path, fresh);
    for (const line of describeSalvage(found)) context.out.write(`${line}\n`);
    if (!isAgreed && !(await confirm(context, text.askReplace))) {
      context.out.write(`${text.notReplaced}\n`);
      return 0;
    }
    demandNobodyNamed(path);
    const damaged = replaceStore(path, fresh, `${path}.damaged-${at}`);
    isInPlace = true;
    context.out.write(`${text.replaced(damaged)}\n`);
    return 0;
  } finally {
    if (!isInPlace) rmSync(fresh, { force: true });
  }
}

/** Looked for without a lock: taking one could change a byte of what is damaged. */
function demandNobodyNamed(path: string): void {
  const by = findNamedHolders(path);
  if (by.length > 0) demandAlone({ kind: 'held', by }, path);
}

function readWithProgress(context: ShellContext, path: string, fresh: string): Salvage {
  let shown: { table: string; progress: Progress } | undefined;
  try {
    return salvage(path, fresh, (table, rows) => {
      if (shown?.table !== table) {
        shown?.progress.end();
        shown = { table, progress: showProgress(context, text.salvaging(table), undefined) };
      }
      shown.progress.step(rows);
    });
  } finally {
    shown?.progress.end();
  }
}

function describeSalvage(found: Salvage): readonly string[] {
  const told = found.lostSessions.slice(0, named);
  return [
    text.salvaged,
    ...found.tables.filter((one) => one.saved > 0 || one.lost !== 0).map((one) => text.salvagedTable(one.table, one.saved, one.lost)),
    ...(found.recovered.length === 0 ? [] : [text.placeholders(found.recovered.length)]),
    ...(told.length === 0 ? [] : [text.lostSessions(told, found.lostSessions.length - told.length)]),
  ];
}

/** `20260601-120000`, local time. */
function stamp(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
