import { toolText } from '../text/en/tools.ts';

/** What the system prompt is made from; times in milliseconds since the epoch. */
export interface SystemPromptFacts {
  cwd: string;
  now: number;
  gitBranch?: string;
  /** Names of the tools on offer; none by default. */
  toolNames?: readonly string[];
}

function localDay(now: number): string {
  const date = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * The system prompt of a conversation. It names the day, not the minute: every later call of the day sends the same bytes, so that
 * providers can serve the beginning of the conversation from their cache.
 */
export function systemPrompt({ cwd, now, gitBranch, toolNames = [] }: SystemPromptFacts): string {
  const lines = [
    'You are Hermes, an assistant that works with one person in their terminal. Answer in the language they write in.',
    'Be direct and exact: lead with the answer, say what you are not sure of, do not invent files, output or facts.',
    'Answers are shown as Markdown in a terminal: short paragraphs, lists where they help, code in fenced blocks with its language.',
    toolNames.length === 0
      ? 'You have no tools in this conversation: you cannot read files or run commands; ask for what you need to see.'
      : `You have these tools: ${toolNames.join(', ')}. Use them rather than guessing.`,
    ...(toolNames.includes('session_search') ? [toolText.whenToSearch] : []),
    ...(toolNames.length === 0 || toolNames.some((name) => name !== 'session_search') ? [] : [toolText.noOthers]),
    `Working directory: ${cwd}`,
    ...(gitBranch === undefined ? [] : [`Git branch: ${gitBranch}`]),
    `Date: ${localDay(now)}`,
  ];
  return lines.join('\n');
}
