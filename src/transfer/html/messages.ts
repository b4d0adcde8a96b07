import { splitThoughts } from '../../session/thoughts.ts';
import type { Message, ToolCall } from '../../session/types.ts';
import { htmlExportText } from '../../text/en/html-export.ts';
import { scriptLanguage } from '../../text/script-language.ts';
import type { Highlighter } from './code.ts';
import { anchorAddress, chrome, escapePlain } from './escape.ts';
import type { Markdown } from './markdown.ts';
import { timeMarkup } from './time.ts';
import { toolBlock } from './tool.ts';

/** What turns text into markup, made once for a page. */
export interface Writers {
  readonly markdown: Markdown;
  readonly highlighter: Highlighter;
}

/** The messages of one session as markup, in their order; a result goes to the call that asked for it. */
export class MessageWriter {
  readonly #sessionId: string;
  readonly #writers: Writers;
  /** Calls of the newest answer without a result so far. */
  readonly #open = new Map<string, ToolCall>();
  #before: number | undefined;

  constructor(sessionId: string, writers: Writers) {
    this.#sessionId = sessionId;
    this.#writers = writers;
  }

  async write(message: Message): Promise<string> {
    if (message.role === 'tool') return this.#result(message);
    return this.end() + (await this.#said(message));
  }

  /** Calls that nothing came back from, once it is clear that nothing will. */
  end(): string {
    const calls = [...this.#open.values()];
    this.#open.clear();
    return calls.map((call) => toolBlock({ call, name: call.name, anchor: '' }, this.#writers.highlighter)).join('');
  }

  #result(message: Message): string {
    const call = message.toolCallId === undefined ? undefined : this.#open.get(message.toolCallId);
    if (call !== undefined) this.#open.delete(call.id);
    const name = call?.name ?? message.toolName ?? 'tool';
    return toolBlock({ call, name, result: message.text, anchor: this.#anchor(message) }, this.#writers.highlighter);
  }

  async #said(message: Message): Promise<string> {
    if (message.isSummary) return this.#folded(message, htmlExportText.summary, 'summary');
    if (message.role === 'user' && (message.displayKind ?? '') === '') {
      return this.#bubble(message, 'user', htmlExportText.you, await this.#writers.markdown.renderTyped(message.text));
    }
    if (message.role === 'user') {
      const text = await this.#writers.markdown.renderTyped(message.text);
      return `<div class="m event"${this.#anchor(message)}${textAttributes(message.text)}>${text}</div>\n`;
    }
    if (message.role === 'assistant') return this.#answer(message);
    return this.#folded(message, message.role === 'system' ? htmlExportText.system : message.role, 'system');
  }

  async #answer(message: Message): Promise<string> {
    const { thoughts, answer } = splitThoughts(message.text);
    const reasoning = [message.reasoning ?? '', thoughts].filter((part) => part.trim() !== '').join('\n\n');
    const thinking = reasoning === '' ? '' : await this.#details(htmlExportText.thinking, 'thinking', '', reasoning);
    const isCut = message.finishReason === 'interrupted';
    for (const call of message.toolCalls) this.#open.set(call.id, call);
    // A message of calls alone has nothing to show, but a link to it has to lead somewhere.
    if (answer.trim() === '' && !isCut) return `<span class="at"${this.#anchor(message)}></span>\n${thinking}`;
    const mark = isCut ? `${chrome(htmlExportText.interrupted, 'mark')}\n` : '';
    return thinking + this.#bubble(message, 'agent', htmlExportText.agent, (await this.#writers.markdown.render(answer)) + mark);
  }

  #bubble(message: Message, kind: 'user' | 'agent', who: string, body: string): string {
    const time = timeMarkup(message.timestamp, this.#before);
    if (time !== '') this.#before = message.timestamp;
    const when = time === '' ? '' : `<a class="when" href="${anchorAddress(this.#sessionId, message.id)}">${time}</a>`;
    return (
      `<article class="m ${kind}"${this.#anchor(message)}>` +
      `<header>${chrome(who, 'who')} ${when}</header>\n<div class="text"${textAttributes(message.text)}>\n${body}</div></article>\n`
    );
  }

  #folded(message: Message, label: string, kind: string): Promise<string> {
    return this.#details(label, kind, this.#anchor(message), message.text);
  }

  async #details(label: string, kind: string, anchor: string, text: string): Promise<string> {
    const body = await this.#writers.markdown.render(text);
    return `<details class="m ${kind}"${anchor}><summary>${chrome(label)}</summary>\n<div class="text"${textAttributes(text)}>\n${body}</div></details>\n`;
  }

  #anchor(message: Message): string {
    return ` id="${escapePlain(this.#sessionId)}/${message.id}"`;
  }
}

/** Direction by the first letter that has one, language where the letters decide it. */
function textAttributes(text: string): string {
  const language = scriptLanguage(text);
  return ` dir="auto"${language === undefined ? '' : ` lang="${language}"`}`;
}
