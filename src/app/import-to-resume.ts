import { createInterface } from 'node:readline';
import type { ShellContext } from '../commands/context.ts';
import { chooseLog } from '../commands/import/choose-log.ts';
import { damageText, importLog, outcomeText, type LogImport } from '../commands/import/import-log.ts';
import { toolAfterAt } from '../commands/import/origins.ts';
import { openWriter } from '../commands/write-store.ts';
import { HermesError } from '../errors.ts';
import type { ForeignTool } from '../session/foreign.ts';
import type { SessionId } from '../session/types.ts';
import { importText as text } from '../text/en/import.ts';
import { printable } from '../text/printable.ts';
import { readLog } from '../transfer/import/read-log.ts';
import type { Run } from './run.ts';

/**
 * `--resume @claude`, `@codex` and the other agents (state-db.md 3): one of their newest logs is chosen and imported, before anything else starts.
 *
 * @returns what is to be resumed: the id of the copy, or the word itself where it means no agent; undefined when nothing was chosen
 * @throws HermesError `not-a-tty` (exit code 1), NotFoundError, StoreError
 */
export async function importToResume(run: Run, word: string): Promise<SessionId | undefined> {
  const tool = toolAfterAt(word);
  if (tool === undefined) return word;
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
    throw new HermesError('not-a-tty', text.needsTerminal, { hint: text.resumeNeedsTerminalHint });
  }
  const context = contextOf(run);
  const chosen = await chooseLog(context, [tool]);
  if (chosen === undefined) {
    context.out.write(`${text.noneChosen}\n`);
    return undefined;
  }
  const done = await importOne(context, tool, chosen.path);
  const damage = damageText(done.session.broken);
  if (damage !== undefined) context.err.write(`${damage}\n`);
  if (!('id' in done.outcome)) throw new HermesError('nothing-said', printable(outcomeText(done)));
  for (const line of resumeLines(done, done.outcome.id)) context.out.write(`${line}\n`);
  return done.outcome.id;
}

function resumeLines(done: LogImport, id: SessionId): string[] {
  if (done.outcome.kind === 'imported') return [text.resuming(id), text.later(id)];
  const more = done.outcome.kind === 'same' ? [] : [outcomeText(done)];
  return [...more, text.resumingCopy(id), text.later(id)];
}

async function importOne(context: ShellContext, tool: ForeignTool, path: string): Promise<LogImport> {
  const writer = await openWriter(context);
  try {
    return await importLog(writer, readLog(tool, { path }, [context.cwd]));
  } finally {
    writer.close();
  }
}

/** As a shell command would see this process, but that Ctrl+C ends it, and that the terminal's input is left to the screen afterwards. */
function contextOf(run: Run): ShellContext {
  return {
    out: process.stdout,
    err: process.stderr,
    home: run.home,
    cwd: run.startedIn,
    userHome: run.userHome,
    env: run.env,
    loaded: run.loaded(),
    signal: new AbortController().signal,
    readLine: readOneLine,
    now: run.now,
  };
}

function readOneLine(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('close', () => resolve(undefined));
  });
}
