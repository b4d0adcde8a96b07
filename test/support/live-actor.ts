/**
 * A process with a place in the live register, told what to do by one JSON value a line on standard input: `["claim", "s1"]`. Answers one
 * line each; what happens to it comes as lines `{"event": …}`. `prepareMs`: how long it takes to give a session; -1 = never, -2 = refuses.
 */
import { createInterface } from 'node:readline';
import { openLiveRegister } from '../../src/terminal/live-register.ts';
import { procTable } from '../../src/terminal/process-tree.ts';
import { takeOver, watchTakeRequests } from '../../src/terminal/take-over.ts';

const [home = '', prepareText = '0', label = 'pane'] = process.argv.slice(2);
const prepareMs = Number(prepareText);
const proc = procTable();
const start = proc.read(process.pid)?.start ?? 0;
const self = { pid: process.pid, start, host: 'here', boot: proc.boot, identity: label, label };
const register = openLiveRegister({ home, self, proc, now: () => Date.now() });
const say = (value: unknown): boolean => process.stdout.write(`${JSON.stringify(value)}\n`);

watchTakeRequests(register, proc, {
  async prepare() {
    say({ event: 'prepare' });
    if (prepareMs === -1) await new Promise(() => undefined);
    if (prepareMs === -2) return false;
    await new Promise((resolve) => setTimeout(resolve, prepareMs));
    return true;
  },
  given: (request) => void say({ event: 'given', to: request.label }),
  kept: () => void say({ event: 'kept' }),
  failed: (error) => void say({ event: 'failed', error: String(error) }),
});
process.on('exit', () => register.remove());

const commands: Record<string, (...args: string[]) => unknown> = {
  claim: (id = '') => register.claim(id)?.label ?? 'mine',
  owner: (id = '') => register.ownerOf(id)?.label ?? 'nobody',
  state: (id = '', state = '') => register.setState(id, state),
  release: (id = '') => register.release(id),
  sessions: () => register.sessions().map((session) => session.id),
  take: (session = '', timeout = '10000') => takeOver({ register, proc, session, now: () => Date.now(), timeoutMs: Number(timeout) }),
  exit: () => process.exit(0),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const [name = '', ...args] = JSON.parse(line) as string[];
  void Promise.resolve(commands[name]?.(...args)).then((answer) => say({ answer: answer ?? null }));
});
say({ event: 'ready' });
