import { homedir } from 'node:os';

/** The variables of this process; everything outside `config` and `terminal` is handed them. */
export const processEnvironment = (): Readonly<Record<string, string | undefined>> => process.env;

/** The user's home directory. */
export const userHome = (): string => homedir();
