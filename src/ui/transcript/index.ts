/** The conversation on screen: blocks in, rows out. */
export { summarizeArguments } from '../../text/summarize-arguments.ts';
export { agentBlock, messageBlocks } from './blocks.ts';
export type { AgentBlock, Block, InterruptedBlock, NoticeBlock, ReasoningBlock, RecapBlock, ToolBlock, UserBlock } from './blocks.ts';
export {
  appendBlocks,
  appendDelta,
  createTranscript,
  indexOfBlock,
  mergeBlocks,
  prependBlocks,
  removeBlock,
  replaceBlock,
  resizeTranscript,
  setBlocks,
  toggleFold,
  updateBlock,
} from './model.ts';
export type { CellPlace, RowPlace, Transcript } from './model.ts';
export {
  enterReading,
  keepCursorInSight,
  leaveReading,
  moveCursor,
  pinTop,
  placeCursor,
  revealRow,
  scrollBy,
  scrollPage,
  scrollToEnd,
  scrollToStart,
} from './scroll.ts';
export { blockAt, blockText, clearSelection, dragSelection, placeAt, selectedText, startSelection } from './select.ts';
export { findMatch, goToMessage, placeOfReading, setQuery, wrapMatch } from './find.ts';
export { viewTranscript } from './view.ts';
export type { TranscriptView } from './view.ts';
export { highlightPending, hasPendingHighlights } from '../markdown/highlight.ts';
export { isMarkdownLoaded, loadMarkdown } from '../markdown/lexer.ts';
