/**
 * A process of its own that uses a store: `read PATH`, `write PATH`, or `append PATH READER WRITER SESSION COUNT` through the two threads, printing
 * a line per stored message. `append-as PATH READER WRITER COUNT SESSION…` does so for several sessions at once, each with threads and a connection of
 * its own. `idle PATH READER WRITER` stores one and just ends.
 */
import { listRows } from '../../src/store/reads/list-rows.ts';
import { HermesError } from '../../src/errors.ts';
import { openStore } from '../../src/store/client.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { openForReading, openForWriting } from '../../src/store/open.ts';
import type { reads, writes } from './store-methods.ts';

const [command, path = '', ...rest] = process.argv.slice(2);

function report(open: () => OpenConnection): void {
  try {
    const connection = open();
    const sessions = connection.statement('SELECT count(*) FROM sessions').pluck().get();
    const listed = [...listRows(connection)].flatMap((chunk) => (chunk.type === 'rows' ? chunk.rows : [])).length;
    console.log(JSON.stringify({ sessions, listed, copied: connection.copiedAt !== undefined }));
    connection.close();
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.hint }));
  }
}

async function append(reader: string, writer: string, session: string, count: number): Promise<void> {
  const store = openStore<typeof reads, typeof writes>({ path, workers: { reader: new URL(reader), writer: new URL(writer) } });
  await store.write.addSession(session);
  for (let index = 0; index < count; index += 1) {
    await store.write.addMessage(session, `${session} message ${index} 안녕하세요`);
    console.log(index);
  }
  await store.close();
}

if (command === 'read') report(() => openForReading(path, { now: Date.now }));
else if (command === 'write') report(() => openForWriting(path, { now: Date.now }));
else if (command === 'append') await append(rest[0] as string, rest[1] as string, rest[2] as string, Number(rest[3]));
else if (command === 'append-as') {
  const [reader = '', writer = '', count, ...sessions] = rest;
  await Promise.all(sessions.map((session) => append(reader, writer, session, Number(count))));
} else if (command === 'idle') {
  // Neither closed nor exited: the threads must not keep the process.
  const store = openStore<typeof reads, typeof writes>({
    path,
    workers: { reader: new URL(rest[0] as string), writer: new URL(rest[1] as string) },
  });
  await store.write.addSession('s');
  await store.write.addMessage('s', 'stored');
  console.log(await store.read.countMessages());
}
