import type { CommandId, Scope } from '../../../commands/table.ts';
import { modelsText } from '../../../text/en/models.ts';
import {
  applyEdit,
  createEditor,
  editorValue,
  insertText,
  isEditCommand,
  pasteText,
  resizeEditor,
  type Editor,
} from '../../editor/index.ts';
import {
  createList,
  idAtRow,
  moveList,
  resetIds,
  resizeList,
  scrollList,
  selectId,
  setIds,
  type ListMove,
  type ListState,
} from '../../list.ts';
import type { InputAction, Update } from '../../screen.ts';

/** Something that could answer. */
export interface ModelRow {
  /** Unique in the list; what `/model NAME` takes. */
  readonly name: string;
  readonly kind: 'configured' | 'alias' | 'custom' | 'key' | 'local';
  readonly model?: string;
  /** As shown: `OpenRouter`, `Ollama`. */
  readonly provider: string;
  /** Where its key was found: a variable, `.env`, `config.yaml`. */
  readonly keyFrom?: string;
  /** It answers now. */
  readonly isCurrent: boolean;
  /** What is missing before a message could be sent with it; absent = ready. */
  readonly missing?: string;
}

export interface ModelsState {
  readonly rows: readonly ModelRow[];
  readonly field: Editor;
  readonly list: ListState<string>;
  /** Servers of this machine were asked and have not answered yet. */
  readonly isAsking: boolean;
  readonly token: number;
  readonly notice: string | undefined;
  readonly armed: string | undefined;
  /** Variables that would switch a provider on, for an empty list. */
  readonly variables: readonly { readonly provider: string; readonly variables: readonly string[] }[];
}

export type ModelsAction =
  /** The chooser is shown: what is configured is known at once, servers are asked for. */
  | { type: 'shown' }
  | { type: 'loaded'; what: 'models'; rows: readonly ModelRow[]; variables: ModelsState['variables'] }
  /** Models of local servers; replaces those known before. */
  | { type: 'loaded'; what: 'servers'; token: number; rows: readonly ModelRow[] }
  | { type: 'notice'; text: string }
  | { type: 'focused' };

export type ModelsEffect =
  | { type: 'load-models' }
  | { type: 'find-servers'; token: number }
  /** Asks what to do with it (`askModel`): for this session, or as the default. */
  | { type: 'choose'; name: string }
  /** A name that is not in the list was typed. */
  | { type: 'choose-by-name'; name: string }
  | { type: 'close' }
  | { type: 'run'; id: CommandId };

/** Header, info line, filter, rule; rule, footer. */
const listTop = 4;
const linesBelow = 2;
const wheelRows = 3;

const moves: Readonly<Partial<Record<CommandId, ListMove>>> = {
  'list.up': 'up',
  'list.down': 'down',
  'list.page-up': 'page-up',
  'list.page-down': 'page-down',
  'list.first': 'first',
  'list.last': 'last',
};

export const createModels = (): ModelsState => ({
  rows: [],
  field: createEditor({ singleLine: true }),
  list: createList<string>([]),
  isAsking: false,
  token: 0,
  notice: undefined,
  armed: undefined,
  variables: [],
});

export const modelScopes = (): readonly Scope[] => ['list', 'field', 'global'];

export const modelRow = (state: ModelsState, name: string | undefined): ModelRow | undefined => state.rows.find((row) => row.name === name);

type Result = Update<ModelsState, ModelsEffect>;

export function updateModels(state: ModelsState, action: ModelsAction | InputAction): Result {
  switch (action.type) {
    case 'shown': {
      const token = state.token + 1;
      return {
        state: { ...state, token, isAsking: true, notice: undefined },
        effects: [{ type: 'load-models' }, { type: 'find-servers', token }],
      };
    }
    case 'loaded':
      if (action.what === 'models') {
        const local = state.rows.filter(({ kind }) => kind === 'local');
        return takeRows({ ...state, variables: action.variables }, [...action.rows.filter(({ kind }) => kind !== 'local'), ...local]);
      }
      if (action.token !== state.token) return same(state);
      return takeRows({ ...state, isAsking: false }, [...state.rows.filter(({ kind }) => kind !== 'local'), ...action.rows]);
    case 'notice':
      return same({ ...state, notice: action.text });
    case 'focused':
      return same({ ...state, armed: undefined });
    case 'resize': {
      const height = Math.max(1, action.height - listTop - linesBelow);
      return same({ ...state, field: resizeEditor(state.field, Math.max(1, action.width - 4)), list: resizeList(state.list, height) });
    }
    case 'text':
      return edit(state, insertText(state.field, action.text));
    case 'paste':
      return edit(state, pasteText(state.field, action.text));
    case 'mouse':
      return handleMouse(state, action.event);
    case 'command':
      return runCommand(state, action.id);
  }
}

const same = (state: ModelsState): Result => ({ state, effects: [] });

/** The cursor stands on the model in use at first, and stays on its row while servers answer. */
function takeRows(state: ModelsState, rows: readonly ModelRow[]): Result {
  const names = matching(rows, editorValue(state.field));
  const hadNone = state.list.ids.length === 0;
  const list = setIds(state.list, names);
  const current = hadNone ? rows.find(({ isCurrent }) => isCurrent) : undefined;
  return same({ ...state, rows, list: current === undefined ? list : selectId(list, current.name) });
}

function matching(rows: readonly ModelRow[], query: string): string[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  return rows
    .filter((row) => {
      const text = fold([row.name, row.model ?? '', row.provider, row.keyFrom ?? '', modelsText.kinds[row.kind]].join('\n'));
      return words.every((word) => text.includes(word));
    })
    .map(({ name }) => name);
}

const fold = (text: string): string => text.normalize('NFC').toLowerCase();

function edit(state: ModelsState, field: Editor): Result {
  const next = { ...state, field, notice: undefined, armed: undefined };
  const query = editorValue(field);
  return same(query === editorValue(state.field) ? next : { ...next, list: resetIds(state.list, matching(state.rows, query)) });
}

function runCommand(state: ModelsState, id: CommandId): Result {
  const move = moves[id];
  if (move !== undefined) return same({ ...state, list: moveList(state.list, move), notice: undefined, armed: undefined });
  if (isEditCommand(id)) return edit(state, applyEdit(state.field, id));
  switch (id) {
    case 'list.take':
      return take(state);
    case 'app.back':
    case 'app.cancel':
      return { state, effects: [{ type: 'close' }] };
    default:
      return modelsDisabledReason(state, id) === undefined ? { state, effects: [{ type: 'run', id }] } : same(state);
  }
}

function take(state: ModelsState): Result {
  const row = modelRow(state, state.list.selected);
  if (row === undefined) {
    const name = editorValue(state.field).trim();
    return name === '' ? same(state) : { state, effects: [{ type: 'choose-by-name', name }] };
  }
  if (row.missing !== undefined) return same({ ...state, notice: modelsText.unusable(row.missing) });
  return { state, effects: [{ type: 'choose', name: row.name }] };
}

/** Why a command can't run now: there is one list, so there is nothing to turn to. */
export function modelsDisabledReason(state: ModelsState, id: CommandId): string | undefined {
  if (id === 'list.scope') return modelsText.oneList;
  if (id === 'list.take' && state.list.ids.length === 0 && editorValue(state.field).trim() === '') return modelsText.none;
  return undefined;
}

function handleMouse(state: ModelsState, event: (InputAction & { type: 'mouse' })['event']): Result {
  if (event.action === 'wheel-up' || event.action === 'wheel-down') {
    return same({ ...state, list: scrollList(state.list, event.action === 'wheel-up' ? -wheelRows : wheelRows), armed: undefined });
  }
  if (event.action !== 'press' || event.button !== 'left') return same(state);
  const name = idAtRow(state.list, event.y - listTop);
  if (name === undefined) return same(state);
  if (state.armed === name) return take(state);
  return same({ ...state, list: selectId(state.list, name), armed: name, notice: undefined });
}
