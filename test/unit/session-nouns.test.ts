import { describe, expect, test } from 'vitest';
import { idStamp, newSessionId } from '../../src/session/id.ts';
import { chainFrom, classOf, relationOf, rootOf, type LineageNode, type LineageSource } from '../../src/session/lineage.ts';
import { activityKey, compareSessions } from '../../src/session/order.ts';
import { previewText } from '../../src/session/preview.ts';
import { isMachineSource, sourceLabel } from '../../src/session/source.ts';
import { statusOf } from '../../src/session/status.ts';
import { isInWorkspace, matchesWorkspace, workspaceKey } from '../../src/session/workspace.ts';

type Node = LineageNode & { lastActive: number };
const node = (id: string, more: Partial<Node> = {}): Node => ({
  id,
  source: 'cli',
  startedAt: 1000,
  modelConfig: {},
  lastActive: 1000,
  ...more,
});
const compressed = { endReason: 'compression', endedAt: 2000 };

function sourceOf(...nodes: Node[]): LineageSource<Node> {
  return { node: (id) => nodes.find((one) => one.id === id), children: (id) => nodes.filter((one) => one.parentId === id) };
}

describe('how a session hangs on its parent', () => {
  test.each<[string, Partial<Node>, Partial<Node> | undefined, string]>([
    ['no parent', {}, undefined, 'root'],
    ['a parent that is gone', { parentId: 'p' }, undefined, 'root'],
    ['a compressed parent', { parentId: 'p' }, compressed, 'continuation'],
    ['a compressed parent, but made by a tool', { parentId: 'p', source: 'tool' }, compressed, 'delegate'],
    ['a branch marker', { parentId: 'p', modelConfig: { _branched_from: 'p' } }, compressed, 'branch'],
    ['an inherited branch marker', { parentId: 'p', modelConfig: { _branched_from: 'x' } }, compressed, 'continuation'],
    ['a branch marker for another parent', { parentId: 'p', modelConfig: { _branched_from: 'x' } }, {}, 'branch'],
    ['a delegate marker', { parentId: 'p', modelConfig: { _delegate_from: 'p' } }, {}, 'delegate'],
    ['a reset marker', { parentId: 'p', modelConfig: { _reset_from: 'p' } }, {}, 'reset'],
    ['an old branch', { parentId: 'p', startedAt: 2000 }, { endReason: 'branched', endedAt: 2000 }, 'branch'],
    ['a child older than the branching', { parentId: 'p', startedAt: 1999 }, { endReason: 'branched', endedAt: 2000 }, 'delegate'],
    ['an old reset', { parentId: 'p', sessionKey: 'k' }, { endReason: 'daily', sessionKey: 'k' }, 'reset'],
    ['a reset with an empty key', { parentId: 'p', sessionKey: '' }, { endReason: 'daily', sessionKey: '' }, 'delegate'],
    ['each the parent of the other', { parentId: 'p' }, { parentId: 'c' }, 'root'],
    ['anything else', { parentId: 'p' }, { endReason: 'cli_close', endedAt: 5 }, 'delegate'],
  ])('%s', (_, child, parent, expected) => {
    expect(relationOf(node('c', child), parent === undefined ? undefined : node('p', parent))).toBe(expected);
  });
});

describe('lineages', () => {
  test('the tip: compressed before open before ended, then the most active', () => {
    const root = node('r', compressed);
    const open = node('open', { parentId: 'r', lastActive: 9000 });
    const ended = node('ended', { parentId: 'r', endedAt: 1, endReason: 'cli_close', lastActive: 99_000 });
    const again = node('again', { parentId: 'r', ...compressed });
    const tip = node('tip', { parentId: 'again' });
    expect(chainFrom(root, sourceOf(root, open, ended)).map((one) => one.id)).toEqual(['r', 'open']);
    expect(chainFrom(root, sourceOf(root, open, ended, again, tip)).map((one) => one.id)).toEqual(['r', 'again', 'tip']);
  });

  test('the root is found from every segment; a continuation that lost stands by itself', () => {
    const root = node('r', compressed);
    const won = node('won', { parentId: 'r', startedAt: 2000, lastActive: 9000 });
    const lost = node('lost', { parentId: 'r', startedAt: 2000 });
    const helper = node('helper', { parentId: 'r', startedAt: 500 });
    const source = sourceOf(root, won, lost, helper);
    expect(rootOf(won, source).root.id).toBe('r');
    expect(rootOf(lost, source)).toMatchObject({ root: { id: 'lost' }, relation: 'root' });
    expect(rootOf(helper, source)).toMatchObject({ root: { id: 'helper' }, relation: 'delegate' });
  });

  test('a circle of parents ends', () => {
    const a = node('a', { parentId: 'b', ...compressed });
    const b = node('b', { parentId: 'a', ...compressed });
    expect(chainFrom(a, sourceOf(a, b)).map((one) => one.id)).toEqual(['a', 'b']);
    expect(['a', 'b']).toContain(rootOf(a, sourceOf(a, b)).root.id);
  });

  test.each([
    ['empty before all', { isEmpty: true, source: 'cron', archived: true }, 'empty'],
    ['machine-made before archived', { source: 'cron', archived: true }, 'machine'],
    ['a sub-agent counts as machine-made', { isDelegate: true }, 'machine'],
    ['hidden counts as archived', { hidden: true }, 'archived'],
    ['an unknown source shows', { source: 'acme-bot' }, 'shown'],
  ])('class: %s', (_, facts, expected) => {
    expect(classOf({ isEmpty: false, source: 'cli', isDelegate: false, archived: false, hidden: false, ...facts })).toBe(expected);
  });
});

describe('the one ordering', () => {
  const now = 1_790_000_000_000;
  const row = (id: string, lastActive: number, startedAt = 1) => ({ id, lastActive, startedAt });
  test('activity, then start, then id, each descending', () => {
    const rows = [row('a', 5, 1), row('b', 5, 1), row('c', 5, 2), row('d', 9, 0)];
    expect(rows.sort((x, y) => compareSessions(x, y, now)).map((one) => one.id)).toEqual(['d', 'c', 'b', 'a']);
  });
  test('a clock that ran ahead by days sorts as now, one by hours as it says', () => {
    expect(activityKey(now + 2 * 86_400_000, now)).toBe(now);
    expect(activityKey(now + 3_600_000, now)).toBe(now + 3_600_000);
  });
});

describe('workspaces', () => {
  test.each([
    ['the git root decides', { cwd: '/x', gitRepoRoot: '/w' }, '/w', true],
    ['a directory below another root is not in it', { cwd: '/w/sub', gitRepoRoot: '/other' }, '/w', false],
    ['without a root, the directory or below', { cwd: '/w/sub' }, '/w', true],
    ['a name that only begins alike', { cwd: '/work' }, '/w', false],
    ['nothing recorded', {}, '/w', false],
    ['the root of the disk', { cwd: '/w' }, '/', true],
  ])('%s', (_, session, key, expected) => {
    expect(isInWorkspace(session, [key])).toBe(expected);
  });
  test('key and needle', () => {
    expect(workspaceKey({ cwd: '/w/a', gitRepoRoot: '' })).toBe('/w/a');
    expect(matchesWorkspace({ cwd: '/home/u/Shop' }, 'shop')).toBe(true);
    expect(matchesWorkspace({}, 'shop')).toBe(false);
  });
});

test('ids: local time and six digits, never one that is taken', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5).getTime();
  expect(idStamp(at)).toBe('20260102_030405');
  const seen = new Set<string>();
  for (let index = 0; index < 500; index++) {
    const id = newSessionId(at, (candidate) => seen.has(candidate));
    expect(id).toMatch(/^20260102_030405_[0-9a-f]{6}$/);
    expect(seen.has(id)).toBe(false);
    seen.add(id);
  }
});

test.each([
  ['no message', undefined, 'empty'],
  ['a failure', { role: 'assistant', finishReason: 'content_filter', hasToolCalls: false }, 'error'],
  ['a question without an answer', { role: 'user', hasToolCalls: false }, 'interrupted'],
  ['a result nobody read', { role: 'tool', hasToolCalls: false }, 'interrupted'],
  ['open calls', { role: 'assistant', hasToolCalls: true }, 'interrupted'],
  ['an answer that was cut off', { role: 'assistant', finishReason: 'interrupted', hasToolCalls: false }, 'interrupted'],
  ['an answer', { role: 'assistant', finishReason: 'stop', hasToolCalls: false }, 'complete'],
])('status: %s', (_, last, expected) => {
  expect(statusOf(last)).toBe(expected);
});

test('previews and sources', () => {
  expect(previewText(' \n ')).toBeUndefined();
  expect(previewText('a'.repeat(60))).toBe('a'.repeat(60));
  expect(previewText('a'.repeat(61))).toBe(`${'a'.repeat(60)}...`);
  expect(sourceLabel({ source: 'telegram', createdSource: 'cli' })).toBe('cli→telegram');
  expect(sourceLabel({ source: 'cli', createdSource: 'cli' })).toBe('cli');
  expect(['tool', 'kanban', 'subagent', 'cron', 'batch'].every(isMachineSource)).toBe(true);
  expect(isMachineSource('oneshot')).toBe(false);
});
