/**
 * Everything between the command line and the first frame. One module, so that the bundle holds it as one file: reading, resolving and
 * compiling thirty small ones cost 15 ms of every start (scripts/build.mjs). What is needed later is imported where it is used.
 */
export { chooseFront } from './front.ts';
export { startRun } from './run.ts';
export { runTui } from './tui/start.ts';
