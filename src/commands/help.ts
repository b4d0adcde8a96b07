import { shellText as text } from '../text/en/shell.ts';
import { stringWidth, wrapText } from '../terminal/width.ts';
import { flagsOf, shellSpecs, type ShellSpec } from './parse.ts';
import type { Argument, Flag } from './table.ts';

const startSpec = shellSpecs.find((spec) => spec.id === 'shell.chat')!;

/**
 * The help of everything, of a group (`sessions`) or of one command (`sessions list`), from the table alone.
 * @param width cells of a line, 80 where nothing is known
 */
export function renderHelp(topic: string | undefined, width = 80): string {
  const spec = shellSpecs.find((row) => row.shell === topic);
  if (spec !== undefined) return renderCommand(spec, width);
  const within = topic === undefined ? shellSpecs : shellSpecs.filter((row) => row.shell.startsWith(`${topic} `));
  return within.length === 0 || topic === undefined ? renderAll(width) : renderGroup(topic, within, width);
}

/** `hermes sessions rename ID TITLE…`: how a command is typed. */
function usageOf(spec: ShellSpec): string {
  const words = ['hermes', spec.shell, ...(spec.args ?? []).map(placeholder)];
  return `${words.join(' ')}${(spec.flags ?? []).length > 0 ? ' [options]' : ''}`;
}

/** `-c, --continue [NAME]`. */
function flagLabel(flag: Flag): string {
  const value = flag.value === undefined ? '' : flag.optionalValue ? ` [${flag.value}]` : ` ${flag.value}`;
  return `${flag.short === undefined ? '    ' : `${flag.short}, `}${flag.name}${value}`;
}

function placeholder(argument: Argument): string {
  const name = argument.choices?.join('|') ?? `${argument.name.toUpperCase()}${argument.variadic ? '…' : ''}`;
  return argument.required ? name : `[${name}]`;
}

function renderAll(width: number): string {
  const usage = [`  hermes [options]`, `  hermes COMMAND [options]`];
  const rows = shellSpecs.map((spec) => [`  ${[spec.shell, ...(spec.args ?? []).map(placeholder)].join(' ')}`, spec.summary] as const);
  return [
    ...wrapText(text.tagline, width),
    '',
    text.usage,
    ...usage,
    '',
    text.commands,
    ...table(rows, width),
    '',
    text.options,
    ...optionRows(startSpec, width),
    '',
    ...wrapText(text.more, width),
    '',
  ].join('\n');
}

function renderGroup(topic: string, specs: readonly ShellSpec[], width: number): string {
  const rows = specs.map((spec) => [`  ${usageOf(spec).replace(/ \[options\]$/, '')}`, spec.summary] as const);
  return [
    text.usage,
    `  hermes ${topic} COMMAND [options]`,
    '',
    text.commands,
    ...table(rows, width),
    '',
    ...wrapText(text.more, width),
    '',
  ].join('\n');
}

function renderCommand(spec: ShellSpec, width: number): string {
  const args = (spec.args ?? []).map((row) => [`  ${row.choices?.join('|') ?? row.name.toUpperCase()}`, row.summary] as const);
  return [
    text.usage,
    `  ${usageOf(spec)}`,
    '',
    ...wrapText(`${spec.summary}.`, width),
    '',
    ...(args.length === 0 ? [] : [text.arguments, ...table(args, width), '']),
    text.options,
    ...optionRows(spec, width),
    '',
  ].join('\n');
}

function optionRows(spec: ShellSpec, width: number): string[] {
  return table(
    flagsOf(spec).map((flag) => [`  ${flagLabel(flag)}`, flag.summary] as const),
    width,
  );
}

/** Two columns; a label too long for its column stands on a line of its own. */
function table(rows: readonly (readonly [string, string])[], width: number): string[] {
  const widest = Math.max(...rows.map(([label]) => stringWidth(label)));
  const column = Math.min(widest, 34) + 2;
  return rows.flatMap(([label, summary]) => {
    const lines = wrapText(summary, Math.max(20, width - column));
    const isLong = stringWidth(label) > column - 2;
    const first = isLong ? [label] : [`${label}${' '.repeat(column - stringWidth(label))}${lines.shift() ?? ''}`];
    return [...first, ...lines.map((line) => ' '.repeat(column) + line)];
  });
}
