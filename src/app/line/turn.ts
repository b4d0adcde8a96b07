import type { ConversationEvent, TurnEvent } from '../../agent/events.ts';
import { lineText } from '../../text/en/line.ts';
import { formatDuration } from '../../text/duration.ts';
import type { Seat } from '../seat.ts';
import type { LineContext } from './context.ts';
import { callLine } from './listing.ts';

/** Prints what a conversation does, one line per event; answers as they come. */
export function printConversation(context: LineContext, seat: Seat): void {
  const { printer } = context;
  /** Queued texts whose turn has not come yet: said again when it does. */
  let waiting: readonly string[] = [];
  let answered = '';

  function show(event: TurnEvent): void {
    switch (event.type) {
      case 'text':
        answered += event.delta;
        return printer.stream(event.delta, lineText.agent);
      case 'tool-call':
        return printer.line(callLine(event.call.name, event.call.arguments), 'quiet');
      case 'tool-result':
        return printer.line(lineText.toolResult(event.name, event.isError, formatDuration(event.ms)), event.isError ? 'error' : 'quiet');
      case 'step':
        return printer.endStream();
      case 'finish':
        printer.endStream();
        if (event.reason === 'interrupted') printer.line(lineText.interrupted, 'quiet');
        if (event.reason === 'length') printer.line(lineText.cutAtLength, 'quiet');
        return;
      case 'error':
        return context.fail(event.message, event.hint);
      case 'reasoning':
      case 'usage':
        return;
    }
  }

  seat.subscribe((event: ConversationEvent) => {
    switch (event.type) {
      case 'queued':
        if (event.queue.length > waiting.length) context.say(lineText.queued(event.queue.length), 'quiet');
        waiting = event.queue;
        return;
      case 'turn-started':
        answered = '';
        return;
      case 'turn':
        return show(event.event);
      case 'unsent':
        waiting = [];
        return context.giveBack(event.texts.join('\n\n'), lineText.unsent);
      case 'store-trouble':
        context.fail(event.message, event.hint);
        // The answer stands above already; a message that was refused goes back into the line.
        if (event.text !== undefined && event.text !== answered) context.giveBack(event.text, lineText.unsent);
        return;
      case 'user':
      case 'message':
      case 'turn-ended':
        return;
    }
  });
}
