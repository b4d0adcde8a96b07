import fc from 'fast-check';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { loadConfig } from '../../src/config/load.ts';
import { dueWork, isVacuumDue, localMidnight, referenceTime, type RetentionPolicy } from '../../src/session/retention.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const hour = 3_600_000;
const day = 24 * hour;
const now = new Date(2026, 5, 15, 10, 30).getTime();
const on: RetentionPolicy = { ...DEFAULTS.sessions, autoPrune: true, autoArchive: true };

describe('the time ages are counted from', () => {
  test.each<[string, number, number | undefined, number | undefined]>([
    ['now, when somebody worked yesterday', now, now - 14 * hour, now],
    ['a day after the last work, after a holiday', now, now - 180 * day, now - 179 * day],
    ['a day after the last work, with a clock two years ahead', now + 730 * day, now - 20 * hour, now + 4 * hour],
    ['now, with a clock that is behind', now - 730 * day, now - 731 * day, now - 730 * day],
    ['none, when nothing is older than today', now, undefined, undefined],
  ])('%s', (_, at, last, expected) => {
    expect(referenceTime(at, last)).toBe(expected);
  });

  test('today begins at midnight of the place, also where that hour does not exist', () => {
    expect(new Date(localMidnight(now)).getHours()).toBe(0);
    expect(now - localMidnight(now)).toBe(10.5 * hour);
  });

  test('however far a clock jumps, nothing ages by more than a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 1, max: 400 }), (jumpDays, idleDays) => {
        const last = now - 16 * hour;
        const reference = referenceTime(now + jumpDays * day, last) as number;
        const { pruneBefore } = dueWork(on, {}, now + jumpDays * day, reference);
        const isIdle = (days: number) => now - days * day < (pruneBefore as number);
        return !isIdle(idleDays) || idleDays >= on.retentionDays - 1;
      }),
    );
  });
});

describe('what is due', () => {
  const due = (policy: Partial<RetentionPolicy>, last = {}) => dueWork({ ...on, ...policy }, last, now, now);

  test('everything, at the days that are set', () => {
    expect(due({})).toEqual({ pruneBefore: now - 90 * day, archiveBefore: now - 3 * day, eraseBefore: now - 30 * day });
  });

  test('by default only the bin lets go: history is never deleted unasked', () => {
    expect(dueWork(DEFAULTS.sessions, {}, now, now)).toEqual({ eraseBefore: now - 30 * day });
  });

  test.each<[string, Partial<RetentionPolicy>]>([
    ['0 days', { retentionDays: 0, autoArchiveDays: 0 }],
    ['no number', { retentionDays: NaN, autoArchiveDays: NaN }],
    ['endless', { retentionDays: Infinity, autoArchiveDays: Infinity }],
    ['less than nothing', { retentionDays: -1, autoArchiveDays: -1, trashDays: -1 }],
  ])('a retention of %s is off', (_, policy) => {
    expect(due(policy).pruneBefore).toBeUndefined();
    expect(due(policy).archiveBefore).toBeUndefined();
  });

  test('nothing without a time to count from', () => {
    expect(dueWork(on, {}, now, undefined)).toEqual({});
  });

  test.each<[string, object, { prunes: boolean; archives: boolean }]>([
    ['never ran', {}, { prunes: true, archives: true }],
    ['ran an hour ago', { prune: now - hour, archive: now - hour }, { prunes: false, archives: false }],
    ['ran a day ago to the minute', { prune: now - day, archive: now - day }, { prunes: true, archives: true }],
    ['ran in the future, by a clock that was wrong', { prune: now + 1, archive: now + 900 * day }, { prunes: true, archives: true }],
  ])('after a run that %s', (_, last, { prunes, archives }) => {
    const found = due({}, last);
    expect([found.pruneBefore !== undefined, found.archiveBefore !== undefined]).toEqual([prunes, archives]);
  });

  test('min_interval_hours is the pause of pruning alone', () => {
    expect(due({ minIntervalHours: 1 }, { prune: now - 2 * hour, archive: now - 2 * hour })).toEqual({
      pruneBefore: now - 90 * day,
      eraseBefore: now - 30 * day,
    });
  });
});

describe('the file is written anew', () => {
  test.each<[string, Partial<RetentionPolicy>, number | undefined, number, boolean, boolean]>([
    ['with a third of it free', {}, undefined, 0.33, false, true],
    ['not with a quarter of it free', {}, undefined, 0.25, false, false],
    ['however little is free, when words are to be gone', {}, undefined, 0, true, true],
    ['not when it was three weeks ago', {}, now - 21 * day, 0.5, true, false],
    ['when it was thirty days ago', {}, now - 30 * day, 0.5, false, true],
    ['when its stamp lies in the future', {}, now + day, 0.5, false, true],
    ['not where config.yaml says no', { vacuumAfterPrune: false }, undefined, 0.9, true, false],
  ])('%s', (_, policy, vacuum, freeShare, isErased, expected) => {
    expect(isVacuumDue({ ...on, ...policy }, vacuum === undefined ? {} : { vacuum }, now, freeShare, isErased)).toBe(expected);
  });
});

describe('a value of config.yaml that can not be used deletes nothing', () => {
  test.each(['soon', '-5', '1.5', '[1]', 'true', '"90 days"', '9e99'])('retention_days: %s', async (value) => {
    const home = temporaryFolder();
    mkdirSync(home, { recursive: true });
    writeFileSync(
      join(home, 'config.yaml'),
      `sessions:\n  auto_prune: true\n  auto_archive: true\n  retention_days: ${value}\n  auto_archive_days: ${value}\n`,
    );
    const { config, problems } = await loadConfig({ path: home, storePath: join(home, 'state.db') }, { env: {}, now });
    expect(problems.length).toBeGreaterThan(0);
    expect(dueWork(config.sessions, {}, now, now)).toEqual({ eraseBefore: now - 30 * day });
  });
});
