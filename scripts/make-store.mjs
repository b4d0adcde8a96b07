#!/usr/bin/env node
/**
 * Makes a store of believable conversations: `node scripts/make-store.mjs FILE [--sessions 1000] [--messages 20] [--no-search-index]`.
 * As a function it keeps what it made below node_modules/.cache, because 100,000 sessions take minutes.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './fresh.mjs';
import { importSource } from './import-source.mjs';

/**
 * @param {{ sessions: number, messagesPerSession?: number, hasSearchIndex?: boolean }} recipe
 * @returns {Promise<string>} path of a store nobody may write to: copy it or open it read-only
 */
export async function cachedStore({ sessions, messagesPerSession = 20, hasSearchIndex = true }) {
  const folder = path.join(root, 'node_modules/.cache/hermes-stores');
  const file = path.join(folder, `${sessions}x${messagesPerSession}${hasSearchIndex ? '' : '-plain'}.db`);
  const maker = Math.max(...['generate.ts', 'phrases.ts'].map((name) => statSync(path.join(root, 'fixtures/stores', name)).mtimeMs));
  if (existsSync(file) && statSync(file).mtimeMs > maker) return file;
  mkdirSync(folder, { recursive: true });
  const { generateStore } = await importSource(['fixtures/stores/generate.ts']);
  const temporary = `${file}.${process.pid}`;
  rmSync(temporary, { force: true });
  generateStore(temporary, { sessions, messagesPerSession, hasSearchIndex, now: Date.now() });
  for (const side of ['-wal', '-shm']) rmSync(temporary + side, { force: true });
  renameSync(temporary, file);
  return file;
}

if (process.argv[1] === import.meta.filename) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sessions: { type: 'string', default: '1000' },
      messages: { type: 'string', default: '20' },
      'no-search-index': { type: 'boolean' },
    },
  });
  const file = positionals[0];
  if (file === undefined || existsSync(file)) {
    process.stderr.write(file === undefined ? 'usage: make-store.mjs FILE [--sessions N] [--messages N]\n' : `${file} exists already\n`);
    process.exit(2);
  }
  const { generateStore } = await importSource(['fixtures/stores/generate.ts']);
  const startedAt = Date.now();
  const recipe = {
    sessions: Number(values.sessions),
    messagesPerSession: Number(values.messages),
    hasSearchIndex: !values['no-search-index'],
  };
  generateStore(file, { ...recipe, now: Date.now() });
  const megabytes = (statSync(file).size / 1e6).toFixed(1);
  process.stdout.write(`${recipe.sessions} sessions in ${file}, ${megabytes} MB, ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}
