export type ColourDepth = 'truecolor' | '256' | '16' | 'none';

/** Runs something with these variables hidden: for libraries that look at the environment of the process themselves. */
export function withoutVariables<Result>(names: readonly string[], run: () => Result): Result {
  const saved = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) delete process.env[name];
  try {
    return run();
  } finally {
    for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
  }
}
