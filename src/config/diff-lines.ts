/** One line of a change as it is shown: `-` goes, `+` comes, a blank stays. */
export interface DiffLine {
  readonly kind: ' ' | '-' | '+';
  readonly text: string;
}

/** The lines in which two texts differ, with `context` unchanged ones around; exact (longest common subsequence), for files of a few thousand lines. */
export function diffLines(before: string, after: string, context = 1): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = align(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: ' ', text }));
  const all = [...same(a.slice(0, head)), ...middle, ...same(a.slice(a.length - tail))];
  const isNear = (at: number): boolean => all.slice(Math.max(0, at - context), at + context + 1).some((line) => line.kind !== ' ');
  return all.filter((_line, at) => isNear(at));
}

function align(a: readonly string[], b: readonly string[]): DiffLine[] {
  // lengths[i][j]: how many lines the rests from i and j have in common.
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      (lengths[i] as number[])[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: ' ', text: a[i] as string });
      i += 1;
      j += 1;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push({ kind: '-', text: a[i++] as string });
    else lines.push({ kind: '+', text: b[j++] as string });
  }
  return lines;
}
