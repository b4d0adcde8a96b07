import { describe, expect, test } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import type { CommandId, CommandSpec, Scope } from '../../src/commands/table.ts';
import type { KeyEvent, TextEvent } from '../../src/terminal/input-event.ts';
import { keyProblemText } from '../../src/text/en/keys.ts';
import { canonicalKey, createKeymap, formatKey, hintFor, keymapOf, parseKey } from '../../src/ui/keymap.ts';
import type { Key, KeyProblem } from '../../src/ui/keymap.ts';
import { isSequenceStart } from '../../src/ui/key-notation.ts';

const rows = commands as readonly CommandSpec[];
const bound = rows.flatMap((row) =>
  Object.entries(row.keys ?? {}).flatMap(([scope, keys]) => keys.map((key) => ({ id: row.id, scope: scope as Scope, key }))),
);

const key = (notation: string): KeyEvent => ({ type: 'key', ...(parseKey(notation) as Key) });
const text = (typed: string): TextEvent => ({ type: 'text', text: typed });

describe('the command table', () => {
  test.each(bound.map(({ id, scope, key: notation }) => [`${id} in ${scope}: ${notation}`, notation] as const))(
    '%s is a key',
    (_name, notation) => {
      const parsed = parseKey(notation);
      expect(parsed).toBeDefined();
      expect(isSequenceStart(parsed as Key)).toBe(false);
      expect(canonicalKey(parseKey(canonicalKey(parsed as Key)) as Key)).toBe(canonicalKey(parsed as Key));
    },
  );

  test('no key means two things in one scope', () => {
    const holders = new Map<string, string>();
    for (const { id, scope, key: notation } of bound) {
      const place = `${scope} ${canonicalKey(parseKey(notation) as Key)}`;
      expect(holders.get(place) ?? id, place).toBe(id);
      holders.set(place, id);
    }
  });

  test('nothing that closes or deletes hangs on Alt, words of a text field aside', () => {
    const dangerous = /delete|prune|trash|erase|close|leave|quit|cancel|back$/u;
    for (const { id, key: notation } of bound) {
      if ((parseKey(notation) as Key).alt && !id.startsWith('edit.')) expect(id).not.toMatch(dangerous);
    }
  });

  test('a printable key without modifiers is never bound where text is typed', () => {
    for (const { scope, key: notation } of bound) {
      const parsed = parseKey(notation) as Key;
      const isPrintable = [...parsed.name].length === 1 && !parsed.ctrl && !parsed.alt;
      if (isPrintable) expect(['field', 'chat', 'list', 'picker', 'global']).not.toContain(scope);
    }
  });
});

describe('a key is looked up from the innermost scope out', () => {
  const composer: Scope[] = ['field', 'chat', 'global'];
  const picker: Scope[] = ['field', 'list', 'picker', 'global'];
  test.each<[string, Scope[], KeyEvent | TextEvent, CommandId | undefined]>([
    ['Enter sends', composer, key('enter'), 'message.send'],
    ['Ctrl+J is a new line in the composer', composer, key('ctrl+j'), 'message.newline'],
    ['Ctrl+J goes down in a list', picker, key('ctrl+j'), 'list.down'],
    ['Ctrl+P is the palette', composer, key('ctrl+p'), 'app.palette'],
    ['Ctrl+P goes up in a list', picker, key('ctrl+p'), 'list.up'],
    ['Ctrl+R renames in the picker', picker, key('ctrl+r'), 'picker.rename'],
    ['letters are text in the composer', composer, text('y'), undefined],
    ['letters are commands while reading', ['reading', 'global'], text('y'), 'reading.copy'],
    ['capital and small letters differ', ['reading', 'global'], text('G'), 'transcript.bottom'],
    ['a jamo is the letter of its key', ['reading', 'global'], text('ㅛ'), 'reading.copy'],
    ['a jamo is text in the composer', composer, text('ㅛ'), undefined],
    ['Alt with a jamo', picker, { type: 'key', name: 'ㅊ', alt: true, ctrl: false, shift: false }, 'picker.copy-id'],
    ['Ctrl with a jamo, as kitty reports it', composer, { type: 'key', name: 'ㅌ', ctrl: true, alt: false, shift: false }, 'app.sessions'],
    ['Ctrl+I is Tab where keyboards tell them apart', composer, key('ctrl+i'), 'composer.complete'],
    ['Ctrl+[ is Esc there', composer, key('ctrl+['), 'app.back'],
    ['Ctrl+Shift+X is not Ctrl+X', composer, key('ctrl+shift+x'), undefined],
    ['two characters at once are text', ['reading', 'global'], text('gg'), undefined],
  ])('%s', (_name, scopes, event, id) => {
    expect(keymapOf().resolve(scopes, event)).toBe(id);
  });

  test('every jamo of the two-set layout stands for its key', () => {
    const keys = 'ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡ';
    const keymap = (letter: string) => createKeymap({ 'reading.copy': letter });
    [...'qwertyuiopasdfghjklzxcvbnm'].forEach((letter, i) => {
      if ('gn'.includes(letter)) return; // bound in the same scope already
      expect(keymap(letter).resolve(['reading'], text(keys[i] as string)), letter).toBe('reading.copy');
    });
    for (const [jamo, letter] of Object.entries({ ㅃ: 'Q', ㅉ: 'W', ㄸ: 'E', ㄲ: 'R', ㅆ: 'T', ㅒ: 'O', ㅖ: 'P' })) {
      expect(keymap(letter).resolve(['reading'], text(jamo)), jamo).toBe('reading.copy');
    }
  });
});

describe('keys are written as in the pictures', () => {
  test.each([
    ['ctrl+x', '^X'],
    ['ctrl+_', '^_'],
    ['alt+c', 'M-c'],
    ['shift+tab', 'Shift+Tab'],
    ['pageup', 'PgUp'],
    ['insert', 'Ins'],
    ['escape', 'Esc'],
    ['f1', 'F1'],
    ['right', '→'],
    ['ctrl+left', 'Ctrl+←'],
    ['alt+enter', 'Alt+Enter'],
    ['ctrl+space', 'Ctrl+Space'],
    ['?', '?'],
    ['G', 'G'],
  ])('%s as %s', (notation, shown) => {
    expect(formatKey(parseKey(notation) as Key)).toBe(shown);
  });

  test('arrows are words where glyphs are ASCII', () => {
    expect(formatKey(parseKey('ctrl+left') as Key, { plain: true })).toBe('Ctrl+Left');
  });

  test.each(['', 'ctrl+', 'foo', 'ctrl+ctrl+x', 'shift+a', 'ab', 'hyper+x'])('%j is no key', (notation) => {
    expect(parseKey(notation)).toBeUndefined();
  });
});

describe('hints', () => {
  test('a new line is Ctrl+J until the terminal has answered the kitty query', () => {
    expect(hintFor('message.newline', ['field', 'chat', 'global'])).toBe('^J');
    expect(hintFor('message.newline', ['field', 'chat', 'global'], { kittyKeys: true })).toBe('Shift+Enter');
  });

  test('a key that means something else here is never hinted', () => {
    expect(hintFor('app.palette', ['field', 'chat', 'global'])).toBe('^P');
    expect(hintFor('app.palette', ['field', 'list', 'picker', 'global'])).toBeUndefined();
  });

  test('a hint names the key the user has set', () => {
    expect(hintFor('picker.rename', ['picker'], { overrides: { 'picker.rename': 'f2' } })).toBe('F2');
  });
});

describe("the user's own keys", () => {
  test('replace the default', () => {
    const keymap = createKeymap({ 'picker.rename': 'f2 ctrl+e' });
    expect(keymap.resolve(['picker'], key('f2'))).toBe('picker.rename');
    expect(keymap.resolve(['picker'], key('ctrl+e'))).toBe('picker.rename');
    expect(keymap.resolve(['picker'], key('ctrl+r'))).toBeUndefined();
    expect(keymap.problems).toEqual([]);
  });

  test('two commands can change places', () => {
    const keymap = createKeymap({ 'picker.rename': 'ctrl+t', 'picker.pin': 'ctrl+r' });
    expect(keymap.problems).toEqual([]);
    expect(keymap.resolve(['picker'], key('ctrl+r'))).toBe('picker.pin');
  });

  test.each<[string, Record<string, string>, KeyProblem]>([
    ['an unknown command', { 'picker.fly': 'f2' }, { kind: 'unknown-command', id: 'picker.fly' }],
    ['no key', { 'picker.rename': 'hyper+r' }, { kind: 'bad-key', id: 'picker.rename', key: 'hyper+r' }],
    ['nothing', { 'picker.rename': ' ' }, { kind: 'bad-key', id: 'picker.rename', key: ' ' }],
    ['the start of a sequence', { 'picker.rename': 'alt+]' }, { kind: 'sequence-start', id: 'picker.rename', key: 'alt+]' }],
    ['leaving on Alt', { 'app.quit': 'alt+q' }, { kind: 'dangerous-alt', id: 'app.quit', key: 'alt+q' }],
    [
      'a key that is taken',
      { 'picker.rename': 'ctrl+t' },
      { kind: 'clash', id: 'picker.rename', other: 'picker.pin', key: 'ctrl+t', scope: 'picker' },
    ],
  ])('%s is named, and the default stays', (_name, overrides, problem) => {
    const keymap = createKeymap(overrides);
    expect(keymap.problems).toEqual([problem]);
    expect(keymap.resolve(['picker'], key('ctrl+r'))).toBe('picker.rename');
    const sentence = (keyProblemText[problem.kind] as (p: KeyProblem) => string)(problem);
    expect(sentence).toContain(problem.id);
    if (problem.kind === 'clash') expect(sentence).toContain(problem.other);
  });
});
