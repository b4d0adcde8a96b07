import { localTime } from '../../text/relative-time.ts';
import { hintFor } from '../../ui/keymap.ts';
import { everything } from '../../session/query.ts';
import { createChat, createChatScreen, createLook, type ChatState } from '../../ui/screens/chat/index.ts';
import { isOpenQuestion, openingBlocks, type Opening } from '../opening.ts';
import type { Run } from '../run.ts';
import type { Stage } from './stage.ts';

/** The state of the conversation screen for what was opened. */
export function chatFor(run: Run, stage: Pick<Stage, 'glyphs' | 'remembered'>, opening: Opening): ChatState {
  const { config } = run.loaded();
  const { plan } = opening;
  const { session } = plan;
  const readKey = hintFor('transcript.page-up', ['chat'], { overrides: config.keys }) ?? '';
  const blocks = openingBlocks(config, opening, { now: run.now(), readKey, userHome: run.userHome });
  const title = session?.title ?? plan.title;
  const model = session?.model ?? config.model.model;
  const limit = config.model.contextLength;
  const branch = plan.workspace.gitBranch;
  return createChat({
    session: {
      ...(session === undefined ? {} : { id: session.id }),
      ...(title === undefined ? {} : { title }),
      ...(model === undefined ? {} : { model }),
    },
    place: { path: plan.workspace.cwd, ...(branch === undefined ? {} : { branch }), terminal: run.terminal().label },
    ...(limit === undefined ? {} : { context: { used: 0, limit } }),
    blocks,
    canRetry: isOpenQuestion(opening),
    hasBacklog: opening.recap !== undefined && session !== undefined,
    glyphs: stage.glyphs,
    hasKittyKeys: stage.remembered?.['kittyKeys'] === true,
    ...(opening.copiedAt === undefined ? {} : { copyOf: localTime(opening.copiedAt, run.now()) }),
  });
}

/** The conversation as it is looked at where a message was named (`--at`), above the one that goes on; undefined where none was. */
export function lookFor(run: Run, stage: Pick<Stage, 'canvas'>, chat: ChatState, { at, plan }: Opening): ChatState | undefined {
  if (at === undefined || plan.session === undefined) return undefined;
  const { messages, start, end, hasBefore, hasAfter } = at.window;
  const { session, place, transcript, hasKittyKeys } = chat;
  const bare = createChat({ session, place, blocks: [], hasBacklog: false, glyphs: transcript.layout.glyphs, hasKittyKeys });
  const look = createLook(bare, at.messageId, { text: '', query: everything });
  const edges = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
  const { token } = look.look!.around!;
  const screen = createChatScreen({ now: run.now });
  // In its size first: where the message stands is worked out when it comes.
  const sized = screen.update(look, { type: 'resize', ...stage.canvas.size() }).state;
  return screen.update(sized, { type: 'loaded', what: 'around', token, messages, hasBefore, hasAfter, ...edges }).state;
}
