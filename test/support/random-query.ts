import type { Random } from '../../fixtures/random.ts';
import { hostilePiece } from './hostile-texts.ts';

const fields = [
  'role:user',
  'role:tool',
  'role:assistant',
  'source:cli',
  'source:cron',
  'tool:terminal',
  'is:archived',
  'is:pinned',
  'is:ended',
  'after:2d',
  'before:3d',
  'title:회의',
  'is:nothing',
  'before:',
  'role:',
];
const broken = [
  '"',
  '-',
  '--',
  'OR',
  'NOT',
  'AND',
  '""',
  '"auth',
  '*',
  '(',
  ')',
  ':',
  'OR OR',
  'NOT NOT',
  '-"',
  '^',
  '{',
  'NEAR(a b)',
  'a:b',
  'x*y',
  '""""',
];

/** What somebody might type: pieces of the texts half of the time, else words of many scripts; operators, fields, broken syntax. */
export function randomQuery(random: Random, texts: readonly string[]): string {
  const parts: string[] = [];
  for (let left = random.pick([1, 1, 1, 2, 2, 3, 4]); left > 0; left--) {
    const roll = random.next();
    if (roll < 0.07) parts.push(random.pick(broken));
    else if (roll < 0.14) parts.push(random.pick(fields));
    else parts.push(dress(random, random.chance(0.5) && texts.length > 0 ? pieceOf(random, random.pick(texts)) : hostilePiece(random)));
    if (left > 1 && random.chance(0.2)) parts.push(random.pick(['OR', 'OR', 'AND', 'NOT']));
  }
  return parts.join(' ').slice(0, 200);
}

/** 1 to 40 characters of a text, or one of its words. */
function pieceOf(random: Random, text: string): string {
  if (random.chance(0.5)) return random.pick(text.split(/\s+/u).slice(0, 200)).slice(0, 40);
  const letters = Array.from(text.slice(0, 2000));
  const start = random.chance(0.2) ? Math.max(0, letters.length - random.between(1, 3)) : random.between(0, letters.length - 1);
  return letters.slice(start, start + random.pick([1, 2, 2, 3, 4, random.between(1, 40)])).join('');
}

function dress(random: Random, text: string): string {
  const roll = random.next();
  if (roll < 0.15) return `"${text.replaceAll('"', '""')}"`;
  if (roll < 0.25) return `${text}*`;
  if (roll < 0.32) return `-${text}`;
  if (roll < 0.37) return text.toUpperCase();
  return roll < 0.4 ? `"${text} ${text}"` : text;
}
