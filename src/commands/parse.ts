import { UsageError } from '../errors.ts';
import { shellText as text } from '../text/en/shell.ts';
import { nearestWords } from '../text/nearest.ts';
import { shellQuote } from '../text/shell-quote.ts';
import { commands, startFlags, type CommandSpec, type Flag } from './table.ts';

/** Ids of the rows that can be typed after `hermes`. */
export type ShellCommandId = Extract<(typeof commands)[number], { readonly shell: string }>['id'];

/** Values by long name without dashes (`continue`, `no-restore-cwd`); `true` for a switch and for an option given without its value. */
export type Flags = Readonly<Record<string, string | true>>;

export type ParsedCommand =
  | { readonly kind: 'run'; readonly id: ShellCommandId; readonly args: readonly string[]; readonly flags: Flags }
  /** `topic`: the words of a command or of a group (`sessions`); absent = all. */
  | { readonly kind: 'help'; readonly topic?: string }
  | { readonly kind: 'version' };

export type ShellSpec = CommandSpec & { readonly id: ShellCommandId; readonly shell: string };

export const shellSpecs: readonly ShellSpec[] = (commands as readonly CommandSpec[]).filter(
  (spec): spec is ShellSpec => spec.shell !== undefined,
);

const helpFlag: Flag = { name: '--help', short: '-h', summary: text.help };
const versionFlag: Flag = { name: '--version', short: '-V', summary: text.version };
const startRows: readonly Flag[] = startFlags;

/** Options that every command takes. `--tui` is among them because `hermes-tui` puts it in front of everything. */
const everywhere = ['--profile', '--debug', '--tui'];

/** Options of a command, those that go with every command included. */
export function flagsOf(spec: ShellSpec): readonly Flag[] {
  const own = spec.flags ?? [];
  const common = startRows.filter((flag) => everywhere.includes(flag.name) && flag.name !== '--tui' && !own.includes(flag));
  return [...own, ...common, helpFlag, ...(spec.id === 'shell.chat' ? [versionFlag] : [])];
}

/** Pairs that contradict each other, by long name. */
const contradictions = [
  ['--continue', '--resume'],
  ['--tui', '--cli'],
  ['--query', '--oneshot'],
] as const;

/**
 * Reads the words after `hermes`. Options may stand before and after the subcommand; `--` ends them; a value is the next word or stands
 * behind `=` (or right behind a short name); an option whose value may be left out takes the next word unless that begins with `-`.
 *
 * @param findOtherHermes path of another `hermes` on PATH; asked only when a subcommand is unknown
 * @throws UsageError (exit code 2) with one sentence and a hint
 */
export function parseArguments(argv: readonly string[], findOtherHermes: () => string | undefined = () => undefined): ParsedCommand {
  const flags: Record<string, string | true> = {};
  const given: Flag[] = [];
  const args: string[] = [];
  let command: ShellSpec | undefined;
  let group = '';
  let isHelp = false;

  const takeWord = (word: string): void => {
    if (command !== undefined || (isHelp && group === 'help')) return void args.push(word);
    const name = group === '' ? word : `${group} ${word}`;
    command = shellSpecs.find((spec) => spec.shell === name);
    if (command !== undefined || shellSpecs.some((spec) => spec.shell.startsWith(`${name} `))) group = name;
    else if (name === 'help') isHelp = true;
    else throw unknownCommand(name, argv, findOtherHermes);
  };

  for (let index = 0; index < argv.length; index++) {
    const word = argv[index]!;
    if (word === '--') {
      argv.slice(index + 1).forEach(takeWord);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      takeWord(word);
      continue;
    }
    const known = command === undefined ? [...startRows, helpFlag, versionFlag] : [...flagsOf(command), ...startRows, versionFlag];
    const { flag, attached } = findFlag(word, known, command);
    if (flag === versionFlag) return { kind: 'version' };
    if (flag === helpFlag) {
      isHelp = true;
      continue;
    }
    given.push(flag);
    const next = argv[index + 1];
    let value: string | true = true;
    if (flag.value === undefined) {
      if (attached !== undefined) throw new UsageError(text.noValue(flag.name), text.seeHelp(callOf(command)));
    } else if (attached !== undefined) {
      value = attached;
    } else if (next !== undefined && !(flag.optionalValue ? next.startsWith('-') : isFlagName(next, known))) {
      value = next;
      index += 1;
    }
    if (flag.value !== undefined && (value === '' || (value === true && !flag.optionalValue))) {
      throw new UsageError(text.missingValue(flag.name, flag.value), text.seeHelp(callOf(command)));
    }
    if (flag.choices !== undefined && !flag.choices.includes(String(value))) {
      throw new UsageError(text.wrongChoice(flag.name, String(value)), text.choices(flag.choices));
    }
    const key = flag.name.slice(2);
    const before = flags[key];
    // Of two values one would be dropped unsaid. Those of every command may come from an alias, and the later one counts.
    if (before !== undefined && before !== value && !startRows.includes(flag)) {
      throw new UsageError(text.givenTwice(flag.name, String(before), String(value)), text.chooseOne);
    }
    flags[key] = value;
  }

  if (isHelp) return group === '' ? { kind: 'help' } : { kind: 'help', topic: group };
  if (command === undefined && group !== '') return { kind: 'help', topic: group };
  const spec = command ?? shellSpecs.find((row) => row.id === 'shell.chat')!;
  checkFlags(spec, given);
  checkArguments(spec, args);
  return { kind: 'run', id: spec.id, args, flags };
}

/** The value of an option that counts something. @throws UsageError when it is no whole number from 1 up */
export function countFlag(flags: Flags, name: string): number | undefined {
  const value = flags[name];
  if (value === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(value)) || Number(value) < 1) throw new UsageError(text.wrongNumber(`--${name}`, String(value)));
  return Number(value);
}

function findFlag(word: string, known: readonly Flag[], command: ShellSpec | undefined): { flag: Flag; attached?: string } {
  const isLong = word.startsWith('--');
  const equals = word.indexOf('=');
  const name = isLong ? (equals === -1 ? word : word.slice(0, equals)) : word.slice(0, 2);
  const flag = known.find((row) => (isLong ? row.name : row.short) === name);
  if (flag === undefined) {
    const nearest = isLong ? nearestWords(name, [...new Set(known.map((row) => row.name))], 2) : [];
    // `-test` of a search: a word to leave out.
    const isWord = !isLong && word.length > 2 && command?.id === 'shell.sessions-search';
    const help = isWord ? text.searchWord(callOf(command), word) : text.seeHelp(callOf(command));
    const hint = nearest.length > 0 ? text.didYouMean(nearest) : help;
    throw new UsageError(text.unknownOption(isLong ? name : word), hint);
  }
  if (isLong) return equals === -1 ? { flag } : { flag, attached: word.slice(equals + 1) };
  return word.length === 2 ? { flag } : { flag, attached: word.slice(2).replace(/^=/, '') };
}

function isFlagName(word: string, known: readonly Flag[]): boolean {
  return known.some((flag) => word === flag.name || word === flag.short || word.startsWith(`${flag.name}=`));
}

function checkFlags(spec: ShellSpec, given: readonly Flag[]): void {
  const own = flagsOf(spec);
  for (const flag of given) {
    if (!everywhere.includes(flag.name) && !own.some((row) => row.name === flag.name)) {
      throw new UsageError(text.foreignOption(flag.name, callOf(spec)), text.seeHelp(callOf(spec)));
    }
  }
  const names = new Set(given.map((flag) => flag.name));
  for (const [one, other] of contradictions) {
    if (names.has(one) && names.has(other)) throw new UsageError(text.notTogether(one, other), text.chooseOne);
  }
}

function checkArguments(spec: ShellSpec, args: readonly string[]): void {
  const rows = spec.args ?? [];
  const call = callOf(spec);
  rows.forEach((row, index) => {
    const word = args[index];
    if (word === undefined) {
      if (row.required)
        throw new UsageError(text.missingArgument(call, row.name), row.choices ? text.choices(row.choices) : text.seeHelp(call));
    } else if (word === '' && !row.variadic) {
      // `"$FILE"` of a script whose variable is not set: neither this directory nor everything is meant.
      throw new UsageError(text.emptyArgument(call, row.name), text.seeHelp(call));
    } else if (row.choices !== undefined && !row.choices.includes(word)) {
      throw new UsageError(text.wrongChoice(row.name, word), text.choices(row.choices));
    }
  });
  const extra = args[rows.length];
  if (extra !== undefined && !rows.at(-1)?.variadic) throw new UsageError(text.unexpectedArgument(call, extra), text.seeHelp(call));
}

/** How a command is called: `hermes sessions list`; the bare name for none and for `chat`. */
function callOf(spec: ShellSpec | undefined): string {
  return spec === undefined || spec.id === 'shell.chat' ? 'hermes' : `hermes ${spec.shell}`;
}

function unknownCommand(name: string, argv: readonly string[], findOtherHermes: () => string | undefined): UsageError {
  const nearest = nearestCommands(name);
  const other = findOtherHermes();
  if (other !== undefined) return new UsageError(text.unknownCommand(name), text.otherHermes(other, argv.map(shellQuote).join(' ')));
  return new UsageError(
    text.unknownCommand(name),
    nearest.length > 0 ? text.didYouMean(nearest.map((row) => `hermes ${row}`)) : whatElse(argv),
  );
}

/** By the whole name, the name of its group, or its last word (`list`). */
function nearestCommands(name: string): string[] {
  const names = shellSpecs.map((spec) => spec.shell);
  const groups = [...new Set(names.filter((each) => each.includes(' ')).map((each) => each.slice(0, each.indexOf(' '))))];
  const found = nearestWords(name, [...names, ...groups], 2);
  return found.length > 0 ? found : names.filter((each) => each.endsWith(` ${name}`));
}

/** Words that are no command are perhaps what was to be asked. */
function whatElse(argv: readonly string[]): string {
  const help = text.seeHelp('hermes');
  return argv.length < 2 || argv.some((word) => word.startsWith('-')) ? help : `${text.askIt(shellQuote(argv.join(' ')))}\n${help}`;
}
