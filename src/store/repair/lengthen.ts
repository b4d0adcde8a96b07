import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs';

/** Where in the header SQLite keeps the size of a page (1 stands for 65,536) and their number (file format, 1.3). */
const PAGE_SIZE_AT = 16;
const PAGE_COUNT_AT = 28;
const HEADER_BYTES = 100;

/** A header that promises more than this is damaged itself. */
const mostTimesLonger = 10;

/**
 * Gives a database file that was cut off its length back, in zeroes. SQLite reads nothing at all of a file that has fewer pages than its header
 * says; of the lengthened one only the pages that are missing can't be read.
 */
export function lengthen(path: string): void {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return;
  } finally {
    closeSync(file);
  }
  const written = header.readUInt16BE(PAGE_SIZE_AT);
  const bytes = header.readUInt32BE(PAGE_COUNT_AT) * (written === 1 ? 65_536 : written);
  const { size } = statSync(path);
  if (bytes > size && bytes <= size * mostTimesLonger) truncateSync(path, bytes);
}
