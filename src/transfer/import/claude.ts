import { basename } from 'node:path';
import type { ForeignSession } from '../../session/foreign.ts';
import type { Damage } from './broken.ts';
import { openLog, type LogFacts } from './format.ts';
import { isObject, objectAt, textAt, timeOf, type Json } from './json.ts';
import { readObjects, type LogFile } from './lines.ts';
import { takenBack, type Entry } from './tree.ts';
import { imageMark, ranTool, type Piece } from './turns.ts';

/**
 * Claude Code: `<config>/projects/<directory>/<id>.jsonl`, an entry a line with `type`, `uuid`, `parentUuid`, `message` (an Anthropic message),
 * `cwd`, `gitBranch`, `timestamp`. Its format is not published by its makers; what is read here stands in descriptions by others
 * (choplin/cclog claude-projects-jsonl-specification.md; DRMacIver/claude-reliability notes/transcript-format.md), `logicalParentUuid` of a
 * `compact_boundary` among it. The file's name is the session: entries of the one it was resumed from keep their own `sessionId`.
 */
export function readClaudeLog(file: LogFile): ForeignSession {
  return openLog('claude-code', file, look);
}

function look(file: LogFile, damage: Damage): LogFacts {
  const entries = new Map<string, Entry>();
  let last: string | undefined;
  let cwd: string | undefined;
  let gitBranch: string | undefined;
  let model: string | undefined;
  let title: string | undefined;
  let startedAt: number | undefined;
  let isMain = false;
  for (const { value } of readObjects(file, damage)) {
    if (value['type'] === 'summary') title ??= textAt(value, 'summary');
    if (value['type'] === 'custom-title') title = textAt(value, 'customTitle') ?? title;
    const id = textAt(value, 'uuid');
    if (id === undefined || entries.has(id)) continue;
    const said = sayOf(value);
    const parent = textAt(value, 'parentUuid') ?? textAt(value, 'logicalParentUuid');
    entries.set(id, { parent, isPrompt: said.some((piece) => piece.role === 'user') });
    if (value['isSidechain'] === true) continue;
    if (isSpoken(value)) {
      last = id;
      isMain = true;
    }
    cwd ??= textAt(value, 'cwd');
    gitBranch = textAt(value, 'gitBranch') ?? gitBranch;
    startedAt ??= timeOf(value['timestamp']);
    const named = textAt(objectAt(value, 'message'), 'model');
    if (named !== undefined && named !== '<synthetic>') model = named;
  }
  const dropped = takenBack(entries, last);
  return {
    foreignId: basename(file.path).replace(/\.jsonl$/, ''),
    cwd,
    gitBranch: gitBranch === 'HEAD' ? undefined : gitBranch,
    model,
    title,
    startedAt,
    isDelegate: !isMain && entries.size > 0,
    pieces: () => pieces(file, damage, dropped),
  };
}

const isSpoken = (value: Json): boolean => value['type'] === 'user' || value['type'] === 'assistant';

function* pieces(file: LogFile, damage: Damage, dropped: ReadonlySet<string>): Generator<Piece> {
  const seen = new Set<string>();
  let isFirst = true;
  for (const { value } of readObjects(file, damage)) {
    const id = textAt(value, 'uuid');
    if (id !== undefined) {
      // A log that was copied together has entries twice.
      if (seen.has(id) || dropped.has(id)) continue;
      seen.add(id);
    }
    // A summary of what stands before it, unless it is all there is of that.
    if (value['isCompactSummary'] === true && !isFirst) continue;
    const at = timeOf(value['timestamp']);
    for (const piece of sayOf(value)) {
      isFirst = false;
      yield { ...piece, at };
    }
  }
}

/** What an entry says; side chains, notes of the program and errors of its server say nothing. */
function sayOf(value: Json): Piece[] {
  if (!isSpoken(value) || value['isSidechain'] === true || value['isMeta'] === true || value['isApiErrorMessage'] === true) return [];
  const role = value['type'] === 'user' ? 'user' : 'assistant';
  const content = objectAt(value, 'message')['content'];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? (content as unknown[]) : [];
  return blocks
    .filter(isObject)
    .flatMap((block): Piece[] => {
      switch (block['type']) {
        case 'text': {
          const said = textAt(block, 'text');
          return said === undefined ? [] : [{ role, text: role === 'user' ? asTyped(said) : said }];
        }
        case 'image':
          return [{ role, text: imageMark }];
        case 'document':
          return [{ role, text: '[document]' }];
        case 'tool_use':
        case 'server_tool_use':
          return role === 'user' ? [] : [{ role, ...ranTool(textAt(block, 'name') ?? '?') }];
        default:
          return [];
      }
    })
    .filter((piece) => piece.text.trim() !== '');
}

/** A person's words without what the program put around them: commands stand in tags, their output and reminders are not theirs. */
function asTyped(text: string): string {
  const command = /<command-name>\s*([^<]*?)\s*<\/command-name>/.exec(text)?.[1];
  if (command !== undefined) {
    const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1]?.trim() ?? '';
    return args === '' ? command : `${command} ${args}`;
  }
  if (/^\[Request interrupted by user(?: for tool use)?\]$/.test(text.trim())) return '';
  return text.replace(/<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat)>[\s\S]*?<\/\1>/g, '');
}

/** Whether an object of a log looks like an entry of this tool. */
export function isClaudeEntry(value: Json): boolean {
  if (value['type'] === 'summary') return textAt(value, 'leafUuid') !== undefined;
  return textAt(value, 'sessionId') !== undefined && textAt(value, 'type') !== undefined && textAt(value, 'projectHash') === undefined;
}
