import { watchTakeRequests, type TakeWatch } from '../../terminal/take-over.ts';
import { appText } from '../../text/en/app.ts';
import type { SessionId } from '../../session/types.ts';
import type { Drafts } from '../drafts.ts';
import type { Context } from './context.ts';
import type { OpenChat } from './desk.ts';

/** Gives a session to another pane that asks for it: the turn is interrupted and stored first, and it is read only here from then on. */
export function watchHandingOver(context: Context, drafts: Drafts): TakeWatch {
  const { desk, log, register, run } = context;
  const chatOf = (id: SessionId): OpenChat | undefined => desk.all().find((chat) => chat.ids.includes(id));
  return watchTakeRequests(register, run.processes, {
    async prepare(request) {
      const chat = chatOf(request.session);
      if (chat === undefined) return false;
      await chat.seat.hand();
      drafts.flush();
      return true;
    },
    given(request) {
      const chat = chatOf(request.session);
      if (chat === undefined) return;
      chat.isForeign = true;
      desk.tell(chat, { type: 'read-only', reason: appText.takenOverShort });
      desk.tell(chat, { type: 'notice', tone: 'info', text: appText.takenOver });
    },
    kept: (request) => log.write('take-over-kept', { session: request.session }),
    failed: (error) => log.error('take-over', error),
  });
}
