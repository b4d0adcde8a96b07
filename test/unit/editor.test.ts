import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/commands/table.ts';
import {
  applyEdit,
  createEditor,
  clearEditor,
  editorValue,
  expandChip,
  insertNewline,
  insertText,
  isEditCommand,
  isEmpty,
  moveVertically,
  newlineAtBackslash,
  pasteText,
  resizeEditor,
  scrollToCaret,
  setText,
  viewEditor,
} from '../../src/ui/editor/index.ts';
import { drawable, stringWidth } from '../../src/terminal/width.ts';
import type { EditCommand, Editor } from '../../src/ui/editor/index.ts';

const seed = Number(process.env['FC_SEED'] ?? 20260) || 1;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const split = (text: string) => [...segmenter.segment(text)].map((part) => part.segment);
const run = (editor: Editor, ...ids: EditCommand[]): Editor => ids.reduce(applyEdit, editor);
const typed = (text: string, width = 40) => insertText(createEditor({ width }), text);

describe('the table', () => {
  it('has a handler for every edit.* row', () => {
    const ids = commands.map((row) => row.id).filter((id) => id.startsWith('edit.'));
    expect(ids.length).toBeGreaterThan(15);
    expect(ids.filter((id) => !isEditCommand(id))).toEqual([]);
    for (const id of ids) expect(() => applyEdit(typed('a 가 b'), id as EditCommand)).not.toThrow();
  });
});

describe('Backspace takes one visible character', () => {
  const cases: [string, string][] = [
    ['a letter', 'a'],
    ['a Hangul syllable', '각'],
    ['a decomposed Hangul syllable', '각'.normalize('NFD')],
    ['a letter with a combining accent', 'e\u0301'],
    ['a family joined by ZWJ', '👨‍👩‍👧‍👦'],
    ['a flag', '🇰🇷'],
    ['a flag after a flag', '🇰🇷'],
    ['an emoji with a skin tone', '👍🏽'],
    ['a keycap', '1️⃣'],
    ['a kana with a combining dakuten', 'か\u3099'],
    ['a newline', '\n'],
    ['CR before LF is a character of its own line', '\r'],
    ['an escape byte', '\u001b'],
  ];
  it.each(cases)('%s', (name, character) => {
    const before = name === 'a flag after a flag' ? '🇯🇵' : '한글 x';
    expect(editorValue(run(typed(before + character), 'edit.backspace'))).toBe(before);
    expect(editorValue(run(typed(before + character), 'edit.left', 'edit.delete'))).toBe(before);
  });
});

describe('readline keys', () => {
  const cases: [string, string, EditCommand[], string][] = [
    ['Ctrl+A then typing', 'bc', ['edit.line-start'], '|bc'],
    ['Ctrl+W cuts the word and the space before the caret', 'one two  ', ['edit.delete-word-left'], 'one |'],
    ['Ctrl+U cuts to the line start', 'one\ntwo', ['edit.kill-to-start'], 'one\n|'],
    ['Ctrl+U on a line start joins the lines', 'one\n', ['edit.kill-to-start'], 'one|'],
    ['Ctrl+K cuts to the end', 'one two', ['edit.line-start', 'edit.word-right', 'edit.kill-to-end'], 'one|'],
    ['Ctrl+K on a line end joins the lines', 'one\ntwo', ['edit.kill-to-start', 'edit.left', 'edit.kill-to-end'], 'one|'],
    ['Ctrl+U then Ctrl+Y puts it back', 'one two', ['edit.kill-to-start', 'edit.yank'], 'one two|'],
    ['two cuts in a row are one', 'one two', ['edit.delete-word-left', 'edit.delete-word-left', 'edit.yank'], 'one two|'],
    ['Alt+D cuts the next word', 'one two', ['edit.line-start', 'edit.delete-word-right'], '| two'],
    ['Alt+B stops where the script changes', '日本語テスト', ['edit.word-left'], '日本語|テスト'],
    ['Alt+B over Korean words', '토큰 만료', ['edit.word-left'], '토큰 |만료'],
    ['Alt+B crosses a line start', 'one\n', ['edit.word-left'], 'one|\n'],
    ['selecting then Backspace', 'abc', ['edit.select-left', 'edit.select-left', 'edit.backspace'], 'a|'],
    ['selecting a word then Delete', 'one two', ['edit.select-word-left', 'edit.delete'], 'one |'],
    ['Left leaves a selection at its start', 'abc', ['edit.select-left', 'edit.select-left', 'edit.left'], 'a|bc'],
    ['undo brings back a cut and the caret', 'one two', ['edit.kill-to-start', 'edit.undo'], 'one two|'],
  ];
  it.each(cases)('%s', (_name, text, ids, expected) => {
    const after = run(typed(text), ...ids);
    const caret = after.lines.slice(0, after.caret.line).reduce((sum, line) => sum + line.text.length + 1, after.caret.offset);
    const value = editorValue(after);
    expect(`${value.slice(0, caret)}|${value.slice(caret)}`).toBe(expected);
  });
});

describe('undo', () => {
  it('takes back a word at a time', () => {
    let editor = createEditor();
    for (const letter of 'hello new world') editor = insertText(editor, letter);
    editor = run(editor, 'edit.undo');
    expect(editorValue(editor)).toBe('hello new');
    expect(editorValue(run(editor, 'edit.undo', 'edit.undo'))).toBe('');
    expect(editorValue(run(editor, 'edit.undo', 'edit.undo', 'edit.undo'))).toBe('');
  });
  it('takes back a paste, a history entry and a replaced selection in one step', () => {
    const base = typed('keep');
    expect(editorValue(run(pasteText(base, 'x\ny'), 'edit.undo'))).toBe('keep');
    expect(editorValue(run(setText(base, 'from history'), 'edit.undo'))).toBe('keep');
    expect(editorValue(run(insertText(run(base, 'edit.select-word-left'), 'z'), 'edit.undo'))).toBe('keep');
  });
});

describe('text stays as it came', () => {
  const texts = [
    'e\u0301 한글',
    '한글'.normalize('NFD'),
    'tab\there',
    'a\r\nb',
    '\u001b[31m',
    '\u202eabc',
    'x\u200by',
    '\ufffd',
    ' lead and trail ',
  ];
  it.each(texts.map((text) => [JSON.stringify(text), text] as const))('%s', (_name, text) => {
    expect(editorValue(typed(text))).toBe(text);
    expect(editorValue(pasteText(createEditor(), text))).toBe(text);
  });
  it('half a surrogate pair becomes U+FFFD, never a chip', () => {
    expect(editorValue(typed('a\udc00b'))).toBe('a\ufffdb');
    const folded = pasteText(createEditor(), 'x\n'.repeat(20));
    expect(editorValue(insertText(folded, '\udc00'))).toBe('x\n'.repeat(20) + '\ufffd');
  });
});

describe('a long paste', () => {
  const long = Array.from({ length: 812 }, (_, i) => `line ${i} 가나다 👩‍👩‍👧`).join('\n');
  const labelOf = (editor: Editor) =>
    viewEditor(editor, 10)
      .lines.map((line) => line.map((span) => span.text).join(''))
      .join('\n');
  it('stands folded and is sent in full', () => {
    const editor = insertText(pasteText(typed('see: '), long), ' thanks');
    expect(labelOf(editor)).toBe('see: [pasted 812 lines] thanks');
    expect(editorValue(editor)).toBe(`see: ${long} thanks`);
  });
  it('twice, with our own marker in it and beside it', () => {
    const own = '[pasted 812 lines]';
    const editor = pasteText(insertText(pasteText(typed(own), long), own), long + own);
    expect(editorValue(editor)).toBe(own + long + own + long + own);
  });
  it('is one character for caret and Backspace', () => {
    const editor = pasteText(typed('a'), long);
    expect(editorValue(run(editor, 'edit.backspace'))).toBe('a');
    expect(editorValue(insertText(run(editor, 'edit.left'), 'b'))).toBe(`ab${long}`);
    expect(editorValue(run(editor, 'edit.backspace', 'edit.undo'))).toBe(`a${long}`);
  });
  it('is cut in full', () => {
    const editor = pasteText(typed('a'), long);
    expect(editorValue(run(editor, 'edit.kill-to-start', 'edit.yank'))).toBe(`a${long}`);
  });
  it('that was cut comes back in full after the message was sent', () => {
    const sent = clearEditor(run(pasteText(typed('a'), long), 'edit.kill-to-start'));
    expect(editorValue(run(sent, 'edit.yank'))).toBe(`a${long}`);
  });
  it('is kept however many there are', () => {
    const short = 'x\n'.repeat(12);
    let editor = createEditor();
    for (let i = 0; i < 1030; i++) editor = pasteText(editor, short);
    expect(editorValue(editor)).toBe(short.repeat(1030));
  });
  it('unfolds beside the caret, and undo folds it again', () => {
    const editor = expandChip(pasteText(typed('a '), long));
    expect(editor.lines.length).toBe(812);
    expect(editorValue(editor)).toBe(`a ${long}`);
    expect(labelOf(run(editor, 'edit.undo'))).toBe('a [pasted 812 lines]');
  });
  it('of one long line is counted in characters', () => {
    expect(labelOf(pasteText(createEditor(), 'x'.repeat(34_000)))).toBe('[pasted 34,000 characters]');
  });
  it('of 13 lines is kept byte for byte, of 9 it stands open', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, i) => `${i}`).join('\n');
    expect(editorValue(pasteText(createEditor(), lines(13)))).toBe(lines(13));
    expect(pasteText(createEditor(), lines(9)).lines.length).toBe(9);
  });
});

describe('a field of one line', () => {
  const field = (text: string) => createEditor({ singleLine: true, text, width: 10 });
  it('turns newlines of a paste into spaces and drops the last ones', () => {
    expect(editorValue(pasteText(field('a '), 'one\ntwo\r\nthree\rfour\n\n'))).toBe('a one two three four');
    expect(editorValue(pasteText(field(''), 'x\n'.repeat(5000))).includes('\n')).toBe(false);
    expect(editorValue(insertNewline(field('a')))).toBe('a');
    expect(moveVertically(field('a'), 'up')).toBeUndefined();
  });
  it('scrolls sideways by whole characters and keeps the caret in it', () => {
    const view = viewEditor(field('가나다라마바사'), 1);
    expect(view.lines[0]?.map((span) => span.text).join('')).toBe('라마바사');
    expect(view.cursor.x).toBe(8);
  });
});

describe('newline', () => {
  it('Enter behind a backslash replaces it', () => {
    expect(editorValue(newlineAtBackslash(typed('one\\')) ?? typed(''))).toBe('one\n');
    expect(newlineAtBackslash(typed('one'))).toBeUndefined();
  });
  it('the field is empty again after clearing, what was cut stays', () => {
    const cleared = clearEditor(run(typed('a b'), 'edit.delete-word-left'));
    expect(isEmpty(cleared)).toBe(true);
    expect(editorValue(run(cleared, 'edit.yank'))).toBe('b');
  });
});

describe('up and down', () => {
  it('keep the column over short lines and say when there is no further row', () => {
    let editor = typed('abcdef\nx\nuvwxyz');
    editor = moveVertically(editor, 'up') as Editor;
    expect(editor.caret).toEqual({ line: 1, offset: 1 });
    editor = moveVertically(editor, 'up') as Editor;
    expect(editor.caret).toEqual({ line: 0, offset: 6 });
    expect(moveVertically(editor, 'up')).toBeUndefined();
  });
  it('go by screen rows inside a wrapped line of wide text', () => {
    const editor = typed('가나다라마바사아자차', 11);
    const up = moveVertically(editor, 'up') as Editor;
    expect(up.caret.offset).toBe(4);
    expect(moveVertically(up, 'up')).toBeUndefined();
    expect(moveVertically(editor, 'down')).toBeUndefined();
  });
});

describe('fuzz', () => {
  const alphabet = [
    'a',
    'b ',
    ' ',
    '\n',
    '가',
    '漢字',
    'e\u0301',
    '👨‍👩‍👧',
    '🇰🇷',
    '👍🏽',
    'ᄒ',
    'ᅡ',
    '\u0301',
    '\u200d',
    '\t',
    '\u001b',
    '1️⃣',
    'words and more ',
  ];
  const ids: EditCommand[] = [
    'edit.left',
    'edit.right',
    'edit.word-left',
    'edit.word-right',
    'edit.line-start',
    'edit.line-end',
    'edit.backspace',
    'edit.delete',
    'edit.delete-word-left',
    'edit.kill-to-end',
    'edit.kill-to-start',
    'edit.yank',
    'edit.select-left',
    'edit.select-word-right',
  ];
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('insert' as const), text: fc.constantFrom(...alphabet) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('command' as const), id: fc.constantFrom(...ids) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('vertical' as const), to: fc.constantFrom('up' as const, 'down' as const) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('width' as const), width: fc.integer({ min: 4, max: 30 }) }) },
  );
  it(`undoing everything gives the empty text; the caret stands at cluster edges; incremental wraps equal fresh ones (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let editor = createEditor({ width: 12 });
        for (const one of steps) {
          if (one.type === 'insert') editor = insertText(editor, one.text);
          else if (one.type === 'command') editor = applyEdit(editor, one.id);
          else if (one.type === 'vertical') editor = moveVertically(editor, one.to) ?? editor;
          else editor = resizeEditor(editor, one.width);
          editor = scrollToCaret(editor, 5);
          const line = editor.lines[editor.caret.line]?.text ?? '';
          const edges = new Set([0]);
          for (const part of split(line)) edges.add([...edges].at(-1)! + part.length);
          expect(edges.has(editor.caret.offset)).toBe(true);
          const view = viewEditor(editor, 5);
          const fresh = viewEditor({ ...editor, lines: editor.lines.map((each) => ({ text: each.text })) }, 5);
          expect(view).toEqual(fresh);
          const all = viewEditor({ ...editor, anchor: undefined }, 500).lines.map((row) => row.map((span) => span.text).join(''));
          expect(all.join('')).toBe(editor.lines.map((each) => drawable(each.text)).join(''));
          for (const row of all) expect(stringWidth(row)).toBeLessThanOrEqual(editor.width);
          expect(view.cursor.x).toBeLessThan(editor.width);
          expect(view.cursor.y).toBeLessThan(view.lines.length);
        }
        for (let count = editor.undo.length; count > 0; count--) editor = applyEdit(editor, 'edit.undo');
        expect(editorValue(editor)).toBe('');
      }),
      { seed, numRuns: 150 },
    );
  });
});
