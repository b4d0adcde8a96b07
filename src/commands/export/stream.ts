import { setImmediate } from 'node:timers/promises';
import type { SessionId } from '../../session/types.ts';
import type { Connection } from '../../store/connection.ts';
import type { Snapshot } from '../../store/reads/export.ts';
import type { Struck } from '../../transfer/redact/session.ts';
import type { TransferSession } from '../../transfer/types.ts';
import { exportText as text } from '../../text/en/export.ts';
import { throwIfStopped } from '../ask.ts';
import type { ShellContext } from '../context.ts';
import type { Progress } from '../progress.ts';
import { readableSession, transferSession, type Pause, type Span } from './source.ts';

export interface Stream {
  readonly context: ShellContext;
  readonly connection: Connection;
  readonly snapshot: Snapshot;
  readonly span: Span;
  readonly progress: Progress;
  /** Makes what may leave the machine of a session; absent where everything may. */
  redact?: (session: TransferSession) => Promise<TransferSession>;
  /** Sessions that were deleted since they were chosen. */
  gone: number;
}

/** Signals and what was written reach the process between two turns of its loop: at least this often, milliseconds. */
const breathMs = 50;

/** The sessions one after the other, redacted where that is wanted. @throws HermesError `interrupted` between two batches after Ctrl+C */
export async function* sessionsOf(stream: Stream, ids: readonly SessionId[]): AsyncGenerator<TransferSession> {
  const breathe = breather(stream.context);
  let done = 0;
  for (const id of ids) {
    stream.snapshot.renew();
    const session = transferSession(stream.connection, id, stream.span, breathe);
    if (session === undefined) stream.gone += 1;
    else yield stream.redact === undefined ? session : await stream.redact(readableSession(session));
    stream.progress.step((done += 1));
    await breathe();
  }
}

function breather({ signal }: ShellContext): Pause {
  let last = performance.now();
  return () => {
    throwIfStopped(signal, text.stopped);
    if (performance.now() - last < breathMs) return undefined;
    return setImmediate().then(() => {
      last = performance.now();
      throwIfStopped(signal, text.stopped);
    });
  };
}

/** @param report called for each secret, as the session is read */
export async function loadRedaction(report?: (struck: Struck) => void): Promise<(session: TransferSession) => Promise<TransferSession>> {
  const [{ createRedactor }, { redactedSession }] = await Promise.all([
    import('../../transfer/redact/redactor.ts'),
    import('../../transfer/redact/session.ts'),
  ]);
  const redactor = createRedactor();
  return (session) => redactedSession(session, redactor, report);
}
