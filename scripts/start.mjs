#!/usr/bin/env node
/**
 * `npm start [-- arguments]`: installs and builds what is missing or old, then opens the program in the directory of the caller (npm
 * itself changes to the project's) in this very process, so that exit code, signals and job control are the program's own. Only built-in
 * modules.
 */
import { buildIfOlder, install, root } from './fresh.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
try {
  if (major < 20 || (major === 20 && minor < 11)) throw new Error(`Node 20.11 or newer is needed; this is ${process.version}`);
  install();
  buildIfOlder();
} catch (error) {
  process.stderr.write(`hermes: ${error.message}\n`);
  process.exit(1);
}
process.chdir(process.env.INIT_CWD ?? process.cwd());
const launcher = `${root}bin/hermes`;
process.argv.splice(1, 1, launcher);
await import(launcher);
