import { expect, test } from 'vitest';
import { heldSessions } from '../../src/terminal/held-sessions.ts';

const record = (label: string, ...ids: readonly string[]) => ({
  pid: 812,
  start: 1,
  host: 'here',
  boot: 'b',
  identity: 'i',
  label,
  sessions: ids.map((id) => ({ id, since: 0, state: 'idle' })),
});

test.each([
  ['a terminal with a name', 'tmux %3', 'tmux %3 (pid 812)'],
  ['one known by its process alone', 'pid 812', 'pid 812'],
  ['one without a name', '', 'pid 812'],
])('says who has a session open: %s', (_, label, expected) => {
  expect(heldSessions([record(label, 'a', 'b')])).toEqual({ a: expected, b: expected });
});

test('holds no session where nobody has one', () => {
  expect(heldSessions([record('tmux %3')])).toEqual({});
});
