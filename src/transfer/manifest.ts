import { appendLines } from './target.ts';

/** One exported file (state-db.md 6.2). */
export interface ManifestEntry {
  readonly sessionId: string;
  /** Root to tip. */
  readonly lineageIds: readonly string[];
  readonly path: string;
  readonly format: string;
  readonly messages: number;
  /** Of the bytes of the file, hex. */
  readonly sha256: string;
  /** Milliseconds since the epoch. */
  readonly exportedAt: number;
}

/** Adds lines to the `manifest.jsonl` of a directory, keys sorted. @throws HermesError as `appendLines` */
export async function appendManifest(path: string, entries: readonly ManifestEntry[]): Promise<void> {
  const lines = entries.map((entry) =>
    JSON.stringify({
      exported_at: entry.exportedAt / 1000,
      format: entry.format,
      lineage_session_ids: entry.lineageIds,
      message_count: entry.messages,
      path: entry.path,
      session_id: entry.sessionId,
      sha256: entry.sha256,
    }),
  );
  if (lines.length > 0) await appendLines(path, `${lines.join('\n')}\n`);
}
