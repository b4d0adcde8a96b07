import { colourDepth } from '../../terminal/capabilities.ts';
import { drawable, padEnd, stringWidth, wrapText } from '../../terminal/width.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import type { TextSink } from '../context.ts';
import { isUtf8 } from './locale.ts';

/** `look`: worth a look, nothing fails by it. `note`: a fact that is neither right nor wrong. */
export type Mark = 'ok' | 'look' | 'wrong' | 'note';
export type FindingId = keyof typeof text.names;
export type GroupId = keyof typeof text.groups;

/** One line of the report. */
export interface Finding {
  readonly id: FindingId;
  readonly mark: Mark;
  readonly text: string;
  /** Lines below it: how it was found. */
  readonly details?: readonly string[];
  /** One line on what to try. */
  readonly hint?: string | undefined;
}

export interface Style {
  readonly hasColour: boolean;
  readonly isAscii: boolean;
  /** Cells of a line; absent: not wrapped. */
  readonly columns?: number | undefined;
}

/** Colours and signs only for a person at a terminal that wants and knows them. */
export function chooseStyle(out: TextSink, env: Readonly<Record<string, string | undefined>>): Style {
  const hasColour = out.isTTY === true && colourDepth(env) !== 'none';
  return { hasColour, isAscii: !hasColour || !isUtf8(env), columns: out.isTTY === true ? out.columns : undefined };
}

const signs: Record<Mark, { readonly sign: string; readonly ascii: string; readonly colour: string }> = {
  ok: { sign: '✓', ascii: 'ok', colour: '32' },
  look: { sign: '!', ascii: '!', colour: '33' },
  wrong: { sign: '✗', ascii: 'x', colour: '31' },
  note: { sign: '·', ascii: '-', colour: '2' },
};

const nameWidth = Math.max(...Object.values(text.names).map(stringWidth));
const gap = '  ';
/** Narrower than this, wrapping would make a column of single words. */
const leastRoom = 24;

/** The lines of one group, its title first. Everything is cleaned of control characters: names come from files and variables. */
export function renderGroup(id: GroupId, findings: readonly Finding[], style: Style): string[] {
  const signWidth = style.isAscii ? 2 : 1;
  const indent = ' '.repeat(2 + signWidth + 1 + nameWidth + gap.length);
  const paint = (colour: string, part: string): string => (style.hasColour && part !== '' ? `\u001b[${colour}m${part}\u001b[0m` : part);
  const room = style.columns === undefined ? Infinity : style.columns - indent.length;
  const wrap = (line: string, used: number): string[] =>
    room - used < leastRoom ? [line] : wrapText(line, room - used).map((part) => part.trimEnd());
  const lines = [paint('1', text.groups[id])];
  let above: FindingId | undefined;
  for (const finding of findings) {
    const { sign, ascii, colour } = signs[finding.mark];
    const mark = paint(colour, padEnd(style.isAscii ? ascii : sign, signWidth));
    const name = padEnd(finding.id === above ? '' : text.names[finding.id], nameWidth);
    above = finding.id;
    const [first = '', ...rest] = wrap(drawable(finding.text), 0);
    lines.push(`  ${mark} ${name}${gap}${first}`, ...rest.map((part) => indent + part));
    for (const detail of finding.details ?? []) {
      const [start = '', ...more] = wrap(drawable(detail), 2);
      lines.push(indent + paint('2', `${style.isAscii ? '-' : '·'} ${start}`), ...more.map((part) => `${indent}  ${paint('2', part)}`));
    }
    if (finding.hint !== undefined) {
      const arrow = style.isAscii ? '->' : '→';
      const [start = '', ...more] = layOutHint(drawable(finding.hint), room - stringWidth(arrow) - 1);
      lines.push(`${indent}${arrow} ${start}`, ...more.map((part) => `${indent}${' '.repeat(stringWidth(arrow) + 1)}${part}`));
    }
  }
  return lines;
}

/** Hints end in `: command` where there is one; it gets a line of its own and is never broken, so that it survives being copied. */
function layOutHint(hint: string, room: number): string[] {
  if (room < leastRoom || stringWidth(hint) <= room) return [hint];
  const edge = hint.lastIndexOf(': ');
  const [sentence, command] = edge === -1 ? [hint, undefined] : [hint.slice(0, edge + 1), hint.slice(edge + 2)];
  return [...wrapText(sentence, room).map((part) => part.trimEnd()), ...(command === undefined ? [] : [command])];
}

/** The last line. */
export function summarize(findings: readonly Finding[]): string {
  const count = (mark: Mark): number => findings.filter((finding) => finding.mark === mark).length;
  return text.summary(count('wrong'), count('look'));
}
