import type { ForeignSession, ForeignTool } from '../../session/foreign.ts';
import { readClaudeLog } from './claude.ts';
import { readCodexLog } from './codex.ts';
import { readGeminiLog } from './gemini.ts';
import type { LogFile } from './lines.ts';
import { readOpencodeLog } from './opencode.ts';
import { readPiLog } from './pi.ts';

/**
 * Reads a log once for its facts; its turns are read again when they are asked for.
 *
 * @param directories where it may be from, for the tool that keeps a hash of the directory alone
 * @throws HermesError `import-unreadable`
 */
export function readLog(tool: ForeignTool, file: LogFile, directories: readonly string[]): ForeignSession {
  switch (tool) {
    case 'claude-code':
      return readClaudeLog(file);
    case 'codex-cli':
      return readCodexLog(file);
    case 'gemini-cli':
      return readGeminiLog(file, directories);
    case 'opencode':
      return readOpencodeLog(file);
    case 'pi':
      return readPiLog(file);
  }
}
