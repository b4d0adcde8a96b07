import type { Scope } from '../../../commands/table.ts';
import { applyEdit, createEditor, editorValue, insertText, isEditCommand, pasteText, resizeEditor } from '../../editor/index.ts';
import { letterOfJamo } from '../../hangul-keys.ts';
import type { InputAction, Update } from '../../screen.ts';
import { choiceAt, dialogWidth } from './layout.ts';
import type { Choice, DialogAction, DialogEffect, DialogState, Question } from './types.ts';

export function createDialog(question: Question): DialogState {
  const first = question.choices.findIndex(({ id }) => id === (question.first ?? question.safe));
  return {
    question,
    selected: Math.max(0, first),
    field: question.field === undefined ? undefined : createEditor({ singleLine: true, text: question.field.text }),
    error: undefined,
    screen: { width: 80, height: 24 },
  };
}

/** In a line of text ←→ move the caret; Tab and ↑↓ go through the answers there. */
export const dialogScopes = (state: DialogState): readonly Scope[] =>
  state.field === undefined ? ['dialog', 'global'] : ['field', 'dialog', 'global'];

export function updateDialog(state: DialogState, action: DialogAction | InputAction): Update<DialogState, DialogEffect> {
  switch (action.type) {
    case 'focused':
      return same(state);
    case 'refused':
      return same(refuse(state, action.message, action.offer));
    case 'resize': {
      const field = state.field === undefined ? undefined : resizeEditor(state.field, Math.max(1, dialogWidth(action.width) - 6));
      return same({ ...state, field, screen: { width: action.width, height: action.height } });
    }
    case 'text':
      if (state.field !== undefined) return same({ ...state, field: insertText(state.field, action.text), error: undefined });
      return byLetter(state, action.text);
    case 'paste':
      return same(state.field === undefined ? state : { ...state, field: pasteText(state.field, action.text), error: undefined });
    case 'mouse': {
      if (action.event.action !== 'press' || action.event.button !== 'left') return same(state);
      const choice = choiceAt(state, action.event.x, action.event.y);
      if (choice === undefined) return same(state);
      return choice === state.selected ? answer(state, choice) : same({ ...state, selected: choice });
    }
    case 'command': {
      const { id } = action;
      if (state.field !== undefined && isEditCommand(id)) return same({ ...state, field: applyEdit(state.field, id), error: undefined });
      const count = state.question.choices.length;
      switch (id) {
        case 'dialog.left':
          return same({ ...state, selected: (state.selected + count - 1) % count });
        case 'dialog.right':
          return same({ ...state, selected: (state.selected + 1) % count });
        case 'list.take':
          return answer(state, state.selected);
        case 'app.back':
        case 'app.cancel':
          return answer(state, safeIndex(state.question));
        default:
          // A question is answered before anything else happens.
          return same(state);
      }
    }
  }
}

const same = (state: DialogState): Update<DialogState, DialogEffect> => ({ state, effects: [] });

const safeIndex = (question: Question): number =>
  Math.max(
    0,
    question.choices.findIndex(({ id }) => id === question.safe),
  );

/** An offer takes the place of an earlier one. */
function refuse(state: DialogState, error: string, offer: Choice | undefined): DialogState {
  const asked = state.question.choices.filter((choice) => choice.fills === undefined);
  const choices = offer === undefined ? asked : [offer, ...asked];
  return { ...state, question: { ...state.question, choices }, selected: 0, error };
}

/** A letter answers at once; the Hangul letter of the same key counts as it. */
function byLetter(state: DialogState, text: string): Update<DialogState, DialogEffect> {
  const typed = (letterOfJamo(text) ?? text).toLowerCase();
  const index = state.question.choices.findIndex(({ letter }) => letter === typed);
  return index === -1 ? same(state) : answer({ ...state, selected: index }, index);
}

function answer(state: DialogState, index: number): Update<DialogState, DialogEffect> {
  const { question, field } = state;
  const choice = question.choices[index];
  if (choice === undefined) return same(state);
  return {
    state,
    effects: [
      {
        type: 'answer',
        question: question.id,
        choice: choice.id,
        ...(question.subject === undefined ? {} : { subject: question.subject }),
        ...(field === undefined ? {} : { text: choice.fills ?? editorValue(field) }),
      },
    ],
  };
}
