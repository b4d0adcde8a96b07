import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportText as text } from '../../text/en/export.ts';
import { openTarget } from '../../transfer/target.ts';
import { writeTrace } from '../../transfer/trace.ts';
import type { TransferSession } from '../../transfer/types.ts';
import { confirm } from '../ask.ts';
import type { ShellContext } from '../context.ts';
import type { ExportRequest } from './request.ts';

/**
 * `--upload`: one trace, to the Hub. It is written to a file of our own first, so that one of any size is sent.
 * @returns the exit code
 * @throws UploadError, HermesError
 */
export async function uploadExport(
  context: ShellContext,
  request: ExportRequest,
  sessions: AsyncIterable<TransferSession>,
  id: string,
): Promise<number> {
  const [{ findHubAccess }, { uploadTrace }] = await Promise.all([
    import('../../transfer/hub-access.ts'),
    import('../../transfer/upload.ts'),
  ]);
  // Without a token nothing is read and nothing asked.
  const access = findHubAccess(context.env, context.loaded.env);
  if (request.isPublic && !request.isSure && !(await confirm(context, text.askPublic('hermes-traces')))) return 0;
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-trace-'));
  try {
    const target = await openTarget(path.join(folder, 'trace.jsonl'), { force: false });
    try {
      for await (const session of sessions) await writeTrace(session, target, context.now());
      await target.commit();
    } finally {
      await target.discard();
    }
    const uploaded = await uploadTrace({
      access,
      sessionId: id,
      content: { path: target.path },
      isPublic: request.isPublic,
      signal: context.signal,
    });
    context.out.write(`${text.uploaded(uploaded.url)}\n`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
