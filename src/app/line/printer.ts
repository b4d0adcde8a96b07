import { colourDepth } from '../../terminal/capabilities.ts';
import type { LineOutput } from './input.ts';
import { createTextFlow, drawableLines } from '../text-flow.ts';

export type Tone = 'plain' | 'quiet' | 'error' | 'you' | 'agent';

/** Where the events of a conversation go, one line each, in the order they happen; nothing that stands there is ever changed. */
export interface Printer {
  line(text: string, tone?: Tone): void;
  /** A piece of an answer; `lead` stands before the first one. */
  stream(delta: string, lead: string): void;
  /** The answer, or its part before a tool, is complete. */
  endStream(): void;
}

const paint: Readonly<Record<Exclude<Tone, 'plain'>, string>> = { quiet: '2', error: '31', you: '33', agent: '32' };

export interface PrinterOptions {
  readonly out: LineOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called before anything is printed: the prompt steps aside. */
  readonly before: () => void;
}

/** Colours only on a terminal that has them and without NO_COLOR; the tone is never said by colour alone. */
export function createPrinter({ out, env, before }: PrinterOptions): Printer {
  const isTerminal = out.isTTY;
  const hasColours = isTerminal && colourDepth(env) !== 'none';
  let isStreaming = false;
  let isMidLine = false;

  const write = (text: string): void => {
    isMidLine = !text.endsWith('\n');
    out.write(text);
  };
  const flow = createTextFlow(write, isTerminal);
  const painted = (text: string, tone: Tone): string => (tone === 'plain' || !hasColours ? text : `\x1b[${paint[tone]}m${text}\x1b[0m`);

  function endStream(): void {
    if (!isStreaming) return;
    flow.end();
    if (isMidLine) write('\n');
    isStreaming = false;
  }

  return {
    line(text, tone = 'plain') {
      endStream();
      before();
      const shown = isTerminal ? drawableLines(text) : text;
      write(
        `${shown
          .split('\n')
          .map((line) => painted(line, tone))
          .join('\n')}\n`,
      );
    },
    stream(delta, lead) {
      if (!isStreaming) {
        before();
        write(painted(lead, 'agent'));
        isStreaming = true;
      }
      flow.push(delta);
    },
    endStream,
  };
}
