import { hostname } from 'node:os';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerSetup } from '../store/worker/protocol.ts';
import { serveWrites } from '../store/worker/serve-writes.ts';
import { heldSessions } from '../terminal/held-sessions.ts';
import { readLiveRecords } from '../terminal/live-records.ts';
import { openProcessTable } from '../terminal/process-tree.ts';
import { writesSparing } from './program-writes.ts';

/** Entry point of the writing thread (`dist/store-writer.js`). */
if (parentPort !== null) {
  const setup = workerData as WorkerSetup;
  const home = path.dirname(setup.path);
  serveWrites(
    parentPort,
    setup,
    writesSparing(() => {
      // Made anew each time: where processes are only known by `ps`, a table is a picture of one moment.
      const processes = openProcessTable();
      const self = { host: hostname(), boot: processes.boot };
      return heldSessions(readLiveRecords(home, processes, self, Date.now() + setup.clockOffsetMs).records);
    }),
  );
}
