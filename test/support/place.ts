import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { agent, writeConversations, you, type Conversation } from '../../fixtures/stores/conversation.ts';
import { createLayout } from '../../src/store/schema/create.ts';
import { chatEvent, SSE, startByteServer, type ByteServer } from './model-server.ts';
import { temporaryFolder } from './temp-folder.ts';
import { spawnTui, type Tui, type TuiOptions } from './tui.ts';

export const program = join(import.meta.dirname, '../../bin/hermes');

/** A home of one test, the folders its sessions worked in, and a model that answers. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly store: string;
  /** Makes a folder below the place. */
  directory(name: string): string;
  /** Stores conversations in a new store. @returns their ids */
  seed(conversations: readonly Conversation[]): string[];
  /** The program under a pty; the screen has one line of the shell before it. `shell`: this command line of sh instead. */
  open(args: readonly string[], options?: Omit<Partial<TuiOptions>, 'command' | 'args'> & { shell?: string }): Tui;
  /** Rows of a query on a copy of the store, so that looking changes nothing. */
  rows<Row = Record<string, unknown>>(sql: string, ...values: unknown[]): Row[];
  /** One hash of all rows of all tables and of `sqlite_master`. */
  hash(): string;
}

/** Line that stands on the screen before the program begins. */
export const before = 'before-the-program';

/** A conversation of two messages about one thing. */
export const about = (topic: string, more: Partial<Conversation> = {}): Conversation => ({
  source: 'tui',
  title: topic,
  age: 10,
  messages: [you(`What of ${topic}?`), agent(`This of ${topic}.`)],
  ...more,
});

export async function makePlace(): Promise<Place> {
  const folder = realpathSync(temporaryFolder());
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });
  const store = join(home, 'state.db');
  const model = await startTalker();
  writeConfig(home, model.url);
  let copies = 0;

  const copyStore = (): BetterSqlite3.Database => {
    const copy = join(folder, `copy-${++copies}.db`);
    copyFileSync(store, copy);
    if (existsSync(`${store}-wal`)) copyFileSync(`${store}-wal`, `${copy}-wal`);
    return new BetterSqlite3(copy);
  };

  const place: Place = {
    folder,
    home,
    store,
    directory(name) {
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    seed(conversations) {
      const db = new BetterSqlite3(store);
      try {
        db.pragma('journal_mode = WAL');
        db.transaction(() => createLayout(db, Date.now()))();
        return writeConversations(db, conversations, Date.now());
      } finally {
        db.close();
      }
    },
    open: (args, { shell = 'exec "$@"', ...options } = {}) =>
      spawnTui({
        command: '/bin/sh',
        args: ['-c', `printf '${before}\\n'; ${shell}`, 'sh', process.execPath, program, ...args],
        cwd: folder,
        ...options,
        env: { HERMES_HOME: home, ...options.env },
      }),
    rows<Row>(sql: string, ...values: unknown[]) {
      const db = copyStore();
      try {
        return db.prepare(sql).all(...values) as Row[];
      } finally {
        db.close();
      }
    },
    hash() {
      const db = copyStore();
      try {
        return hashRows(db);
      } finally {
        db.close();
      }
    },
  };
  return place;
}

function hashRows(db: BetterSqlite3.Database): string {
  const hash = createHash('sha256');
  const master = db.prepare('SELECT * FROM sqlite_master ORDER BY name').all() as { type: string; name: string; sql: string | null }[];
  hash.update(JSON.stringify(master));
  for (const { type, name, sql } of master) {
    if (type !== 'table' || sql?.startsWith('CREATE VIRTUAL') === true) continue;
    const rows = db.prepare(`SELECT * FROM "${name}"`).raw().all() as unknown[][];
    hash.update(`\n${name} ${rows.length}\n`);
    for (const row of rows
      .map((values) => JSON.stringify(values.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value))))
      .sort())
      hash.update(`${row}\n`);
  }
  return hash.digest('hex');
}

/**
 * A model of this machine. It answers `Answer to: <the message>`; to a message that begins with `slow` it says `word1 word2 …`, one word
 * every 100 ms, for as long as somebody listens.
 */
async function startTalker(): Promise<ByteServer> {
  const server = await startByteServer(async (response, request) => {
    if (request.method !== 'POST') {
      response.writeHead(404);
      response.end();
      return;
    }
    const { messages } = request.body as { messages: { role: string; content: unknown }[] };
    const asked = textOf(messages.findLast((message) => message.role === 'user')?.content);
    let hasLeft = false;
    response.on('close', () => (hasLeft = true));
    response.writeHead(200, SSE);
    response.write(chatEvent({ role: 'assistant', content: '' }));
    if (!asked.startsWith('slow')) response.write(chatEvent({ content: `Answer to: ${asked}` }));
    else
      for (let word = 1; !hasLeft && word <= 600; word++) {
        response.write(chatEvent({ content: `word${word} ` }));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    if (hasLeft) return;
    response.write(chatEvent({}, 'stop'));
    response.end('data: [DONE]\n\n');
  });
  onTestFinished(() => server.stop());
  return server;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '').join('') : '';
}

function writeConfig(home: string, url: string): void {
  const lines = [
    'model:',
    '  default: talker',
    '  provider: custom:talker',
    'custom_providers:',
    '  - name: talker',
    `    base_url: ${url}/v1`,
    '    api_key: test-key',
    '    model: talker',
  ];
  writeFileSync(join(home, 'config.yaml'), `${lines.join('\n')}\n`, { mode: 0o600 });
}

/** The prompt is there and everything after the first frame has happened. */
export async function ready(tui: Tui): Promise<void> {
  await tui.until((shown) => shown.modes().alternateScreen && shown.text().includes('❯'), 'the composer');
  await tui.until((shown) => shown.stats.idle > 0, 'the program to be idle');
}

/** Sends a line and waits for the model's answer, and for the end of the turn: then it is stored. */
export async function say(tui: Tui, text: string): Promise<void> {
  await tui.until((shown) => shown.text().includes('❯'), 'the composer');
  tui.write(text);
  await tui.until((shown) => shown.text().includes(text), `the typed ${text}`);
  tui.press('enter');
  await tui.until((shown) => shown.text().includes(`Answer to: ${text}`), `the answer to ${text}`);
  await tui.until((shown) => !/^ (working|waiting)/m.test(shown.text()), 'the turn to end');
  await tui.waitIdle();
}

/** Types a command as a person does: Enter comes when the line is there. */
export async function command(tui: Tui, line: string): Promise<void> {
  tui.write(line);
  await tui.until((shown) => shown.text().includes(`❯ ${line}`), `the typed ${line}`);
  tui.press('enter');
  await tui.until((shown) => !shown.text().includes(`❯ ${line}`), `${line} to be taken`);
}

/** Ctrl+C twice, as a person leaves. */
export async function leave(tui: Tui): Promise<number> {
  await tui.until((shown) => !/^ working/m.test(shown.text()), 'the turn to end');
  tui.press('ctrl+c');
  await tui.until((shown) => /again leaves/.test(shown.text()), 'the question to leave');
  tui.press('ctrl+c');
  await tui.until((shown) => shown.exitStatus() !== undefined, 'the end of the program', 15_000);
  return (await tui.exited).code;
}

/** What stands on the normal screen after the program, without the line before it and blank lines. */
export function after(tui: Tui): string[] {
  const lines = tui.lines().filter((line) => line !== '');
  if (lines[0] !== before) throw new Error(`the screen before is not restored:\n${tui.text()}`);
  return lines.slice(1);
}

/** Every mode the program had switched on is off again. */
export const restored = {
  alternateScreen: false,
  cursorVisible: true,
  bracketedPaste: false,
  mouse: 'none',
  mouseSgr: false,
  focus: false,
  synchronized: false,
  modifyOtherKeys: 0,
  kittyDepth: 0,
} as const;
