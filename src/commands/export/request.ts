import { statSync } from 'node:fs';
import path from 'node:path';
import { UsageError } from '../../errors.ts';
import { exportText as text } from '../../text/en/export.ts';
import type { ShellContext } from '../context.ts';
import { readFilters, type Filters } from '../filters.ts';
import type { Flags } from '../parse.ts';
import type { Span } from './source.ts';

export type Format = 'jsonl' | 'md' | 'qmd' | 'html' | 'trace' | 'prompts';

/** Where the export goes. */
export type Destination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  /** A file of a default name in it. */
  | { readonly kind: 'in-folder'; readonly folder: string }
  /** A file for each session. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'upload' };

export interface ExportRequest {
  readonly format: Format;
  /** Of `prompts` alone. */
  readonly promptsAs: 'jsonl' | 'md';
  readonly destination: Destination;
  readonly filters: Filters;
  /** As typed: an id or its unique beginning. */
  readonly sessionId: string | undefined;
  readonly span: Span;
  readonly isRedacted: boolean;
  readonly isDryRun: boolean;
  readonly isForced: boolean;
  /** No question is asked. */
  readonly isSure: boolean;
  readonly isPublic: boolean;
  readonly deletesVerified: boolean;
}

const formats = ['jsonl', 'md', 'qmd', 'html', 'trace'] as const;

/**
 * What `hermes sessions export …` was asked for; what does not go together is refused here (state-db.md 6).
 * @throws UsageError; HermesError as `readFilters`
 */
export function readExportRequest(context: ShellContext, args: readonly string[], flags: Flags): ExportRequest {
  const has = (name: string): boolean => flags[name] === true;
  const value = (name: string): string | undefined => (typeof flags[name] === 'string' ? flags[name] : undefined);
  const named = value('format') ?? 'jsonl';
  const only = value('only');
  if (!isFormat(named)) throw new UsageError(text.unknownFormat(named), text.formats);
  if (only !== undefined && only !== 'user-prompts') throw new UsageError(text.unknownOnly(only), text.onlyChoices);
  if (only !== undefined && named !== 'jsonl' && named !== 'md') throw new UsageError(text.onlyFormats);
  const format: Format = only === undefined ? named : 'prompts';
  const span = value('lineage') ?? (format === 'html' ? 'logical' : 'single');
  if (span !== 'single' && span !== 'logical') throw new UsageError(text.unknownLineage(span), text.lineageChoices);

  const filters = readFilters(flags, context);
  const sessionId = value('session-id');
  if (sessionId !== undefined && !filters.isEmpty) throw new UsageError(text.filtersAndId);
  if (has('redact') && has('no-redact')) throw new UsageError(text.redactAndNot);
  const isUpload = has('upload');
  if (isUpload && format !== 'trace') throw new UsageError(text.onlyTraceUploads);
  if (has('public') && !isUpload) throw new UsageError(text.publicNeedsUpload);
  if (isUpload && (!filters.isEmpty || args[0] !== undefined)) throw new UsageError(text.uploadNeedsOne);
  const isDocument = format === 'md' || format === 'qmd';
  const deletesVerified = has('delete-after-verified');
  if (deletesVerified && !(isDocument && sessionId !== undefined && has('yes'))) throw new UsageError(text.deleteNeeds);
  if (isDocument && sessionId === undefined && filters.isEmpty) throw new UsageError(text.bareBulk(format), text.bareBulkHint);

  const isDryRun = has('dry-run');
  const destination = isUpload
    ? ({ kind: 'upload' } as const)
    : readDestination(context, args[0], { format, isBulk: sessionId === undefined && !filters.isEmpty, isDryRun });
  if (has('force') && !isDryRun && (destination.kind === 'upload' || destination.kind === 'stdout'))
    throw new UsageError(text.forceNeedsFile);
  return {
    format,
    promptsAs: named === 'md' ? 'md' : 'jsonl',
    destination,
    filters,
    sessionId,
    span,
    isRedacted: has('redact') || (format === 'trace' && !has('no-redact')),
    isDryRun,
    isForced: has('force'),
    isSure: has('yes'),
    isPublic: has('public'),
    deletesVerified,
  };
}

interface Wanted {
  readonly format: Format;
  /** Filters were given: several sessions may be meant. */
  readonly isBulk: boolean;
  readonly isDryRun: boolean;
}

function readDestination(context: ShellContext, output: string | undefined, { format, isBulk, isDryRun }: Wanted): Destination {
  const typed = output === undefined || output === '-' ? undefined : expand(output, context);
  const isFolder = typed !== undefined && (/[/\\]$/.test(output ?? '') || isDirectory(typed));
  if (format === 'md' || format === 'qmd' || (format === 'trace' && isBulk)) {
    if (output === '-') throw new UsageError(text.noStdout(format === 'trace' ? 'Bulk trace' : 'Markdown'));
    return { kind: 'folder', folder: typed ?? path.join(context.home.path, 'session-exports') };
  }
  if (format === 'html' && typed === undefined && !isDryRun) throw new UsageError(text.htmlNeedsPath);
  if (output === undefined && format !== 'trace' && !isDryRun) throw new UsageError(text.jsonlNeedsPath);
  if (typed === undefined) return { kind: 'stdout' };
  return isFolder ? { kind: 'in-folder', folder: typed } : { kind: 'file', path: typed };
}

function expand(typed: string, context: ShellContext): string {
  return path.resolve(
    context.cwd,
    typed.replace(/^~(?=\/|$)/, () => context.userHome),
  );
}

const isFormat = (name: string): name is (typeof formats)[number] => (formats as readonly string[]).includes(name);

/** What can't be asked (below a file, a name too long, a folder that is closed) is for whoever writes there to say. */
function isDirectory(target: string): boolean {
  try {
    return statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
