const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in the unit that leaves one to three digits before the point: `4.1 kB`, `120 MB`; 1 kB = 1024 bytes. */
export function formatBytes(count: number): string {
  let value = count;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
