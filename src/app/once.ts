import type { Front } from './front.ts';
import type { Run } from './run.ts';
export function answerOnce(_run: Run, _front: Front & { kind: 'once' }): Promise<number> {
  throw new Error('once');
}
