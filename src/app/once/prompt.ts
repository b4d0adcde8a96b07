import { UsageError } from '../../errors.ts';
import { onceText } from '../../text/en/once.ts';

/** Said on standard error when input does not end by then: an inherited pipe that nobody writes to looks like a hang. Milliseconds. */
const patienceMs = 3000;

/**
 * What is asked: the text after -q, then a blank line and what is piped in; or either alone. Line ends at the end of the input are left out,
 * as the shell's `$(…)` does; invalid UTF-8 becomes U+FFFD.
 * @throws UsageError when there is nothing but blanks, or standard input can't be read
 */
export async function readPrompt(
  front: { readonly prompt: string | undefined; readonly isPiped: boolean },
  input: AsyncIterable<Buffer | string>,
  notice: (text: string) => void,
): Promise<string> {
  const piped = front.isPiped ? await readAll(input, notice) : '';
  const parts = [front.prompt ?? '', piped].filter((part) => part.trim() !== '');
  if (parts.length === 0) throw new UsageError(onceText.nothingToAsk, onceText.nothingToAskHint);
  return parts.join('\n\n');
}

async function readAll(input: AsyncIterable<Buffer | string>, notice: (text: string) => void): Promise<string> {
  const patience = setTimeout(() => notice(onceText.stillReading), patienceMs);
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of input) chunks.push(Buffer.from(chunk));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new UsageError(onceText.unreadableInput(code), onceText.unreadableInputHint);
  } finally {
    clearTimeout(patience);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/[\r\n]+$/u, '');
}
