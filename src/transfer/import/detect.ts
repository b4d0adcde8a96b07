import type { ForeignTool } from '../../session/foreign.ts';
import { isClaudeEntry } from './claude.ts';
import { isCodexLine } from './codex.ts';
import { isGeminiLog } from './gemini.ts';
import { isRecord } from './hermes.ts';
import type { Json } from './json.ts';
import { parseMember, scanObjects } from './members.ts';
import { isOpencodeSession } from './opencode.ts';
import { isPiHeader } from './pi.ts';

/** What a file may be: another agent's log, or an export of our own. */
export type Origin = ForeignTool | 'hermes';

/** The first that fits counts: each looks for what the ones before don't have. */
const signs: readonly (readonly [Origin, (value: Json) => boolean])[] = [
  ['hermes', isRecord],
  ['gemini-cli', isGeminiLog],
  ['opencode', isOpencodeSession],
  ['pi', isPiHeader],
  ['codex-cli', isCodexLine],
  ['claude-code', isClaudeEntry],
];

/** Objects at the beginning that are looked at; damaged ones don't count. */
const mostObjects = 20;

/** Which program wrote this file, by what stands in it; undefined for none that is known. @throws HermesError `import-unreadable` */
export function detectOrigin(path: string): Origin | undefined {
  // As one object first: of one that is written over many lines, some lines are objects too.
  for (const isLines of [false, true]) {
    for (const value of firstObjects(path, isLines)) {
      const found = signs.find(([, fits]) => fits(value));
      if (found !== undefined) return found[0];
    }
  }
  return undefined;
}

/** Without the messages of a session, which may be half a gigabyte. */
function* firstObjects(path: string, isLines: boolean): Generator<Json> {
  let value: Record<string, unknown> = {};
  let count = 0;
  for (const event of scanObjects(path, { isLines, wish: (key) => (key === 'messages' ? 'skip' : 'whole') })) {
    if (event.kind === 'begin') value = {};
    else if (event.kind === 'member') {
      const parsed = parseMember(event.bytes);
      if (parsed !== undefined) value[event.key] = parsed.value;
    } else if (event.fault === undefined) {
      yield value;
      count += 1;
      if (count === mostObjects) return;
    }
  }
}
