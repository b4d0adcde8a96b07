import { rmSync } from 'node:fs';
import path from 'node:path';
import { draftFileName } from '../session/file-names.ts';
import { readPlainFile } from '../text/plain-file.ts';
import { paneCrumbName } from '../terminal/identity.ts';
import { writeAtomic } from '../text/write-atomic.ts';
import type { Run } from './run.ts';

/** What was typed and not sent, with the messages that wait behind a running turn. */
export interface Draft {
  text: string;
  queue: readonly string[];
}

/** Under what the draft of a conversation is kept: its session, or the terminal while it has none. */
export function draftKeyOf(run: Run, id: string | undefined): string {
  if (id !== undefined) return id;
  const { identity } = run.terminal();
  return identity === '' ? `new-${process.pid}` : `new-${paneCrumbName(identity)}`;
}

const emptyDraft: Draft = { text: '', queue: [] };

/**
 * Unsent text of one conversation, in `<home>/tui/drafts/<name>.json` `{v: 1, text, queue, at}`. A conversation that has no row yet keeps
 * its draft under the terminal it is typed in, so that two panes never share one. Written within a second of the last key, gone when sent.
 */
export class Drafts {
  readonly #folder: string;
  readonly #delayMs: number;
  readonly #onTrouble: (error: unknown) => void;
  readonly #now: () => number;
  #pending: { key: string; draft: () => Draft } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(home: string, options: { delayMs?: number; now: () => number; onTrouble: (error: unknown) => void }) {
    this.#folder = path.join(home, 'tui', 'drafts');
    this.#delayMs = options.delayMs ?? 700;
    this.#onTrouble = options.onTrouble;
    this.#now = options.now;
  }

  /** The draft kept under that key; an unreadable or unknown file counts as none and is left alone. */
  load(key: string): Draft {
    let text: string;
    try {
      text = readPlainFile(this.#file(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#onTrouble(error);
      return emptyDraft;
    }
    return parseDraft(text) ?? emptyDraft;
  }

  /** Keeps the draft; `draft` is asked for it when it is written, within a second. An empty one removes the file. */
  save(key: string, draft: () => Draft): void {
    if (this.#pending !== undefined && this.#pending.key !== key) this.flush();
    this.#pending = { key, draft };
    this.#timer ??= setTimeout(() => this.flush(), this.#delayMs).unref();
  }

  /** Writes what waits; called before leaving, too. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return;
    const file = this.#file(pending.key);
    const { text, queue } = pending.draft();
    try {
      if (text === '' && queue.length === 0) rmSync(file, { force: true });
      else writeAtomic(file, JSON.stringify({ v: 1, text, queue, at: this.#now() }));
    } catch (error) {
      this.#onTrouble(error);
    }
  }

  #file(key: string): string {
    return path.join(this.#folder, draftFileName(key));
  }
}

function parseDraft(text: string): Draft | undefined {
  try {
    const value = JSON.parse(text) as { v?: unknown; text?: unknown; queue?: unknown } | null;
    if (value?.v !== 1 || typeof value.text !== 'string' || !Array.isArray(value.queue)) return undefined;
    return { text: value.text, queue: value.queue.filter((entry): entry is string => typeof entry === 'string') };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
