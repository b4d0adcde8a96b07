/** Sentences on the home, its profiles, config.yaml and .env. */
export const configText = {
  profileName: (name: string): string => `'${name}' can't be the name of a profile`,
  profileNameHint: 'A profile is named with small letters, digits, - and _, at most 64, beginning with a letter or digit.',
  profileReserved: (name: string): string => `'${name}' is reserved and can't be a profile`,
  profileMissing: (name: string): string => `There is no profile '${name}'.`,
  profilesThere: (names: readonly string[]): string =>
    names.length === 0
      ? 'There are none yet; -p default is the ordinary home.'
      : `There are: ${names.join(', ')}; -p default is the ordinary home.`,
  stickyProfile: (file: string): string => `It is named in ${file}; -p default goes past it.`,

  unreadable: (code: string): string => `can't be read (${code}); the run goes on without it`,
  notYaml: (message: string): string => `is not YAML: ${message}; the run goes on with the defaults`,
  circle: 'an anchor (&) contains itself (*)',
  notYamlHint: 'Look at that line and the one above it: indentation and quotes are the usual causes.',
  notMap: (found: string): string => `expected settings as 'name: value' lines, found ${found}; the run goes on with the defaults`,
  duplicateKey: (key: string): string => `${key} stands there twice; the last one counts`,
  expected: (key: string, expected: string, found: string): string => `${key}: expected ${expected}, found ${found}`,
  unknownKey: (key: string, known: readonly string[]): string => `${key}: unknown setting (known here: ${known.join(', ')})`,
  variableUnset: (key: string, variable: string): string =>
    `${key}: the variable ${variable} is not set, neither in the environment nor in .env`,
  providerName: (key: string): string => `${key}: a provider needs a name`,
  providerTwice: (key: string, name: string): string => `${key}: a provider named ${name} is there already; the first one counts`,
  environmentValue: (variable: string, expected: string, found: string): string => `${variable}: expected ${expected}, found ${found}`,

  envLine: 'expected NAME=value; the line is skipped',
  envQuote: (name: string): string => `${name}: the quote is not closed; the variable is skipped`,

  editChanged: 'was changed by somebody else since the lines were shown; nothing was written',
  editChangedHint: 'Try again: the lines are shown anew.',
  editBroken: 'is not valid YAML, so it is not edited',
  editBrokenHint: 'Mend it by hand first; `hermes doctor` names the line.',
  editUnwritable: (code: string): string => `can't be written (${code})`,

  stateNewer: 'was written by a newer hermes; it is left alone and its settings are not used',
  stateDamaged: 'is damaged; it is not used and will be written anew at the next change',
} as const;
