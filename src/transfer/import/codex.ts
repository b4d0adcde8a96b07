import { basename } from 'node:path';
import type { ForeignSession } from '../../session/foreign.ts';
import type { Damage } from './broken.ts';
import { openLog, type LogFacts } from './format.ts';
import { isObject, listAt, objectAt, textAt, timeOf, type Json } from './json.ts';
import { readObjects, type LogFile } from './lines.ts';
import { imageMark, ranTool, type Piece } from './turns.ts';

/**
 * Codex CLI: `<home>/sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, a line `{timestamp, type, payload}` (openai/codex
 * codex-rs/protocol/src/protocol.rs `RolloutLine`, codex-rs/rollout/src/recorder.rs; kvsankar/agent-history docs/codex-format.md). `session_meta`
 * comes first; `response_item` holds what went to the model and came back; `event_msg` repeats it for the screen; `turn_context` names the
 * model. Logs of its first versions have the payload itself as the line, and `{id, timestamp, instructions, git}` as the first one.
 */
export function readCodexLog(file: LogFile): ForeignSession {
  return openLog('codex-cli', file, look);
}

/** Lines from `from` up to `until` were taken back. */
interface Span {
  readonly from: number;
  readonly until: number;
}

function look(file: LogFile, damage: Damage): LogFacts {
  let meta: Json | undefined;
  let model: string | undefined;
  let startedAt: number | undefined;
  let hasItems = false;
  const prompts: number[] = [];
  const dropped: Span[] = [];
  for (const { number, value } of readObjects(file, damage)) {
    const { type, payload } = unwrap(value);
    startedAt ??= timeOf(value['timestamp']);
    if (type === 'session_meta') meta ??= payload;
    if (type === 'turn_context') model = textAt(payload, 'model') ?? model;
    if (type === 'response_item' && payload['type'] === 'message') {
      hasItems = true;
      if (itemPieces(payload).some((piece) => piece.role === 'user')) prompts.push(number);
    }
    if (type === 'event_msg' && payload['type'] === 'thread_rolled_back') {
      const turns = Number(payload['num_turns']);
      const from = turns > 0 ? prompts.splice(-turns)[0] : undefined;
      if (from !== undefined) dropped.push({ from, until: number });
    }
  }
  const facts = meta ?? {};
  return {
    foreignId:
      textAt(facts, 'id') ?? /^rollout-.*?-([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/i.exec(basename(file.path))?.[1] ?? basename(file.path),
    cwd: textAt(facts, 'cwd'),
    gitBranch: textAt(objectAt(facts, 'git'), 'branch'),
    model: model ?? textAt(facts, 'model'),
    startedAt: timeOf(facts['timestamp']) ?? startedAt,
    isDelegate: isObject(facts['source']) && 'subagent' in facts['source'],
    pieces: () => pieces(file, damage, dropped, hasItems),
  };
}

const itemTypes = new Set(['message', 'function_call', 'custom_tool_call', 'local_shell_call', 'web_search_call', 'reasoning']);

function unwrap(value: Json): { type: string; payload: Json } {
  const type = textAt(value, 'type');
  if (type !== undefined && isObject(value['payload'])) return { type, payload: value['payload'] };
  if (type !== undefined && itemTypes.has(type)) return { type: 'response_item', payload: value };
  if (type === undefined && textAt(value, 'id') !== undefined && textAt(value, 'timestamp') !== undefined)
    return { type: 'session_meta', payload: value };
  return { type: '', payload: {} };
}

function* pieces(file: LogFile, damage: Damage, dropped: readonly Span[], hasItems: boolean): Generator<Piece> {
  for (const { number, value } of readObjects(file, damage)) {
    if (dropped.some((span) => number >= span.from && number <= span.until)) continue;
    const { type, payload } = unwrap(value);
    const at = timeOf(value['timestamp']);
    const said = type === 'response_item' ? itemPieces(payload) : type === 'event_msg' && !hasItems ? eventPieces(payload) : [];
    for (const piece of said) yield { ...piece, at };
  }
}

function itemPieces(item: Json): Piece[] {
  switch (item['type']) {
    case 'message':
      return messagePieces(item);
    case 'function_call':
    case 'custom_tool_call':
      return [{ role: 'assistant', ...ranTool(textAt(item, 'name') ?? '?') }];
    case 'local_shell_call':
      return [{ role: 'assistant', ...ranTool('shell') }];
    case 'web_search_call':
      return [{ role: 'assistant', ...ranTool('web_search') }];
    default:
      return [];
  }
}

/** Texts the program sends in the user's name. */
const machineText =
  /^\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|user_shell_command|subagent_notification)>|# AGENTS\.md instructions for )/;

function messagePieces(item: Json): Piece[] {
  const role = item['role'];
  if (role !== 'user' && role !== 'assistant') return [];
  return listAt(item, 'content')
    .filter(isObject)
    .flatMap((part): Piece[] => {
      if (part['type'] === 'input_image') return [{ role, text: imageMark }];
      const text = textAt(part, 'text');
      return text === undefined || (role === 'user' && machineText.test(text)) ? [] : [{ role, text }];
    });
}

/** What was shown, where nothing of what was sent is in the log. */
function eventPieces(event: Json): Piece[] {
  const text = textAt(event, 'message');
  if (text === undefined) return [];
  if (event['type'] === 'user_message') return [{ role: 'user', text }];
  return event['type'] === 'agent_message' ? [{ role: 'assistant', text }] : [];
}

/** Whether an object of a log looks like a line of this tool. */
export function isCodexLine(value: Json): boolean {
  const { type } = unwrap(value);
  return ['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'].includes(type);
}
