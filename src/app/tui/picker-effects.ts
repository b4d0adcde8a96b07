import { HermesError } from '../../errors.ts';
import { appText } from '../../text/en/app.ts';
import { pickerText } from '../../text/en/picker.ts';
import {
  createSessions,
  loadFuzzyMatch,
  type SessionsAction,
  type SessionsEffect,
  type SessionsState,
} from '../../ui/screens/sessions/index.ts';
import type { Context, Picker } from './context.ts';
import { copy } from './copy.ts';
import { createListActions } from './picker-actions.ts';
import { readMembers, readPreview } from './picker-details.ts';
import { createPickerRows, type PickerOnly } from './picker-rows.ts';
import { pickerWorkspace } from './picker-start.ts';
import { resumeSession } from './resume.ts';

/** Carries out what the list of sessions asks for; one for each run, because the list comes back as it was left. */
export function createPickerEffects(context: Context): Picker & { run(effect: SessionsEffect): void } {
  const { loop, store } = context;
  /** The list as it was left: the same filter, scope and place the next time. */
  let kept: SessionsState | undefined;
  let only: PickerOnly = {};
  /** Nothing was opened yet: closing the list ends the program. */
  let isAllThereIs = false;
  let isStoreWaiting = false;
  let previewTimer: NodeJS.Timeout | undefined;

  const tell = (action: SessionsAction): void => loop().dispatch({ type: 'to', name: 'sessions', action });
  const shown = (): SessionsState | undefined => {
    const screen = loop()
      .state()
      .stack.find((each) => each.name === 'sessions');
    return screen?.name === 'sessions' ? screen.state : undefined;
  };
  const rows = createPickerRows(context, { shown, tell, only: () => only });
  const actions = createListActions(context, { tell, refresh: () => rows.refresh() });

  /** The list is on screen: rows are read, and read again when the store changes. */
  function readRows(): void {
    tell({ type: 'shown' });
    tell({ type: 'store-waiting', isWaiting: isStoreWaiting });
    rows.watch();
  }

  /** The list goes off the screen; the next time it is as it was. */
  function close(): void {
    kept = shown() ?? kept;
    rows.stop();
    clearTimeout(previewTimer);
    loop().dispatch({ type: 'close', name: 'sessions' });
  }

  /** Something was chosen that goes on with the program. */
  function goOn(): void {
    isAllThereIs = false;
    close();
  }

  /** A failure that is one of ours is said in the list. */
  async function said(work: Promise<SessionsAction>): Promise<void> {
    try {
      tell(await work);
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'notice', text: error.message });
    }
  }

  async function copyIds(ids: string): Promise<void> {
    const isCopied = await copy(context, ids, false);
    tell({ type: 'notice', text: isCopied ? pickerText.copiedId(ids.replaceAll('\n', ' ')) : appText.copyTooLong });
  }

  function runEffect(effect: SessionsEffect): void {
    switch (effect.type) {
      case 'load-rows':
        return context.track(rows.load(effect.token));
      case 'continue-filter':
        return context.track(afterFrame().then(() => tell(effect)));
      case 'load-fuzzy':
        return context.track(loadFuzzyMatch().then((match) => tell({ type: 'loaded', what: 'fuzzy', match })));
      case 'load-preview': {
        const { id, token } = effect;
        const preview = (): Promise<SessionsAction> =>
          readPreview(store, id).then((content) => ({ type: 'loaded', what: 'preview', token, preview: content }));
        clearTimeout(previewTimer);
        previewTimer = setTimeout(() => context.track(said(preview())), effect.restMs);
        return;
      }
      case 'load-lineage': {
        const { rootId } = effect;
        return context.track(said(readMembers(store, rootId).then((members) => ({ type: 'loaded', what: 'lineage', rootId, members }))));
      }
      case 'resume':
        goOn();
        return context.track(resumeSession(context, effect.id));
      case 'rename':
        return actions.rename(effect);
      case 'pin':
        return context.track(actions.pin(effect.targets, effect.isPinned));
      case 'archive':
        return context.track(actions.archive(effect.targets, effect.isArchived));
      case 'delete':
        return context.track(actions.delete(effect.targets));
      case 'export':
        return actions.export(effect.targets);
      case 'undo':
        return context.track(actions.undo());
      case 'copy':
        return context.track(copyIds(effect.text));
      case 'close':
        // With nothing below it the list stays on screen until the screen itself goes.
        if (isAllThereIs) context.finish({ leaving: 'cancelled' });
        else close();
        return;
      case 'run':
        // The search opens above the list, and comes back to it.
        if (effect.id !== 'app.search') goOn();
        return loop().dispatch({ type: 'run', id: effect.id });
    }
  }

  return {
    run: runEffect,
    open() {
      const workspace = pickerWorkspace(context.desk.current().seat.workspace());
      loop().dispatch({ type: 'open', screen: { name: 'sessions', state: kept ?? createSessions(workspace) } });
      tell({ type: 'workspace', workspace });
      isAllThereIs = false;
      readRows();
    },
    browse(state, wanted) {
      isAllThereIs = true;
      only = wanted;
      loop().dispatch({ type: 'open', screen: { name: 'sessions', state } });
      readRows();
    },
    setStoreWaiting(isWaiting) {
      isStoreWaiting = isWaiting;
      tell({ type: 'store-waiting', isWaiting });
    },
    leave() {
      if (shown() !== undefined) goOn();
    },
    actions,
  };
}

/** Resolves when a frame that is due has been drawn. */
const afterFrame = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
