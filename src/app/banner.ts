import type { Session } from '../session/types.ts';
import { lineText } from '../text/en/line.ts';
import { start as startText } from '../text/en/start.ts';
import { storeText } from '../text/en/store.ts';
import { LAYOUT_VERSION } from '../store/schema/create.ts';
import type { Opening } from './opening.ts';
import type { SessionStore } from './recorder.ts';

/** The lines that say which stored session goes on, why it is that one, and where (state-db.md 3). */
export async function bannerLines(store: SessionStore, { plan, newerLayout }: Opening): Promise<string[]> {
  const { session } = plan;
  const resumed = session === undefined ? [] : [await resumedLine(store, session)];
  return [
    ...resumed,
    ...(plan.reason === undefined ? [] : [startText.resumed(plan.reason)]),
    ...plan.notices,
    ...(newerLayout === undefined ? [] : [storeText.newerNotice(newerLayout, LAYOUT_VERSION)]),
  ];
}

async function resumedLine(store: SessionStore, session: Session): Promise<string> {
  const { user, total } = await store.read.messageCounts(session.id);
  return total === 0 ? lineText.resumedEmpty(session.id) : lineText.resumed(session.id, session.title, user, total);
}
