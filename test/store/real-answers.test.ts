import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { nextLineageTitle } from '../../src/session/title.ts';
import { isInWorkspace } from '../../src/session/workspace.ts';
import type { Query } from '../../src/session/query.ts';
import type { SessionRow } from '../../src/session/types.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading } from '../../src/store/open.ts';
import { reads } from '../../src/store/reads/index.ts';
import { lineageTitles, resolveTitle } from '../../src/store/reads/resolve.ts';
import { copyRealStore, hasRealStores, type RealStore } from '../support/real-stores.ts';
import { hasRealAnswers, readRealAnswers, type RealAnswers } from '../support/real-answers.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { onTestFinished } from 'vitest';

function open(name: RealStore, now?: number): OpenConnection {
  const connection = openForReading(copyRealStore(name, temporaryFolder()), { now: () => now ?? 1_800_000_000_000 });
  onTestFinished(() => connection.close());
  return connection;
}

function listAll(connection: OpenConnection): SessionRow[] {
  return [...reads.listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : []));
}

const ofSource = (is: string): Query => ({ type: 'test', test: { field: 'source', is } });

const plainId = (entry: unknown): string => (typeof entry === 'string' ? (entry.split(' ').at(-1) ?? '') : '');

/**
 * Where product.md asks for something else than Hermes Agent does. Each line is one of docs/compatibility.md.
 */
const deviations = {
  list: 'pinned rows come first; cron counts as machine-made, oneshot does not (product.md 1, 3)',
  latest: 'never an archived, hidden, delegate or machine-made row; tui counts as local; a compressed row means its tip (product.md 1)',
  preview: 'a message of parts shows its words and `[image: name]` (product.md 2); there it is empty',
  prefix: 'a prefix shared by segments of one lineage only names that lineage (product.md 1)',
  display: 'rows never meant for a reader (hidden, session_meta) and copies made by compression are left out (product.md 2)',
};

describe.skipIf(!hasRealStores || !hasRealAnswers)('the answers of Hermes Agent on its own file', () => {
  const answers = hasRealAnswers ? readRealAnswers() : ({} as RealAnswers);
  const openIt = (): OpenConnection => open('hermes-v31-40.db', (answers.end_clock + 3600) * 1000);
  const nameOf = (id: string): string => Object.entries(answers.names).find(([, known]) => known === id)?.[0] ?? id;

  test('every listed row has its title, preview, times, counter and order', () => {
    const connection = openIt();
    const machine = new Set(['tool', 'cron1', 'cron2']);
    const theirs = answers.list.by_last_active_default.filter((row) => !machine.has(row.name));
    const expected = [...theirs.filter((row) => row.pinned === 1), ...theirs.filter((row) => row.pinned === 0)];
    const shown = listAll(connection).filter((row) => row.class === 'shown');
    expect(
      shown.map((row) => nameOf(row.id)),
      deviations.list,
    ).toEqual(expected.map((row) => row.name));
    for (const [index, row] of expected.entries()) {
      const ours = shown[index];
      expect(ours?.title ?? null).toBe(row.title);
      expect(ours?.lastActive).toBe(row.last_active * 1000);
      expect(ours?.startedAt).toBe(row.started_at * 1000);
      expect(ours?.messageCount).toBe(row.message_count);
      expect(ours?.preview, deviations.preview).toBe(row.name === 'rich' ? '이 그림에서 오류를 찾아 줘 [image: png]' : row.preview);
    }
  });

  test('the first frame and the shell list are the beginning of the same listing', () => {
    const connection = openIt();
    const shown = listAll(connection).filter((row) => row.class === 'shown');
    for (const limit of [1, 3, 10, 50]) {
      const expected = [...shown.filter((row) => row.pinned), ...shown.filter((row) => !row.pinned).slice(0, limit)].map((row) => row.id);
      expect(reads.firstRows(connection, { limit }).rows.map((row) => row.id)).toEqual(expected);
      const list = reads.listForShell(connection, { limit });
      expect(list.rows.map((row) => row.id)).toEqual(expected);
      expect(list.more).toBe(shown.length - expected.length);
    }
  });

  test.each(['cli', 'telegram'])('the list of source %s holds the same sessions', (source) => {
    const connection = openIt();
    const expected = (answers.list[`source_${source}`] ?? []).map(plainId);
    const list = reads.listForShell(connection, { limit: 100, query: ofSource(source) });
    expect(list.rows.map((row) => row.id).toSorted()).toEqual(expected.toSorted());
  });

  test('a machine-made source shows when it is named', () => {
    const list = reads.listForShell(openIt(), { limit: 100, query: ofSource('cron') });
    expect(list.rows.map((row) => nameOf(row.id))).toEqual(['cron2', 'cron1']);
  });

  test('counts add up to all lineages', () => {
    const connection = openIt();
    const counts = reads.rowCounts(connection);
    // 40 rows, of which two are earlier segments of "Long refactor".
    expect(counts).toEqual({ total: 38, shown: 29, empty: 0, machine: 5, archived: 4 });
    const stats = reads.stats(connection);
    expect(stats.sessions).toBe(answers.counts['session_count_archived']);
    expect(stats.messages).toBe(answers.counts['message_count']);
    expect(stats.sources.reduce((sum, entry) => sum + entry.sessions, 0)).toBe(stats.sessions);
  });

  test('every other listing holds the same sessions, but for the kinds that hide here', () => {
    const rows = listAll(openIt());
    const shown = rows.filter((row) => row.class === 'shown');
    const ids = (key: string): string[] => (answers.list[key] ?? []).map((entry) => plainId(entry)).toSorted();
    const machine = ['tool', 'cron1', 'cron2'].map((name) => answers.names[name] ?? '');
    const oneshots = ['oneshot1', 'oneshot2'].map((name) => answers.names[name] ?? '');
    const ours = (of: readonly SessionRow[]): string[] => of.map((row) => row.id).toSorted();
    const isIn = (list: readonly string[]) => (id: string) => list.includes(id);
    // There the picker hides oneshot and shows cron; the shell's list hides only tool.
    expect(ids('picker_excluding_internal_sources')).toEqual(
      [...ours(shown).filter((id) => !isIn(oneshots)(id)), ...machine.slice(1)].toSorted(),
    );
    expect(ids('sessions_list_excluding_tool')).toEqual([...ours(shown), ...machine.slice(1)].toSorted());
    expect(ids('by_started_default')).toEqual([...ours(shown), ...machine].toSorted());
    const hiddenOrArchived = rows.filter((row) => row.class === 'archived');
    expect(ids('archived_only')).toEqual(ours(hiddenOrArchived.filter((row) => row.archived)));
    expect(ids('include_archived')).toEqual([...ids('by_started_default'), ...ids('archived_only')].toSorted());
    expect(ids('include_hidden')).toEqual([...ids('by_started_default'), ...ours(hiddenOrArchived.filter((row) => row.hidden))].toSorted());
    const ofRepoA = shown.filter((row) => row.cwd?.startsWith('/home/demo/repo-a') === true);
    expect(ids('cwd_prefix_repo_a').filter((id) => !machine.includes(id))).toEqual(ours(ofRepoA));
    // A workspace is a repository first: one session of repo-a worked in another folder.
    const workspaces = ['/home/demo/repo-a'];
    const first = reads.firstRows(openIt(), { limit: 100, workspaces }).rows;
    expect(ours(first)).toEqual(ours(shown.filter((row) => isInWorkspace(row, workspaces))));
    expect(ids('id_query_root3')).toEqual(ours(shown.filter((row) => row.ids.some((id) => id === answers.names['root#3']))));
    expect(ids('search_query_대화')).toEqual(ours(shown.filter((row) => row.title?.includes('대화') === true)));
    expect(reads.firstRows(openIt(), { limit: 100, workspaces: ['/nowhere'] }).rows).toEqual([]);
  });

  test('tips and what resume opens', () => {
    const connection = openIt();
    for (const [key, expected] of Object.entries(answers.tips)) {
      const id = plainId(key);
      expect(reads.tipOf(connection, id)).toBe(expected.tip);
      expect(reads.resumeTarget(connection, id)?.id).toBe(expected.resume);
      expect(reads.segmentIds(connection, id)).toEqual(expected.lineage);
    }
  });

  test('titles resolve to the newest of their numbered lineage', () => {
    const connection = openIt();
    for (const [title, expected] of Object.entries(answers.resolve_title)) {
      expect(resolveTitle(connection, title) ?? null, title).toBe(expected.resolve);
      expect(nextLineageTitle(title, lineageTitles(connection, title)), title).toBe(expected.next_in_lineage);
      const found = reads.resolveSession(connection, title, { allowPrefix: false });
      const target = expected.resolve === null ? undefined : reads.tipOf(connection, expected.resolve);
      expect(found.kind === 'found' ? found.session.id : undefined, title).toBe(target);
    }
  });

  test('ids resolve whole and by a unique beginning', () => {
    const connection = openIt();
    for (const [text, expected] of Object.entries(answers.resolve_id)) {
      const found = reads.resolveSession(connection, text);
      if (expected === null) expect(found.kind, text).not.toBe('found');
      else expect(found, text).toMatchObject({ kind: 'found', matched: expected });
    }
    expect(reads.resolveSession(connection, '20260921')).toMatchObject({ kind: 'ambiguous' });
    expect(reads.resolveSession(connection, '20260922_033'), deviations.prefix).toMatchObject({
      kind: 'found',
      session: { id: answers.names['root#3'] },
    });
  });

  test('the newest session of each family, put right', () => {
    const connection = openIt();
    const name = (query: Parameters<typeof reads.latest>[1]): string | undefined => {
      const found = reads.latest(connection, query);
      return found === undefined ? undefined : nameOf(found.id);
    };
    const family = ['cli', 'oneshot'];
    const repoA = ['/home/demo/repo-a'];
    expect(name({ sources: family })).toBe(answers.latest['cli_family_global']?.[0]?.split(' ')[0]);
    expect(name({ sources: family, workspaces: ['/home/demo/repo-b'] })).toBe(answers.latest['cli_family_repo_b']?.[0]?.split(' ')[0]);
    expect(name({ sources: family, workspaces: ['/nowhere'] })).toBeUndefined();
    // There: hidden, then archived, then this one.
    expect(answers.latest['cli_family_repo_a']?.slice(0, 3).map((entry) => entry.split(' ')[0])).toEqual(['hidden', 'archived', 'pinned']);
    expect(name({ sources: family, workspaces: repoA }), deviations.latest).toBe('pinned');
    expect(name({ sources: ['tui'] }), deviations.latest).toBe('tui3');
    expect(name({ sources: ['tui'], workspaces: repoA })).toBe('tui3');
    expect(reads.resolveSession(connection, 'LATEST', { latestKeyword: {} })).toMatchObject({
      kind: 'found',
      by: 'latest',
      session: { id: answers.names['handoff3'] },
    });
    expect(reads.resolveSession(connection, 'latest')).toEqual({ kind: 'none' });
  });

  test('statuses and titles', () => {
    const connection = openIt();
    const statuses = reads.statusesOf(connection, Object.values(answers.names));
    for (const [name, id] of Object.entries(answers.names)) {
      expect(statuses.get(id), name).toBe(answers.statuses[name]);
      const session = reads.sessionById(connection, id);
      expect([session?.title ?? null, session?.titleSource ?? null]).toEqual(answers.titles[name]);
      expect(session?.messageCount).toBe(answers.display[name]?.row_message_count);
      expect(session?.toolCallCount).toBe(answers.display[name]?.row_tool_calls);
      expect(reads.contextMessages(connection, id).length).toBe((answers.display[name]?.live ?? 0) - (name === 'rich' ? 1 : 0));
    }
  });

  test('transcripts show what theirs show, each message once', () => {
    const connection = openIt();
    for (const [name, id] of Object.entries(answers.names)) {
      const window = reads.messagesBefore(connection, id, undefined, 1000);
      const left = name === 'rich' ? 2 : 0;
      if (name.startsWith('root')) continue;
      expect(window.messages.length, `${name}: ${deviations.display}`).toBe((answers.display[name]?.display ?? 0) - left);
    }
    const inPlace = reads.messagesBefore(connection, answers.names['inplace'] ?? '', undefined, 1000);
    expect(inPlace.messages.map((message) => message.id)).toEqual(answers.display_order_inplace.map((row) => row.id));
    // 13 + 15 + 14 rows, of which three and three are copies of the parent's last ones.
    const lineage = reads.messagesBefore(connection, answers.names['root#2'] ?? '', undefined, 1000);
    expect(lineage.messages.length).toBe(13 + 12 + 11);
    expect(new Set(lineage.messages.filter((m) => !m.isSummary).map((m) => m.text + m.timestamp)).size).toBe(34);
  });
});

const files: RealStore[] = ['hermes-v31-empty.db', 'hermes-v31-40.db', 'hermes-v17-10.db', 'hermes-v17-1000.db'];

describe.skipIf(!hasRealStores).each(files)('%s', (name) => {
  test('every session is listed once, found by id and by prefix, and reads back whole', () => {
    const connection = open(name);
    const rows = listAll(connection);
    const ids = rows.flatMap((row) => row.ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBe(reads.stats(connection).sessions);
    const step = Math.max(1, Math.floor(rows.length / 60));
    for (const row of rows.filter((_, index) => index % step === 0)) {
      for (const id of row.ids) expect(reads.resolveSession(connection, id)).toMatchObject({ kind: 'found', session: { id: row.id } });
      // Windows of seven, from both ends, hold the same messages as one of all.
      const whole = reads.messagesBefore(connection, row.id, undefined, 10_000).messages.map((message) => message.id);
      const back: number[] = [];
      for (
        let window = reads.messagesBefore(connection, row.id, undefined, 7);
        ;
        window = reads.messagesBefore(connection, row.id, window.start, 7)
      ) {
        back.unshift(...window.messages.map((message) => message.id));
        if (!window.hasBefore) break;
      }
      expect(back).toEqual(whole);
      const forth: number[] = [];
      for (
        let window = reads.messagesAfter(connection, row.id, undefined, 7);
        ;
        window = reads.messagesAfter(connection, row.id, window.end, 7)
      ) {
        forth.push(...window.messages.map((message) => message.id));
        if (!window.hasAfter) break;
      }
      expect(forth).toEqual(whole);
      const recap = reads.recapMessages(connection, row.id, { limit: 2 });
      const spoken = reads
        .messagesBefore(connection, row.id, undefined, 10_000)
        .messages.filter(
          (m) => (m.role === 'user' || m.role === 'assistant') && m.text !== '' && !m.isSummary && m.displayKind === undefined,
        );
      expect(recap.earlier + recap.messages.filter((m) => m.text !== '' && !m.isSummary).length).toBe(spoken.length);
    }
  });

  test('looking writes nothing', () => {
    const path = copyRealStore(name, temporaryFolder());
    const hash = (): string => createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = hash();
    const connection = openForReading(path, { now: () => 1_800_000_000_000 });
    const first = listAll(connection)[0];
    reads.firstRows(connection, { limit: 20 });
    reads.listForShell(connection, { limit: 20 });
    reads.latest(connection);
    if (first !== undefined) {
      reads.recapMessages(connection, first.id, { limit: 10 });
      reads.userHistory(connection, { sessionId: first.id, limit: 50 });
      reads.matchMessages(connection, 'parser migration 데이터베이스', 3);
    }
    reads.health(connection);
    connection.close();
    expect(hash()).toBe(before);
  });
});
