import { basename } from 'node:path';
import type { ForeignSession } from '../../session/foreign.ts';
import type { Damage } from './broken.ts';
import { openLog, type LogFacts } from './format.ts';
import { isObject, objectAt, textAt, timeOf, type Json } from './json.ts';
import { readObjects, type LogFile } from './lines.ts';
import { takenBack, type Entry } from './tree.ts';
import { imageMark, ranTool, type Piece } from './turns.ts';

/**
 * pi: `~/.pi/agent/sessions/--<directory>--/<time>_<id>.jsonl` (badlogic/pi-mono packages/coding-agent/docs/session.md). The first line is the
 * header `{type: session, id, cwd, timestamp}`; entries carry `id` and `parentId` from version 2 on, and the last one is where the
 * conversation stands.
 */
export function readPiLog(file: LogFile): ForeignSession {
  return openLog('pi', file, look);
}

function look(file: LogFile, damage: Damage): LogFacts {
  const entries = new Map<string, Entry>();
  let header: Json = {};
  let last: string | undefined;
  let model: string | undefined;
  let title: string | undefined;
  let startedAt: number | undefined;
  for (const { value } of readObjects(file, damage)) {
    startedAt ??= timeOf(value['timestamp']);
    if (value['type'] === 'session') {
      if (Object.keys(header).length === 0) header = value;
      continue;
    }
    if (value['type'] === 'session_info') title = textAt(value, 'name') ?? title;
    if (value['type'] === 'model_change') model = textAt(value, 'modelId') ?? model;
    model = textAt(objectAt(value, 'message'), 'model') ?? model;
    const id = textAt(value, 'id');
    if (id === undefined || entries.has(id)) continue;
    entries.set(id, { parent: textAt(value, 'parentId'), isPrompt: sayOf(value).some((piece) => piece.role === 'user') });
    last = id;
  }
  const dropped = takenBack(entries, last);
  return {
    foreignId: textAt(header, 'id') ?? basename(file.path).replace(/\.jsonl$/, ''),
    cwd: textAt(header, 'cwd'),
    model: model ?? textAt(header, 'modelId'),
    title,
    startedAt: timeOf(header['timestamp']) ?? startedAt,
    pieces: () => pieces(file, damage, dropped),
  };
}

function* pieces(file: LogFile, damage: Damage, dropped: ReadonlySet<string>): Generator<Piece> {
  const seen = new Set<string>();
  for (const { value } of readObjects(file, damage)) {
    const id = textAt(value, 'id');
    if (id !== undefined) {
      if (seen.has(id) || dropped.has(id)) continue;
      seen.add(id);
    }
    const at = timeOf(objectAt(value, 'message')['timestamp']) ?? timeOf(value['timestamp']);
    for (const piece of sayOf(value)) yield { ...piece, at };
  }
}

function sayOf(value: Json): Piece[] {
  if (value['type'] !== 'message') return [];
  const message = objectAt(value, 'message');
  const { role } = message;
  if (role === 'bashExecution' && message['excludeFromContext'] !== true) {
    const command = textAt(message, 'command');
    return command === undefined ? [] : [{ role: 'user', text: `! ${command}` }];
  }
  if (role !== 'user' && role !== 'assistant') return [];
  const { content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? (content as unknown[]) : [];
  return blocks.filter(isObject).flatMap((block): Piece[] => {
    if (block['type'] === 'image') return [{ role, text: imageMark }];
    if (block['type'] === 'toolCall') return role === 'user' ? [] : [{ role, ...ranTool(textAt(block, 'name') ?? '?') }];
    const text = block['type'] === 'text' ? textAt(block, 'text') : undefined;
    return text === undefined ? [] : [{ role, text }];
  });
}

/** Whether an object of a log looks like the header of this tool's. */
export function isPiHeader(value: Json): boolean {
  return value['type'] === 'session' && textAt(value, 'id') !== undefined;
}
