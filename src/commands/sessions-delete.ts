import { HermesError } from '../errors.ts';
import { previewDeletion } from '../store/bin/preview.ts';
import type { BinEntry, Refusal } from '../store/bin/types.ts';
import { drawable } from '../terminal/width.ts';
import { binText as text } from '../text/en/bin.ts';
import { printable } from '../text/printable.ts';
import { confirm } from './ask.ts';
import type { ShellContext } from './context.ts';
import { findSession, unknownSession } from './find-session.ts';
import { liveHolders } from './live-holders.ts';
import type { Flags } from './parse.ts';
import { readStore } from './read-store.ts';
import { chooseRemoval } from './removal.ts';
import { nameOf } from './session-name.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions delete ID… [--yes] [--forever]`: the whole conversation of each id with its sub-agents' sessions, to the bin or, with
 * `--forever` and where the bin keeps nothing (`trash_days: 0`), for good. One that is open or at work is refused by name.
 *
 * @returns the exit code: 1 when one of them was refused
 * @throws NotFoundError, AmbiguousIdError, StoreError; HermesError `active` when nothing could be deleted
 */
export async function deleteSessions(context: ShellContext, args: readonly string[], flags: Flags): Promise<number> {
  const held = liveHolders(context);
  const plan = readStore(context, (connection) => {
    const ids = args.map((name) => findSession(connection, name).id);
    return { ids, ...previewDeletion(connection, { ids, held }) };
  });
  if (plan === undefined) throw unknownSession(args[0] ?? '');
  if (plan.going.length === 0) throw refusal(plan.refused);
  for (const { message } of plan.refused) context.err.write(`${printable(message)}\n`);

  const removal = chooseRemoval(context, { isForever: flags['forever'] === true });
  if (flags['yes'] !== true && !(await confirm(context, question(plan.going, removal.until)))) return 0;

  // What was named is what goes, not what else the same request would fit by now.
  const going = plan.going.map(({ id }) => id);
  // Who has them open is asked under the lock: somebody may have opened one while it was waited for.
  const { moved, refused } = await writeStore(context, (connection) =>
    removal.remove(connection, { ids: going, held: liveHolders(context) }),
  );
  if (moved.length === 0) throw refusal(refused);
  const lines = [...moved.map(({ id }) => text.deleted(drawable(id))), removal.where];
  context.out.write(`${lines.join('\n')}\n`);
  for (const { message } of refused) context.err.write(`${printable(message)}\n`);
  removal.finish();
  return plan.refused.length + refused.length > 0 ? 1 : 0;
}

const refusal = (refused: readonly Refusal[]): HermesError => new HermesError('active', refused.map(({ message }) => message).join('\n'));

/** Names what goes: title, segments, sub-agents, the pin, and where it goes. */
function question(going: readonly BinEntry[], until: string | undefined): string {
  const [first, ...others] = going;
  if (first !== undefined && others.length === 0) {
    return text.deleteOne(nameOf(first), first.pinned, alongOf(first), text.fate(1, until));
  }
  const rows = going.map((entry) => text.row(nameOf(entry), entry.pinned, entry.messages, alongOf(entry)));
  return [...rows, `${text.deleteMany(going.length)} ${text.fate(going.length, until)}`].join('\n');
}

const alongOf = (entry: BinEntry): string => text.along(entry.ids.length, entry.delegates.length);
