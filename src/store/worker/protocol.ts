import { AmbiguousIdError, HermesError, NotFoundError, StoreError, type StoreTrouble, UsageError } from '../../errors.ts';
import { failureCode } from '../damage.ts';

/** What a worker is started with. */
export interface WorkerSetup {
  readonly path: string;
  readonly journalMode: 'wal' | 'delete';
  readonly force: boolean;
  /** Added to the worker's own clock; a function can't cross threads. */
  readonly clockOffsetMs: number;
  /** How long a write waits for a lock before it fails. */
  readonly patienceMs: number;
  readonly stopFlags: Int32Array;
}

export type ToWorker =
  | { readonly kind: 'call'; readonly id: number; readonly method: string; readonly args: readonly unknown[] }
  /** One chunk of a stream was taken: another may be sent. */
  | { readonly kind: 'more'; readonly id: number }
  /** The rest of a stream is not wanted. */
  | { readonly kind: 'drop'; readonly id: number }
  | { readonly kind: 'close'; readonly withinMs: number };

export type FromWorker =
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'chunk'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: WireError }
  | { readonly kind: 'waiting' | 'waiting-over' | 'closed' }
  | { readonly kind: 'trouble'; readonly error: WireError };

/** Methods every worker has beside the named ones. */
export type BuiltIn = '$dataVersion' | '$facts' | '$check' | '$release' | '$rebuildIndex' | '$housekeep';

/** Chunks of one stream that may be on their way or untaken. */
export const CHUNK_WINDOW = 8;

/** An error as plain data; classes don't survive the way between threads. */
export interface WireError {
  readonly type: 'store' | 'not-found' | 'ambiguous-id' | 'usage' | 'hermes' | 'other';
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly exitCode?: number;
  readonly trouble?: StoreTrouble;
  readonly candidates?: readonly string[];
  readonly stack?: string;
}

export function packError(error: unknown): WireError {
  if (!(error instanceof HermesError)) {
    const code = failureCode(error);
    const known = error instanceof Error ? error : new Error(String(error));
    return {
      type: 'other',
      message: known.message,
      ...(code === undefined ? {} : { code }),
      ...(known.stack === undefined ? {} : { stack: known.stack }),
    };
  }
  const facts = {
    message: error.message,
    code: error.code,
    exitCode: error.exitCode,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
  if (error instanceof StoreError) return { type: 'store', trouble: error.trouble, ...facts };
  if (error instanceof AmbiguousIdError) return { type: 'ambiguous-id', candidates: error.candidates, ...facts };
  if (error instanceof NotFoundError) return { type: 'not-found', ...facts };
  if (error instanceof UsageError) return { type: 'usage', ...facts };
  return { type: 'hermes', ...facts };
}

export function unpackError(wire: WireError): Error {
  const options = wire.hint === undefined ? {} : { hint: wire.hint };
  switch (wire.type) {
    case 'store':
      return new StoreError(wire.trouble ?? 'unreadable', wire.message, options);
    case 'not-found':
      return new NotFoundError(wire.message, wire.hint);
    case 'usage':
      return new UsageError(wire.message, wire.hint);
    case 'ambiguous-id':
      return Object.assign(new AmbiguousIdError('', wire.candidates ?? []), { message: wire.message });
    case 'hermes':
      return new HermesError(wire.code ?? 'unknown', wire.message, {
        ...options,
        ...(wire.exitCode === undefined ? {} : { exitCode: wire.exitCode }),
      });
    case 'other': {
      const error = new Error(wire.message);
      if (wire.stack !== undefined) error.stack = wire.stack;
      return wire.code === undefined ? error : Object.assign(error, { code: wire.code });
    }
  }
}
