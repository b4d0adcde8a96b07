import type { SessionStore } from '../../src/app/recorder.ts';
import type { Connection } from '../../src/store/connection.ts';
import { reads } from '../../src/store/reads/index.ts';

/** The reads of a store as the program sees them, on a connection of this thread: for tests of what stands above them. Nothing else is there. */
export function directStore(connection: Connection): SessionStore {
  const read = Object.fromEntries(
    Object.entries(reads).map(([name, ask]) => [
      name,
      (...args: unknown[]) => {
        const answer = (ask as (...args: unknown[]) => unknown)(connection, ...args);
        return isGenerator(answer) ? stream(answer) : Promise.resolve(answer);
      },
    ]),
  ) as unknown as SessionStore['read'];
  return { read, reading: () => read } as unknown as SessionStore;
}

const isGenerator = (value: unknown): value is Generator =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

async function* stream(chunks: Generator): AsyncGenerator {
  yield* chunks;
}
