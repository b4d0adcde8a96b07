import { HermesError } from '../../errors.ts';
import type { SessionId } from '../../session/types.ts';
import type { Refusal } from '../../store/bin/types.ts';
import { truncateEnd } from '../../terminal/width.ts';
import { manageText } from '../../text/en/manage.ts';
import { hintFor } from '../../ui/keymap.ts';
import { askDelete, askExport, askRename, exportFormats, type ExportFormat } from '../../ui/screens/dialog/index.ts';
import type { SessionsAction, Target } from '../../ui/screens/sessions/index.ts';
import type { Context } from './context.ts';
import { binUntil, deleteSessions, restoreSessions, sizeOfDeletion, type Deletion } from '../delete-sessions.ts';
import { exportSessions } from '../export-session.ts';
import { createUndoStack } from './list-undo.ts';

export interface ListActionsOptions {
  readonly tell: (action: SessionsAction) => void;
  /** The list shows what the store has now. */
  readonly refresh: () => Promise<void>;
}

/** What can be done with sessions of the list. Everything is done by id, and what was done can be undone, the last first. */
export interface ListActions {
  pin(targets: readonly Target[], isPinned: boolean): Promise<void>;
  archive(targets: readonly Target[], isArchived: boolean): Promise<void>;
  /** Asks first. */
  delete(targets: readonly Target[]): Promise<void>;
  answerDelete(isWanted: boolean): Promise<void>;
  export(targets: readonly Target[]): void;
  answerExport(choice: string, place: string): Promise<void>;
  rename(target: { id: SessionId; title: string }): void;
  /** The answer to the question. @returns false when the title was refused, which is said in the question */
  answerRename(id: SessionId, title: string): Promise<boolean>;
  undo(): Promise<void>;
}

/** Cells of a name in a notice: on 80 columns the date of the bin and the key that undoes have room beside it. */
const nameCells = 24;

const named = (names: readonly string[]): string => manageText.which(names.map((name) => truncateEnd(name, nameCells)));
const namesOf = (targets: readonly Target[]): string => named(targets.map((target) => target.name));

export function createListActions(context: Context, { tell, refresh }: ListActionsOptions): ListActions {
  const { store, desk, loop, run } = context;
  const undos = createUndoStack();
  /** What the open question is about: rows may move and go while it stands. */
  let doomed: readonly Target[] = [];
  let spared = 0;
  let refused: readonly Refusal[] = [];
  let exported: readonly Target[] = [];
  let renamed: { id: SessionId; title: string } | undefined;

  /** Says what became of it, and shows it; a refusal of the store is said as it is. */
  async function act(work: () => Promise<string>): Promise<void> {
    let text: string;
    try {
      text = await work();
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      text = error.message;
    }
    await refresh();
    tell({ type: 'undoable', what: undos.next() });
    tell({ type: 'notice', text });
  }

  /** A refusal of the store is said in the list. */
  async function said(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof HermesError)) throw error;
      tell({ type: 'notice', text: error.message });
    }
  }

  /** `text` with the key that takes it back. */
  function withUndo(text: string): string {
    const key = hintFor('picker.undo', ['picker'], { overrides: run.loaded().config.keys });
    return key === undefined ? text : text + manageText.undoes(key);
  }

  /** Sets a mark of every target; what is remembered are those it was not set on. */
  async function set(
    targets: readonly Target[],
    write: (id: SessionId, value: boolean) => Promise<unknown>,
    was: (target: Target) => boolean,
    value: boolean,
    said: { done: string; undone: string },
  ): Promise<void> {
    const changed = targets.filter((target) => was(target) !== value);
    await act(async () => {
      for (const { id } of changed) await write(id, value);
      undos.push({
        what: said.done,
        async undo() {
          for (const { id } of changed) await write(id, !value);
          return said.undone;
        },
      });
      return withUndo(said.done);
    });
    tell({ type: 'unmark' });
  }

  function titled(id: SessionId, title: string): Promise<string | undefined> {
    // A conversation that is open here knows its title, and shows it.
    const open = desk.all().find((chat) => chat.seat.id() === id);
    if (open === undefined) return store.write.setTitle(id, title, 'user').then((outcome) => outcome.title);
    return open.seat.setTitle(title).then((stored) => {
      desk.tell(open, { type: 'session', session: { title: stored } });
      return stored;
    });
  }

  return {
    pin(targets, isPinned) {
      const which = namesOf(targets);
      return set(targets, store.write.setPinned, (target) => target.pinned, isPinned, {
        done: isPinned ? manageText.pinned(which) : manageText.unpinned(which),
        undone: isPinned ? manageText.undone.pinned(which) : manageText.undone.unpinned(which),
      });
    },
    archive(targets, isArchived) {
      const which = namesOf(targets);
      return set(targets, store.write.setArchived, (target) => target.archived, isArchived, {
        done: isArchived ? manageText.archived(which) : manageText.unarchived(which),
        undone: isArchived ? manageText.undone.archived(which) : manageText.undone.unarchived(which),
      });
    },
    delete: (targets) => said(() => askToDelete(targets)),
    async answerDelete(isWanted) {
      if (!isWanted) return;
      await act(async () => {
        const deletion = await deleteSessions(
          context,
          doomed.map((target) => target.id),
        );
        const which = named(deletion.gone.map((id) => doomed.find((target) => target.ids.includes(id))?.name ?? id));
        if (deletion.gone.length > 0 && deletion.until !== undefined) {
          undos.push({ what: manageText.gone(which, deletion.until), undo: () => restored(deletion, which) });
        }
        return sayDeleted({ ...deletion, refused: [...refused, ...deletion.refused] }, which);
      });
      tell({ type: 'unmark' });
    },
    export(targets) {
      exported = targets;
      context.ask(askExport({ names: targets.map((target) => target.name), place: desk.current().seat.workspace().cwd }));
    },
    async answerExport(choice, place) {
      const format = exportFormats.find((known) => known === choice);
      if (format === undefined) return;
      await exportAll(exported, format, place);
    },
    rename(target) {
      renamed = target;
      context.ask(askRename(target));
    },
    async answerRename(id, title) {
      const before = renamed?.id === id ? renamed.title : '';
      try {
        const stored = await titled(id, title);
        undos.push({ what: manageText.renamed(title), undo: () => titled(id, before).then(manageText.undone.renamed) });
        await act(() => Promise.resolve(withUndo(stored === undefined ? manageText.titleCleared : manageText.renamed(stored))));
        return true;
      } catch (error) {
        if (!(error instanceof HermesError)) throw error;
        await refuseTitle(id, title, error);
        return false;
      }
    },
    async undo() {
      const last = undos.take();
      if (last !== undefined) await act(() => last.undo());
    },
  };

  async function askToDelete(targets: readonly Target[]): Promise<void> {
    // Pinned sessions are spared unless they are named: among several they are not.
    doomed = targets.length === 1 ? targets : targets.filter((target) => !target.pinned);
    spared = targets.length - doomed.length;
    if (doomed.length === 0) return tell({ type: 'notice', text: manageText.allPinned });
    const holds = await sizeOfDeletion(
      context,
      doomed.map((target) => target.id),
    );
    doomed = doomed.filter((target) => target.ids.some((id) => holds.going.includes(id)));
    refused = holds.refused;
    if (doomed.length === 0) return tell({ type: 'notice', text: refused[0]?.message ?? manageText.nothingLeft });
    context.ask(
      askDelete({
        names: doomed.map((target) => target.name),
        holds,
        isPinned: doomed.some((target) => target.pinned),
        spared,
        refused: refused.map((each) => each.message),
        notInView: doomed.filter((target) => !target.isInView).length,
        until: binUntil(run),
      }),
    );
  }

  function sayDeleted({ gone, refused, until, traces }: Deletion, which: string): string {
    const [first] = refused;
    const parts = [
      ...(gone.length === 0 ? [] : [manageText.gone(which, until)]),
      ...(spared === 0 ? [] : [manageText.pinnedSpared(spared)]),
      ...(first === undefined ? [] : [manageText.left(refused.length, first.message)]),
      ...(traces === undefined ? [] : [traces]),
    ];
    const said = parts.join(' · ');
    return gone.length === 0 || until === undefined ? said : withUndo(said);
  }

  async function restored({ gone }: Deletion, which: string): Promise<string> {
    const { retitled, refused } = await restoreSessions(context, gone);
    const [clash] = retitled;
    const [first] = refused;
    return [
      ...(gone.length > refused.length ? [manageText.undone.deleted(which)] : []),
      ...(clash === undefined ? [] : [manageText.undone.retitled(clash.from, clash.to)]),
      ...(first === undefined ? [] : [manageText.left(refused.length, first.message)]),
    ].join(' · ');
  }

  /** One after the other, each by the command the shell has. */
  async function exportAll(targets: readonly Target[], format: ExportFormat, place: string): Promise<void> {
    tell({ type: 'notice', text: manageText.exporting(namesOf(targets)) });
    const { cwd } = desk.current().seat.workspace();
    const outcome = await exportSessions(run, { ids: targets.map((target) => target.id), format, place, cwd });
    if ('failed' in outcome) {
      const { done, failed } = outcome;
      const text = done === 0 ? manageText.exportFailed(failed) : manageText.exportedSome(done, targets.length, failed);
      return tell({ type: 'notice', text });
    }
    tell({ type: 'unmark' });
    tell({ type: 'notice', text: manageText.exported(namesOf(targets), outcome.path) });
  }

  /** Who has the title is named, and the next free one of its kind offered. */
  async function refuseTitle(id: SessionId, title: string, error: HermesError): Promise<void> {
    const refuse = (message: string, next?: string): void =>
      loop().dispatch({
        type: 'to',
        name: 'dialog',
        action: {
          type: 'refused',
          message,
          ...(next === undefined ? {} : { offer: { id: 'save', label: manageText.useTitle(next), fills: next } }),
        },
      });
    const clash = await store.read.titleClash(title, id);
    if (clash === undefined) return refuse(error.message);
    refuse(manageText.titleTaken(clash.title, clash.holder), clash.next);
  }
}
