import type { Home, LoadedConfig } from '../config/types.ts';

/** Where text goes: process.stdout and process.stderr fit. */
export interface TextSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Cells of a line; only a terminal knows. */
  readonly columns?: number;
}

/** Cells of a line; undefined where it is no terminal, so that a pipe gets everything. */
export const terminalWidth = (sink: TextSink): number | undefined => (sink.isTTY === true ? sink.columns : undefined);

/** What a shell command is handed; it touches nothing else of the process, and ends by returning an exit code. */
export interface ShellContext {
  readonly out: TextSink;
  readonly err: TextSink;
  readonly home: Home;
  /** Where the command was called. */
  readonly cwd: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** config.yaml and .env as read at the start. */
  readonly loaded: LoadedConfig;
  /** Aborted by Ctrl+C, SIGTERM and SIGHUP: long work stops where it leaves nothing half done. */
  readonly signal: AbortSignal;
  /** One typed line without its end; undefined at the end of input and after Ctrl+C. */
  readLine(): Promise<string | undefined>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Lets a reader that has seen enough (`hermes sessions list | head -1`) close the pipe: writing on is not an error then. Any other fault of
 * the stream (a full disk behind `>`) is handed to `fail`.
 */
export function tolerateClosedPipe(stream: NodeJS.WritableStream, fail: (error: NodeJS.ErrnoException) => void): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') fail(error);
  });
}
