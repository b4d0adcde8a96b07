import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseQuery } from '../../src/session/query-parse.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import { search, type SearchRequest } from '../../src/store/search/index.ts';
import { insertRow } from '../../src/store/writes/rows.ts';
import type { BenchOptions, Figure } from './figure.ts';
import { median } from './statistics.mjs';

interface Asked {
  readonly what: string;
  readonly query: string;
  readonly sort?: SearchRequest['sort'];
  /** Milliseconds to the first results, 200,000 and 1,000,000 messages. */
  readonly must?: readonly [number, number];
  readonly aim?: readonly [number, number];
}

const asked: readonly Asked[] = [
  { what: 'a common word', query: 'tests', must: [60, 150], aim: [25, 60] },
  { what: 'a common word, newest first', query: 'tests', sort: 'newest', must: [60, 150], aim: [20, 60] },
  { what: 'two common words', query: 'refactor auth', must: [60, 150], aim: [25, 60] },
  { what: 'the beginning of a word', query: 'te*', must: [60, 150], aim: [25, 60] },
  { what: 'a rare word', query: 'zebrafinch', must: [60, 150], aim: [25, 60] },
  { what: 'a path', query: 'src/auth.ts', must: [60, 150], aim: [25, 60] },
  { what: 'two syllables', query: '회의', must: [60, 200], aim: [20, 60] },
  { what: 'two syllables that end texts', query: '계층', must: [60, 200], aim: [20, 60] },
  { what: 'two syllables that end five texts', query: '물까', must: [60, 200], aim: [20, 60] },
  { what: 'the same inside of a word', query: '까치', must: [60, 200], aim: [20, 60] },
  { what: 'two syllables that end one word and text', query: '딱새', must: [60, 200], aim: [20, 60] },
  { what: 'a word that is nowhere', query: 'quetzal' },
];

/** What the bare shell takes for the same words: all hits in the order of rank, the first fifty. */
const baselines = ['tests', 'refactor auth', 'te*', 'zebrafinch'];

/** Search as the panel asks for it: to the first results, and until every hit is counted. */
export async function measure({ sizes, storeOf, runs }: BenchOptions): Promise<Figure[]> {
  const figures: Figure[] = [];
  const counts = [10_000, 50_000].filter((count) => Math.max(...sizes) >= count);
  for (const count of counts) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hermes-search-'));
    try {
      const file = path.join(folder, 'state.db');
      cpSync(await storeOf(count, true), file);
      addRareTexts(file);
      const messages = `${count / 50}k messages`;
      const shell = new Map(baselines.map((words) => [words, shellTime(file, words, Math.max(3, runs))]));
      for (const [words, time] of shell)
        figures.push({ what: `sqlite3 shell, ${words}, ${messages}`, value: text(time), score: time, unit: 'ms' });
      const connection = openForReading(file, { now: Date.now, role: 'reader' });
      try {
        for (const each of asked) figures.push(...figuresOf(connection, each, count, messages, Math.max(7, runs), shell.get(each.query)));
      } finally {
        connection.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return figures;
}

function figuresOf(
  connection: OpenConnection,
  each: Asked,
  count: number,
  messages: string,
  runs: number,
  shell: number | undefined,
): Figure[] {
  const times = Array.from({ length: runs }, () => timeOf(connection, each)).slice(1);
  const first = times.map((time) => time.first).sort((a, b) => a - b);
  const p95 = first[Math.ceil(first.length * 0.95) - 1]!;
  const whole = median(times.map((time) => time.whole));
  const at = count > 10_000 ? 1 : 0;
  const goal = { ...(each.must === undefined ? {} : { must: each.must[at] }), ...(each.aim === undefined ? {} : { aim: each.aim[at] }) };
  const ratio = shell === undefined ? '' : `, ${(median(first) / shell).toFixed(1)} x the shell`;
  return [
    {
      what: `first results, ${each.what}, ${messages}`,
      value: `${text(p95)} p95, ${text(median(first))} median${ratio}`,
      score: p95,
      unit: 'ms',
      ...goal,
    },
    { what: `  every hit counted, ${messages}`, value: `${text(whole)} (${times[0]!.hits} hits)`, score: whole, unit: 'ms' },
  ];
}

const text = (value: number): string => `${value.toFixed(1)} ms`;

function timeOf(connection: OpenConnection, { query, sort = 'best' }: Asked): { first: number; whole: number; hits: number } {
  const began = performance.now();
  let first: number | undefined;
  let hits = 0;
  for (const chunk of search(connection, { query: parseQuery(query, { now: Date.now(), times: 'said' }), sort, limit: 50 })) {
    if (chunk.type === 'results' && chunk.results.length > 0) first ??= performance.now() - began;
    if (chunk.type === 'done') hits = chunk.hits;
  }
  const whole = performance.now() - began;
  return { first: first ?? whole, whole, hits };
}

/** Words nothing else has, in old messages. */
function addRareTexts(file: string): void {
  const writer = openForWriting(file, { now: Date.now });
  try {
    const sessions = writer.db
      .prepare(`SELECT id FROM sessions WHERE source = 'cli' ORDER BY started_at LIMIT 5`)
      .pluck()
      .all() as string[];
    for (const [index, id] of sessions.entries()) {
      const content = index === 0 ? '정원에서 본 작은딱새' : `a zebrafinch in the garden, 물까치 한 마리와 물까`;
      insertRow(writer, 'messages', { session_id: id, role: 'user', content, timestamp: 1_700_000_000 + index });
    }
  } finally {
    writer.close();
  }
}

function shellTime(file: string, words: string, runs: number): number {
  const run = (sql: string): number => {
    const times = Array.from({ length: runs }, () => {
      const began = performance.now();
      execFileSync('sqlite3', ['-readonly', file, sql], { stdio: ['ignore', 'ignore', 'inherit'] });
      return performance.now() - began;
    });
    return median(times);
  };
  const ranked = `SELECT rowid, snippet(messages_fts, 0, '', '', '', 40) FROM messages_fts WHERE messages_fts MATCH '${words}' ORDER BY rank LIMIT 50`;
  return Math.max(0.1, run(ranked) - run('SELECT 1'));
}
