import type { CommandId, Scope } from '../../../commands/table.ts';
import { modelsText } from '../../../text/en/models.ts';
import { editorValue } from '../../editor/index.ts';
import { createList, selectId, setIds } from '../../list.ts';
import type { InputAction, Update } from '../../screen.ts';
import { startChoosing, updateChoosing, type Choosing } from '../choosing.ts';

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

export interface ModelsState extends Choosing<string> {
  readonly rows: readonly ModelRow[];
  /** Servers of this machine were asked and have not answered yet. */
  readonly isAsking: boolean;
  readonly token: number;
  /** Variables that would switch a provider on, for an empty list. */
  readonly variables: readonly { readonly provider: string; readonly variables: readonly string[] }[];
  /** The file keys may stand in, as shown. */
  readonly envPath: string;
}

export type ModelsAction =
  /** The chooser is shown: what is configured is known at once, servers are asked for. */
  | { type: 'shown' }
  | { type: 'loaded'; what: 'models'; rows: readonly ModelRow[]; variables: ModelsState['variables']; envPath: string }
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

export const createModels = (): ModelsState => ({
  ...startChoosing(createList<string>([])),
  rows: [],
  isAsking: false,
  token: 0,
  variables: [],
  envPath: '.env',
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
        return takeRows({ ...state, variables: action.variables, envPath: action.envPath }, [
          ...action.rows.filter(({ kind }) => kind !== 'local'),
          ...local,
        ]);
      }
      if (action.token !== state.token) return same(state);
      return takeRows({ ...state, isAsking: false }, [...state.rows.filter(({ kind }) => kind !== 'local'), ...action.rows]);
    case 'notice':
      return same({ ...state, notice: action.text });
    default:
      return choose(state, action);
  }
}

function choose(state: ModelsState, action: InputAction | { type: 'focused' }): Result {
  const chosen = updateChoosing<string, ModelsState>(state, action, (query) => matching(state.rows, query));
  if (chosen.then === 'take') return take(chosen.state);
  return chosen.then === 'command' ? runCommand(chosen.state, chosen.id) : same(chosen.state);
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

function runCommand(state: ModelsState, id: CommandId): Result {
  if (id === 'app.back' || id === 'app.cancel') return { state, effects: [{ type: 'close' }] };
  return modelsDisabledReason(state, id) === undefined ? { state, effects: [{ type: 'run', id }] } : same(state);
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
