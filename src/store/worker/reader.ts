import { parentPort, workerData } from 'node:worker_threads';
import { reads } from '../reads/index.ts';
import type { WorkerSetup } from './protocol.ts';
import { serveReads } from './serve-reads.ts';

/** Entry point of the reading thread (`dist/store-reader.js`). */
if (parentPort !== null) serveReads(parentPort, workerData as WorkerSetup, reads);
