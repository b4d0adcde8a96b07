import { HermesError, NotFoundError } from '../errors.ts';
import { sanitizeTitle } from '../session/title.ts';
import type { BinEntry } from '../store/bin/types.ts';
import { binText as text } from '../text/en/bin.ts';

/**
 * The entry of the bin that a name means: the id of any of its sessions, else its title, else a unique beginning of an id.
 * @throws NotFoundError, HermesError `ambiguous-id`
 */
export function findInBin(entries: readonly BinEntry[], name: string): BinEntry {
  const plain = (title: string | undefined): string | undefined => title?.normalize('NFC').toLowerCase();
  const titled = plain(sanitizeTitle(name));
  const ways: ((entry: BinEntry) => boolean)[] = [
    (entry) => entry.ids.includes(name) || entry.delegates.includes(name),
    (entry) => titled !== undefined && plain(entry.title) === titled,
    (entry) => name !== '' && entry.ids.some((id) => id.startsWith(name)),
  ];
  for (const fits of ways) {
    const found = entries.filter(fits);
    if (found.length > 1) {
      const message = text.severalMatch(
        name,
        found.map(({ id }) => id),
      );
      throw new HermesError('ambiguous-id', message, { hint: text.severalHint });
    }
    if (found[0] !== undefined) return found[0];
  }
  throw new NotFoundError(text.noneMatches(name), text.seeBin);
}
