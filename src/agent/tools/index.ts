import type { Tool } from '../events.ts';
import { createSessionSearch, type SessionSearchParts } from './session-search.ts';

export type { MemoryAnchor, MemoryFound, MemoryHit, MemoryQuery, OpenMemory, SessionMemory } from './memory.ts';
export { createSummariser, type Summarise } from './session-summary.ts';

/** What a conversation is given: everything there is, each with what it needs from outside. */
export function conversationTools(parts: SessionSearchParts): Tool[] {
  return [createSessionSearch(parts)];
}
