import { watchTakeRequests, type TakeWatch } from '../../terminal/take-over.ts';
import { appText } from '../../text/en/app.ts';
import type { LineContext } from './context.ts';
import { readAlong } from './opened.ts';

/** Another pane may take the conversation: its turn is interrupted and stored, `keep` keeps what is typed, and it is read along from then on. */
export function watchHandingOver(context: LineContext, keep: () => void): TakeWatch {
  const { register, run, log } = context;
  return watchTakeRequests(register, run.processes, {
    async prepare({ session }) {
      const shown = context.shown();
      if (shown?.ids.includes(session) !== true) return false;
      await shown.seat.hand();
      keep();
      return true;
    },
    given({ session }) {
      if (context.shown()?.ids.includes(session) !== true) return;
      readAlong(context, appText.takenOverShort);
      context.say(appText.takenOver);
    },
    kept: ({ session }) => log.write('take-over-kept', { session }),
    failed: (error) => log.error('take-over', error),
  });
}
