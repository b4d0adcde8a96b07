import { stripThoughts } from './recap.ts';

const startsWithThought = /^\s*<(think|thinking|thought|reasoning|reasoning_scratchpad)>/i;

/** Reasoning a model wrote into its answer, apart from the answer. */
export function splitThoughts(text: string): { thoughts: string; answer: string } {
  if (!startsWithThought.test(text)) return { thoughts: '', answer: text };
  const answer = stripThoughts(text).replace(/^\s+/, '');
  const thoughts = text
    .slice(0, text.length - answer.length)
    .replace(/<\/?[a-z_]+>/gi, '')
    .trim();
  return { thoughts, answer };
}
