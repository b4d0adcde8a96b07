/** What can be taken back, newest last. */
export interface Undoable {
  /** What would be undone, as the menu could say it. */
  readonly what: string;
  /** Takes it back. @returns what is said then. @throws StoreError: it can't be any more */
  undo(): Promise<string>;
}

/** Actions that are remembered; a person does not take back more than the last few. */
const depth = 20;

/** The last actions of the list of sessions; one for each run, like the list. */
export interface UndoStack {
  push(done: Undoable): void;
  /** What the next undo is for. */
  next(): string | undefined;
  take(): Undoable | undefined;
}

export function createUndoStack(): UndoStack {
  const done: Undoable[] = [];
  return {
    push(action) {
      done.push(action);
      if (done.length > depth) done.shift();
    },
    next: () => done.at(-1)?.what,
    take: () => done.pop(),
  };
}
