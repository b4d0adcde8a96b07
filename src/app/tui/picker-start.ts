import { StoreError } from '../../errors.ts';
import type { SessionRow } from '../../session/types.ts';
import { isInWorkspace } from '../../session/workspace.ts';
import { askStore } from '../../store/open.ts';
import { firstRows, pinnedRows } from '../../store/reads/first-rows.ts';
import {
  createSessions,
  createSessionsScreen,
  type PickerWorkspace,
  type SessionsScreen,
  type SessionsState,
} from '../../ui/screens/sessions/index.ts';
import type { Run } from '../run.ts';
import { findWorkspace, type Workspace } from '../workspace.ts';
import type { PickerOnly } from './picker-rows.ts';

/** `sessions browse` as it begins: the newest rows are in the list, all others are still to be read. */
export interface Browse {
  readonly workspace: Workspace;
  readonly picker: SessionsState;
  readonly only: PickerOnly;
}

/** Rows of the first frame: more than a tall screen shows. */
const firstRowLimit = 50;

export const pickerWorkspace = (workspace: Workspace): PickerWorkspace => ({
  keys: workspace.keys,
  isRepository: workspace.gitRoot !== undefined,
});

export const createPicker = (run: Run): SessionsScreen =>
  createSessionsScreen({ clock: () => performance.now(), overrides: run.loaded().config.keys });

/** @throws StoreError; a store that does not exist yet is an empty one */
export function readBrowse(run: Run, { source, limit }: PickerOnly): Browse {
  const workspace = findWorkspace(run.startedIn);
  const screen = createPicker(run);
  let picker = screen.update(createSessions(pickerWorkspace(workspace)), { type: 'shown' }).state;
  const only = { ...(source === undefined ? {} : { source }), ...(limit === undefined ? {} : { limit }) };
  const { rows, isScopeEmpty } = readFirstRows(run, workspace, only);
  if (rows.length > 0) {
    const { token } = picker.loading;
    picker = screen.update(picker, { type: 'loaded', what: 'rows', token, rows, isLast: false, now: run.now(), isScopeEmpty }).state;
  }
  return { workspace, picker, only };
}

function readFirstRows(
  run: Run,
  workspace: Workspace,
  { source, limit = firstRowLimit }: PickerOnly,
): { rows: readonly SessionRow[]; isScopeEmpty: boolean } {
  try {
    return askStore(run.home.storePath, { now: run.now }, (connection) => {
      const query = { limit: Math.min(limit, firstRowLimit), ...(source === undefined ? {} : { sources: [source] }) };
      const found = firstRows(connection, { ...query, workspaces: workspace.keys });
      // In a large store pinned rows are not among the first; one of them may be all that the workspace has.
      const isLeftOut = found.rows.length === 0 && !found.hasPinned;
      const inWorkspace = isLeftOut ? pinnedRows(connection).filter((row) => isInWorkspace(row, workspace.keys)) : found.rows;
      const isScopeEmpty = inWorkspace.length === 0;
      return { rows: isScopeEmpty ? firstRows(connection, query).rows : inWorkspace, isScopeEmpty };
    });
  } catch (error) {
    if (error instanceof StoreError && error.trouble === 'missing') return { rows: [], isScopeEmpty: true };
    throw error;
  }
}
