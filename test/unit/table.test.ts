import { describe, expect, test } from 'vitest';
import { commands, commandSpec, startFlags, type CommandSpec, type Scope } from '../../src/commands/table.ts';
import { canonicalKey, parseKey } from '../../src/ui/key-notation.ts';

const rows: readonly CommandSpec[] = commands;

/** Scopes whose keys are looked up together, innermost first: a clash inside one of these would make a row unreachable. */
const together: readonly (readonly Scope[])[] = [
  ['empty-line', 'chat', 'global'],
  ['field', 'global'],
  ['picker', 'list', 'global'],
  ['reading', 'global'],
  ['find', 'field'],
  ['dialog', 'global'],
];

/** The inner scope means the key on purpose: lists walk with Ctrl+P, Esc and Ctrl+C always close. */
const shadowed = new Set(['ctrl+p list global']);

describe('the table of commands and keys', () => {
  test('every row has an id, a name, a summary without a full stop, and a way to reach it', () => {
    for (const row of rows) {
      expect(row.id, row.id).toMatch(/^[a-z]+\.[a-z-]+$/);
      expect(row.name.length, row.id).toBeGreaterThan(0);
      expect(row.summary, row.id).toMatch(/^.{7,}[^.]$/);
      expect(row.surfaces.length, row.id).toBeGreaterThan(0);
      expect(row.surfaces.includes('slash'), row.id).toBe(row.slash !== undefined);
      expect(row.surfaces.includes('shell'), row.id).toBe(row.shell !== undefined);
      expect(row.surfaces.includes('key'), row.id).toBe(row.keys !== undefined);
    }
  });

  test('ids, slash names and shell words occur once', () => {
    for (const names of [rows.map((row) => row.id), rows.flatMap((row) => row.slash ?? []), rows.flatMap((row) => row.shell ?? [])]) {
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });

  test('no key means two things in one scope', () => {
    const seen = new Map<string, string>();
    for (const row of rows) {
      for (const [scope, keys] of Object.entries(row.keys ?? {})) {
        for (const key of keys) {
          expect(seen.get(`${scope} ${key}`), `${key} in ${scope}`).toBeUndefined();
          seen.set(`${scope} ${key}`, row.id);
        }
      }
    }
  });

  test('no key of an outer scope is covered by an inner one, but where that is meant', () => {
    for (const scopes of together) {
      for (const [index, inner] of scopes.entries()) {
        for (const outer of scopes.slice(index + 1)) {
          if (inner === 'empty-line' || outer === 'field') continue;
          const outerKeys = new Set(rows.flatMap((row) => row.keys?.[outer] ?? []));
          for (const key of rows.flatMap((row) => row.keys?.[inner] ?? [])) {
            if (!shadowed.has(`${key} ${inner} ${outer}`))
              expect(outerKeys.has(key), `${key} of ${outer} is covered by ${inner}`).toBe(false);
          }
        }
      }
    }
  });

  test('nothing that closes or deletes hangs on Alt, and ESC + [ ] O P X ^ _ \\ is never bound', () => {
    for (const row of rows) {
      for (const key of Object.values(row.keys ?? {}).flat()) {
        if (/(?:delete|close|quit|leave|back)(?!.*word)/.test(row.id) && row.id !== 'edit.delete-word-right')
          expect(key, row.id).not.toMatch(/^alt\+(?!backspace)/);
        expect(key, row.id).not.toMatch(/^alt\+[[\]OPX^_\\]$/);
      }
    }
  });

  test('every key is written so that the keymap can read it, in its one spelling', () => {
    for (const row of rows) {
      for (const key of Object.values(row.keys ?? {}).flat()) {
        const read = parseKey(key);
        expect(read, `${key} of ${row.id}`).toBeDefined();
        expect(canonicalKey(read!), row.id).toBe(key);
      }
    }
  });

  test('footer words are short and their rows have a key', () => {
    for (const row of rows.filter((row) => row.hint !== undefined)) {
      expect(row.hint!.length, row.id).toBeLessThanOrEqual(10);
      expect(row.keys, row.id).toBeDefined();
    }
  });

  test('options have a summary, long names begin with two dashes, short ones are one letter and unique', () => {
    const short = startFlags.flatMap((flag) => ('short' in flag ? flag.short : []));
    expect(new Set([...short, '-h', '-V']).size).toBe(short.length + 2);
    for (const flag of rows.flatMap((row) => row.flags ?? [])) {
      expect(flag.name).toMatch(/^--[a-z][a-z-]+$/);
      expect(flag.summary.length).toBeGreaterThan(5);
    }
  });

  test('a row is found by its id', () => {
    expect(commandSpec('app.sessions').slash).toEqual(['sessions']);
  });
});
