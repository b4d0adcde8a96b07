import { HermesError } from './errors.ts';
import { countFlag, parseArguments, type Flags } from './commands/parse.ts';
import { tolerateClosedPipe } from './commands/context.ts';
import { shellText } from './text/en/shell.ts';
import { printable } from './text/printable.ts';
import type { Run } from './app/run.ts';

type FirstFrame = typeof import('./app/first-frame.ts');

const workers = {
  reader: new URL('./store-reader.js', import.meta.url),
  writer: new URL('./store-writer.js', import.meta.url),
};

/** Runs the command line. @returns the exit code */
async function run(argv: readonly string[]): Promise<number> {
  const { findOtherHermes } = await lazyOther(argv);
  const parsed = parseArguments(argv, findOtherHermes);
  if (parsed.kind === 'version') {
    const { version } = await import('./text/version.ts');
    process.stdout.write(`hermes ${version}\n`);
    return 0;
  }
  if (parsed.kind === 'help') {
    const { renderHelp } = await import('./commands/help.ts');
    process.stdout.write(renderHelp(parsed.topic, process.stdout.columns ?? 80));
    return 0;
  }
  const firstFrame = await import('./app/first-frame.ts');
  const started = await firstFrame.startRun(parsed.flags, workers);
  if (parsed.id === 'shell.chat') return chat(firstFrame, started, parsed.flags);
  if (parsed.id === 'shell.sessions-browse') {
    const { source } = parsed.flags;
    const limit = countFlag(parsed.flags, 'limit');
    const only = { ...(typeof source === 'string' ? { source } : {}), ...(limit === undefined ? {} : { limit }) };
    return firstFrame.runTui(started, { kind: 'browse', ...only }, exit);
  }
  const { shellCommands } = await import('./commands/shell-commands.ts');
  const { makeShellContext } = await import('./commands/shell-context.ts');
  return shellCommands[parsed.id](makeShellContext(started), parsed.args, parsed.flags);
}

/** Which front end: one answer on stdout, the line mode, or the full screen (product.md 1). */
async function chat(firstFrame: FirstFrame, started: Run, given: Flags): Promise<number> {
  const flags = await withImported(started, given);
  if (flags === undefined) return 1;
  const front = firstFrame.chooseFront(started, flags, {
    isInputTerminal: process.stdin.isTTY === true,
    isOutputTerminal: process.stdout.isTTY === true,
  });
  switch (front.kind) {
    case 'once': {
      const { answerOnce } = await import('./app/once.ts');
      return answerOnce(started, front);
    }
    case 'line': {
      const { runLineMode } = await import('./app/line-mode.ts');
      return runLineMode(started, front.request);
    }
    case 'screen':
      return firstFrame.runTui(started, { kind: 'chat', request: front.request }, exit);
  }
}

/** `--resume @claude` imports one of that agent's logs first; undefined when none was chosen. */
async function withImported(started: Run, flags: Flags): Promise<Flags | undefined> {
  const { resume } = flags;
  if (typeof resume !== 'string' || !resume.startsWith('@')) return flags;
  const { importToResume } = await import('./app/import-to-resume.ts');
  const id = await importToResume(started, resume);
  return id === undefined ? undefined : { ...flags, resume: id };
}

/** Another `hermes` on PATH is looked for only when a subcommand is unknown; then synchronously, so the module must be there. */
async function lazyOther(argv: readonly string[]): Promise<{ findOtherHermes: () => string | undefined }> {
  if (argv.length === 0 || argv[0]!.startsWith('-')) return { findOtherHermes: () => undefined };
  const { findOtherHermes } = await import('./commands/other-hermes.ts');
  const { processEnvironment } = await import('./config/environment.ts');
  return { findOtherHermes: () => findOtherHermes(processEnvironment()['PATH'], process.argv[1])[0] };
}

/** The one printer of errors: what happened, what to try, never a stack trace. */
function print(error: unknown): number {
  if (!(error instanceof HermesError)) {
    const { name, message } = error as Error;
    process.stderr.write(printable(`hermes: ${name}: ${message}\n`));
    return 1;
  }
  process.stderr.write(printable(`hermes: ${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`));
  return error.exitCode;
}

function exit(code: number): never {
  process.exit(code);
}

/**
 * What was printed got nowhere. A screen has a handler that gives the terminal back; without one it is said where there is a place to say it,
 * and the run is over.
 */
function failWriting(stream: NodeJS.WritableStream, error: NodeJS.ErrnoException): void {
  if (process.listenerCount('uncaughtException') > 0) throw error;
  if (stream === process.stderr) exit(1);
  exit(print(new HermesError('output-failed', shellText.outputFailed(error.code), { cause: error })));
}

for (const stream of [process.stdout, process.stderr]) tolerateClosedPipe(stream, (error) => failWriting(stream, error));
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = print(error);
}
