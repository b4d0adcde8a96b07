import { grouped } from '../grouped.ts';

/** Sentences and marks of the transcript. */
export const transcriptText = {
  moreCharacters: (count: number) => `… ${grouped(count)} more characters`,
  middleLeftOut: (size: string) => `… ${size} left out here; copying takes all of it`,
  binary: (size: string) => `binary, ${size}`,
  interrupted: 'interrupted',
  reasoning: 'reasoning',
  running: 'running',
};
