/**
 * A process among others at one store: `shuttle PATH IDS` deletes its sessions and brings them back, several times over; `write PATH IDS` adds
 * messages meanwhile and prints how many. Each waits for the lock as the program does.
 */
import { moveToBin, restoreFromBin } from '../../src/store/bin/index.ts';
import type { Connection } from '../../src/store/connection.ts';
import { isBusy } from '../../src/store/damage.ts';
import { openForWriting } from '../../src/store/open.ts';
import { transact } from '../../src/store/worker/transact.ts';
import { insertRow } from '../../src/store/writes/rows.ts';

const [kind, path = '', list = '[]'] = process.argv.slice(2);
const ids = JSON.parse(list) as string[];
const rounds = 6;
const messages = 60;

const connection = openForWriting(path, { now: Date.now, timeoutMs: 100 });

function change<Result>(work: (connection: Connection) => Result): Result {
  for (;;) {
    try {
      return transact(connection.db, () => work(connection));
    } catch (error) {
      if (!isBusy(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 20);
    }
  }
}

if (kind === 'shuttle') {
  for (let round = 0; round < rounds; round += 1) {
    const half = ids.filter((_, index) => index % 2 === round % 2);
    const { moved } = change((one) => moveToBin(one, { ids: half, held: {} }));
    if (moved.length !== half.length) throw new Error(`moved ${moved.length} of ${half.length}`);
    const { restored } = change((one) => restoreFromBin(one, half));
    if (restored.length !== half.length) throw new Error(`restored ${restored.length} of ${half.length}`);
  }
} else {
  for (let index = 0; index < messages; index += 1) {
    change((one) =>
      insertRow(one, 'messages', { session_id: ids[0], role: 'user', content: `written ${index}`, timestamp: Date.now() / 1000 }),
    );
  }
  console.log(messages);
}
connection.close();
