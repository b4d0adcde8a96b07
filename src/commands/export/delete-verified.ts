import { HermesError } from '../../errors.ts';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../../store/connection.ts';
import { companyOf, sessionDigest, type Company } from '../../store/reads/export.ts';
import { exportText as text } from '../../text/en/export.ts';
import { binText } from '../../text/en/bin.ts';
import { verifyMarkdown } from '../../transfer/verify.ts';
import type { ShellContext } from '../context.ts';
import { liveHolders } from '../live-holders.ts';
import { chooseRemoval } from '../removal.ts';
import { writeStore } from '../write-store.ts';
import type { WrittenFile } from './write.ts';

/** What a deletion would take, as it was when it was exported. */
export interface Noted {
  readonly id: SessionId;
  readonly company: Company;
  /** By session; over every stored cell. */
  readonly digests: ReadonlyMap<SessionId, string>;
}

export function noteWhatIsThere(connection: Connection, id: SessionId): Noted {
  const company = companyOf(connection, id);
  const ids = [...company.segments, ...company.delegates];
  return { id: company.segments.at(-1) ?? id, company, digests: new Map(ids.map((each) => [each, sessionDigest(connection, each)])) };
}

/**
 * Moves what was exported to the bin, if it is what was exported: in the transaction that deletes, the files are read again, and the sessions
 * and who hangs on them are compared with what stood there then. Any difference refuses.
 *
 * @throws HermesError `changed`, `active`; StoreError
 */
export async function deleteVerified(context: ShellContext, noted: Noted, files: readonly WrittenFile[]): Promise<void> {
  const removal = chooseRemoval(context, { isForever: false });
  await writeStore(context, (connection) => {
    demandSame(connection, noted);
    for (const file of files) demandFile(file);
    const { refused } = removal.remove(connection, { ids: [noted.id], held: liveHolders(context) });
    // Thrown, it undoes what was deleted; a copy in the bin goes with the next write to it.
    if (refused[0] !== undefined) throw new HermesError('active', refused[0].message);
  });
  context.out.write(`${[text.verified(files.length), binText.deleted(noted.id), removal.where].join('\n')}\n`);
  removal.finish();
}

function demandSame(connection: Connection, { id, company, digests }: Noted): void {
  const now = companyOf(connection, id);
  if (!isSameSet(now.segments, company.segments) || !isSameSet(now.delegates, company.delegates)) {
    throw new HermesError('changed', text.changedCompany(id));
  }
  for (const [each, digest] of digests) {
    if (sessionDigest(connection, each) !== digest) throw new HermesError('changed', text.changedSession(each));
  }
}

function demandFile({ path, sha256 }: WrittenFile): void {
  const found = verifyMarkdown(path);
  if (found?.isSound !== true || found.sha256 !== sha256) throw new HermesError('changed', text.changedFile(path));
}

function isSameSet(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && new Set([...one, ...other]).size === one.length;
}
