import { spawn } from 'node:child_process';

/** Copying to the clipboard: through tmux, through the terminal (OSC 52), through the system. What worked is said. */

export type ClipboardWay = 'tmux' | 'osc52' | 'system';

export interface CopyResult {
  readonly ok: boolean;
  /** The way that worked. */
  readonly way: ClipboardWay | undefined;
  /** Terminals don't answer OSC 52: it was sent, whether it was taken nobody knows. */
  readonly isConfirmed: boolean;
  readonly reason?: 'too-long';
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface ClipboardOptions {
  /** Sends to the terminal. */
  readonly write: (sequence: string) => void;
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
  /** Runs a program with this text on its standard input; true = exit code 0 in time. */
  readonly run?: (command: string, args: readonly string[], input: string) => Promise<boolean>;
  /** Loaded on first use: the import costs 128 to 780 ms. */
  readonly loadSystem?: () => Promise<{ write(text: string): Promise<void> }>;
}

/** tmux 3.3a takes 780,000 bytes and drops 790,000 (1 MiB of base64). */
const longestOsc52 = 750_000;
/** GNU screen takes device control strings up to 768 bytes. */
const screenPart = 700;
const commandMs = 2000;

function runCommand(command: string, args: readonly string[], input: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: commandMs });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
    // The program may end before it has read everything; its exit code tells.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** The sequence itself; inside GNU screen wrapped so that screen passes it on. */
export function osc52(text: string, env: Environment = process.env): string {
  const sequence = `\x1b]52;c;${Buffer.from(text).toString('base64')}\x07`;
  if (env['STY'] === undefined) return sequence;
  let wrapped = '';
  for (let at = 0; at < sequence.length; at += screenPart) wrapped += `\x1bP${sequence.slice(at, at + screenPart)}\x1b\\`;
  return wrapped;
}

const hasSystemClipboard = (env: Environment, platform: NodeJS.Platform): boolean =>
  platform === 'darwin' || (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '' || env['WSL_DISTRO_NAME'] !== undefined;

const isRemote = (env: Environment): boolean => env['SSH_CONNECTION'] !== undefined;

/**
 * Copies a text. Inside tmux through `tmux load-buffer -w -` (tmux ignores OSC 52 of programs by default); else OSC 52, which over ssh
 * is the only way to the person's own machine; locally the system clipboard as well, whose success is known. Never throws.
 */
export async function copyText(text: string, options: ClipboardOptions): Promise<CopyResult> {
  const { env = process.env, platform = process.platform, run = runCommand } = options;
  if (env['TMUX'] !== undefined && (await run('tmux', ['load-buffer', '-w', '-'], text)))
    return { ok: true, way: 'tmux', isConfirmed: true };

  const isShort = Buffer.byteLength(text) <= longestOsc52;
  if (isShort) options.write(osc52(text, env));
  if (!isRemote(env) && hasSystemClipboard(env, platform)) {
    try {
      const system = await (options.loadSystem ?? loadClipboardy)();
      await system.write(text);
      return { ok: true, way: 'system', isConfirmed: true };
    } catch {
      // No such program or no display after all; what OSC 52 did is then the answer.
    }
  }
  if (isShort) return { ok: true, way: 'osc52', isConfirmed: false };
  return { ok: false, way: undefined, isConfirmed: true, reason: 'too-long' };
}

const loadClipboardy = async () => (await import('clipboardy')).default;

/** For `hermes doctor`: which ways there are here, best first, without trying them. */
export function describeClipboard(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): ReadonlyArray<{ way: ClipboardWay; isAvailable: boolean }> {
  return [
    { way: 'tmux', isAvailable: env['TMUX'] !== undefined },
    { way: 'system', isAvailable: !isRemote(env) && hasSystemClipboard(env, platform) },
    { way: 'osc52', isAvailable: true },
  ];
}
