import { formatDuration } from '../text/duration.ts';
import { shellQuote } from '../text/shell-quote.ts';

export interface Farewell {
  id: string;
  title?: string;
  profile?: string;
  /** Visible messages of the conversation. */
  messageCount: number;
  /** Time in this run, milliseconds. */
  durationMs: number;
}

/**
 * The lines that stand below the shell prompt's old content after leaving (product.md 1). Nothing was said: no lines. The commands can be
 * pasted as they are: the title is quoted for sh, zsh and fish.
 */
export function exitLines(farewell: Farewell): string[] {
  if (farewell.messageCount === 0) return [];
  const profile = farewell.profile === undefined ? '' : ` -p ${shellQuote(farewell.profile)}`;
  const lines = [`Resume this session with:  hermes --resume ${shellQuote(farewell.id)}${profile}`];
  if (farewell.title !== undefined) lines.push(`                       or  hermes -c ${shellQuote(farewell.title)}${profile}`);
  lines.push(`${farewell.messageCount} ${farewell.messageCount === 1 ? 'message' : 'messages'}, ${formatDuration(farewell.durationMs)}`);
  return lines;
}
