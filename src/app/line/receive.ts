import { AgentError, HermesError } from '../../errors.ts';
import { appText } from '../../text/en/app.ts';
import { chatText } from '../../text/en/chat.ts';
import { lineText } from '../../text/en/line.ts';
import { parseSlash } from '../../ui/slash.ts';
import { rememberCommand } from '../command-history.ts';
import { findHelpWithoutModel } from '../no-model.ts';
import { runCommand } from './commands.ts';
import type { LineContext } from './context.ts';

/** Takes one message or command at a time. @returns resolves when it is done: a turn over, a command carried out */
export function createReceiver(context: LineContext): (text: string) => Promise<void> {
  /** An unknown command that was refused: sent as a message when it is typed once more. */
  let refused: string | undefined;

  return async function receive(text) {
    const { seat, readOnly } = context.current();
    if (text.trim() === '') {
      if (seat.conversation.canRetry && context.isInteractive) await guarded(context, undefined, () => seat.conversation.retry());
      return;
    }
    const line = parseSlash(text);
    if (line.kind === 'command') {
      rememberCommand(context.run.home.path, text, context.log);
      try {
        await runCommand(context, line.id, line.args);
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        context.fail(error.message, error.hint);
      }
      return;
    }
    if (line.kind === 'unknown' && refused !== text) {
      refused = text;
      context.noteFailure();
      return context.say(chatText.unknownCommand(line.word, line.nearest));
    }
    refused = undefined;
    if (readOnly !== undefined) {
      context.fail(lineText.readOnly);
      return context.giveBack(text, lineText.unsent);
    }
    await guarded(context, text, () => seat.conversation.send(text));
  };
}

/** A refusal before anything was stored gives the text back and says what to do. */
async function guarded(context: LineContext, text: string | undefined, send: () => Promise<string>): Promise<void> {
  try {
    const outcome = await send();
    if (outcome === 'failed' || outcome === 'not-stored') context.noteFailure();
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    context.fail(error.message, error.hint);
    if (text === undefined) return;
    context.giveBack(text, lineText.unsent);
    if (error instanceof AgentError && error.trouble === 'no-model') await helpWithoutModel(context, text);
  }
}

async function helpWithoutModel(context: LineContext, text: string): Promise<void> {
  const { servers, matches } = await findHelpWithoutModel(context.store, text);
  if (servers.length > 0) context.say(appText.localServers(servers.map((server) => `${server.label} ${server.baseUrl}`)));
  if (matches.length > 0) context.say(matches.join('\n'));
}
