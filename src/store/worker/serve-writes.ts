import type { MessagePort } from 'node:worker_threads';
import { StoreError } from '../../errors.ts';
import { storeText } from '../../text/en/store.ts';
import type { Methods } from '../api.ts';
import { scrub } from '../bin/scrub.ts';
import { isBusy, isIndexDamage, isPageDamage } from '../damage.ts';
import { openForWriting } from '../open.ts';
import { rebuildIndex } from '../rebuild-index.ts';
import { type HousekeepingReport, mergeIndexes, storeBytes, type HousekeepingTask, vacuum } from '../housekeeping.ts';
import { reconcile } from '../schema/reconcile.ts';
import { type Call, hostOn, keepOpen, methodNamed } from './host.ts';
import { packError, type ToWorker, type WorkerSetup } from './protocol.ts';
import { transact } from './transact.ts';

/** A wait shorter than this is not worth telling. */
const WAITING_AFTER_MS = 300;

/** From here on locks are asked for less often (store-v31.md B2.13). */
const PATIENT_AFTER_MS = 2000;

/** Writes between two checkpoints; always PASSIVE: another program may be reading. */
const WRITES_PER_CHECKPOINT = 50;

/**
 * Answers write calls on `port`, strictly in the order in which they came, each in one transaction. The store is opened by the first of them, so
 * that looking at conversations writes nothing.
 */
export function serveWrites(port: MessagePort, setup: WorkerSetup, methods: Methods): void {
  const host = hostOn(port);
  const queue: Call[] = [];
  let isRunning = false;
  let isClosing = false;
  let givesUpAt = Infinity;
  let writes = 0;
  /** Set by damage of the file itself: nothing is written any more. */
  let damage: StoreError | undefined;

  const now = () => Date.now() + setup.clockOffsetMs;
  const keeper = keepOpen(
    setup.path,
    () => openForWriting(setup.path, { now, journalMode: setup.journalMode, force: setup.force }),
    // Hermes Agent puts its CJK triggers back whenever it opens the store; with them no message can be inserted here.
    { schemaChanged: reconcile },
  );

  async function drain(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    for (let call = queue.shift(); call !== undefined; call = queue.shift()) await perform(call);
    isRunning = false;
    if (isClosing) finish();
  }

  async function perform(call: Call): Promise<void> {
    const startedAt = performance.now();
    const waiting = announceWaiting();
    let index: 'untouched' | 'to-rebuild' | 'rebuilt' = 'untouched';
    for (;;) {
      try {
        if (index === 'to-rebuild') {
          repairIndex();
          index = 'rebuilt';
        }
        const value = run(call);
        waiting.end();
        host.post({ kind: 'value', id: call.id, value });
        checkpointSometimes();
        return;
      } catch (error) {
        const waited = performance.now() - startedAt;
        if (isBusy(error) && waited < setup.patienceMs && performance.now() < givesUpAt) {
          waiting.begin();
          await pause(retryDelay(waited));
        } else if (isIndexDamage(error) && index === 'untouched') {
          index = 'to-rebuild';
        } else {
          waiting.end();
          host.fail(call, remember(error));
          return;
        }
      }
    }
  }

  function run(call: Call): unknown {
    if (damage !== undefined) throw damage;
    const connection = keeper.current();
    if (call.method === '$rebuildIndex') return rebuildIndex(connection);
    if (call.method === '$housekeep') return housekeep(call.args[0] as HousekeepingTask);
    const method = methodNamed(methods, call.method);
    return transact(connection.db, () => method(connection, ...call.args));
  }

  /** Work on the whole file, which begins and ends its own transactions. */
  function housekeep(task: HousekeepingTask): HousekeepingReport {
    const bytesBefore = storeBytes(setup.path);
    if (task === 'vacuum') {
      // Whether anybody else has the file open can only be asked by somebody who hasn't.
      keeper.close();
      return vacuum(setup.path, { now, force: setup.force });
    }
    const connection = keeper.current();
    if (task === 'scrub') {
      const { heldBy } = scrub(connection);
      return {
        bytesBefore,
        bytesAfter: storeBytes(setup.path),
        ...(heldBy.length === 0 ? {} : { notVacuumed: { kind: 'held', by: heldBy } }),
      };
    }
    for (const pages of mergeIndexes(connection)) void pages;
    return { bytesBefore, bytesAfter: storeBytes(setup.path) };
  }

  /** A message that can't be indexed can't be stored either, since triggers do both; so the index is made anew before it is tried again. */
  function repairIndex(): void {
    rebuildIndex(keeper.current());
    host.post({ kind: 'trouble', error: packError(new StoreError('index', storeText.indexRebuilt)) });
  }

  function remember(error: unknown): unknown {
    const known = keeper.explain(error);
    if (damage === undefined && known instanceof StoreError && (isPageDamage(error) || known.trouble === 'corrupt')) {
      damage = known;
      host.post({ kind: 'trouble', error: packError(known) });
    }
    return known;
  }

  function announceWaiting(): Waiting {
    let timer: NodeJS.Timeout | undefined;
    let isTold = false;
    return {
      begin() {
        timer ??= setTimeout(() => {
          isTold = true;
          host.post({ kind: 'waiting' });
        }, WAITING_AFTER_MS);
      },
      end() {
        clearTimeout(timer);
        if (isTold) host.post({ kind: 'waiting-over' });
      },
    };
  }

  function checkpointSometimes(): void {
    writes += 1;
    if (writes % WRITES_PER_CHECKPOINT === 0) checkpoint();
  }

  function checkpoint(): void {
    try {
      keeper.held?.db.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      // The rows are safe in the WAL; whoever checkpoints next takes them over. Damage shows itself at the next write.
      if (!isBusy(error)) remember(error);
    }
  }

  function finish(): void {
    if (damage === undefined) checkpoint();
    keeper.close();
    host.post({ kind: 'closed' });
    port.close();
  }

  port.on('message', (message: ToWorker) => {
    if (message.kind === 'call') {
      queue.push(message);
      void drain();
    } else if (message.kind === 'close' && !isClosing) {
      isClosing = true;
      givesUpAt = performance.now() + message.withinMs;
      if (!isRunning) finish();
    }
  });
}

interface Waiting {
  begin(): void;
  end(): void;
}

/** Milliseconds to the next attempt: 20 to 150, later 250 to 1,000; spread, so that several waiters don't meet again. */
function retryDelay(waitedMs: number): number {
  const [least, most] = waitedMs < PATIENT_AFTER_MS ? [20, 150] : [250, 1000];
  return least + Math.random() * (most - least);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
