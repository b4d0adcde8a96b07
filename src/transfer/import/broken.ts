import type { BrokenLines } from '../../session/foreign.ts';

/** More are only counted: a binary file has a million. */
const mostNamed = 1000;

/** Collects what could not be read; the same line is counted once, however often the file is read. */
export interface Damage extends BrokenLines {
  add(line: number, reason: string): void;
  /** The file is about to be read from its beginning. */
  restart(): void;
}

export function noteDamage(): Damage {
  let count = 0;
  let named: { line: number; reason: string }[] = [];
  return {
    get count() {
      return count;
    },
    get named() {
      return named;
    },
    add(line, reason) {
      if (named.at(-1)?.line === line) return;
      count += 1;
      if (named.length < mostNamed) named.push({ line, reason });
    },
    restart() {
      count = 0;
      named = [];
    },
  };
}
