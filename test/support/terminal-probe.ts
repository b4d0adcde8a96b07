/** Run inside a terminal: says which one it is and what its breadcrumb names. `probe.mjs OUT HOME [SESSION]`; with SESSION it remembers it. */
import { renameSync, writeFileSync } from 'node:fs';
import { offerAfterRestart, readBreadcrumb, writeBreadcrumb } from '../../src/terminal/breadcrumbs.ts';
import { identifyTerminal, readTerminalFacts } from '../../src/terminal/identity.ts';
import { procTable } from '../../src/terminal/process-tree.ts';
import { askWindow } from '../../src/terminal/tmux.ts';

const [out = '', home = '', sessionId] = process.argv.slice(2);
const proc = procTable();
const terminal = identifyTerminal(readTerminalFacts(proc));
const now = Date.now();
const cwd = process.cwd();
const window = terminal.tmux === undefined ? undefined : await askWindow(terminal.tmux);
const crumb = readBreadcrumb(home, terminal, now);
const offer = offerAfterRestart(home, terminal, { cwd, window, proc }, now);
if (sessionId !== undefined) writeBreadcrumb(home, terminal, { sessionId, cwd, window }, now);
writeFileSync(`${out}.part`, JSON.stringify({ terminal, window, crumb, offer }));
renameSync(`${out}.part`, out);
