import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { CRUMB_LIFE_MS, crumbFolder, offerAfterRestart, readBreadcrumb, writeBreadcrumb } from '../../src/terminal/breadcrumbs.ts';
import { parseCrumb } from '../../src/terminal/crumb.ts';
import { paneCrumbName, type Terminal } from '../../src/terminal/identity.ts';
import type { ProcessTable } from '../../src/terminal/process-tree.ts';

const NOW = Date.UTC(2026, 10, 30, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-crumbs-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function terminal(changes: Partial<Terminal> = {}): Terminal {
  return {
    kind: 'tmux',
    identity: 'tmux socket=/tmp/s server=100@1000 pane=%0',
    label: 'tmux %0',
    why: [],
    tty: { path: '/dev/pts/0', ctimeMs: NOW - 2 * DAY, crumbName: 'tty-dev-pts-0' },
    leader: { pid: 200, start: 2000 },
    isLasting: false,
    host: 'here',
    boot: 'boot-1',
    ...changes,
  };
}

const file = (name: string): string => join(crumbFolder(home), name);
const paneFile = (of: Terminal): string => file(paneCrumbName(of.identity));
const remember = (of: Terminal, sessionId: string, at = NOW - MINUTE, more = {}) =>
  writeBreadcrumb(home, of, { sessionId, cwd: '/tmp/a', ...more }, at);
const read = (of: Terminal, now = NOW) => readBreadcrumb(home, of, now);

/** As Hermes Agent writes it: no evidence of ours. */
function hermesAgentWrites(sessionId: string, at: number, name = 'tty-dev-pts-0', extra: object = {}): void {
  mkdirSync(crumbFolder(home), { recursive: true });
  writeFileSync(file(name), JSON.stringify({ session_id: sessionId, cwd: '/tmp/a', ts: at / 1000, ...extra }));
}

const reasons = (of: Terminal, now = NOW) => read(of, now).rejected.map((rejection) => rejection.id);

describe('writing', () => {
  it('leaves both files with every field, for nobody else to read', () => {
    const here = terminal();
    expect(remember(here, 's1', NOW, { window: { name: 'work', index: 2, isAutomatic: false } })).toEqual({
      written: [paneCrumbName(here.identity), 'tty-dev-pts-0'],
      left: [],
    });
    const text = readFileSync(paneFile(here), 'utf8');
    expect(readFileSync(file('tty-dev-pts-0'), 'utf8')).toBe(text);
    expect(text).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(text)).toEqual({
      session_id: 's1',
      cwd: '/tmp/a',
      ts: NOW / 1000,
      hermes_tui: {
        v: 1,
        identity: here.identity,
        leader: { pid: 200, start: 2000 },
        tty_ctime: NOW - 2 * DAY,
        host: 'here',
        boot: 'boot-1',
        sessions: ['s1'],
        window: { name: 'work', index: 2, automatic: false },
      },
    });
    expect(statSync(paneFile(here)).mode & 0o777).toBe(0o600);
    expect(statSync(crumbFolder(home)).mode & 0o777).toBe(0o700);
    expect(readdirSync(crumbFolder(home))).toHaveLength(2);
  });

  it('takes away what is older than 30 days and nothing else', () => {
    mkdirSync(crumbFolder(home));
    const old = (NOW - CRUMB_LIFE_MS - MINUTE) / 1000;
    for (const name of ['pane-old', 'tty-old', 'other-old', 'tty-new', '.tmp-1-1-x']) {
      writeFileSync(file(name), '{}');
      if (name !== 'tty-new') utimesSync(file(name), old, old);
    }
    utimesSync(file('tty-new'), NOW / 1000, NOW / 1000);
    remember(terminal(), 's1', NOW);
    expect(['pane-old', 'tty-old', '.tmp-1-1-x', 'other-old', 'tty-new'].map((name) => existsSync(file(name)))).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it("leaves a newer program's breadcrumb alone and says so", () => {
    hermesAgentWrites('theirs', NOW, 'tty-dev-pts-0', { hermes_tui: { v: 2, what: 'ever' } });
    const before = readFileSync(file('tty-dev-pts-0'), 'utf8');
    expect(remember(terminal(), 's1').left).toEqual(['tty-dev-pts-0']);
    expect(readFileSync(file('tty-dev-pts-0'), 'utf8')).toBe(before);
  });

  it('writes nothing for no terminal', () => {
    const { tty: _tty, ...none } = terminal({ kind: 'none', identity: '' });
    expect(remember(none, 's1')).toEqual({ written: [], left: [] });
    expect(existsSync(crumbFolder(home))).toBe(false);
  });

  it('reports a home that can not be written and throws nothing', () => {
    writeFileSync(crumbFolder(home), 'a file stands where the folder should be');
    expect(remember(terminal(), 's1').failed).toMatch(/^E(EXIST|NOTDIR)$/);
  });

  it('sees the old or the new text while another call replaces it', () => {
    const here = terminal();
    for (let round = 0; round < 50; round += 1) {
      remember(here, `s${round}`, NOW - 1000 + round);
      expect(read(here)).toMatchObject({ kind: 'found', sessionId: `s${round}` });
    }
  });
});

describe('reading back', () => {
  it('finds the session of this pane', () => {
    remember(terminal(), 's1');
    expect(read(terminal())).toEqual({ kind: 'found', sessionId: 's1', cwd: '/tmp/a', from: 'pane', ageMs: MINUTE, rejected: [] });
  });
  it('has nothing and no reason in a terminal that was never used', () => {
    expect(read(terminal())).toEqual({ kind: 'none', rejected: [] });
    expect(readdirSync(home)).toEqual([]);
  });
  it('two panes of one directory each have their own', () => {
    const [left, right] = [
      terminal(),
      terminal({ identity: 'tmux socket=/tmp/s server=100@1000 pane=%1', tty: { path: '/dev/pts/1', crumbName: 'tty-dev-pts-1' } }),
    ];
    remember(left, 's-left', NOW - 2 * MINUTE);
    remember(right, 's-right', NOW - MINUTE);
    expect(read(left)).toMatchObject({ sessionId: 's-left' });
    expect(read(right)).toMatchObject({ sessionId: 's-right' });
  });
  it('a respawned pane has another shell and another tty, and goes on with its own', () => {
    remember(terminal(), 's1');
    const respawned = terminal({ leader: { pid: 201, start: 9 }, tty: { path: '/dev/pts/5', ctimeMs: NOW, crumbName: 'tty-dev-pts-5' } });
    expect(read(respawned)).toMatchObject({ kind: 'found', sessionId: 's1', from: 'pane' });
  });
  it('the newer of the two wins: Hermes Agent was used in this pane since', () => {
    remember(terminal(), 's1', NOW - 2 * MINUTE);
    hermesAgentWrites('s2', NOW - MINUTE);
    expect(read(terminal())).toMatchObject({ sessionId: 's2', from: 'tty', rejected: [] });
  });
  it('tolerates a byte order mark and unknown fields', () => {
    const here = terminal();
    remember(here, 's1');
    const fields = JSON.parse(readFileSync(paneFile(here), 'utf8'));
    writeFileSync(paneFile(here), `\uFEFF${JSON.stringify({ ...fields, later: [1], hermes_tui: { ...fields.hermes_tui, later: {} } })}`);
    rmSync(file('tty-dev-pts-0'));
    expect(read(here)).toMatchObject({ kind: 'found', sessionId: 's1' });
  });
  it('lasts 30 days to the minute', () => {
    remember(terminal(), 's1', NOW - CRUMB_LIFE_MS);
    expect(read(terminal())).toMatchObject({ kind: 'found' });
    expect(reasons(terminal(), NOW + MINUTE)).toEqual(['too-old', 'too-old']);
  });
  it('names the session it did not follow', () => {
    hermesAgentWrites('20260101_1', NOW - 3 * DAY);
    const { rejected } = read(terminal());
    expect(rejected).toEqual([expect.objectContaining({ id: 'older-than-tty', file: 'tty-dev-pts-0', sessionId: '20260101_1' })]);
    expect(rejected[0]?.text).toContain('20260101_1');
  });
});

describe('evidence', () => {
  const restarted = terminal({
    identity: 'tmux socket=/tmp/s server=300@3000 pane=%0',
    leader: { pid: 301, start: 3001 },
    tty: { path: '/dev/pts/0', ctimeMs: NOW, crumbName: 'tty-dev-pts-0' },
  });
  it('a restarted server has the same %0 and the same tty, and is another terminal', () => {
    remember(terminal(), 's1');
    expect(read(restarted)).toMatchObject({ kind: 'none' });
    expect(reasons(restarted)).toEqual(['other-leader']);
  });
  it('a reused tty of Hermes Agent is told by its age', () => {
    hermesAgentWrites('s1', NOW - MINUTE);
    expect(reasons(restarted)).toEqual(['older-than-tty']);
    expect(read(terminal())).toMatchObject({ kind: 'found', sessionId: 's1', from: 'tty' });
  });
  it('no age of the tty, no trust', () => {
    hermesAgentWrites('s1', NOW - MINUTE);
    expect(reasons(terminal({ tty: { path: '/dev/pts/0', crumbName: 'tty-dev-pts-0' } }))).toEqual(['unknown-tty-age']);
  });
  it('goes by the age of the tty when this terminal can not see its session leader', () => {
    remember(terminal(), 's1');
    const { leader: _leader, ...blind } = terminal({ identity: 'another' });
    expect(read(blind)).toMatchObject({ kind: 'found', from: 'tty' });
  });
  it('a matching leader needs no age: mesg moved the time of the tty', () => {
    remember(terminal(), 's1');
    rmSync(paneFile(terminal()));
    expect(read(terminal({ tty: { path: '/dev/pts/0', ctimeMs: NOW, crumbName: 'tty-dev-pts-0' } }))).toMatchObject({
      kind: 'found',
      from: 'tty',
    });
  });
  it('after a reboot pids and times may agree by chance: not followed', () => {
    remember(terminal(), 's1');
    expect(reasons(terminal({ boot: 'boot-2' }))).toEqual(['before-reboot', 'before-reboot']);
  });
  it('a home shared between machines: not followed on the other one', () => {
    remember(terminal(), 's1');
    expect(reasons(terminal({ host: 'there' }))).toEqual(['other-host', 'other-host']);
  });
  it('a random id means the same terminal after a reboot too', () => {
    const lasting = terminal({ kind: 'windows-terminal', identity: 'windows-terminal 8cf4', isLasting: true });
    remember(lasting, 's1');
    expect(read({ ...lasting, boot: 'boot-2' })).toMatchObject({ kind: 'found', from: 'pane' });
  });
  it('a pane file copied under another name is not believed', () => {
    remember(terminal(), 's1');
    writeFileSync(paneFile(restarted), readFileSync(paneFile(terminal())));
    expect(reasons(restarted)).toEqual(['other-terminal', 'other-leader']);
  });
  it('a pane file without evidence is not believed', () => {
    hermesAgentWrites('s1', NOW, paneCrumbName(terminal().identity));
    expect(reasons(terminal())).toEqual(['no-evidence']);
  });
  it("a newer program's breadcrumb is said, not guessed at", () => {
    hermesAgentWrites('s1', NOW - MINUTE, 'tty-dev-pts-0', { hermes_tui: { v: 2 } });
    expect(reasons(terminal())).toEqual(['newer-format']);
  });
  it('a time in the future is not trusted, a clock a little ahead is', () => {
    remember(terminal(), 's1', NOW + 5 * MINUTE);
    expect(reasons(terminal())).toEqual(['future', 'future']);
    remember(terminal(), 's2', NOW + MINUTE / 2);
    expect(read(terminal())).toMatchObject({ kind: 'found', sessionId: 's2', ageMs: 0 });
  });
});

describe('bad files', () => {
  const cases: [title: string, text: string, reason: string][] = [
    ['empty', '', 'not-json'],
    ['half-written', '{"session_id": "s1", "cw', 'not-json'],
    ['a list', '[1]', 'not-json'],
    ['null', 'null', 'not-json'],
    ['no session', '{"ts": 1}', 'no-session'],
    ['a blank session', '{"session_id": " ", "ts": 1}', 'no-session'],
    ['a session that is a number', '{"session_id": 7, "ts": 1}', 'no-session'],
    ['no time', '{"session_id": "s1"}', 'no-time'],
    ['a time that is a text', '{"session_id": "s1", "ts": "yesterday"}', 'no-time'],
    ['a time beyond numbers', '{"session_id": "s1", "ts": 1e999}', 'no-time'],
  ];
  it.each(cases)('%s', (_title, text, reason) => {
    mkdirSync(crumbFolder(home));
    writeFileSync(file('tty-dev-pts-0'), text);
    expect(reasons(terminal())).toEqual([reason]);
  });
  it('a folder in place of the file', () => {
    mkdirSync(file('tty-dev-pts-0'), { recursive: true });
    expect(reasons(terminal())).toEqual(['unreadable']);
  });
  it('never throws, whatever JSON stands there', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ session_id: fc.jsonValue(), ts: fc.jsonValue(), hermes_tui: fc.jsonValue() })),
        (value) => {
          const crumb = parseCrumb(JSON.stringify(value));
          if ('id' in crumb) return;
          expect(typeof crumb.sessionId).toBe('string');
          expect(Number.isFinite(crumb.timeMs)).toBe(true);
        },
      ),
    );
  });
});

describe('after a restart', () => {
  const window = { name: 'work', index: 2, isAutomatic: false };
  const gone: ProcessTable = { source: 'proc', boot: 'boot-1', read: () => undefined, startVariable: () => undefined };
  const alive: ProcessTable = {
    ...gone,
    read: (pid) => (pid === 200 ? { pid, name: 'bash', parent: 1, session: pid, start: 2000 } : undefined),
  };
  const after = terminal({ identity: 'tmux socket=/tmp/s server=300@3000 pane=%0', leader: { pid: 301, start: 3001 } });
  const ask = (here: Partial<Parameters<typeof offerAfterRestart>[2]> = {}, of = after) =>
    offerAfterRestart(home, of, { cwd: '/tmp/a', window, proc: gone, ...here }, NOW);

  it('offers the one breadcrumb that fits name, number and directory', () => {
    remember(terminal(), 's1', NOW - MINUTE, { window });
    expect(ask()).toEqual({ kind: 'offer', offer: { sessionId: 's1', cwd: '/tmp/a', ageMs: MINUTE, window: { name: 'work', index: 2 } } });
  });
  it('offers after a reboot, even if the pid of the leader runs again', () => {
    remember(terminal(), 's1', NOW - MINUTE, { window });
    expect(ask({ proc: alive }, { ...after, boot: 'boot-2' })).toMatchObject({ kind: 'offer' });
  });
  it.each([
    ['another directory', { cwd: '/tmp/b' }],
    ['another name', { window: { ...window, name: 'play' } }],
    ['another number', { window: { ...window, index: 3 } }],
    ['a terminal that is still there', { proc: alive }],
  ])('offers nothing for %s', (_title, here) => {
    remember(terminal(), 's1', NOW - MINUTE, { window });
    expect(ask(here)).toEqual({ kind: 'none', reason: 'nothing-fits' });
  });
  it('offers nothing when two conversations fit', () => {
    remember(terminal(), 's1', NOW - MINUTE, { window });
    remember(terminal({ identity: 'tmux socket=/tmp/s server=100@1000 pane=%1' }), 's2', NOW - MINUTE, { window });
    expect(ask()).toMatchObject({ kind: 'none', reason: 'several-fit' });
  });
  it('two breadcrumbs of one conversation are one', () => {
    remember(terminal(), 's1', NOW - 5 * MINUTE, { window });
    remember(terminal({ identity: 'tmux socket=/tmp/s server=100@1000 pane=%1' }), 's1', NOW - MINUTE, { window });
    expect(ask()).toMatchObject({ kind: 'offer', offer: { sessionId: 's1', ageMs: MINUTE } });
  });
  it('does not compare names that tmux gave both windows', () => {
    remember(terminal(), 's1', NOW - MINUTE, { window: { name: 'node', index: 2, isAutomatic: true } });
    expect(ask({ window: { name: 'bash', index: 2, isAutomatic: true } })).toMatchObject({ kind: 'offer' });
    expect(ask({ window: { name: 'bash', index: 2, isAutomatic: false } })).toMatchObject({ reason: 'nothing-fits' });
  });
  it('has no answer without a window, and follows nothing older than 30 days', () => {
    remember(terminal(), 's1', NOW - CRUMB_LIFE_MS - MINUTE, { window });
    expect(ask()).toMatchObject({ reason: 'nothing-fits' });
    expect(ask({ window: undefined })).toMatchObject({ reason: 'no-window' });
  });
  it('another machine or a shell that may live on is not a restart', () => {
    remember(terminal({ host: 'there' }), 's1', NOW - MINUTE, { window });
    remember(terminal({ identity: 'tmux socket=/tmp/x server=1@1 pane=%7', boot: undefined }), 's2', NOW - MINUTE, { window });
    expect(ask()).toMatchObject({ reason: 'nothing-fits' });
  });
});
