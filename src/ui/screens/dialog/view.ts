import { dialogText } from '../../../text/en/dialog.ts';
import { truncateEnd } from '../../../terminal/width.ts';
import { box, cutLine, padLine, pushSpan } from '../../compose.ts';
import { viewEditor } from '../../editor/index.ts';
import { span, type Line, type Span } from '../../frame.ts';
import type { KeyOverrides } from '../../keymap.ts';
import type { View, ViewContext } from '../../screen.ts';
import { hint, hintLine, keyLabels } from '../list-parts.ts';
import { layOutDialog } from './layout.ts';
import { dialogScopes } from './model.ts';
import type { Choice, DialogState } from './types.ts';

/**
 * The box of the question, `dialogWidth` cells wide and as high as it needs; `centred` of `ui/compose.ts` puts it on the screen. The
 * context's size is the whole screen's, as in the last `resize`.
 */
export function viewDialog(state: DialogState, context: ViewContext, overrides?: KeyOverrides): View {
  const { glyphs } = context;
  const layout = layOutDialog(state);
  const { question, field, error } = state;
  const content: Line[] = layout.text.map((text): Line => [span(text, 'text')]);
  if (layout.code.length > 0) {
    content.push(
      [],
      ...layout.code.map((text) =>
        padLine([span(` ${truncateEnd(text, layout.inner - 2, glyphs.ellipsis)}`, 'code-text on-code')], layout.inner, 'on-code'),
      ),
    );
  }
  let cursor: View['cursor'];
  if (field !== undefined && layout.fieldAt !== undefined) {
    const drawn = viewEditor(field, 1);
    content.push([], cutLine([span(`${glyphs.prompt} `, 'accent bold'), ...(drawn.lines[0] ?? [])], layout.inner));
    cursor = { x: 2 + Math.min(layout.inner - 1, 2 + drawn.cursor.x), y: layout.fieldAt };
  }
  if (error !== undefined) content.push([span(truncateEnd(error, layout.inner, glyphs.ellipsis), 'error')]);
  content.push([]);
  const answers = question.choices.map((choice, index) =>
    choiceSpans(choice, index === state.selected, layout.inner, glyphs.prompt, glyphs.ellipsis),
  );
  if (layout.isStacked) content.push(...answers);
  else content.push(answers.flatMap((answer, index) => (index === 0 ? answer : [span('  '), ...answer])));
  const lines = box(content, { width: layout.width, glyphs, title: question.title, border: 'rule', titleStyle: 'text bold' });
  const footer = footerLine(state, context, overrides);
  return cursor === undefined ? { lines, footer } : { lines, cursor, footer };
}

/** The keys of the question; those of the screen below mean nothing until it is answered. */
function footerLine(state: DialogState, { glyphs, width }: ViewContext, overrides: KeyOverrides | undefined): Line {
  const label = keyLabels(dialogScopes(state), glyphs, overrides);
  const { take, next, back } = dialogText.keys;
  const hasSeveral = state.question.choices.length > 1;
  return hintLine(
    [hint(label, 'list.take', take), hasSeveral ? hint(label, 'dialog.right', next) : undefined],
    hint(label, 'app.back', back),
    width,
  );
}

/** The chosen answer has a mark before it, so that it shows without colours. */
function choiceSpans({ label, letter }: Choice, isSelected: boolean, width: number, mark: string, ellipsis: string): Line {
  const style = isSelected ? 'text bold on-select' : 'soft';
  const shown = truncateEnd(label, width - 2, ellipsis);
  const at = letter === undefined ? -1 : shown.toLowerCase().indexOf(letter);
  const spans: Span[] = [span(isSelected ? `${mark} ` : '  ', isSelected ? 'accent bold on-select' : undefined)];
  if (at === -1) return [...spans, span(shown, style)];
  pushSpan(spans, shown.slice(0, at), style);
  pushSpan(spans, shown.slice(at, at + 1), `${style} underline`);
  pushSpan(spans, shown.slice(at + 1), style);
  return spans;
}
