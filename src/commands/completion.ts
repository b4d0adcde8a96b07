import { shellText as text } from '../text/en/shell.ts';
import { flagsOf, shellSpecs, type ShellSpec } from './parse.ts';
import type { Flag } from './table.ts';

/** Shells that `hermes completion` writes for; the table names the same. */
export type CompletionShell = 'bash' | 'zsh' | 'fish';

/** One place of the command line: after `words`, these words and options can follow. */
interface Node {
  readonly words: readonly string[];
  readonly next: readonly { word: string; summary: string }[];
  readonly flags: readonly Flag[];
}

/** Options whose value is a folder. */
const folderValues = ['DIR'];

/** A completion script, made from the table. It asks the program nothing: pressing Tab starts no process. */
export function renderCompletion(shell: CompletionShell): string {
  const nodes = commandNodes();
  if (shell === 'bash') return renderBash(nodes);
  return shell === 'zsh' ? renderZsh(nodes) : renderFish(nodes);
}

/** Every prefix of a command that can be typed, the empty one first. */
function commandNodes(): Node[] {
  const paths = new Map<string, string[]>([['', []]]);
  for (const spec of shellSpecs) {
    const words = spec.shell.split(' ');
    words.forEach((_, index) => paths.set(words.slice(0, index + 1).join(' '), words.slice(0, index + 1)));
  }
  return [...paths].map(([name, words]) => {
    const spec = shellSpecs.find((row) => row.shell === name);
    const start = shellSpecs.find((row) => row.id === 'shell.chat')!;
    const children = new Map<string, string>();
    for (const row of shellSpecs) {
      const rest = row.shell.split(' ');
      if (rest.length > words.length && words.every((word, index) => rest[index] === word)) {
        const word = rest[words.length]!;
        children.set(word, rest.length === words.length + 1 ? row.summary : text.groupSummary(word));
      }
    }
    for (const choice of choicesOf(spec)) children.set(choice, '');
    const flags = flagsOf(spec ?? start).filter((flag) => spec !== undefined || words.length === 0 || flag.name === '--help');
    return { words, flags, next: [...children].map(([word, summary]) => ({ word, summary })) };
  });
}

function choicesOf(spec: ShellSpec | undefined): readonly string[] {
  return spec?.args?.[0]?.choices ?? [];
}

function renderBash(nodes: readonly Node[]): string {
  const cases = nodes.map((node) => {
    const words = [...node.next.map((entry) => entry.word), ...node.flags.flatMap((flag) => [flag.name, flag.short ?? []].flat())];
    return `    ${quote(node.words.join(' '))}) words=${quote(words.join(' '))} ;;`;
  });
  const known = nodes.filter((node) => node.words.length > 0).map((node) => quote(node.words.join(' ')));
  return `# bash completion for hermes: eval "$(hermes completion bash)"
_hermes() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' word try
  case $previous in
${choiceCases(nodes, (choices) => `COMPREPLY=($(compgen -W ${quote(choices)} -- "$current")); return`)}
    ${valuePattern(nodes, true)}) COMPREPLY=($(compgen -d -- "$current")); return ;;
    ${valuePattern(nodes, false)}) return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    try=\${path:+$path }$word
    case $try in
      ${known.join('|')}) path=$try ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _hermes hermes hermes-tui
`;
}

function renderZsh(nodes: readonly Node[]): string {
  const describe = (word: string, summary: string): string => quote(summary === '' ? word : `${word.replaceAll(':', '\\:')}:${summary}`);
  const cases = nodes.map((node) => {
    const entries = [
      ...node.next.map((entry) => describe(entry.word, entry.summary)),
      ...node.flags.flatMap((flag) => [flag.name, flag.short ?? []].flat().map((name) => describe(name, flag.summary))),
    ];
    return `    ${quote(node.words.join(' '))}) entries=(${entries.join(' ')}) ;;`;
  });
  const known = nodes.filter((node) => node.words.length > 0).map((node) => quote(node.words.join(' ')));
  return `#compdef hermes hermes-tui
# zsh completion for hermes: source <(hermes completion zsh), after compinit
_hermes() {
  local place='' word try
  local -a entries
  case $words[CURRENT-1] in
${choiceCases(nodes, (choices) => `compadd -- ${choices}; return`)}
    ${valuePattern(nodes, true)}) _directories; return ;;
    ${valuePattern(nodes, false)}) return 1 ;;
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    try=\${place:+$place }$word
    case $try in
      ${known.join('|')}) place=$try ;;
    esac
  done
  case $place in
${cases.join('\n')}
  esac
  _describe -V 'hermes' entries
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _hermes "$@"
else
  compdef _hermes hermes hermes-tui
fi
`;
}

function renderFish(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const condition = quote(fishCondition(node, nodes));
    const words = node.next.map(({ word, summary }) =>
      `${summary === '' ? '' : ` -d ${quote(summary)}`}`.replace(/^/, `-a ${quote(word)}`),
    );
    const flags = node.flags.map((flag) => {
      const short = flag.short === undefined ? '' : ` -s ${flag.short.slice(1)}`;
      const value = fishValue(flag);
      return `-l ${flag.name.slice(2)}${short}${value} -d ${quote(flag.summary)}`;
    });
    return [...words, ...flags].map((rest) => `complete -c hermes -n ${condition} ${rest}`);
  });
  return `# fish completion for hermes: hermes completion fish | source
complete -c hermes -f
complete -c hermes-tui -w hermes
${lines.join('\n')}
`;
}

function fishValue(flag: Flag): string {
  if (flag.value === undefined || flag.optionalValue) return '';
  if (flag.choices !== undefined) return ` -x -a ${quote(flag.choices.join(' '))}`;
  return folderValues.includes(flag.value) ? ' -r -a "(__fish_complete_directories)"' : ' -x';
}

/** True at exactly this place: its words were typed, and none that leads further. */
function fishCondition(node: Node, nodes: readonly Node[]): string {
  const further = nodes.filter(
    (other) => other.words.length === node.words.length + 1 && node.words.every((word, index) => other.words[index] === word),
  );
  const seen = node.words.map((word) => `__fish_seen_subcommand_from ${word}`);
  const notYet = further.length === 0 ? [] : [`not __fish_seen_subcommand_from ${further.map((other) => other.words.at(-1)).join(' ')}`];
  const conditions = [...seen, ...notYet];
  return conditions.length === 0 ? 'true' : conditions.join('; and ');
}

/** Options with fixed values, each as a case of its own. */
function choiceCases(nodes: readonly Node[], offer: (choices: string) => string): string {
  const flags = new Map(
    nodes.flatMap((node) => node.flags).flatMap((flag) => (flag.choices === undefined ? [] : [[flag.name, flag.choices]])),
  );
  return [...flags].map(([name, choices]) => `    ${name}) ${offer(choices.join(' '))} ;;`).join('\n');
}

/** Options that take a value, as a case pattern: those that want a folder, or the others. */
function valuePattern(nodes: readonly Node[], wantsFolder: boolean): string {
  const flags = nodes
    .flatMap((node) => node.flags)
    .filter((flag) => flag.value !== undefined && flag.choices === undefined && !flag.optionalValue);
  const names = flags
    .filter((flag) => folderValues.includes(flag.value!) === wantsFolder)
    .flatMap((flag) => [flag.name, flag.short ?? []].flat());
  return [...new Set(names)].join('|');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
