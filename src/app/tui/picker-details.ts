import { buildRecap } from '../../session/recap.ts';
import type { SessionId } from '../../session/types.ts';
import type { LineageMember, PreviewContent } from '../../ui/screens/sessions/index.ts';
import type { SessionStore } from '../recorder.ts';

const previewExchanges = 4;
/** A chain of more segments is a damaged file's; its newest count. */
const segmentsSummed = 100;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** What the preview pane shows of one session. @throws StoreError */
export async function readPreview(store: SessionStore, id: SessionId): Promise<PreviewContent> {
  const [recap, tree] = await Promise.all([store.read.recapMessages(id, { limit: previewExchanges }), store.read.lineageTree(id)]);
  const ids = tree?.segments.map((segment) => segment.id) ?? [];
  const segments = (await Promise.all(ids.slice(-segmentsSummed).map((segment) => store.read.sessionById(segment)))).filter(
    (session) => session !== undefined,
  );
  const tokens = sum(segments.map((session) => session.inputTokens + session.outputTokens));
  const toolCalls = sum(segments.map((session) => session.toolCallCount));
  const costs = segments.flatMap((session) => session.costUsd ?? []);
  return {
    id,
    entries: buildRecap(recap.messages, { exchanges: previewExchanges }).entries,
    segments: tree?.segments.length ?? 1,
    branches: tree?.branches.length ?? 0,
    delegates: tree?.delegates.length ?? 0,
    ...(tokens === 0 ? {} : { tokens }),
    ...(toolCalls === 0 ? {} : { toolCalls }),
    ...(costs.length === 0 ? {} : { cost: sum(costs) }),
  };
}

/** What unfolds under a lineage: its segments but the tip, which is the row itself, then branches and delegates. @throws StoreError */
export async function readMembers(store: SessionStore, rootId: SessionId): Promise<LineageMember[]> {
  const tree = await store.read.lineageTree(rootId);
  const tip = tree?.segments.at(-1)?.id;
  const members = [
    ...(tree?.segments ?? []).filter((segment) => segment.id !== tip).map((member) => ({ ...member, kind: 'segment' as const })),
    ...(tree?.branches ?? []).map((member) => ({ ...member, kind: 'branch' as const })),
    ...(tree?.delegates ?? []).map((member) => ({ ...member, kind: 'delegate' as const })),
  ];
  const previews = await store.read.previewOf(members.filter((member) => member.title === undefined).map((member) => member.id));
  return members.map(({ id, kind, lastActive, messageCount, title }) => {
    const preview = previews.get(id);
    return {
      id,
      kind,
      lastActive,
      messageCount,
      ...(title === undefined ? {} : { title }),
      ...(preview === undefined ? {} : { preview }),
    };
  });
}
