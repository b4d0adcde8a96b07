export const root: string;
export function findInstallReason(folder?: string): string | undefined;
export function install(folder?: string, write?: (text: string) => void): void;
export function isBuildOlder(folder?: string): boolean;
export function buildIfOlder(folder?: string, write?: (text: string) => void): void;
