import { compileText, type TextMatcher } from '../../session/match-text.ts';
import { isEverything, type Query } from '../../session/query.ts';
import { lineText } from '../compose.ts';
import type { Block } from './blocks.ts';
import type { Transcript } from './model.ts';
import { indexOfBlock, toggleFold } from './model.ts';
import { revealRow } from './scroll.ts';
import { blockText } from './select.ts';
import { blockUnits } from './units.ts';
import type { Unit } from './units.ts';
import { findTop, rowAt, toPlace, unitHeight } from './walk.ts';
import type { Spot } from './walk.ts';

/** What is looked for, as typed and as it is understood; matches on screen are marked at once. */
export const setQuery = (transcript: Transcript, text: string, query?: Query): Transcript => ({
  ...transcript,
  query: text,
  finder: query === undefined || isEverything(query) ? undefined : compileText(query),
  match: undefined,
});

/** The texts of a block in which words are found. */
function textsOf(block: Block): string[] {
  return block.kind === 'tool' ? [block.name, block.summary, block.result ?? ''] : [blockText(block)];
}

/** A block says what is looked for; where its message is found only by its other parts, or by the title, any of the words will do. */
const hasWords = (block: Block, finder: TextMatcher): boolean => textsOf(block).some((text) => finder.findRanges(text).length > 0);

const fits = (block: Block, finder: TextMatcher): boolean => finder.matches({ fields: textsOf(block) }) && hasWords(block, finder);

const isFolded = (block: Block): boolean => (block.kind === 'tool' || block.kind === 'reasoning') && block.isUnfolded !== true;

const unitHas = (unit: Unit, finder: TextMatcher): boolean =>
  unit.kind === 'built' || finder.findRanges(unit.kind === 'segment' ? unit.segment.text : unit.text).length > 0;

/** The first row of a block with one of the words. Units whose text has none are not laid out. */
function rowInBlock(transcript: Transcript, index: number, finder: TextMatcher): Spot | undefined {
  const block = transcript.blocks[index];
  const units = block === undefined ? [] : blockUnits(block);
  for (const [place, unit] of units.entries()) {
    if (!unitHas(unit, finder)) continue;
    for (let row = 0; row < unitHeight(transcript, index, place); row++) {
      const spot = { block: index, unit: place, row };
      const drawn = rowAt(transcript, spot);
      if (drawn !== undefined && finder.findRanges(lineText(drawn.line)).length > 0) return spot;
    }
  }
  return undefined;
}

const isOfMessage = (block: Block, id: number): boolean => block.messageId === id || (block.kind === 'tool' && block.resultId === id);

/** Goes to a message that was found: to the first row of it with one of the words; what hides it is unfolded. Undefined: it is not loaded. */
export function goToMessage(transcript: Transcript, id: number): Transcript | undefined {
  const { finder } = transcript;
  const places = transcript.blocks.flatMap((block, index) => (isOfMessage(block, id) ? [index] : []));
  const own = places.filter((index) => {
    const block = transcript.blocks[index]!;
    return block.kind !== 'tool' || block.resultId === undefined || block.messageId !== id || !isOnlyResult(block, finder);
  });
  const isWith = (index: number): boolean => finder !== undefined && hasWords(transcript.blocks[index]!, finder);
  const index = own.find(isWith) ?? places.find(isWith) ?? places[0];
  return index === undefined ? undefined : goToBlock(transcript, index);
}

/** A call whose result alone has the words: that is another message. */
const isOnlyResult = (block: Block & { kind: 'tool' }, finder: TextMatcher | undefined): boolean =>
  finder !== undefined && [block.name, block.summary].every((text) => finder.findRanges(text).length === 0);

function goToBlock(transcript: Transcript, index: number): Transcript {
  const { finder } = transcript;
  const block = transcript.blocks[index]!;
  let opened = transcript;
  let spot = finder === undefined ? undefined : rowInBlock(transcript, index, finder);
  if (spot === undefined && isFolded(block) && finder !== undefined && hasWords(block, finder)) {
    opened = toggleFold(transcript, block.id);
    spot = rowInBlock(opened, index, finder);
  }
  // Only a wrapped or shortened part may have it: then the beginning is shown.
  const match = toPlace(opened, spot ?? { block: index, unit: 0, row: 0 });
  return revealRow({ ...opened, match, cursor: transcript.cursor === undefined ? undefined : block.id }, match);
}

/** The message under the cursor, or at the upper edge of the screen: what the next match is counted from. */
export function placeOfReading(transcript: Transcript): number {
  const cursor = transcript.match?.blockId ?? transcript.cursor;
  const index = cursor === undefined ? -1 : indexOfBlock(transcript, cursor);
  return index === -1 ? (findTop(transcript)?.spot.block ?? 0) : index;
}

/**
 * Goes to the next or the previous block that has what is looked for, among those loaded; one that hides it is unfolded. `found` is false at
 * the end: the caller may begin again from the other one.
 */
export function findMatch(transcript: Transcript, direction: 'next' | 'previous'): { transcript: Transcript; found: boolean } {
  const isFresh = transcript.match === undefined && direction === 'next';
  return findFrom(transcript, direction, placeOfReading(transcript) + (isFresh ? 0 : direction === 'next' ? 1 : -1));
}

/** Past the end: the first match of what is loaded; past the beginning: the last one. */
export const wrapMatch = (transcript: Transcript, direction: 'next' | 'previous'): { transcript: Transcript; found: boolean } =>
  findFrom(transcript, direction, direction === 'next' ? 0 : transcript.blocks.length - 1);

function findFrom(transcript: Transcript, direction: 'next' | 'previous', start: number): { transcript: Transcript; found: boolean } {
  const { finder, blocks } = transcript;
  if (finder === undefined) return { transcript, found: false };
  const by = direction === 'next' ? 1 : -1;
  for (let index = start; index >= 0 && index < blocks.length; index += by)
    if (fits(blocks[index]!, finder)) return { transcript: goToBlock(transcript, index), found: true };
  return { transcript, found: false };
}
