import { describe, expect, it } from 'vitest';
import { box, centred, cutLine, fitLine, lineText, lineWidth, padLine, toFrame } from '../../src/ui/compose.ts';
import { span } from '../../src/ui/frame.ts';
import { unicodeGlyphs } from '../../src/ui/screen.ts';

describe('lines', () => {
  it('are cut at a character edge, wide ones never in half', () => {
    expect(lineText(cutLine([span('ab'), span('가나다')], 5, '…'))).toBe('ab가…');
    expect(lineText(cutLine([span('가나다')], 3))).toBe('가');
    expect(lineWidth(padLine([span('가나다')], 5))).toBe(5);
  });
  it('keep the right part while a third of the row is left for the left one', () => {
    expect(lineText(fitLine([span('a long title of a session')], [span('2h')], 20))).toBe('a long title of…  2h');
    expect(lineText(fitLine([span('title')], [span('a very long right part')], 20))).toBe('title               ');
    for (const width of [1, 2, 5, 20, 100]) expect(lineWidth(fitLine([span('제목 하나')], [span('어제')], width))).toBe(width);
  });
});

describe('boxes', () => {
  it('are straight at any width, the note goes before the title', () => {
    for (const width of [4, 6, 10, 25, 40, 80]) {
      for (const line of box([[span('한글 👩‍👩‍👧 text')]], { width, glyphs: unicodeGlyphs, title: '제목', note: 'yesterday', foot: 'Esc' })) {
        expect(lineWidth(line)).toBe(width);
      }
    }
    expect(lineText(box([], { width: 16, glyphs: unicodeGlyphs, title: 'Title', note: 'a long note' })[0] ?? [])).toBe('╭─ Title ──────╮');
  });
});

describe('frames', () => {
  it('show the cursor of the overlay, at its place on screen', () => {
    const layer = centred([[span('x')], [span('y')]], 10, { width: 40, height: 12 });
    expect(layer).toMatchObject({ x: 15, y: 4, width: 10 });
    const base = { lines: [], cursor: { x: 1, y: 2 } };
    expect(toFrame(base, 40).cursor).toEqual({ x: 1, y: 2 });
    expect(toFrame(base, 40, [{ layer, cursor: { x: 2, y: 1 } }]).cursor).toEqual({ x: 17, y: 5 });
    expect(toFrame(base, 40, [{ layer }]).cursor).toBeUndefined();
  });
});
