import { parentPort, workerData } from 'node:worker_threads';
import { writes } from '../writes/index.ts';
import type { WorkerSetup } from './protocol.ts';
import { serveWrites } from './serve-writes.ts';

/** Entry point of the writing thread (`dist/store-writer.js`). */
if (parentPort !== null) serveWrites(parentPort, workerData as WorkerSetup, writes);
