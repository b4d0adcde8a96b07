import { isOpenQuestion, type Opening } from './opening.ts';
import type { Run } from './run.ts';
import { takeSeat, type Seat, type SeatOptions } from './seat.ts';

/** The source that rows of this run get: `--source`, else the front end's own. */
export function sourceOfRun(run: Run, usual: string): string {
  const { source } = run.flags;
  return typeof source === 'string' ? source : usual;
}

/** The seat of what was opened, alike in every front end: nothing is claimed, written or said yet. */
export function seatFor(opening: Opening, options: Pick<SeatOptions, 'run' | 'store' | 'source' | 'onTrouble'>): Seat {
  const { plan } = opening;
  return takeSeat({
    ...options,
    session: plan.session,
    workspace: plan.workspace,
    ...(plan.title === undefined ? {} : { title: plan.title }),
    isPlaceless: plan.goneDirectory !== undefined,
    isOpenQuestion: isOpenQuestion(opening),
  });
}
