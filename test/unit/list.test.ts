import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createList, idAtRow, moveList, resetIds, resizeList, scrollList, selectId, setIds, visibleIds } from '../../src/ui/list.ts';
import type { ListMove, ListState } from '../../src/ui/list.ts';
import { leastCpu } from '../support/cpu.ts';

const seed = Number(process.env['FC_SEED'] ?? 77) || 1;
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `id${from + i}`);

describe('a list', () => {
  it('selects by id: rows put in above do not move the selection, nor its place on screen', () => {
    const list = selectId(createList(ids(100), 10), 'id50');
    const before = list.index - list.top;
    const after = setIds(list, ['new1', 'new2', ...ids(100)]);
    expect(after.selected).toBe('id50');
    expect(after.index - after.top).toBe(before);
  });
  it('takes the row below when the selected one goes, at the end the one above', () => {
    const list = selectId(createList(ids(5), 10), 'id3');
    expect(setIds(list, ['id0', 'id1', 'id2', 'id4']).selected).toBe('id4');
    expect(setIds(selectId(list, 'id4'), ids(4)).selected).toBe('id3');
    expect(setIds(list, []).selected).toBeUndefined();
    expect(setIds(setIds(list, []), ids(3)).selected).toBe('id0');
  });
  it('goes to the best match when the filter changes', () => {
    expect(resetIds(selectId(createList(ids(100), 10), 'id50'), ['id50', 'id7'])).toMatchObject({ selected: 'id50', top: 0 });
  });
  it('stops at both ends, moves by pages with a row in common', () => {
    let list = createList(ids(30), 10);
    expect(moveList(list, 'up').selected).toBe('id0');
    list = moveList(list, 'page-down');
    expect(list).toMatchObject({ selected: 'id9', top: 9 });
    expect(moveList(list, 'last')).toMatchObject({ selected: 'id29', top: 20 });
    expect(moveList(moveList(list, 'last'), 'down').selected).toBe('id29');
    expect(moveList(list, 'first')).toMatchObject({ selected: 'id0', top: 0 });
  });
  it('answers which row was clicked', () => {
    const list = scrollList(createList(ids(30), 10), 5);
    expect(idAtRow(list, 0)).toBe('id5');
    expect(idAtRow(list, 10)).toBeUndefined();
    expect(idAtRow(createList(ids(3), 10), 3)).toBeUndefined();
    expect(list.selected).toBe('id5');
  });
  const moves: ListMove[] = ['up', 'down', 'page-up', 'page-down', 'first', 'last'];
  const step = fc.oneof(
    fc.constantFrom(...moves).map((move) => (list: ListState<string>) => moveList(list, move)),
    fc.integer({ min: -20, max: 20 }).map((rows) => (list: ListState<string>) => scrollList(list, rows)),
    fc.integer({ min: 1, max: 15 }).map((height) => (list: ListState<string>) => resizeList(list, height)),
    fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 40 }).map(
      (some) => (list: ListState<string>) =>
        setIds(
          list,
          some.map((n) => `id${n}`),
        ),
    ),
  );
  it(`always shows the selected row and never an empty row while rows stand above (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let list = createList(ids(20), 8);
        for (const one of steps) {
          list = one(list);
          const shown = visibleIds(list);
          expect(list.ids[list.index]).toBe(list.selected);
          if (list.selected !== undefined) expect(shown).toContain(list.selected);
          expect(shown.length).toBe(Math.min(list.height, list.ids.length));
        }
      }),
      { seed, numRuns: 300 },
    );
  });
  it('a key in 100,000 rows costs less than 0.2 ms', () => {
    let list = createList(ids(100_000), 40);
    const thousandKeys = leastCpu(() => {
      for (let i = 0; i < 1000; i++) list = moveList(list, i % 2 === 0 ? 'page-down' : 'down');
    });
    expect(thousandKeys / 1000).toBeLessThan(0.2);
  });
});
