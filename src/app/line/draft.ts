import { lineText } from '../../text/en/line.ts';
import { draftKeyOf } from '../drafts.ts';
import type { LineContext } from './context.ts';

/** What is typed and not sent outlives a closed pane; nothing typed takes an older draft away. */
export function keepDraft(context: LineContext, text: string): void {
  const shown = context.shown();
  if (!context.isInteractive || shown === undefined || shown.readOnly !== undefined) return;
  const queue = shown.seat.conversation.queue;
  context.drafts.save(draftKeyOf(context.run, shown.seat.id()), () => ({ text, queue }));
  context.drafts.flush();
}

/** The draft of the conversation that was opened comes back into the line. */
export function bringDraftBack(context: LineContext): void {
  const draft = context.drafts.load(draftKeyOf(context.run, context.current().seat.id()));
  const texts = [draft.text, ...draft.queue].filter((text) => text !== '');
  if (texts.length > 0 && context.isInteractive) context.giveBack(texts.join('\n\n'), lineText.draft);
}
