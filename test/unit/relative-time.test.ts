import { describe, expect, it } from 'vitest';
import { baseName, tildePath } from '../../src/text/paths.ts';
import { localDate, localTime, relativeTime, shortAge } from '../../src/text/relative-time.ts';

const now = new Date(2026, 2, 31, 12, 0, 0).getTime();
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe('age in a narrow column', () => {
  it.each([
    ['this second', 0, 'now'],
    ['less than a minute', minute - 1, 'now'],
    ['one minute', minute, '1m'],
    ['59 minutes', hour - 1, '59m'],
    ['two hours', 2 * hour, '2h'],
    ['a day', day, '1d'],
    ['six days', 6 * day, '6d'],
    ['a week', 7 * day, '1w'],
    ['29 days', 29 * day, '4w'],
    ['30 days', 30 * day, '1mo'],
    ['364 days', 364 * day, '11mo'],
    ['a year', 365 * day, '1y'],
    ['two years', 731 * day, '2y'],
    ['a wrong clock, two years ahead', -730 * day, 'now'],
  ])('%s', (_, passed, text) => {
    expect(shortAge(now - passed, now)).toBe(text);
  });

  it('never takes more than four cells in the first 99 years', () => {
    for (let days = 0; days < 99 * 365; days += 1) expect(shortAge(now - days * day, now).length).toBeLessThanOrEqual(4);
  });

  it('is ? for a time that is no number', () => {
    expect(shortAge(Number.NaN, now)).toBe('?');
    expect(relativeTime(Number.NaN, now)).toBe('?');
  });
});

describe('age as lists print it', () => {
  it.each([
    ['59 seconds', 59_000, 'just now'],
    ['five minutes', 5 * minute, '5m ago'],
    ['23 hours', 23 * hour, '23h ago'],
    ['24 hours', day, 'yesterday'],
    ['just under 48 hours', 2 * day - 1, 'yesterday'],
    ['three days', 3 * day, '3d ago'],
    ['30 days', 30 * day, localDate(now - 30 * day)],
    ['the future', -5 * day, 'just now'],
  ])('%s', (_, passed, text) => {
    expect(relativeTime(now - passed, now)).toBe(text);
  });

  it('writes the date local, as year-month-day', () => {
    expect(relativeTime(new Date(2026, 2, 1, 0, 5).getTime(), now)).toBe('2026-03-01');
  });

  it('names the day only when it is not today', () => {
    expect(localTime(new Date(2026, 2, 31, 9, 4).getTime(), now)).toBe('09:04');
    expect(localTime(new Date(2026, 2, 30, 9, 4).getTime(), now)).toBe('2026-03-30 09:04');
  });
});

describe('paths', () => {
  it.each([
    ['the home itself', '/home/ann', '~'],
    ['below the home', '/home/ann/code/shop', '~/code/shop'],
    ['a neighbour whose name only begins alike', '/home/ann2/code', '/home/ann2/code'],
    ['somewhere else', '/srv/shop', '/srv/shop'],
  ])('draws %s', (_, path, text) => {
    expect(tildePath(path, '/home/ann')).toBe(text);
    expect(tildePath(path, '/home/ann/')).toBe(text);
  });

  it('leaves paths alone when the home is the root or unknown', () => {
    expect(tildePath('/srv', '/')).toBe('/srv');
    expect(tildePath('/srv', '')).toBe('/srv');
  });

  it('takes the last folder as the name', () => {
    expect([baseName('/home/ann/code/shop'), baseName('/home/ann/shop/'), baseName('/'), baseName('shop')]).toEqual([
      'shop',
      'shop',
      '/',
      'shop',
    ]);
  });
});
