import { expect, test } from 'vitest';
import { createNarrowing, type PickerOnly } from '../../src/app/tui/picker-rows.ts';
import { makeRow } from '../support/session-rows.ts';

const rows = [
  makeRow({ id: 'pinned', pinned: true }),
  makeRow({ id: 'newest' }),
  makeRow({ id: 'robot', class: 'machine', source: 'cron' }),
  makeRow({ id: 'second' }),
  makeRow({ id: 'third', source: 'cli' }),
  makeRow({ id: 'old robot', class: 'machine', source: 'cron' }),
];

test.each<[string, PickerOnly, string[]]>([
  ['all of them without a wish', {}, rows.map(({ id }) => id)],
  ['those of one source', { source: 'cli' }, ['third']],
  ['the newest, pinned ones beyond the limit, and hidden kinds among them', { limit: 2 }, ['pinned', 'newest', 'robot', 'second']],
  ['the newest of one source', { source: 'tui', limit: 1 }, ['pinned', 'newest']],
])('the list of sessions browse holds %s, however they come in pieces', (_, only, expected) => {
  const whole = createNarrowing(only);
  expect(whole(rows).map(({ id }) => id)).toEqual(expected);
  const pieces = createNarrowing(only);
  expect(rows.flatMap((row) => pieces([row])).map(({ id }) => id)).toEqual(expected);
});
