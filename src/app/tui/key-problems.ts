import type { LoadedConfig } from '../../config/types.ts';
import { ConfigError } from '../../errors.ts';
import { keyProblemText } from '../../text/en/keys.ts';
import { keymapOf, type KeyProblem } from '../../ui/keymap.ts';

/** What is wrong with the lines of `tui.keys`, each with the file it stands in; those lines do not count. */
export function keyProblems({ config, configPath }: Pick<LoadedConfig, 'config' | 'configPath'>): ConfigError[] {
  return keymapOf(config.keys).problems.map((problem) => new ConfigError(configPath, sentenceOf(problem)));
}

function sentenceOf(problem: KeyProblem): string {
  switch (problem.kind) {
    case 'unknown-command':
      return keyProblemText['unknown-command'](problem);
    case 'bad-key':
      return keyProblemText['bad-key'](problem);
    case 'sequence-start':
      return keyProblemText['sequence-start'](problem);
    case 'dangerous-alt':
      return keyProblemText['dangerous-alt'](problem);
    case 'clash':
      return keyProblemText.clash(problem);
  }
}
