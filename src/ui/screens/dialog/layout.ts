import { stringWidth, wrapText } from '../../../terminal/width.ts';
import type { DialogState } from './types.ts';

/** Where the parts of a dialog stand inside its box, in lines and cells. */
export interface DialogLayout {
  readonly width: number;
  /** Cells inside borders and blanks. */
  readonly inner: number;
  readonly text: readonly string[];
  readonly code: readonly string[];
  /** Line of the text field, counted from the top border; absent without one. */
  readonly fieldAt: number | undefined;
  /** Place of each answer; `x` counts from the left border. */
  readonly choices: readonly { readonly x: number; readonly y: number; readonly width: number }[];
  /** Answers stand below one another. */
  readonly isStacked: boolean;
  readonly height: number;
}

/** Cells of the box on a screen of that width. */
export const dialogWidth = (screenWidth: number): number => Math.max(20, Math.min(66, screenWidth - 4));

/** Answers are drawn with a mark and two blanks before the next. */
const markWidth = 2;
const gap = 2;

/** The text gives way when the screen is low: answers and the field are always there. */
export function layOutDialog(state: DialogState): DialogLayout {
  const { question, field, screen } = state;
  const width = dialogWidth(screen.width);
  const inner = width - 4;
  const widths = question.choices.map(({ label }) => Math.min(inner, markWidth + stringWidth(label)));
  const inARow = widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1);
  const isStacked = inARow > inner;
  const answers = isStacked ? question.choices.length : 1;
  const fixed = 2 + answers + 1 + (field === undefined ? 0 : 2) + (state.error === undefined ? 0 : 1);
  const room = Math.max(1, screen.height - fixed);
  const whole = question.text.flatMap((paragraph) => wrapText(paragraph, inner));
  const codeRoom = Math.max(0, room - whole.length - 1);
  const code = (question.code ?? []).slice(0, codeRoom);
  const text = whole.slice(0, room);
  const codeLines = code.length === 0 ? 0 : code.length + 1;
  let line = 1 + text.length + codeLines;
  const fieldAt = field === undefined ? undefined : line + 1;
  if (field !== undefined) line += 2;
  if (state.error !== undefined) line++;
  line++;
  let x = 2;
  const choices = widths.map((each, index) => {
    const place = isStacked ? { x: 2, y: line + index, width: each } : { x, y: line, width: each };
    x += each + gap;
    return place;
  });
  return { width, inner, text, code, fieldAt, choices, isStacked, height: line + answers + 1 };
}

/** The answer drawn at a cell of the box. */
export function choiceAt(state: DialogState, x: number, y: number): number | undefined {
  const index = layOutDialog(state).choices.findIndex((place) => place.y === y && x >= place.x && x < place.x + place.width);
  return index === -1 ? undefined : index;
}
