/**
 * Rows as a file has them, for what must lose nothing on its way out of one store and into another (docs/export-formats.md).
 *
 * A `bigint` is an integer whose digits or whose type a number would lose: beyond 2^53, or in a column without affinity. A text that is no
 * valid UTF-8 is its bytes, marked as text (`BrokenText`); other bytes are a blob.
 */
export type StoredValue = string | number | bigint | Uint8Array | null;

/** A row with all columns the file has, unknown ones included, by name, in the order of the table. */
export type StoredRow = Readonly<Record<string, StoredValue>>;

/** The bytes of a text that is no valid UTF-8. */
export interface BrokenText extends Uint8Array {
  readonly isText: true;
}

export function brokenText(bytes: Uint8Array): BrokenText {
  return Object.assign(bytes, { isText: true } as const);
}

export function isBrokenText(value: StoredValue): value is BrokenText {
  return value instanceof Uint8Array && 'isText' in value;
}
