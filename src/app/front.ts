import { UsageError } from '../errors.ts';
import type { Flags } from '../commands/parse.ts';
import { frontText } from '../text/en/front.ts';
import { shellText } from '../text/en/shell.ts';
import { isDumb } from '../terminal/capabilities.ts';
import type { StartRequest } from './choose-session.ts';
import type { Run } from './run.ts';

export type Front =
  | { kind: 'screen'; request: StartRequest }
  | { kind: 'line'; request: StartRequest }
  /** One answer on stdout. `prompt` is what was typed after -q; piped input is read and appended by the front end. */
  | { kind: 'once'; request: StartRequest; prompt: string | undefined; isPiped: boolean };

/**
 * Which front end runs (product.md 1): `-q` answers once; so does piped input without a terminal to talk to; `--cli`, `display.interface: cli`,
 * TERM=dumb and Emacs shells get the line mode; else the full screen.
 *
 * @throws UsageError when stdout is no terminal and there is nothing to ask
 */
export function chooseFront(run: Run, flags: Flags, streams: { isInputTerminal: boolean; isOutputTerminal: boolean }): Front {
  const typed = flags['query'] ?? flags['oneshot'];
  const prompt = typeof typed === 'string' ? typed : undefined;
  const at = readAt(flags);
  const request = (front: 'CLI' | 'TUI'): StartRequest => ({
    ...(flags['continue'] === undefined ? {} : { continue: flags['continue'] }),
    ...(typeof flags['resume'] === 'string' ? { resume: flags['resume'] } : {}),
    ...at,
    ...(typeof flags['in'] === 'string' ? { in: flags['in'] } : {}),
    restoreCwd: flags['no-restore-cwd'] !== true,
    createIfMissing: flags['create-if-missing'] === true,
    front,
  });
  if (prompt !== undefined && at.at !== undefined) throw new UsageError(shellText.notTogether('--at', '--query'), frontText.atHint);
  if (prompt !== undefined) return { kind: 'once', request: request('CLI'), prompt, isPiped: !streams.isInputTerminal };
  const wantsLine =
    flags['cli'] === true || (flags['tui'] !== true && (run.loaded().config.display.interface === 'cli' || isDumb(run.env)));
  if (flags['tui'] === true) return { kind: 'screen', request: request('TUI') };
  if (!streams.isInputTerminal && !wantsLine) return { kind: 'once', request: request('CLI'), prompt: undefined, isPiped: true };
  if (!streams.isOutputTerminal && !wantsLine) throw new UsageError(frontText.nothingToAsk, frontText.nothingToAskHint);
  return wantsLine ? { kind: 'line', request: request('CLI') } : { kind: 'screen', request: request('TUI') };
}

/** `--at MESSAGE`, with the session that `-r` or `-c` names; `--at SESSION#MESSAGE` names both. @throws UsageError */
function readAt(flags: Flags): Pick<StartRequest, 'at' | 'resume'> {
  const typed = flags['at'];
  if (typeof typed !== 'string') return {};
  const parts = /^(?:(.+)#)?(\d{1,15})$/u.exec(typed.trim());
  if (parts === null) throw new UsageError(frontText.wrongAt(typed), frontText.atHint);
  const isNamed = flags['resume'] !== undefined || flags['continue'] !== undefined;
  if (!isNamed && parts[1] === undefined) throw new UsageError(frontText.atNeedsSession, frontText.atHint);
  return { at: Number(parts[2]), ...(isNamed ? {} : { resume: parts[1]! }) };
}
