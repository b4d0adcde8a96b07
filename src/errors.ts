/**
 * Every error the program raises on purpose. `message` is one plain sentence (what happened, to which thing), `hint` says what
 * to try, `exitCode` is what a shell sees. One printer (`src/main.ts`) shows them; nothing else prints and exits.
 */
export class HermesError extends Error {
  /** Stable, for tests and logs; never match on `message`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(code: string, message: string, options: { hint?: string; exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The command line itself is wrong. */
export class UsageError extends HermesError {
  constructor(message: string, hint?: string) {
    super('usage', message, { exitCode: 2, ...(hint === undefined ? {} : { hint }) });
  }
}

/** Nothing answers to that name. */
export class NotFoundError extends HermesError {
  constructor(message: string, hint?: string) {
    super('not-found', message, hint === undefined ? {} : { hint });
  }
}

/** More ids than these fill a screen, and nobody reads them. */
const candidatesNamed = 6;

/** A prefix that several sessions share. */
export class AmbiguousIdError extends HermesError {
  readonly candidates: readonly string[];
  constructor(prefix: string, candidates: readonly string[]) {
    const left = candidates.length - candidatesNamed;
    const named = `${candidates.slice(0, candidatesNamed).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
    super('ambiguous-id', `'${prefix}' is the beginning of ${candidates.length} session ids: ${named}`, {
      hint: 'Type more of the id, or the whole of it.',
    });
    this.candidates = candidates;
  }
}

export type StoreTrouble = 'busy' | 'corrupt' | 'index' | 'newer' | 'readonly' | 'missing' | 'unreadable' | 'full' | 'refused';

/** The session store can't do what was asked of it. */
export class StoreError extends HermesError {
  readonly trouble: StoreTrouble;
  constructor(trouble: StoreTrouble, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(`store-${trouble}`, message, options);
    this.trouble = trouble;
  }
}

/** A line of config.yaml or .env can't be used. `line` counts from 1. */
export class ConfigError extends HermesError {
  readonly path: string;
  readonly line: number | undefined;
  constructor(path: string, message: string, options: { line?: number; hint?: string } = {}) {
    super('config', `${path}${options.line === undefined ? '' : `:${options.line}`}: ${message}`, options);
    this.path = path;
    this.line = options.line;
  }
}

export type AgentTrouble =
  | 'no-model'
  | 'unauthorized'
  | 'rate-limited'
  | 'server'
  | 'cut-off'
  | 'network'
  | 'unknown-model'
  | 'bad-request'
  | 'interrupted'
  | 'context-overflow';

/** A model call failed. `retryAfterMs` is set when the provider named a waiting time. */
export class AgentError extends HermesError {
  readonly trouble: AgentTrouble;
  readonly retryAfterMs: number | undefined;
  constructor(trouble: AgentTrouble, message: string, options: { hint?: string; cause?: unknown; retryAfterMs?: number } = {}) {
    super(`agent-${trouble}`, message, options);
    this.trouble = trouble;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export type UploadTrouble =
  | 'no-token'
  | 'bad-token'
  | 'unauthorized'
  | 'forbidden'
  | 'conflict'
  | 'public-dataset'
  | 'rate-limited'
  | 'server'
  | 'refused'
  | 'network'
  | 'timeout'
  | 'interrupted';

/** A trace could not be sent to the Hub; nothing of it arrived, or the Hub never said that it did. */
export class UploadError extends HermesError {
  readonly trouble: UploadTrouble;
  constructor(trouble: UploadTrouble, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(`upload-${trouble}`, message, options);
    this.trouble = trouble;
  }
}

/** This terminal can't show or do what was asked (not a TTY, too small, TERM=dumb). */
export class TerminalError extends HermesError {
  constructor(code: 'not-a-tty' | 'dumb' | 'too-small', message: string, hint?: string) {
    super(`terminal-${code}`, message, { exitCode: code === 'not-a-tty' ? 2 : 1, ...(hint === undefined ? {} : { hint }) });
  }
}
