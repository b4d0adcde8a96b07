import type { Figure } from './figure.ts';

export function printTable(figures: readonly Figure[], write?: (text: string) => void): void;
