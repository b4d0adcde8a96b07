/** Row ids that were looked at. */
export interface Seen {
  /** @returns whether it is new */
  add(id: number): boolean;
}

/** Ids up to here are kept as bits: 8 MB. */
const bitsUpTo = 2 ** 26;

export function createSeen(highest: number): Seen {
  const bits = new Uint8Array(highest < bitsUpTo ? (highest >> 3) + 1 : 0);
  const others = new Set<number>();
  return {
    add(id) {
      if (id < 0 || id >= bits.length * 8) return !others.has(id) && others.add(id) !== undefined;
      const mask = 1 << (id & 7);
      if ((bits[id >> 3]! & mask) !== 0) return false;
      bits[id >> 3]! |= mask;
      return true;
    },
  };
}
