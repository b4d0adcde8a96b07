/**
 * Milliseconds of processor time that this process has used. Tests that guard against work of the wrong order (a whole text read for its
 * first line) measure with it: what other programs do to the machine at that moment does not count. Speed itself is measured by the bench.
 */
export function cpuNow(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The least processor time of three runs of `work`, in milliseconds: the first may pay for compiling. */
export function leastCpu(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = cpuNow();
    work();
    return cpuNow() - before;
  });
  return Math.min(...times);
}
