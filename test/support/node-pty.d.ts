/** The published types declare the package under another name than the one it is installed by; these are the parts used here. */
declare module 'node-pty' {
  export interface Pty {
    readonly pid: number;
    onData(listener: (data: string | Buffer) => void): { dispose(): void };
    onExit(listener: (event: { exitCode: number; signal?: number }) => void): { dispose(): void };
    write(data: string | Uint8Array): void;
    resize(cols: number, rows: number): void;
    kill(signal?: string): void;
    /** Closes the terminal's side. */
    destroy(): void;
  }
  export function spawn(
    file: string,
    args: string[],
    options: { name?: string; cols?: number; rows?: number; cwd?: string; env?: Record<string, string>; encoding?: string | null },
  ): Pty;
}
