import { statSync } from 'node:fs';

/**
 * Who holds a lease, as text in the store: `pid=<n>:pidns=<inode of /proc/self/ns/pid>:turn=<…>`. Hermes Agent asks after a holder's process
 * only when both live in the same pid namespace (store-v31.md B1, 2.10); in a container the same number is another process.
 */
export function holderText(turn: string): string {
  const namespace = pidNamespace();
  return [`pid=${process.pid}`, ...(namespace === undefined ? [] : [`pidns=${namespace}`]), `turn=${turn}`].join(':');
}

/** Undefined where the system has no pid namespaces. */
function pidNamespace(): string | undefined {
  const found = statSync('/proc/self/ns/pid', { throwIfNoEntry: false });
  return found === undefined ? undefined : String(found.ino);
}

/** Fields of a holder's text; segments without `=` are left out. */
export function parseHolder(holder: string): Readonly<Record<string, string>> {
  const fields = holder.split(':').map((part) => /^(\w+)=(.*)$/.exec(part));
  return Object.fromEntries(fields.flatMap((field) => (field?.[1] === undefined ? [] : [[field[1], field[2] ?? '']])));
}

/** Whether the process that wrote this is known to be gone. In doubt it lives, and its lease runs out by itself. */
export function isDeadHolder(holder: string): boolean {
  const { pid, pidns } = parseHolder(holder);
  if (pid === undefined || !/^\d+$/.test(pid) || pidns !== pidNamespace()) return false;
  return !isProcessAlive(Number(pid));
}

/** Whether a process of this machine has that number; one of somebody else counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
