import {
  agentBlock,
  appendBlocks,
  appendDelta,
  createTranscript,
  loadMarkdown,
  setBlocks,
  viewTranscript,
  type Block,
} from '../../src/ui/transcript/index.ts';
import type { Figure } from './figure.ts';
import { median } from './statistics.mjs';

const tokens = 600;
/** Blocks that make up 5,000 lines on a screen of 100 columns. */
const blocks = 560;
const answer = `The expiry path has **two** branches; 만료는 \`refresh()\`에서 처리합니다.\n\n- one\n- two\n\n\`\`\`ts\nawait run(x);\n\`\`\`\n\n${'A sentence that goes on for a while. '.repeat(8)}\n`;

/** One streamed token, from the delta to the lines of its frame, behind a transcript of 5,000 lines; processor time of this thread. */
export async function measure(): Promise<Figure[]> {
  await loadMarkdown();
  const talk = Array.from({ length: blocks }, (_, index): Block =>
    index % 2 === 0 ? { kind: 'user', id: `u${index}`, text: `question ${index}` } : agentBlock(`a${index}`, answer),
  );
  let transcript = appendBlocks(setBlocks(createTranscript({ width: 100, height: 40 }), talk), [
    agentBlock('s', '', { isStreaming: true }),
  ]);
  viewTranscript(transcript);
  const times: number[] = [];
  for (let index = 0; index < tokens; index++) {
    const began = process.cpuUsage();
    transcript = appendDelta(transcript, 's', index % 12 === 11 ? '\n\n' : 'word ');
    viewTranscript(transcript);
    const used = process.cpuUsage(began);
    times.push((used.user + used.system) / 1000);
  }
  const value = median(times.slice(tokens / 2));
  return [{ what: 'one streamed token, 5,000 lines', value: `${value.toFixed(2)} ms`, score: value, unit: 'ms', must: 2, aim: 1 }];
}
