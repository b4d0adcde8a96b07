#!/usr/bin/env node
/** Starts the scripted model alone and prints its base_url; Ctrl+C stops it. For trying the program by hand and for pictures of it. */
import { importSource } from './import-source.mjs';

const { startDemoModel } = await importSource(['scripts/demo-model.ts']);
const model = await startDemoModel();
process.stdout.write(`${model.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void model.stop());
