import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { insertRow } from '../../src/store/writes/rows.ts';
import { changing } from '../support/bin.ts';
import { runShell } from '../support/shell.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

/** Ids as no program makes them; a file that came from elsewhere may hold them. */
const ids = [
  '../x',
  "a'b",
  'with space',
  'per%cent_',
  '"dq"',
  'x\u001b[31mred',
  '\u202ertl',
  'line\nbreak',
  'bell\u0007',
  '한글',
  '\u009b2J',
];

/** What a terminal would obey or be turned around by; ends of lines are ours. */
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function makeStore(): string {
  const path = join(temporaryFolder(), 'state.db');
  changing(path, (connection) => {
    for (const id of ids) {
      insertRow(connection, 'sessions', { id, source: 'cli', started_at: 1_790_000_000, model_config: '{}', message_count: 1, pinned: 1 });
      insertRow(connection, 'messages', { session_id: id, role: 'user', content: 'some words', timestamp: 1_790_000_000 });
    }
  });
  return path;
}

describe.each(ids.map((id) => [JSON.stringify(id), id] as const))('the session %s', (_, id) => {
  test('is found, changed, deleted and restored by its id, and no answer holds what a terminal obeys', async () => {
    const path = makeStore();
    const lines = [
      ['list'],
      ['pinned'],
      ['rename', id, 'a title'],
      ['unpin', id],
      ['archive', id],
      ['unarchive', id],
      ['show', id],
      ['delete', id, id],
      ['delete', '--yes', id],
      ['trash'],
      ['restore', id],
      ['delete', '--yes', '--forever', id],
    ];
    for (const line of lines) {
      const { code, out, err } = await runShell(['sessions', ...line], path);
      expect(code, line.join(' ')).toBe(0);
      expect(err, line.join(' ')).not.toMatch(obeyed);
      expect(out, line.join(' ')).not.toMatch(obeyed);
      expect(
        out.split('\n').filter((text) => text.startsWith('break')),
        line.join(' '),
      ).toEqual([]);
    }
  });
});
