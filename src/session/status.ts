import type { SessionStatus } from './types.ts';

/** What is looked at of the last message of a session. */
export interface LastMessage {
  role: string;
  finishReason?: string;
  hasToolCalls: boolean;
}

const failures = new Set(['error', 'agent_error', 'content_filter']);

/**
 * How the last turn stands (state-db.md 2.3): a failure by its finish reason; interrupted when the last word is the user's, a tool's or a
 * call that waits for its tools; else complete. `interrupted` as a finish reason is ours: an answer that was cut off and kept.
 */
export function statusOf(last: LastMessage | undefined): SessionStatus {
  if (last === undefined) return 'empty';
  if (last.finishReason !== undefined && failures.has(last.finishReason)) return 'error';
  if (last.role === 'user' || last.role === 'tool') return 'interrupted';
  if (last.role === 'assistant' && (last.hasToolCalls || last.finishReason === 'interrupted')) return 'interrupted';
  return 'complete';
}
