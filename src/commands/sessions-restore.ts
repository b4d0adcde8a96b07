import { HermesError } from '../errors.ts';
import { binEntries } from '../store/bin/entries.ts';
import { restoreFromBin } from '../store/bin/index.ts';
import { drawable } from '../terminal/width.ts';
import { binText as text } from '../text/en/bin.ts';
import { printable } from '../text/printable.ts';
import type { ShellContext } from './context.ts';
import { findInBin } from './find-in-bin.ts';
import { readStore } from './read-store.ts';
import { nameOf } from './session-name.ts';
import { writeStore } from './write-store.ts';

/**
 * `hermes sessions restore ID…`: out of the bin, by ids, unique beginnings of ids, or titles.
 *
 * @returns the exit code: 1 when one of them could not come back
 * @throws NotFoundError, HermesError `ambiguous-id`, `refused`; StoreError
 */
export async function restoreSessions(context: ShellContext, args: readonly string[]): Promise<number> {
  const entries = readStore(context, binEntries) ?? [];
  const ids = [...new Set(args.map((name) => findInBin(entries, name).id))];
  const { restored, refused, retitled } = await writeStore(context, (connection) => restoreFromBin(connection, ids));
  const lines = restored.flatMap((entry) => [
    text.restored(nameOf(entry)),
    ...retitled
      .filter(({ id }) => entry.ids.includes(id) || entry.delegates.includes(id))
      .map(({ from, to }) => text.retitled(drawable(from), drawable(to))),
  ]);
  if (lines.length > 0) context.out.write(`${lines.join('\n')}\n`);
  if (refused.length === 0) return 0;
  const messages = refused.map(({ message }) => message);
  if (restored.length === 0) throw new HermesError('refused', messages.join('\n'));
  context.err.write(`${messages.map(printable).join('\n')}\n`);
  return 1;
}
