import { write as writeToFile } from 'node:fs';
import { promisify } from 'node:util';
import { HermesError } from '../../errors.ts';
import { drawable } from '../../terminal/width.ts';
import { shellText } from '../../text/en/shell.ts';
import type { Output } from '../../transfer/types.ts';
import type { TextSink } from '../context.ts';

const writeBytes = promisify(writeToFile);

/** The reader of standard output has seen enough: no fault, but nothing to go on for either. */
export class ClosedPipe extends Error {}

/** A pipe that is full and does not block is tried again after that long, milliseconds. */
const retryMs = 5;

/**
 * Standard output for much text. It goes past the stream, whose writes to a pipe block the process until somebody reads, Ctrl+C or not. A
 * terminal gets pictures of control characters, a file or a pipe the text as it is.
 *
 * @throws ClosedPipe, HermesError `output-failed` from `write`
 */
export function stdoutOutput(sink: TextSink & { readonly fd?: number }): Output {
  const { fd } = sink;
  if (fd === undefined || sink.isTTY === true) {
    const shown = (text: string): string => (sink.isTTY === true ? text.split('\n').map(drawable).join('\n') : text);
    return { write: (text) => void sink.write(shown(text)) };
  }
  return {
    async write(text) {
      const bytes = Buffer.from(text, 'utf8');
      for (let at = 0; at < bytes.byteLength;) {
        try {
          at += (await writeBytes(fd, bytes, at)).bytesWritten;
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === 'EPIPE') throw new ClosedPipe();
          if (code !== 'EAGAIN') throw new HermesError('output-failed', shellText.outputFailed(code), { cause: error });
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    },
  };
}
