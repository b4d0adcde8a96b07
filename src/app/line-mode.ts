import type { StartRequest } from './choose-session.ts';
import type { Run } from './run.ts';
export function runLineMode(_run: Run, _request: StartRequest): Promise<number> {
  throw new Error('line');
}
