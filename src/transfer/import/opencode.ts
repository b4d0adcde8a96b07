import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HermesError } from '../../errors.ts';
import type { ForeignSession } from '../../session/foreign.ts';
import { importText as text } from '../../text/en/import.ts';
import type { Damage } from './broken.ts';
import { documentMessages } from './document.ts';
import { openLog, type LogFacts } from './format.ts';
import { isObject, listAt, objectAt, textAt, timeOf, type Json } from './json.ts';
import { longestLine, type LogFile } from './lines.ts';
import { scanObjects } from './members.ts';
import { imageMark, ranTool, type Piece } from './turns.ts';

/**
 * OpenCode, its files: `<data>/storage/session/<project>/<session>.json`, `storage/message/<session>/<message>.json`,
 * `storage/part/<message>/<part>.json` (lamnguyenx/opencode2 docs/refs/how_opencode_organize_sessions_and_messages.md; the fields in
 * anomalyco/opencode packages/opencode/src/session/message-v2.ts). Or what `opencode export` prints: `{info, messages: [{info, parts}]}`; newer
 * versions keep a database, and this is how its sessions come out. Ids ascend with time, so their order is the order of names.
 */
export function readOpencodeLog(file: LogFile): ForeignSession {
  const beginning = firstKeys(file.path);
  return openLog('opencode', file, beginning.has('info') ? lookAtExport : lookAtFiles);
}

function firstKeys(path: string): Set<string> {
  const keys = new Set<string>();
  for (const event of scanObjects(path, { isLines: false, wish: () => 'elements' })) {
    if (event.kind !== 'member') continue;
    keys.add(event.key);
    if (keys.has('info') || keys.has('id') || keys.size > 8) break;
  }
  return keys;
}

function factsOf(info: Json): Omit<LogFacts, 'pieces' | 'foreignId'> {
  return {
    cwd: textAt(info, 'directory'),
    title: textAt(info, 'title'),
    startedAt: timeOf(objectAt(info, 'time')['created']),
    isDelegate: textAt(info, 'parentID') !== undefined,
  };
}

/** Messages from here on were taken back. */
const revertedFrom = (info: Json): string | undefined => textAt(objectAt(info, 'revert'), 'messageID');

function lookAtExport({ path }: LogFile, damage: Damage): LogFacts {
  let info: Json = {};
  let model: string | undefined;
  const messages = (): Iterable<Json> =>
    documentMessages(path, damage, (key, value) => {
      if (key === 'info' && isObject(value)) info = value;
    });
  for (const message of messages()) model = textAt(objectAt(message, 'info'), 'modelID') ?? model;
  function* pieces(): Generator<Piece> {
    const end = revertedFrom(info);
    for (const message of messages()) {
      const said = objectAt(message, 'info');
      if (end !== undefined && textAt(said, 'id') === end) return;
      yield* sayOf(said, listAt(message, 'parts').filter(isObject));
    }
  }
  return { foreignId: textAt(info, 'id') ?? basename(path), model, ...factsOf(info), pieces };
}

function lookAtFiles({ path }: LogFile, damage: Damage): LogFacts {
  const reading = { number: 0 };
  const info = readOne(path, reading, damage) ?? {};
  const id = textAt(info, 'id') ?? basename(path).replace(/\.json$/, '');
  const storage = dirname(dirname(dirname(path)));
  const folder = join(storage, 'message', fileName(id));
  const models = [...filesOf(folder)].slice(0, 20).map((file) => textAt(readOne(file, { number: 0 }, damage) ?? {}, 'modelID'));
  function* pieces(): Generator<Piece> {
    damage.restart();
    const end = revertedFrom(info);
    const order = { number: 1 };
    for (const file of filesOf(folder)) {
      const message = readOne(file, order, damage);
      if (message === undefined) continue;
      const messageId = textAt(message, 'id') ?? basename(file).replace(/\.json$/, '');
      if (messageId === end) return;
      const parts = [...filesOf(join(storage, 'part', fileName(messageId)))].map((part) => readOne(part, order, damage));
      yield* sayOf(message, parts.filter(isObject));
    }
  }
  return { foreignId: id, model: models.findLast((model) => model !== undefined), ...factsOf(info), pieces };
}

/** An id out of a file leads nowhere else than into its folder. */
const fileName = (id: string): string => basename(id);

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, name));
  } catch (error) {
    // A message without parts has no folder.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new HermesError('import-unreadable', text.unreadable(folder, (error as NodeJS.ErrnoException).code ?? ''), { cause: error });
  }
}

/** One of the many small files; a broken one is counted by its place among those that were read. */
function readOne(path: string, reading: { number: number }, damage: Damage): Json | undefined {
  reading.number += 1;
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > longestLine) {
      damage.add(reading.number, found.isFile() ? text.broken.tooLong : text.broken.noObject);
      return undefined;
    }
    const value = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, '')) as unknown;
    if (isObject(value)) return value;
    damage.add(reading.number, text.broken.noObject);
  } catch {
    // Unreadable, gone meanwhile, or no JSON: named as one that could not be read, like a line of other logs.
    damage.add(reading.number, text.broken.noJson);
  }
  return undefined;
}

function sayOf(message: Json, parts: readonly Json[]): Piece[] {
  const { role } = message;
  if (role !== 'user' && role !== 'assistant') return [];
  // The summary of a compaction; what it sums up stands before it.
  if (message['summary'] === true) return [];
  const at = timeOf(objectAt(message, 'time')['created']);
  return parts.flatMap((part): Piece[] => {
    switch (part['type']) {
      case 'text': {
        const said = textAt(part, 'text');
        return said === undefined || part['synthetic'] === true || part['ignored'] === true ? [] : [{ role, at, text: said }];
      }
      case 'file':
        return [{ role, at, text: /^image\//.test(textAt(part, 'mime') ?? '') ? imageMark : `[file: ${textAt(part, 'filename') ?? '?'}]` }];
      case 'tool':
        return role === 'user' ? [] : [{ role, at, ...ranTool(textAt(part, 'tool') ?? '?') }];
      default:
        return [];
    }
  });
}

/** Whether an object is a session of this tool: its file, or what its export command prints. */
export function isOpencodeSession(value: Json): boolean {
  if (isObject(value['info'])) return textAt(value['info'], 'id') !== undefined;
  return textAt(value, 'projectID') !== undefined && textAt(value, 'directory') !== undefined;
}
