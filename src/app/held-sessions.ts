import type { SessionId } from '../session/types.ts';
import type { LiveRegister } from '../terminal/live-register.ts';
import { manageText } from '../text/en/manage.ts';

/** Sessions that somebody has open now, this process included, with who that is as it is shown. */
export function heldSessions(register: LiveRegister): Record<SessionId, string> {
  const held: Record<SessionId, string> = {};
  for (const { label, pid, sessions } of register.read().records) for (const { id } of sessions) held[id] = manageText.holder(label, pid);
  return held;
}
