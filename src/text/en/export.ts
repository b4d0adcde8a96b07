import { counted } from '../counted.ts';

/** Sentences of `hermes sessions export`. Those marked are fixed: other programs and scripts read them (state-db.md 6). */
export const exportText = {
  // ── what was done
  /** Fixed. */
  exported: (count: number, path: string) => `Exported ${count} session(s) to ${path}`,
  exportedPrompts: (prompts: number, sessions: number, path: string) =>
    `Exported ${prompts} prompt(s) of ${sessions} session(s) to ${path}`,
  uploaded: (url: string) => `Uploaded to ${url}`,
  nothingMatches: (filters: string) => `No sessions match (${filters}).`,
  nothingStored: 'No sessions to export.',
  wouldExport: (count: number) => `Would export ${count} session(s):`,
  gone: (count: number) => `${count} session(s) were deleted meanwhile and are not among them.`,
  progress: 'exporting',
  stopped: 'Stopped; no file was left behind half written.',

  // ── redaction
  wouldStrike: (count: number) => `Would strike ${count} secret(s):`,
  nothingToStrike: 'Nothing to strike was found.',
  struck: (session: string, place: string, family: string, masked: string) => `  ${session}  ${place}  ${family}  ${masked}`,

  // ── what does not go together
  /** Fixed. */
  jsonlNeedsPath: 'JSONL export requires an output path (use - for stdout).',
  htmlNeedsPath: 'HTML export requires the path of a file.',
  noStdout: (format: string) => `${format} export writes one file a session into a directory; it can't go to stdout.`,
  bareBulk: (format: string) => `Refusing to export every session as ${format}: give at least one filter, or --session-id.`,
  bareBulkHint: 'A backup of everything is `hermes sessions export backup.jsonl`.',
  unknownFormat: (format: string) => `'${format}' is no format.`,
  formats: 'One of: jsonl, md, qmd, html, trace.',
  unknownOnly: (what: string) => `'${what}' is nothing --only knows.`,
  onlyChoices: 'It knows: user-prompts.',
  onlyFormats: '--only user-prompts is written as jsonl or md.',
  unknownLineage: (what: string) => `'${what}' is no lineage mode.`,
  lineageChoices: 'One of: single, logical.',
  onlyTraceUploads: '--upload goes with --format trace.',
  uploadNeedsOne: '--upload sends one session: give --session-id, or neither an output nor filters.',
  publicNeedsUpload: '--public goes with --upload.',
  filtersAndId: '--session-id names one session; filters go without it.',
  deleteNeeds: '--delete-after-verified needs --session-id and --yes, and --format md or qmd.',
  forceNeedsFile: '--force replaces files, and none is written here.',
  redactAndNot: '--redact and --no-redact contradict each other.',

  // ── files
  /** Fixed in its beginning and end. */
  exists: (path: string) => `Export already exists: ${path}. Pass --force to overwrite it.`,
  notAFile: (path: string) => `${path} is no ordinary file; it is not overwritten.`,
  stdoutHint: 'Standard output is `-`.',
  notAFolder: (path: string) => `${path} is no directory.`,
  isLink: (path: string) => `${path} is a symbolic link; it is not followed.`,
  noRoom: (path: string) => `No room left on the disk of ${path}.`,
  noPermission: (path: string) => `No permission to write ${path}.`,
  noFolder: (path: string) => `The directory of ${path} is gone.`,
  nameTooLong: (path: string) => `The name of ${path} is too long for its disk.`,
  failed: (path: string, code: string) => `${path} could not be written (${code}).`,
  nothingLeft: 'Nothing was left behind half written.',
  writtenBefore: (count: number) =>
    `${counted(count, 'file')} ${count === 1 ? 'was' : 'were'} written before it; --force writes ${count === 1 ? 'it' : 'them'} anew, with the rest.`,

  // ── questions
  askPublic: (dataset: string) => `Upload to the PUBLIC dataset ${dataset}, where anybody can read it?`,

  // ── deleting what was exported
  verified: (count: number) => `Verified ${count} file(s).`,
  changedSession: (id: string) => `Session '${id}' was changed while it was exported; nothing was deleted.`,
  changedCompany: (id: string) => `Sub-agents or segments of session '${id}' changed while it was exported; nothing was deleted.`,
  changedFile: (path: string) => `${path} is not what was written; nothing was deleted.`,

  // ── Markdown
  untitled: 'Untitled session',
  unknownTime: 'unknown time',
  /** Fixed. */
  noMessages: '_No messages in this session._',
  noPrompts: '_No prompts in this session._',
} as const;
