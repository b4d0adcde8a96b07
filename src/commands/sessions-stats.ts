import { stats, type Stats } from '../store/reads/facts.ts';
import { drawable } from '../terminal/width.ts';
import { shellText as text } from '../text/en/shell.ts';
import type { ShellContext } from './context.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { jsonText } from './session-json.ts';

const bytesPerMegabyte = 1024 * 1024;
const nothing: Stats = { sessions: 0, messages: 0, sources: [], bytes: 0 };

/**
 * `hermes sessions stats [--json]` (state-db.md 6), with every source, so that the numbers add up. No store: zeros.
 *
 * @returns the exit code
 * @throws StoreError
 */
export async function showStats(context: ShellContext, flags: Flags): Promise<number> {
  const found = readStore(context, stats) ?? nothing;
  if (flags['json'] === true) {
    context.out.write(
      jsonText({ sessions: found.sessions, messages: found.messages, sources: found.sources, database_bytes: found.bytes }),
    );
    return 0;
  }
  const lines = [
    text.totalSessions(found.sessions),
    text.totalMessages(found.messages),
    ...found.sources.map((entry) => text.sessionsOfSource(drawable(entry.source), entry.sessions)),
    text.databaseSize((found.bytes / bytesPerMegabyte).toFixed(1)),
  ];
  context.out.write(`${lines.join('\n')}\n`);
  return 0;
}
