/** An entry of a log whose entries name their parents. */
export interface Entry {
  readonly parent: string | undefined;
  /** A person's words: where a conversation was taken back and said anew, it forks at one of these. */
  readonly isPrompt: boolean;
}

/**
 * The entries that were taken back: a person's prompts that don't lead to the last entry, and all that hangs below them. Other side lines stay
 * (results of tools that ran side by side form them too). Where the way to the root ends early, because a parent is missing or parents go
 * round in a circle, everything before that place stands: nothing is dropped that can't be seen to be taken back.
 *
 * @param entries by id, in the order of the log
 * @param last id of the last entry of the conversation
 */
export function takenBack(entries: ReadonlyMap<string, Entry>, last: string | undefined): ReadonlySet<string> {
  const way = new Set<string>();
  let end: string | undefined;
  for (let id = last; id !== undefined && !way.has(id); id = entries.get(id)?.parent) {
    if (!entries.has(id)) break;
    way.add(id);
    end = id;
  }
  const dropped = new Set<string>();
  let isBeforeEnd = true;
  for (const [id, entry] of entries) {
    if (id === end) isBeforeEnd = false;
    if (isBeforeEnd || way.has(id)) continue;
    if (entry.isPrompt || (entry.parent !== undefined && dropped.has(entry.parent))) dropped.add(id);
  }
  return dropped;
}
