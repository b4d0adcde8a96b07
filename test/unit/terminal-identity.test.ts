import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { identifyTerminal, paneCrumbName, ttyCrumbName, type TerminalFacts } from '../../src/terminal/identity.ts';
import {
  isRunning,
  parsePs,
  parseStat,
  procTable,
  psTable,
  ttyPath,
  type ProcessInfo,
  type ProcessTable,
} from '../../src/terminal/process-tree.ts';
import { parseTmux } from '../../src/terminal/claims.ts';
import { parseWindow } from '../../src/terminal/tmux.ts';

/** `pid: [name, parent, session, tty, start]`; a tty `0` is `/dev/pts/0`. */
type Row = [name: string, parent: number, session: number, tty?: number | undefined, start?: number];

function table(rows: Record<number, Row>, startEnvironments: Record<number, Record<string, string>> = {}): ProcessTable {
  const processes = new Map<number, ProcessInfo>(
    Object.entries(rows).map(([pid, [name, parent, session, tty, start]]) => [
      Number(pid),
      {
        pid: Number(pid),
        name,
        parent,
        session,
        start: start ?? Number(pid) * 10,
        ...(tty === undefined ? {} : { tty: `/dev/pts/${tty}` }),
      },
    ]),
  );
  return {
    source: 'proc',
    boot: 'boot-1',
    read: (pid) => processes.get(pid),
    startVariable: (pid, name) => (processes.has(pid) ? { value: startEnvironments[pid]?.[name] } : undefined),
  };
}

interface Scene {
  rows: Record<number, Row>;
  env?: Record<string, string>;
  pid?: number;
  tty?: number;
  server?: Record<number, Record<string, string>>;
  paneTty?: string;
}

function facts({ rows, env = {}, pid = 900, tty, server, paneTty }: Scene): TerminalFacts {
  const own = tty ?? rows[pid]?.[3];
  return {
    env,
    pid,
    stdinTty: own === undefined ? undefined : `/dev/pts/${own}`,
    stdoutTty: undefined,
    proc: table(rows, server),
    host: 'here',
    ttyCtime: () => 1000,
    paneTty: () => paneTty,
  };
}

const identify = (scene: Scene) => identifyTerminal(facts(scene));
const ids = (scene: Scene) => identify(scene).why.map((reason) => reason.id);

const inTmux: Record<number, Row> = { 100: ['tmux: server', 1, 100], 200: ['bash', 100, 200, 4] };
const tmuxEnv = { TMUX: '/tmp/tmux-0/default,100,0', TMUX_PANE: '%3' };

describe('the terminal named by the environment', () => {
  const cases: { title: string; scene: Scene; kind: string; identity: string; label: string }[] = [
    {
      title: 'a shell in a tmux pane',
      scene: { rows: { ...inTmux, 900: ['node', 200, 200, 4] }, env: tmuxEnv },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'hermes as the command of a tmux pane',
      scene: { rows: { 100: ['tmux: server', 1, 100], 900: ['node', 100, 900, 4] }, env: tmuxEnv },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'npm start in a tmux pane: npm, sh and node stand between',
      scene: { rows: { ...inTmux, 300: ['npm start', 200, 200, 4], 301: ['sh', 300, 200, 4], 900: ['node', 301, 200, 4] }, env: tmuxEnv },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'tmux started in kitty: kitty is inherited, tmux is the parent',
      scene: {
        rows: { 50: ['kitty', 1, 50], ...inTmux, 900: ['node', 200, 200, 4] },
        env: { ...tmuxEnv, KITTY_PID: '50', KITTY_WINDOW_ID: '2' },
      },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'kitty started from a tmux pane: tmux is inherited, kitty is the parent',
      scene: {
        rows: { ...inTmux, 50: ['kitty', 200, 200, 4], 210: ['zsh', 50, 210, 7], 900: ['node', 210, 210, 7] },
        env: { ...tmuxEnv, KITTY_PID: '50', KITTY_WINDOW_ID: '2' },
      },
      kind: 'kitty',
      identity: 'kitty process=50@500 window=2',
      label: 'kitty 2',
    },
    {
      title: 'tmux inside tmux: the inner server is the parent',
      scene: {
        rows: { ...inTmux, 110: ['tmux: server', 1, 110], 220: ['bash', 110, 220, 6], 900: ['node', 220, 220, 6] },
        env: { TMUX: '/tmp/tmux-0/inner,110,0', TMUX_PANE: '%0' },
        server: { 110: { TMUX_PANE: '%3' } },
      },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/inner server=110@1100 pane=%0',
      label: 'tmux %0',
    },
    {
      title: 'script in a tmux pane: the pane',
      scene: {
        rows: { ...inTmux, 300: ['script', 200, 200, 4], 301: ['bash', 300, 301, 8], 900: ['node', 301, 301, 8] },
        env: tmuxEnv,
      },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'sudo on a tty of its own, environment kept',
      scene: {
        rows: { ...inTmux, 300: ['sudo', 200, 200, 4], 301: ['sudo', 300, 301, 8], 900: ['node', 301, 301, 8] },
        env: tmuxEnv,
      },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'su -c, whose session has no tty',
      scene: { rows: { ...inTmux, 300: ['su', 200, 200, 4], 900: ['node', 300, 900] }, tty: 4, env: tmuxEnv },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'sudo in script in a pane: two ttys further in',
      scene: {
        rows: {
          ...inTmux,
          300: ['script', 200, 200, 4],
          301: ['bash', 300, 301, 8],
          302: ['sudo', 301, 301, 8],
          303: ['sudo', 302, 303, 9],
          900: ['node', 303, 303, 9],
        },
        env: tmuxEnv,
      },
      kind: 'tmux',
      identity: 'tmux socket=/tmp/tmux-0/default server=100@1000 pane=%3',
      label: 'tmux %3',
    },
    {
      title: 'a zellij pane',
      scene: {
        rows: { 60: ['zellij', 1, 60], 200: ['fish', 60, 200, 2], 900: ['node', 200, 200, 2] },
        env: { ZELLIJ: '0', ZELLIJ_SESSION_NAME: 'work', ZELLIJ_PANE_ID: '4' },
      },
      kind: 'zellij',
      identity: 'zellij session=work server=60@600 pane=4',
      label: 'zellij 4',
    },
    {
      title: 'a screen window',
      scene: {
        rows: { 5620: ['SCREEN', 1, 5620], 200: ['bash', 5620, 200, 2], 900: ['node', 200, 200, 2] },
        env: { STY: '5620.probe', WINDOW: '1' },
      },
      kind: 'screen',
      identity: 'screen session=5620.probe server=5620@56200 window=1',
      label: 'screen 1',
    },
    {
      title: 'a WezTerm pane',
      scene: {
        rows: { 70: ['wezterm-gui', 1, 70], 200: ['bash', 70, 200, 2], 900: ['node', 200, 200, 2] },
        env: { WEZTERM_PANE: '3', WEZTERM_UNIX_SOCKET: '/run/user/0/wezterm/gui-sock-70' },
      },
      kind: 'wezterm',
      identity: 'wezterm socket=/run/user/0/wezterm/gui-sock-70 process=70@700 pane=3',
      label: 'wezterm 3',
    },
    {
      title: 'Windows Terminal over WSL',
      scene: {
        rows: { 8: ['Relay(9)', 7, 7], 200: ['bash', 8, 200, 2], 900: ['node', 200, 200, 2] },
        env: { WT_SESSION: '8cf4-11', WSL_DISTRO_NAME: 'Debian' },
      },
      kind: 'windows-terminal',
      identity: 'windows-terminal 8cf4-11',
      label: 'Windows Terminal',
    },
    {
      title: 'iTerm: login leads the session',
      scene: {
        rows: { 80: ['iTermServer-3.5.1', 1, 80], 200: ['login', 80, 200, 2], 201: ['zsh', 200, 200, 2], 900: ['node', 201, 200, 2] },
        env: { TERM_SESSION_ID: 'w0t0p0:5F' },
      },
      kind: 'term-session',
      identity: 'term-session w0t0p0:5F',
      label: 'iTerm',
    },
  ];
  it.each(cases)('$title', ({ scene, kind, identity, label }) => {
    const terminal = identify(scene);
    expect({ kind: terminal.kind, identity: terminal.identity, label: terminal.label }).toEqual({ kind, identity, label });
  });
});

describe('variables that were only inherited', () => {
  const byTty = 'tty /dev/pts/7 leader=210@2100';
  const shell: Record<number, Row> = { 210: ['zsh', 50, 210, 7], 900: ['node', 210, 210, 7] };
  const cases: { title: string; scene: Scene; identity: string; reason: string }[] = [
    {
      title: "xterm started from a tmux pane sits on that pane's tty and is still its own terminal",
      scene: { rows: { ...inTmux, 50: ['xterm', 200, 200, 4], ...shell }, env: tmuxEnv },
      identity: byTty,
      reason: 'inherited',
    },
    {
      title: 'sshd, even if its pid is the one in TMUX',
      scene: { rows: { 50: ['sshd', 1, 50], ...shell }, env: { TMUX: '/tmp/tmux-0/default,50,0', TMUX_PANE: '%3' } },
      identity: byTty,
      reason: 'remote',
    },
    {
      title: 'mosh-server started from a tmux pane',
      scene: { rows: { 50: ['mosh-server', 1, 50], ...shell }, env: tmuxEnv },
      identity: byTty,
      reason: 'remote',
    },
    {
      title: 'dtach started in kitty',
      scene: { rows: { 50: ['dtach', 1, 50], ...shell }, env: { KITTY_PID: '49', KITTY_WINDOW_ID: '1' } },
      identity: byTty,
      reason: 'inherited',
    },
    {
      title: 'a pid of TMUX that was given to another process',
      scene: { rows: { 50: ['gnome-terminal-', 1, 50], ...shell }, env: { TMUX: '/tmp/tmux-0/default,51,0', TMUX_PANE: '%3' } },
      identity: byTty,
      reason: 'inherited',
    },
    {
      title: 'Windows Terminal below tmux',
      scene: { rows: { 50: ['tmux: server', 1, 50], ...shell }, env: { WT_SESSION: '8cf4', WSL_DISTRO_NAME: 'Debian' } },
      identity: byTty,
      reason: 'inherited',
    },
    {
      title: 'WezTerm window opened from another WezTerm process',
      scene: {
        rows: { 50: ['wezterm-gui', 1, 50], ...shell },
        env: { WEZTERM_PANE: '3', WEZTERM_UNIX_SOCKET: '/run/user/0/wezterm/gui-sock-49' },
      },
      identity: byTty,
      reason: 'inherited',
    },
    {
      title: 'TMUX without TMUX_PANE',
      scene: { rows: { 50: ['tmux: server', 1, 50], ...shell }, env: { TMUX: '/tmp/tmux-0/default,50,0' } },
      identity: byTty,
      reason: 'incomplete',
    },
    {
      title: "a popup of a tmux server that was started in a pane carries that pane's number",
      scene: {
        rows: { 50: ['tmux: server', 1, 50], ...shell },
        env: { TMUX: '/tmp/tmux-0/inner,50,0', TMUX_PANE: '%1' },
        server: { 50: { TMUX_PANE: '%1' } },
        paneTty: '/dev/pts/2',
      },
      identity: byTty,
      reason: 'stale-pane',
    },
  ];
  it.each(cases)('$title', ({ scene, identity, reason }) => {
    const terminal = identify(scene);
    expect(terminal.kind).toBe('tty');
    expect(terminal.identity).toBe(identity);
    expect(terminal.why.map((step) => step.id)).toContain(reason);
  });

  it('keeps a pane whose number the server happens to carry too, when tmux says it is on this tty', () => {
    const scene: Scene = {
      rows: { 50: ['tmux: server', 1, 50], ...shell },
      env: { TMUX: '/tmp/tmux-0/inner,50,0', TMUX_PANE: '%1' },
      server: { 50: { TMUX_PANE: '%1' } },
      paneTty: '/dev/pts/7',
    };
    expect(identify(scene).kind).toBe('tmux');
  });

  it('asks tmux nothing where the process table is enough', () => {
    const scene: Scene = { rows: { ...inTmux, 900: ['node', 200, 200, 4] }, env: tmuxEnv };
    const asked: unknown[] = [];
    identifyTerminal({ ...facts(scene), paneTty: (pane) => void asked.push(pane) as undefined });
    expect(asked).toEqual([]);
  });
});

describe('same pane or another', () => {
  const pane = (rows: Record<number, Row>, env = tmuxEnv) => identify({ rows: { ...rows, 900: ['node', 200, 200, 4] }, env }).identity;
  it('a respawned pane is the same one', () => {
    const respawned: Record<number, Row> = { 100: ['tmux: server', 1, 100], 200: ['bash', 100, 200, 5, 7777] };
    expect(pane(respawned)).toBe(pane(inTmux));
  });
  it('the same pane number of a second server is another one', () => {
    const second: Record<number, Row> = { 101: ['tmux: server', 1, 101], 200: ['bash', 101, 200, 4] };
    expect(pane(second, { TMUX: '/tmp/tmux-0/second,101,0', TMUX_PANE: '%3' })).not.toBe(pane(inTmux));
  });
  it('a restarted server that got the same pid is another one', () => {
    expect(pane({ ...inTmux, 100: ['tmux: server', 1, 100, undefined, 9999] })).not.toBe(pane(inTmux));
  });
  it('the same tty under another shell is another one', () => {
    const plain = (start: number) => identify({ rows: { 200: ['bash', 1, 200, 4, start], 900: ['node', 200, 200, 4] } }).identity;
    expect(plain(1)).not.toBe(plain(2));
    expect(plain(1)).toBe(plain(1));
  });
});

describe('without a terminal, or with one that can not be seen', () => {
  it('is none without any tty', () => {
    const terminal = identify({ rows: { 900: ['node', 1, 900] }, env: tmuxEnv });
    expect(terminal).toMatchObject({ kind: 'none', identity: '' });
    expect(terminal.tty).toBeUndefined();
    expect(terminal.why.map((step) => step.id)).toEqual(['no-tty']);
  });
  it('takes the controlling tty when input and output are pipes', () => {
    const scene = facts({ rows: { ...inTmux, 900: ['node', 200, 200, 4] }, env: tmuxEnv });
    expect(identifyTerminal({ ...scene, stdinTty: undefined }).identity).toContain('pane=%3');
  });
  it('takes the real path for /dev/tty', () => {
    const scene = facts({ rows: { ...inTmux, 900: ['node', 200, 200, 4] }, env: {} });
    expect(identifyTerminal({ ...scene, stdinTty: '/dev/tty' }).tty?.path).toBe('/dev/pts/4');
  });
  it('goes by the age of the tty when the session leader is gone', () => {
    const scene: Scene = { rows: { 900: ['node', 1, 200, 4] } };
    expect(identify(scene).identity).toBe('tty /dev/pts/4 ctime=1000');
    expect(identify(scene).leader).toBeUndefined();
    expect(ids(scene)).toContain('no-leader');
  });
  it('remembers nothing when neither leader nor age is known', () => {
    const scene = facts({ rows: { 900: ['node', 1, 200, 4] } });
    expect(identifyTerminal({ ...scene, ttyCtime: () => undefined })).toMatchObject({ kind: 'none', identity: '' });
  });
  it('ends when a broken table runs in a circle', () => {
    const rows: Record<number, Row> = { 1: ['sudo', 2, 1, 1], 2: ['sudo', 1, 2, 2], 900: ['node', 1, 1, 1] };
    expect(identify({ rows }).kind).toBe('tty');
  });
  it('leads to the outer tty through script when nothing names a terminal, with the inner leader as evidence for the inner tty', () => {
    const rows: Record<number, Row> = {
      50: ['xterm', 1, 50],
      200: ['bash', 50, 200, 4],
      300: ['script', 200, 200, 4],
      301: ['bash', 300, 301, 8],
      900: ['node', 301, 301, 8],
    };
    expect(identify({ rows })).toMatchObject({
      identity: 'tty /dev/pts/4 leader=200@2000',
      label: 'pts/4',
      leader: { pid: 301, start: 3010 },
      tty: { path: '/dev/pts/8', crumbName: 'tty-dev-pts-8' },
    });
  });
});

describe('the process table', () => {
  it.each([
    [
      'an ordinary name',
      '7005 (bash) S 7004 7005 7005 34816 7005 4194304 316 378 0 1 0 0 0 0 20 0 1 0 70901 446',
      { name: 'bash', tty: '/dev/pts/0' },
    ],
    [
      'a name with a space',
      '7004 (tmux: server) S 1 7004 7004 0 -1 4194368 354 80 0 0 0 0 0 0 20 0 1 0 70900 591',
      { name: 'tmux: server' },
    ],
    [
      'a name with brackets and digits',
      '9 (a) 1 (b) S 1 9 9 34817 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0',
      { name: 'a) 1 (b', tty: '/dev/pts/1' },
    ],
  ])('reads %s', (_title, line, expected) => {
    expect(parseStat(line)).toMatchObject(expected);
    expect(parseStat(line)?.tty).toBe('tty' in expected ? expected.tty : undefined);
  });
  it.each([
    ['an empty file', ''],
    ['a cut line', '7005 (bash) S 7004'],
    ['a zombie', '7005 (bash) Z 7004 7005 7005 34816 7005 4194304 316 378 0 1 0 0 0 0 20 0 1 0 70901 446'],
  ])('has no process for %s', (_title, line) => expect(parseStat(line)).toBeUndefined());

  it.each([
    [0, undefined],
    [(136 << 8) | 4, '/dev/pts/4'],
    [(136 << 8) | 0x2c | (1 << 20), '/dev/pts/300'],
    [(4 << 8) | 2, '/dev/tty2'],
    [(4 << 8) | 65, '/dev/ttyS1'],
  ])('tty number %i is %s', (number, path) => expect(ttyPath(number)).toBe(path));

  it.runIf(process.platform === 'linux')('knows this process, its start and its boot', () => {
    const proc = procTable();
    const self = proc.read(process.pid);
    expect(self).toMatchObject({ pid: process.pid, parent: process.ppid });
    expect(isRunning(proc, process.pid, self?.start ?? -1)).toBe(true);
    expect(isRunning(proc, process.pid, (self?.start ?? 0) + 1)).toBe(false);
    expect(proc.boot).toMatch(/^[0-9a-f-]{36}/);
    expect(proc.startVariable(process.pid, 'NO_SUCH_VARIABLE')).toEqual({ value: undefined });
    expect(proc.read(2 ** 22 + 1)).toBeUndefined();
  });

  it.runIf(spawnSync('ps', ['-A']).status === 0)('agrees with ps about this process', () => {
    const [fromPs, fromProc] = [psTable().read(process.pid), procTable().read(process.pid)];
    expect(fromPs).toMatchObject({ pid: process.pid, parent: process.ppid });
    if (process.platform === 'linux') expect(fromPs?.tty).toBe(fromProc?.tty);
  });

  it('reads ps of macOS: names with spaces, leaders by their state, paths cut to names', () => {
    const rows = parsePs(
      [
        '    1     0 ??       Ss   Mon Nov 30 10:06:36 2026     /sbin/launchd',
        '  300     1 ??       S    Mon Nov 30 10:07:00 2026     /Applications/iTerm.app/Contents/MacOS/iTerm2',
        '  301   300 ttys003  Ss   Mon Nov  2 10:07:01 2026     login -fp me',
        '  302   301 ttys003  S+   Mon Nov 30 10:07:02 2026     -zsh',
        '  303   302 ttys003  Z+   Mon Nov 30 10:07:02 2026     (gone)',
        'nonsense',
      ].join('\n'),
    );
    expect(rows.get(300)).toEqual({ pid: 300, parent: 1, session: 0, name: 'iTerm2', start: Date.UTC(2026, 10, 30, 10, 7) / 1000 });
    expect(rows.get(302)).toMatchObject({ session: 301, tty: '/dev/ttys003', name: '-zsh' });
    expect(rows.get(303)).toBeUndefined();
    expect([...rows.keys()]).toEqual([1, 300, 301, 302]);
  });

  it('has an empty table where ps fails', () => expect(psTable(() => undefined).read(1)).toBeUndefined());

  it('asks tmux where the start environment can not be read', () => {
    const scene = facts({ rows: { ...inTmux, 900: ['node', 200, 200, 4] }, env: tmuxEnv });
    const proc = { ...scene.proc, source: 'ps' as const, startVariable: () => undefined };
    expect(identifyTerminal({ ...scene, proc, paneTty: () => '/dev/pts/4' }).kind).toBe('tmux');
    expect(identifyTerminal({ ...scene, proc, paneTty: () => '/dev/pts/5' }).kind).toBe('tty');
    expect(identifyTerminal({ ...scene, proc, paneTty: () => undefined }).kind).toBe('tty');
  });
});

describe('names', () => {
  it.each([
    ['/dev/pts/3', 'tty-dev-pts-3'],
    ['/dev/ttys003', 'tty-dev-ttys003'],
    [' /dev/a b:c/ ', 'tty-dev-a-b-c'],
    [`/dev/${'x'.repeat(200)}`, `tty-dev-${'x'.repeat(116)}`],
  ])('the file of %s is %s', (path, name) => expect(ttyCrumbName(path)).toBe(name));
  it('a pane file is 24 hex digits of the identity', () => {
    expect(paneCrumbName('tmux')).toMatch(/^pane-[0-9a-f]{24}$/);
    expect(paneCrumbName('a')).not.toBe(paneCrumbName('b'));
  });
  it('TMUX with commas in the socket path', () => {
    expect(parseTmux({ TMUX: '/tmp/a,b/s,12,0', TMUX_PANE: '%1' })).toEqual({ socket: '/tmp/a,b/s', server: 12, pane: '%1' });
    expect(parseTmux({ TMUX: 'nonsense' })).toBeUndefined();
  });
  it('the window of a pane', () => {
    expect(parseWindow('2 1 my window\n')).toEqual({ index: 2, isAutomatic: true, name: 'my window' });
    expect(parseWindow('2 0 1 0 x\n')).toEqual({ index: 2, isAutomatic: false, name: '1 0 x' });
    expect(parseWindow('')).toBeUndefined();
  });
});
