import { htmlExportText } from '../../text/en/html-export.ts';
import type { Output, TransferSession } from '../types.ts';
import { Highlighter } from './code.ts';
import { loadMarkdown } from './markdown.ts';
import { pageFoot, pageHead } from './page.ts';
import { sessionMarkup, sessionName } from './session.ts';

/** UTF-16 units gathered before they are handed on. */
const enough = 64 * 1024;

/**
 * Writes sessions as one page that needs nothing else (state-db.md 6.2: styled bubbles, collapsible tool output, a sidebar when there are
 * several), in constant memory. `now` is the time of the export, milliseconds since the epoch; `count` how many sessions will come, as
 * far as it is known. Content is never markup: see escape.ts.
 */
export async function writeHtml(
  sessions: AsyncIterable<TransferSession>,
  output: Output,
  options: { now: number; title?: string; count?: number },
): Promise<{ sessions: number; messages: number }> {
  const highlighter = new Highlighter();
  await highlighter.load(['bash']);
  const writers = { highlighter, markdown: await loadMarkdown(highlighter) };
  const written = { sessions: 0, messages: 0 };
  let gathered = '';
  const write = async (text: string): Promise<void> => {
    gathered += text;
    if (gathered.length < enough) return;
    const full = gathered;
    gathered = '';
    await output.write(full);
  };
  const head = (only?: TransferSession): string =>
    pageHead(options.title ?? (only !== undefined && options.count === 1 ? sessionName(only) : htmlExportText.pageTitle(options.count)));

  for await (const transfer of sessions) {
    const isFirst = written.sessions === 0;
    if (isFirst) await write(head(transfer));
    written.sessions += 1;
    const count = (): void => void (written.messages += 1);
    for await (const markup of sessionMarkup(transfer, writers, { isFirst, count })) await write(markup);
  }
  if (written.sessions === 0) await write(head());
  await write(pageFoot({ ...written, now: options.now }));
  if (gathered !== '') await output.write(gathered);
  return written;
}
