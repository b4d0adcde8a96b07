import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { ForeignSession } from '../../session/foreign.ts';
import type { Damage } from './broken.ts';
import { documentMessages } from './document.ts';
import { openLog, type LogFacts } from './format.ts';
import { isObject, listAt, textAt, timeOf, type Json } from './json.ts';
import { readObjects, type LogFile } from './lines.ts';
import { imageMark, ranTool, type Piece } from './turns.ts';

/**
 * Gemini CLI: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.json` or `.jsonl` (google-gemini/gemini-cli
 * packages/core/src/services/chatRecordingTypes.ts: `ConversationRecord`, `MessageRecord`, `RewindRecord`, `MetadataUpdateRecord`). The older form
 * is one object with `messages`; of the newer one the first line has the facts, then come messages (one with a known `id` replaces it),
 * `{$set: …}` and `{$rewindTo: id}`. The directory is known by its SHA-256 alone.
 *
 * @param directories where the log may be from: the one whose hash it has is its directory
 */
export function readGeminiLog(file: LogFile, directories: readonly string[]): ForeignSession {
  const { path } = file;
  return openLog('gemini-cli', file, (_file, damage) => {
    const log = path.endsWith('.jsonl') ? lookAtLines(file, damage) : lookAtDocument(path, damage);
    const hash = textAt(log.facts, 'projectHash') ?? basename(dirname(dirname(path)));
    return {
      foreignId: textAt(log.facts, 'sessionId') ?? basename(path).replace(/\.jsonl?$/, ''),
      cwd: directories.find((directory) => createHash('sha256').update(directory).digest('hex') === hash),
      model: log.model,
      title: textAt(log.facts, 'summary'),
      startedAt: timeOf(log.facts['startTime']),
      isDelegate: log.facts['kind'] === 'subagent',
      pieces: log.pieces,
    };
  });
}

type Log = Pick<LogFacts, 'pieces'> & { readonly facts: Json; readonly model: string | undefined };

function lookAtDocument(path: string, damage: Damage): Log {
  const facts: Record<string, unknown> = {};
  let model: string | undefined;
  for (const message of documentMessages(path, damage, (key, value) => (facts[key] = value))) model = textAt(message, 'model') ?? model;
  function* pieces(): Generator<Piece> {
    const seen = new Set<string>();
    for (const message of documentMessages(path, damage)) {
      const id = textAt(message, 'id');
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      yield* sayOf(message);
    }
  }
  return { facts, model, pieces };
}

/** What was said is kept here, tool results aside: a message may be replaced by any later line. */
function lookAtLines(file: LogFile, damage: Damage): Log {
  const facts: Record<string, unknown> = {};
  let messages = new Map<string, readonly Piece[]>();
  let model: string | undefined;
  const take = (message: Json, number: number): void => {
    model = textAt(message, 'model') ?? model;
    messages.set(textAt(message, 'id') ?? `line ${number}`, sayOf(message));
  };
  for (const { number, value } of readObjects(file, damage)) {
    const rewindTo = textAt(value, '$rewindTo');
    const set = value['$set'];
    if (rewindTo !== undefined) messages = before(messages, rewindTo);
    else if (isObject(set)) {
      if (Array.isArray(set['messages'])) messages = new Map();
      listAt(set, 'messages')
        .filter(isObject)
        .forEach((message, index) => take(message, number + index / 1e6));
      Object.assign(facts, set);
    } else if (textAt(value, 'type') !== undefined) take(value, number);
    else if (textAt(value, 'sessionId') !== undefined) Object.assign(facts, value);
  }
  return { facts, model, pieces: () => [...messages.values()].flat() };
}

/** A message that is rewound to goes, and all behind it; one that is not there takes everything along. */
function before(messages: ReadonlyMap<string, readonly Piece[]>, id: string): Map<string, readonly Piece[]> {
  const ids = [...messages.keys()];
  const kept = ids.slice(0, Math.max(0, ids.indexOf(id)));
  return new Map(kept.map((each) => [each, messages.get(each) ?? []]));
}

function sayOf(message: Json): Piece[] {
  const { type } = message;
  if (type !== 'user' && type !== 'gemini') return [];
  const role = type === 'user' ? 'user' : 'assistant';
  const at = timeOf(message['timestamp']);
  const said = partsOf(message['content']).map((part): Piece => ({ role, at, text: part }));
  const tools = role === 'user' ? [] : listAt(message, 'toolCalls').filter(isObject);
  return [...said, ...tools.map((call): Piece => ({ role, at, ...ranTool(textAt(call, 'name') ?? '?') }))];
}

/** A text, a part or a list of both (`PartListUnion` of @google/genai). */
function partsOf(content: unknown): string[] {
  const list = Array.isArray(content) ? (content as unknown[]) : [content];
  return list.flatMap((part): string[] => {
    if (typeof part === 'string') return [part];
    if (!isObject(part) || part['thought'] === true) return [];
    const said = textAt(part, 'text');
    if (said !== undefined) return [said];
    const file = part['inlineData'] ?? part['fileData'];
    return isObject(file) ? [/^image\//.test(textAt(file, 'mimeType') ?? '') ? imageMark : '[file]'] : [];
  });
}

/** Whether an object of a log has the facts of one of this tool's. */
export function isGeminiLog(value: Json): boolean {
  return textAt(value, 'sessionId') !== undefined && textAt(value, 'projectHash') !== undefined;
}
