import { statSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import type { Methods } from '../api.ts';
import type { Connection, OpenConnection } from '../connection.ts';
import { StoreError } from '../../errors.ts';
import { storeText } from '../../text/en/store.ts';
import { explainFailure } from '../damage.ts';
import { type FromWorker, packError, type ToWorker } from './protocol.ts';

export type Call = Extract<ToWorker, { kind: 'call' }>;

export interface Host {
  post(message: FromWorker): void;
  fail(call: Call, error: unknown): void;
}

/** What both kinds of worker do alike: answer on a port, in the words of the protocol. */
export function hostOn(port: MessagePort): Host {
  const post = (message: FromWorker) => port.postMessage(message);
  return {
    post,
    fail: (call, error) => post({ kind: 'error', id: call.id, error: packError(error) }),
  };
}

/** @throws TypeError for a name that is not one of the methods: a fault of this program */
export function methodNamed(methods: Methods, name: string): (connection: Connection, ...args: unknown[]) => unknown {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new TypeError(`no store method ${name}`);
  return method as (connection: Connection, ...args: unknown[]) => unknown;
}

/** A connection that notices when another file stands under its name. */
export interface Keeper {
  /** The open connection with its shape up to date, opened when there is none. @throws StoreError */
  current(): OpenConnection;
  /** The open connection, if there is one. */
  readonly held: OpenConnection | undefined;
  /** How often the store was opened. */
  readonly openings: number;
  /** As `explainFailure`, with what is known of this store. */
  explain(error: unknown): unknown;
  close(): void;
}

export interface KeepOptions {
  /** False while something still reads from the connection. */
  readonly canReopen?: () => boolean;
  /** Called when another program changed the schema. */
  readonly schemaChanged?: (connection: OpenConnection) => void;
}

export function keepOpen(path: string, open: () => OpenConnection, options: KeepOptions = {}): Keeper {
  let held: OpenConnection | undefined;
  let file: string | undefined;
  let openings = 0;
  const keeper: Keeper = {
    current() {
      // A statement on an unlinked file succeeds and is lost, so the name is looked at before every use; 5 µs.
      const found = fileAt(path);
      if (openings > 0 && found === undefined) {
        keeper.close();
        throw new StoreError('missing', storeText.gone(path), { hint: storeText.goneHint });
      }
      if (held !== undefined && found !== file && options.canReopen?.() !== false) keeper.close();
      if (held === undefined) {
        held = open();
        file = fileAt(path);
        openings += 1;
      } else if (held.refreshShape()) options.schemaChanged?.(held);
      return held;
    },
    get held() {
      return held;
    },
    get openings() {
      return openings;
    },
    explain: (error) => explainFailure(error, path, held?.shape.version),
    close() {
      held?.close();
      held = undefined;
    },
  };
  return keeper;
}

function fileAt(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}`;
}
