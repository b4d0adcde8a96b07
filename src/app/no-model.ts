import { HermesError } from '../errors.ts';
import { findLocalServers, type LocalServer } from '../agent/local-servers.ts';
import { truncateEnd } from '../terminal/width.ts';
import { appText } from '../text/en/app.ts';
import type { SessionStore } from './recorder.ts';

/** Cells of a quoted piece: one line on 80 columns. */
const snippetWidth = 70;

export interface HelpWithoutModel {
  readonly servers: readonly LocalServer[];
  /** The best matches of past conversations for the words that could not be sent; ready to be shown, heading first; empty: none. */
  readonly matches: readonly string[];
}

/** No model is set up: what runs on this machine, and what past conversations say to the words (one bounded query). `resumeCommand` opens one of them. */
export async function findHelpWithoutModel(store: SessionStore, text: string, resumeCommand = '/resume'): Promise<HelpWithoutModel> {
  const [servers, found] = await Promise.all([findLocalServers(), store.read.matchMessages(text, 3).catch(withoutStore)]);
  const lines = found.flatMap(({ row, snippet }) => [
    row.title ?? row.preview ?? row.id,
    `  ${truncateEnd(snippet.replace(/\s+/gu, ' '), snippetWidth)}`,
    `  ${resumeCommand} ${row.id}`,
  ]);
  return { servers, matches: lines.length === 0 ? [] : [appText.noModelMatches, ...lines] };
}

/** A fresh machine has no past conversations. */
export function withoutStore(error: unknown): [] {
  if (error instanceof HermesError) return [];
  throw error;
}
