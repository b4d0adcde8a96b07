export interface InputQueueOptions {
  /** Lines of a pipe are done one after the other; those of a person need only the conversation to be open. */
  readonly isPiped: boolean;
  readonly receive: (text: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  /** Something is done, or failed. */
  readonly onSettled: () => void;
}

/** What is typed or piped in, and the work it starts. */
export interface InputQueue {
  /** The work that every line waits for. */
  openWith(opening: Promise<void>): void;
  push(text: string): void;
  /** Counts as under way until it is done. */
  track(work: Promise<void>): void;
  /** Commands and sends that are not done. */
  isUnderWay(): boolean;
  /** Resolves when the lines of a pipe are done; at once for a person's. */
  drained(): Promise<void>;
}

export function createInputQueue({ isPiped, receive, onFailure, onSettled }: InputQueueOptions): InputQueue {
  let underWay = 0;
  let before: Promise<void> = Promise.resolve();

  function track(work: Promise<void>): void {
    underWay += 1;
    void work.catch(onFailure).finally(() => {
      underWay -= 1;
      onSettled();
    });
  }

  return {
    openWith(opening) {
      before = opening;
      track(opening);
    },
    push(text) {
      const done = before.then(() => receive(text));
      if (isPiped) before = done;
      track(done);
    },
    track,
    isUnderWay: () => underWay > 0,
    drained: () => (isPiped ? before : Promise.resolve()),
  };
}
