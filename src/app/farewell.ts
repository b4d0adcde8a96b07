import { exitLines } from '../session/exit-lines.ts';
import type { Run } from './run.ts';
import type { Seat } from './seat.ts';

/** What stands in the terminal after leaving: how this conversation is resumed. Nothing was said: nothing. */
export function farewellLines(run: Run, seat: Seat): string[] {
  const id = seat.id();
  if (id === undefined) return [];
  const title = seat.title();
  return exitLines({
    id,
    messageCount: seat.said(),
    durationMs: run.now() - seat.startedAt,
    ...(title === undefined ? {} : { title }),
    ...(run.home.profile === undefined ? {} : { profile: run.home.profile }),
  });
}
