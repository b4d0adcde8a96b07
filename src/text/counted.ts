import { grouped } from './grouped.ts';

/** `1 message`, `1,204 messages`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;
