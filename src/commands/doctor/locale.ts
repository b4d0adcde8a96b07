type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that decides how characters are encoded (POSIX: the first of these that is not empty); absent: none is set. */
export function localeVariable(env: Environment): { readonly name: string; readonly value: string } | undefined {
  for (const name of ['LC_ALL', 'LC_CTYPE', 'LANG']) {
    const value = env[name];
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}

export const isUtf8 = (env: Environment): boolean => /utf-?8/i.test(localeVariable(env)?.value ?? '');
