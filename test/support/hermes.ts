import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { writeConversations, type Conversation } from '../../fixtures/stores/conversation.ts';
import { createLayout } from '../../src/store/schema/create.ts';
import { chatText } from '../../src/text/en/chat.ts';
import { chatEvent, SSE, startByteServer } from './model-server.ts';
import { spawnTui, type Tui, type TuiOptions } from './tui.ts';

/** The program as people start it. */
export const hermesBin = join(import.meta.dirname, '../../bin/hermes');

/** A machine of one test: a home with a store and a config, a folder to work in, a model that answers as told. */
export interface Machine {
  readonly home: string;
  /** Where the program is started; real path. */
  readonly work: string;
  /** Ids of the conversations, in the order given. */
  readonly ids: readonly string[];
  readonly model: ScriptedModel;
  /** Rows of `messages` as they stand, oldest first, read while the program may be running. */
  messages(): StoredMessage[];
  /** One value out of the store. */
  ask(sql: string, ...values: unknown[]): unknown;
}

export interface StoredMessage {
  readonly session_id: string;
  readonly role: string;
  readonly content: string;
}

export interface ScriptedModel {
  readonly url: string;
  /** Answers streamed from now on, one after the other; the last one is repeated. Parts of an array are sent `gapMs` apart. */
  script(...answers: (string | readonly string[])[]): void;
  /** Answers stop before their end until `release`. */
  hold(): void;
  release(): void;
  /** Newest user text of every request. */
  readonly asked: string[];
}

const gapMs = 15;

async function startScriptedModel(): Promise<ScriptedModel & { stop(): Promise<void> }> {
  let answers: (string | readonly string[])[] = ['Understood.'];
  let isHeld = false;
  let waiting: (() => void)[] = [];
  const asked: string[] = [];
  const stream = async (response: ServerResponse) => {
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    response.writeHead(200, SSE);
    for (const part of typeof answer === 'string' ? [answer] : answer) {
      response.write(chatEvent({ role: 'assistant', content: part }));
      if (typeof answer !== 'string') await new Promise((resolve) => setTimeout(resolve, gapMs));
    }
    if (isHeld) await new Promise<void>((resolve) => waiting.push(resolve));
    response.end(`${chatEvent({}, 'stop')}data: [DONE]\n\n`);
  };
  const server = await startByteServer((response, request) => {
    const body = request.body as { messages?: { role: string; content: unknown }[] } | undefined;
    const newest = body?.messages?.findLast((message) => message.role === 'user')?.content;
    if (body?.messages !== undefined) asked.push(typeof newest === 'string' ? newest : JSON.stringify(newest));
    return stream(response);
  });
  return {
    url: server.url,
    asked,
    script: (...next) => {
      answers = next;
    },
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const resume of waiting.splice(0)) resume();
      waiting = [];
    },
    stop: () => server.stop(),
  };
}

export interface MachineOptions {
  readonly conversations?: (work: string) => readonly Conversation[];
  /** Lines added to config.yaml. */
  readonly config?: readonly string[];
  /** No store at all, as on a fresh machine. */
  readonly isFresh?: boolean;
}

/** Makes the machine; everything of it goes when the test ends. */
export async function makeMachine(options: MachineOptions = {}): Promise<Machine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-machine-')));
  const home = join(folder, 'home');
  const work = join(folder, 'work');
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(work);
  const model = await startScriptedModel();
  onTestFinished(async () => {
    await model.stop();
    // A program whose terminal was taken away still stores what it has.
    rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  });
  const file = join(home, 'state.db');
  let ids: string[] = [];
  if (options.isFresh !== true) {
    const now = Date.now();
    const db = new BetterSqlite3(file);
    chmodSync(file, 0o600);
    db.pragma('journal_mode = WAL');
    db.transaction(() => createLayout(db, now))();
    ids = writeConversations(db, options.conversations?.(work) ?? [], now);
    db.close();
  }
  const config = ['model:', '  default: scripted', '  provider: custom:scripted', 'custom_providers:', '  - name: scripted'];
  config.push(`    base_url: ${model.url}/v1`, '    api_key: test-key', '    model: scripted', ...(options.config ?? []));
  writeFileSync(join(home, 'config.yaml'), `${config.join('\n')}\n`, { mode: 0o600 });

  const read = <Value>(look: (db: BetterSqlite3.Database) => Value): Value => {
    const db = new BetterSqlite3(file, { readonly: true });
    try {
      return look(db);
    } finally {
      db.close();
    }
  };
  return {
    home,
    work,
    ids,
    model,
    messages: () => read((db) => db.prepare<[], StoredMessage>('SELECT session_id, role, content FROM messages ORDER BY id').all()),
    ask: (sql, ...values) =>
      read(
        (db) =>
          db
            .prepare(sql)
            .pluck()
            .get(...values) as unknown,
      ),
  };
}

/** Starts the program on the machine and waits until its line can be typed into. */
export async function startHermes(machine: Machine, options: Partial<TuiOptions> & { readonly waitFor?: string } = {}): Promise<Tui> {
  const { env, waitFor = '❯', args = [], ...rest } = options;
  const tui = spawnTui({
    command: process.execPath,
    args: [hermesBin, ...args],
    cwd: machine.work,
    env: { HERMES_HOME: machine.home, TZ: 'UTC', ...env },
    ...rest,
  });
  if (waitFor !== '') {
    await tui.until((t) => t.text().includes(waitFor) && t.stats.idle > 0, `the program to show ${waitFor}`);
    // What the terminal answered (kitty keys, colours) counts from now on.
    if (options.kitty === true) await tui.until((t) => t.modes().kittyDepth === 1, 'kitty keys');
  }
  return tui;
}

const rule = /^[─-]{20,}$/u;

/** What stands in the line that is typed into: its rows without the prompt, joined; and the caret, in cells from the left of its row. */
export function composerOf(tui: Tui): { text: string; caret: number; row: number } {
  const lines = tui.lines();
  const bottom = lines.findLastIndex((line) => rule.test(line));
  const top = lines.slice(0, bottom).findLastIndex((line) => rule.test(line));
  const rows = lines.slice(top + 1, bottom).map((line) => line.slice(3).trimEnd());
  const text = rows.join('\n');
  const { x, y } = tui.cursor();
  return { text: text === chatText.placeholder ? '' : text, caret: x - 3, row: y - top - 1 };
}

/** The lowest row. */
export const statusOf = (tui: Tui): string => tui.lines().at(-1) ?? '';

/** Waits until the line holds exactly this. */
export const untilComposer = (tui: Tui, text: string, what = 'the line'): Promise<number> =>
  tui.until(
    (t) => composerOf(t).text === text,
    `${what} to hold ${JSON.stringify(text)} (it holds ${JSON.stringify(composerOf(tui).text)})`,
  );

export const untilText = (tui: Tui, text: string): Promise<number> => tui.until((t) => t.text().includes(text), `“${text}” on the screen`);

export const untilGone = (tui: Tui, text: string): Promise<number> => tui.until((t) => !t.text().includes(text), `“${text}” to go`);
