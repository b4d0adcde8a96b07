import { beforeAll, describe, expect, it } from 'vitest';
import {
  agentBlock,
  appendBlocks,
  appendDelta,
  createTranscript,
  loadMarkdown,
  scrollBy,
  scrollToStart,
  setBlocks,
  viewTranscript,
} from '../../src/ui/transcript/index.ts';
import type { Block, Transcript } from '../../src/ui/transcript/index.ts';
import { cpuNow } from '../support/cpu.ts';

beforeAll(loadMarkdown);

const answer = (i: number): string =>
  `## Part ${i}\n\nThe expiry path has **two** branches; 만료는 refresh()에서 처리합니다.\n\n- one \`code\`\n- two\n\n\`\`\`ts\nconst x = ${i};\nawait run(x);\n\`\`\`\n\n${'A sentence that goes on for a while. '.repeat(8)}\n`;
const talk = (count: number): Block[] =>
  Array.from({ length: count }, (_, i): Block =>
    i % 2 === 0 ? { kind: 'user', id: `u${i}`, text: `question ${i}` } : agentBlock(`a${i}`, answer(i)),
  );

const show = (name: string, ms: number): void => {
  if (process.env['SHOW_COSTS']) console.log(`${name}: ${ms.toFixed(3)} ms`);
};
const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] ?? 0;

function timed<T>(run: () => T): [T, number] {
  const before = cpuNow();
  const value = run();
  return [value, cpuNow() - before];
}

describe('what it costs', () => {
  const open = (blocks: readonly Block[]): Transcript => setBlocks(createTranscript({ width: 100, height: 40 }), blocks);

  /**
   * The limits here catch a change of order (everything laid out again costs 30 ms and more) in processor time, so that other programs do not count;
   * `SHOW_COSTS=1` prints the figures, `npm run bench` measures them.
   */
  it('a token behind 5,000 lines costs the open piece of its answer, not the transcript', () => {
    const long = open(talk(560));
    viewTranscript(scrollToStart(long));
    const answers: [string, string][] = [
      ['prose', 'word '],
      ['list', '- item with **bold**\n'],
      ['code', 'const x = 1;\n'],
      ['table', '| a | b |\n'],
    ];
    for (const [name, token] of answers) {
      const head = name === 'code' ? '```ts\n' : name === 'table' ? '| x | y |\n|---|---|\n' : '';
      let transcript = appendBlocks(long, [agentBlock('s', head, { isStreaming: true })]);
      const times: number[] = [];
      for (let i = 0; i < 600; i++) {
        const [next, ms] = timed(() => {
          const grown = appendDelta(transcript, 's', token);
          viewTranscript(grown);
          return grown;
        });
        transcript = next;
        times.push(ms);
      }
      const late = median(times.slice(400));
      show(`token, ${name}, 600th`, late);
      expect(late, name).toBeLessThan(6);
    }
  });

  it('a conversation of 200 messages and one of 15,000 show their end at once', () => {
    for (const count of [200, 15_000]) {
      const [, ms] = timed(() => viewTranscript(open(talk(count))));
      show(`first frame of ${count} messages, blocks made`, ms);
      const blocks = talk(count);
      const [, layout] = timed(() => viewTranscript(open(blocks)));
      show(`first frame of ${count} messages`, layout);
      expect(layout).toBeLessThan(50);
    }
    const blocks = talk(200);
    const [, all] = timed(() => viewTranscript({ ...open(blocks), layout: { ...open(blocks).layout, height: 100_000 } }));
    show('all of 200 messages laid out', all);
  });

  it('99 of 100 steps through messages of 500 KB take less than 50 ms', () => {
    const texts = [answer(1).repeat(900), 'x '.repeat(250_000), `\`\`\`\n${'const a = 1;\n'.repeat(38_000)}\`\`\``, 'y'.repeat(500_000)];
    let transcript = open(Array.from({ length: 20 }, (_, i) => agentBlock(`a${i}`, texts[i % texts.length] ?? '')));
    const times: number[] = [];
    viewTranscript(transcript);
    for (let i = 0; i < 400; i++) {
      const [next, ms] = timed(() => {
        const moved = scrollBy(transcript, -39);
        viewTranscript(moved);
        return moved;
      });
      transcript = next;
      times.push(ms);
    }
    show('page up through 500 KB messages, median', median([...times]));
    show('page up through 500 KB messages, longest', Math.max(...times));
    expect(times.sort((a, b) => b - a)[4]).toBeLessThan(50);
  });
});
