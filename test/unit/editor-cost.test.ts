import { describe, expect, it } from 'vitest';
import {
  applyEdit,
  createEditor,
  editorValue,
  expandChip,
  insertText,
  moveVertically,
  pasteText,
  scrollToCaret,
  viewEditor,
} from '../../src/ui/editor/index.ts';
import type { Editor } from '../../src/ui/editor/index.ts';
import { cpuNow, leastCpu } from '../support/cpu.ts';

/** The median of some runs in milliseconds of processor time, each with the frame it leads to. */
function cost(start: Editor, change: (editor: Editor) => Editor): number {
  const times: number[] = [];
  let editor = start;
  for (let count = 0; count < 15; count++) {
    const before = cpuNow();
    editor = scrollToCaret(change(editor), 10);
    viewEditor(editor, 10);
    times.push(cpuNow() - before);
  }
  return times.sort((a, b) => a - b)[7] ?? 0;
}

const tenThousandLines = Array.from({ length: 10_000 }, (_, i) => `${i} 토큰 만료 처리는 어디서 하지? the quick brown fox jumps over`).join(
  '\n',
);
const megabyteLine = '토큰 만료 the quick brown fox '.repeat(45_000);

describe('a key costs less than 20 ms', () => {
  const texts: [string, string][] = [
    ['behind 10,000 lines', tenThousandLines],
    ['behind a line of 1 MB', megabyteLine],
  ];
  it.each(texts)('%s', (_name, text) => {
    const folded = pasteText(createEditor({ width: 80 }), text);
    expect(leastCpu(() => viewEditor(pasteText(createEditor({ width: 80 }), text), 10))).toBeLessThan(50);
    expect(editorValue(folded)).toBe(text);
    const opened = scrollToCaret(expandChip(folded), 10);
    const operations: Record<string, (editor: Editor) => Editor> = {
      type: (editor) => insertText(editor, 'x'),
      newline: (editor) => insertText(editor, '\n'),
      backspace: (editor) => applyEdit(editor, 'edit.backspace'),
      left: (editor) => applyEdit(editor, 'edit.left'),
      up: (editor) => moveVertically(editor, 'up') ?? editor,
      word: (editor) => applyEdit(editor, 'edit.delete-word-left'),
      undo: (editor) => applyEdit(editor, 'edit.undo'),
    };
    const costs = Object.fromEntries(Object.entries(operations).map(([name, change]) => [name, cost(opened, change)]));
    if (process.env['SHOW_COSTS']) console.log(costs);
    for (const [name, ms] of Object.entries(costs)) expect(ms, name).toBeLessThan(20);
  });
});
