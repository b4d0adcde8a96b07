import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { liveFolder, readLiveRecords, recordName, UNSEEN_LIFE_MS, type LiveSelf } from '../../src/terminal/live-records.ts';
import { openLiveRegister } from '../../src/terminal/live-register.ts';
import { procTable, type ProcessTable } from '../../src/terminal/process-tree.ts';
import { takeOver } from '../../src/terminal/take-over.ts';
import { bundleProgram } from '../support/bundle.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const NOW = Date.UTC(2026, 10, 30, 12);

/** A table in which exactly these pids run, each started at ten times its pid. */
const running = (...pids: number[]): ProcessTable => ({
  source: 'proc',
  boot: 'boot-1',
  read: (pid) => (pids.includes(pid) ? { pid, name: 'node', parent: 1, session: pid, start: pid * 10 } : undefined),
  startVariable: () => undefined,
});

const selfOf = (pid: number, changes: Partial<LiveSelf> = {}): LiveSelf => ({
  pid,
  start: pid * 10,
  host: 'here',
  boot: 'boot-1',
  identity: `tmux pane=%${pid}`,
  label: `tmux %${pid}`,
  ...changes,
});

function open(home: string, pid: number, proc = running(1, 2), changes: Partial<LiveSelf> = {}) {
  return openLiveRegister({ home, self: selfOf(pid, changes), proc, now: () => NOW });
}

describe('the register', () => {
  it('leaves a record with every field, for nobody else to read, and takes it away with the last session', () => {
    const home = temporaryFolder();
    const register = open(home, 1);
    expect(existsSync(liveFolder(home))).toBe(false);
    expect(register.claim('s1', 'working')).toBeUndefined();
    const path = join(liveFolder(home), '1-10.json');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      v: 1,
      ...selfOf(1),
      sessions: [{ id: 's1', since: NOW, state: 'working' }],
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(liveFolder(home)).mode & 0o777).toBe(0o700);
    register.setState('s1', 'idle');
    expect(readFileSync(path, 'utf8')).toContain('"state":"idle"');
    register.release('s1');
    expect(readdirSync(liveFolder(home))).toEqual([]);
  });

  it('tells who has a session, and that one has it oneself to nobody', () => {
    const home = temporaryFolder();
    const [first, second] = [open(home, 1), open(home, 2)];
    first.claim('s1');
    expect(second.ownerOf('s1')).toMatchObject({ pid: 1, label: 'tmux %1', session: { id: 's1', since: NOW, state: 'idle' } });
    expect(second.ownerOf(['tip', 's1'])).toMatchObject({ pid: 1 });
    expect(first.ownerOf('s1')).toBeUndefined();
    expect(second.ownerOf('s2')).toBeUndefined();
  });

  it('gives a session to one of two, through any id of its lineage', () => {
    const home = temporaryFolder();
    const [first, second] = [open(home, 1), open(home, 2)];
    expect(first.claim('root')).toBeUndefined();
    expect(second.claim('tip', 'idle', ['root', 'tip'])).toMatchObject({ pid: 1 });
    expect(second.sessions()).toEqual([]);
    first.remove();
    first.remove();
    expect(second.claim('tip', 'idle', ['root', 'tip'])).toBeUndefined();
  });

  it('claiming again keeps the time of the first claim', () => {
    const home = temporaryFolder();
    let clock = NOW;
    const register = openLiveRegister({ home, self: selfOf(1), proc: running(1), now: () => clock });
    register.claim('s1');
    clock += 5000;
    register.claim('s1', 'working');
    expect(register.sessions()).toEqual([{ id: 's1', since: NOW, state: 'working' }]);
  });

  it('removes what a killed process left, requests included', () => {
    const home = temporaryFolder();
    open(home, 2).claim('s1');
    writeFileSync(join(liveFolder(home), '2-20.json.take'), '{}');
    expect(readLiveRecords(home, running(1), selfOf(1), NOW).records).toEqual([]);
    expect(readdirSync(liveFolder(home))).toEqual([]);
  });

  it('is not taken in by a pid that was given to another process', () => {
    const home = temporaryFolder();
    open(home, 2, running(2), { start: 19 }).claim('s1');
    expect(open(home, 1).ownerOf('s1')).toBeUndefined();
  });

  it.each([
    ['another machine', { host: 'there' }],
    ['another boot or a container', { boot: 'boot-2' }],
  ])('believes a holder of %s while its record is fresh, and never removes it', (_title, changes) => {
    const home = temporaryFolder();
    open(home, 7, running(7), changes).claim('s1');
    const path = join(liveFolder(home), '7-70.json');
    utimesSync(path, NOW / 1000, NOW / 1000);
    const owner = (now: number) => readLiveRecords(home, running(1), selfOf(1), now).records.length;
    expect([owner(NOW), owner(NOW + UNSEEN_LIFE_MS), owner(NOW + UNSEEN_LIFE_MS + 1)]).toEqual([1, 1, 0]);
    expect(existsSync(path)).toBe(true);
  });

  it('shows signs of life when told to', () => {
    const home = temporaryFolder();
    const register = open(home, 1);
    register.touch();
    register.claim('s1');
    const path = join(liveFolder(home), '1-10.json');
    utimesSync(path, 1, 1);
    register.touch();
    expect(statSync(path).mtimeMs).toBe(NOW);
  });

  it('survives damaged files and leaves a newer format alone', () => {
    const home = temporaryFolder();
    mkdirSync(liveFolder(home), { recursive: true });
    const files = {
      '3-30.json': '{"v": 1, "pid"',
      '4-40.json': '[]',
      '5-50.json': '{"v": 2}',
      '6-60.json': '{"v": 1, "pid": "6"}',
      'notes.txt': 'x',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(liveFolder(home), name), text);
    writeFileSync(
      join(liveFolder(home), '1-10.json'),
      JSON.stringify({ v: 1, pid: 1, start: 10, host: 'here', boot: 'boot-1', sessions: [null, { id: 3 }, { id: 's1', more: 1 }] }),
    );
    const { records, newer } = readLiveRecords(home, running(1), selfOf(2), NOW);
    expect(records.map((record) => record.sessions)).toEqual([[{ id: 's1', since: 0, state: 'idle' }]]);
    expect(newer).toEqual(['5-50.json']);
    expect(readdirSync(liveFolder(home)).sort()).toEqual([...Object.keys(files), '1-10.json'].sort());
  });

  it('takes temporary files of killed writers away after a minute', () => {
    const home = temporaryFolder();
    mkdirSync(liveFolder(home), { recursive: true });
    const path = join(liveFolder(home), '.tmp-9-1-1-10.json.take');
    writeFileSync(path, '{}');
    utimesSync(path, NOW / 1000, NOW / 1000);
    const isThere = (now: number): boolean => {
      readLiveRecords(home, running(1), selfOf(1), now);
      return existsSync(path);
    };
    expect([isThere(NOW + 60_000), isThere(NOW + 60_001)]).toEqual([true, false]);
  });

  it('breaks the lock of a process that died while claiming', () => {
    const home = temporaryFolder();
    mkdirSync(liveFolder(home), { recursive: true });
    writeFileSync(
      join(liveFolder(home), 'claim.lock'),
      JSON.stringify({ v: 1, token: 'x', pid: 9, start: 90, host: 'here', boot: 'boot-1' }),
    );
    expect(open(home, 1).claim('s1')).toBeUndefined();
    expect(readdirSync(liveFolder(home))).toEqual(['1-10.json']);
  });

  it('opens a session in a home that can not be written', () => {
    const home = temporaryFolder();
    writeFileSync(join(home, 'tui'), 'a file where the folder should be');
    expect(open(home, 1).claim('s1')).toBeUndefined();
  });
});

interface Actor {
  pid: number;
  ask(...command: string[]): Promise<unknown>;
  event(name: string): Promise<Record<string, unknown>>;
  kill(): Promise<void>;
}

describe.runIf(process.platform === 'linux')('several processes', () => {
  let script: string;
  beforeAll(async () => {
    const program = await bundleProgram(join(import.meta.dirname, '../support/live-actor.ts'));
    script = program.path;
    return program.remove;
  });

  async function start(home: string, label: string, prepareMs = 0): Promise<Actor> {
    const child = spawn(process.execPath, [script, home, String(prepareMs), label], { stdio: ['pipe', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const events: Record<string, unknown>[] = [];
    const answers: ((value: unknown) => void)[] = [];
    const waiting = new Set<() => void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as Record<string, unknown>;
      if ('answer' in message) answers.shift()?.(message['answer']);
      else events.push(message);
      for (const look of waiting) look();
    });
    const actor: Actor = {
      pid: child.pid as number,
      ask: (...command) =>
        new Promise((resolve) => {
          answers.push(resolve);
          child.stdin.write(`${JSON.stringify(command)}\n`);
        }),
      event: (name) =>
        new Promise((resolve) => {
          const look = (): void => {
            const at = events.findIndex((event) => event['event'] === name);
            if (at === -1) return;
            waiting.delete(look);
            resolve(events.splice(at, 1)[0] as Record<string, unknown>);
          };
          waiting.add(look);
          look();
        }),
      async kill() {
        child.kill('SIGKILL');
        await exited;
      },
    };
    await actor.event('ready');
    return actor;
  }

  const leftovers = (home: string): string[] => readdirSync(liveFolder(home)).filter((name) => !/^\d+-\d+\.json$/.test(name));

  it('one of eight that claim at once gets the session', async () => {
    const home = temporaryFolder();
    const actors = await Promise.all(Array.from({ length: 8 }, (_, number) => start(home, `pane ${number}`)));
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(actors.map((actor) => actor.ask('claim', `s${round}`)));
      const winner = answers.indexOf('mine');
      expect(answers.filter((answer) => answer === 'mine')).toHaveLength(1);
      expect(new Set(answers.filter((answer) => answer !== 'mine'))).toEqual(new Set([`pane ${winner}`]));
    }
    expect(leftovers(home)).toEqual([]);
  });

  it('a holder gives the session when asked, and the taker has it then', async () => {
    const home = temporaryFolder();
    const [holder, taker] = await Promise.all([start(home, 'left', 50), start(home, 'right')]);
    await holder.ask('claim', 's1');
    expect(await taker.ask('claim', 's1')).toBe('left');
    expect(await taker.ask('take', 's1')).toEqual({ kind: 'taken', isHolderGone: false });
    expect(await holder.event('given')).toMatchObject({ to: 'right' });
    expect(await holder.ask('owner', 's1')).toBe('right');
    expect([await holder.ask('sessions'), await taker.ask('sessions')]).toEqual([[], ['s1']]);
    expect(leftovers(home)).toEqual([]);
  });

  it('a holder that gives one session keeps its other ones', async () => {
    const home = temporaryFolder();
    const [holder, taker] = await Promise.all([start(home, 'left'), start(home, 'right')]);
    await holder.ask('claim', 's1');
    await holder.ask('claim', 's2');
    expect(await taker.ask('take', 's1')).toMatchObject({ kind: 'taken' });
    expect(await taker.ask('owner', 's2')).toBe('left');
  });

  it('a holder that does not answer in time keeps it, and nothing of the request is left', async () => {
    const home = temporaryFolder();
    const [holder, taker] = await Promise.all([start(home, 'left', 600), start(home, 'right')]);
    await holder.ask('claim', 's1');
    expect(await taker.ask('take', 's1', '200')).toMatchObject({ kind: 'no-answer', holder: { label: 'left' } });
    await holder.event('kept');
    expect(await taker.ask('owner', 's1')).toBe('left');
    expect(leftovers(home)).toEqual([]);
    // It was no for that time only.
    expect(await taker.ask('take', 's1')).toMatchObject({ kind: 'taken' });
  });

  it('a holder may refuse', async () => {
    const home = temporaryFolder();
    const [holder, taker] = await Promise.all([start(home, 'left', -2), start(home, 'right')]);
    await holder.ask('claim', 's1');
    expect(await taker.ask('take', 's1')).toMatchObject({ kind: 'refused', holder: { label: 'left' } });
    expect(await holder.ask('sessions')).toEqual(['s1']);
    expect(leftovers(home)).toEqual([]);
  });

  it('of two takers one gets it, the other is told who', async () => {
    const home = temporaryFolder();
    const [holder, one, two] = await Promise.all([start(home, 'left', 100), start(home, 'one'), start(home, 'two')]);
    await holder.ask('claim', 's1');
    const outcomes = (await Promise.all([one.ask('take', 's1'), two.ask('take', 's1')])) as { kind: string; holder?: { label: string } }[];
    const winner = outcomes.findIndex((outcome) => outcome.kind === 'taken');
    expect(outcomes.map((outcome) => outcome.kind).sort()).toEqual(['beaten', 'taken']);
    expect(outcomes[1 - winner]?.holder?.label).toBe(['one', 'two'][winner]);
    expect(leftovers(home)).toEqual([]);
  });

  it('a holder that dies in between leaves the session to the taker', async () => {
    const home = temporaryFolder();
    const [holder, taker] = await Promise.all([start(home, 'left', -1), start(home, 'right')]);
    await holder.ask('claim', 's1');
    const taken = taker.ask('take', 's1');
    await holder.event('prepare');
    await holder.kill();
    expect(await taken).toEqual({ kind: 'taken', isHolderGone: true });
    expect(leftovers(home)).toEqual([]);
  });

  it('a taker that dies in between costs the holder nothing, and the next taker is served', async () => {
    const home = temporaryFolder();
    const [holder, dying, taker] = await Promise.all([start(home, 'left', 300), start(home, 'dying'), start(home, 'right')]);
    await holder.ask('claim', 's1');
    void dying.ask('take', 's1');
    await holder.event('prepare');
    await dying.kill();
    expect(await taker.ask('take', 's1')).toMatchObject({ kind: 'taken' });
    // A kill at the worst moment leaves a temporary file, which goes a minute later.
    expect(leftovers(home).filter((name) => !name.startsWith('.tmp-'))).toEqual([]);
  });

  it('a killed holder is no holder, one that left either', async () => {
    const home = temporaryFolder();
    const [killed, left, asking] = await Promise.all([start(home, 'killed'), start(home, 'left'), start(home, 'asking')]);
    await killed.ask('claim', 's1');
    await left.ask('claim', 's2');
    await killed.kill();
    void left.ask('exit');
    expect(await asking.ask('claim', 's1')).toBe('mine');
    await expect.poll(() => asking.ask('owner', 's2')).toBe('nobody');
  });

  it('taking what nobody holds is claiming it, and a wait can be broken off', async () => {
    const home = temporaryFolder();
    const proc = procTable();
    const self: LiveSelf = { ...selfOf(process.pid), start: proc.read(process.pid)?.start ?? 0, boot: proc.boot };
    const register = openLiveRegister({ home, self, proc, now: () => NOW });
    expect(await takeOver({ register, proc, session: 's1', now: () => NOW })).toEqual({ kind: 'taken', isHolderGone: false });
    const holder = await start(home, 'left', -1);
    await holder.ask('claim', 's2');
    const breaking = new AbortController();
    const outcome = takeOver({ register, proc, session: 's2', now: () => NOW, signal: breaking.signal });
    await holder.event('prepare');
    breaking.abort();
    expect(await outcome).toEqual({ kind: 'aborted' });
    expect(leftovers(home)).toEqual([]);
    expect(recordName(self)).toMatch(/^\d+-\d+\.json$/);
  });
});
