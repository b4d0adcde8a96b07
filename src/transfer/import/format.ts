import { statSync } from 'node:fs';
import type { ForeignSession, ForeignTool } from '../../session/foreign.ts';
import { importText as text } from '../../text/en/import.ts';
import { noteDamage, type Damage } from './broken.ts';
import type { LogFile } from './lines.ts';
import { mergeTurns, type Piece } from './turns.ts';

/** What the first reading of a log finds out. */
export interface LogFacts {
  readonly foreignId: string;
  readonly cwd?: string | undefined;
  readonly gitBranch?: string | undefined;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly startedAt?: number | undefined;
  readonly isDelegate?: boolean | undefined;
  /** What was said, in order; may be asked for again, and reads the file again. */
  pieces(): Iterable<Piece>;
}

/** A session is resumed in its directory: a name that no system could open, or that means another place from here, is none. */
const isDirectoryName = (name: string): boolean => /^(?:\/|[A-Za-z]:\\)[^\u0000-\u001f]{0,4095}$/.test(name);

/** Makes a session of what a format knows about its log. @throws HermesError `import-unreadable` */
export function openLog(tool: ForeignTool, file: LogFile, look: (file: LogFile, damage: Damage) => LogFacts): ForeignSession {
  const damage = noteDamage();
  const { path } = file;
  const { pieces, startedAt, isDelegate, cwd, ...others } = look(file, damage);
  const facts = { ...others, cwd: cwd !== undefined && isDirectoryName(cwd) ? cwd : undefined };
  const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as Pick<LogFacts, 'foreignId'>;
  const start = startedAt ?? statSync(path).mtimeMs;
  return {
    tool,
    path,
    ...known,
    startedAt: start,
    isDelegate: isDelegate === true,
    broken: damage,
    turns: () => mergeTurns(pieces(), { stub: text.stub(text.tools[tool]), start }),
  };
}
