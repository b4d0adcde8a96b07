import { UsageError } from '../../errors.ts';
import { foreignTools, type ForeignTool } from '../../session/foreign.ts';
import { importText as text } from '../../text/en/import.ts';
import type { Origin } from '../../transfer/import/detect.ts';

/** What `--from` takes; the words of `--resume @claude` too. */
const names: Readonly<Record<string, Origin>> = {
  claude: 'claude-code',
  codex: 'codex-cli',
  gemini: 'gemini-cli',
  opencode: 'opencode',
  pi: 'pi',
  hermes: 'hermes',
};

/** The program of that name, short or as sources have it. @throws UsageError */
export function originNamed(name: string): Origin {
  const found = names[name.toLowerCase()] ?? foreignTools.find((tool) => tool === name.toLowerCase());
  if (found === undefined) throw new UsageError(text.wrongTool(name), text.oneOf(Object.keys(names)));
  return found;
}

/** `@claude` → that agent; undefined for what is no such word. */
export function toolAfterAt(word: string): ForeignTool | undefined {
  const found = word.startsWith('@') ? names[word.slice(1).toLowerCase()] : undefined;
  return found === 'hermes' ? undefined : found;
}
