import { commands, type CommandSpec } from '../../commands/table.ts';
import type { Config } from '../../config/types.ts';
import { buildRecap, describeTools, type RecapEntry } from '../../session/recap.ts';
import type { Message, SessionRow } from '../../session/types.ts';
import type { RecapMessages } from '../../store/reads/recap.ts';
import { sourceLabel } from '../../session/source.ts';
import { lineText } from '../../text/en/line.ts';
import { recapText } from '../../text/en/recap.ts';
import { baseName } from '../../text/paths.ts';
import { relativeTime } from '../../text/relative-time.ts';
import { truncateEnd } from '../../terminal/width.ts';
import type { Tone } from './printer.ts';

export interface ToldLine {
  readonly text: string;
  readonly tone: Tone;
}

const longestTitle = 60;

/** `/sessions`: one line a session, its number first. */
export function sessionLines(rows: readonly SessionRow[], now: number): string[] {
  return rows.map((row, index) => {
    const folder = row.gitRepoRoot ?? row.cwd;
    const parts = [
      truncateEnd(row.title ?? row.preview ?? row.id, longestTitle),
      relativeTime(row.lastActive, now),
      ...(folder === undefined || folder === '' ? [] : [baseName(folder)]),
      sourceLabel(row),
      row.id,
    ];
    return `${String(index + 1).padStart(3)}. ${parts.join(', ')}`;
  });
}

/** The recap's rules without its panel: one line an entry, lines of a text joined. */
export function recapLines(recap: RecapMessages, display: Config['display']): string[] {
  if (display.resumeDisplay === 'minimal') return [];
  const { entries, earlierCount } = buildRecap(recap.messages, {
    exchanges: display.resumeExchanges,
    maxUserChars: display.resumeMaxUserChars,
    maxAssistantChars: display.resumeMaxAssistantChars,
    maxAssistantLines: display.resumeMaxAssistantLines,
    skipToolOnly: display.resumeSkipToolOnly,
    earlierOutside: recap.earlier,
  });
  return [...(earlierCount > 0 ? [recapText.earlier(earlierCount)] : []), ...entries.map(entryLine)];
}

function entryLine(entry: RecapEntry): string {
  const said = entry.text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  const cut = entry.cut === undefined ? '' : `${entry.cut === 'lines' ? ' ' : ''}…`;
  const tools = entry.tools === undefined ? '' : ` ${describeTools(entry.tools)}`;
  const text = `${said}${cut}${tools}`.trim();
  return entry.role === 'user' ? lineText.you(text) : lineText.agentSaid(text);
}

/** One stored message as `/history` prints it; system rows and tool results have no line. */
export function messageLines(message: Message): ToldLine[] {
  const { role, toolCalls, cut } = message;
  const text = cut === undefined ? message.text : `${message.text}\n${lineText.omitted(cut.bytes)}\n${cut.tail}`;
  if (role === 'user') return [{ text: lineText.you(text), tone: 'you' }];
  if (role !== 'assistant') return [];
  const calls = toolCalls.map((call): ToldLine => ({ text: callLine(call.name, call.arguments), tone: 'quiet' }));
  return [...(text.trim() === '' ? [] : [{ text: lineText.agentSaid(text), tone: 'plain' } as const]), ...calls];
}

const longestArguments = 100;

/** A tool call on one line, its arguments without the braces of a single text. */
export function callLine(name: string, args: string): string {
  const single = /^\{"[^"]+":"((?:[^"\\]|\\.)*)"\}$/u.exec(args.trim())?.[1];
  return lineText.toolCall(name, truncateEnd((single ?? args).replace(/\s+/gu, ' '), longestArguments));
}

/** `/help`: every command of this build, as the table has it. */
export function helpLines(): string[] {
  const rows = (commands as readonly CommandSpec[]).flatMap((spec) => {
    const [name] = spec.slash ?? [];
    if (name === undefined) return [];
    const args = (spec.args ?? []).map((arg) => ` [${arg.name}]`).join('');
    return [{ usage: `/${name}${args}`, summary: spec.summary }];
  });
  const width = Math.max(...rows.map((row) => row.usage.length));
  return rows.map((row) => `${row.usage.padEnd(width)}  ${row.summary}`);
}
