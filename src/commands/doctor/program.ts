import { realpathSync } from 'node:fs';
import path from 'node:path';
import { doctorText as text } from '../../text/en/doctor.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { version } from '../../text/version.ts';
import { findOtherHermes } from '../other-hermes.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** `engines` of package.json (a test compares them). */
export const neededNode = '20.11';

/** This program, the node it runs on, and every other `hermes` that the shell could mean. */
export function checkProgram({ facts, file, nodeVersion }: Outside): Finding[] {
  const isOld = isOlder(nodeVersion, neededNode);
  return [
    { id: 'version', mark: 'ok', text: text.version(version, file) },
    {
      id: 'node',
      mark: isOld ? 'wrong' : 'ok',
      text: isOld ? text.nodeOld(nodeVersion, neededNode) : nodeVersion,
      ...(isOld ? { hint: text.nodeOldHint(neededNode) } : {}),
    },
    ...checkOthers(facts.env['PATH'] ?? '', file),
  ];
}

function checkOthers(searchPath: string, file: string | undefined): Finding[] {
  const others = findOtherHermes(searchPath, file);
  if (others.length === 0) return [{ id: 'other', mark: 'ok', text: text.alone }];
  const folders = searchPath.split(path.delimiter).map((folder) => path.join(folder, '.'));
  const placeOf = (program: string): number => folders.indexOf(path.dirname(path.join(program)));
  const own = findOwn(folders, file);
  const ownPlace = own === undefined ? Infinity : placeOf(own);
  const firstPlace = Math.min(ownPlace, ...others.map(placeOf));
  // Called by its bare name only where the shell finds it first.
  const ownCall = ownPlace === firstPlace ? 'hermes' : shellQuote(own ?? file ?? 'hermes');
  return others.map((other) =>
    placeOf(other) === firstPlace
      ? { id: 'other', mark: 'look', text: text.earlier(other), hint: text.earlierHint(ownCall, shellQuote(other)) }
      : { id: 'other', mark: 'note', text: text.later(shellQuote(other), ownCall) },
  );
}

/** The first name on PATH that leads to this program; absent: it was called by its path. */
function findOwn(folders: readonly string[], file: string | undefined): string | undefined {
  const self = file === undefined ? undefined : realPathOf(file);
  if (self === undefined) return undefined;
  return folders.map((folder) => path.join(folder, 'hermes')).find((candidate) => realPathOf(candidate) === self);
}

function realPathOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // Nothing there: no name of ours.
    return undefined;
  }
}

function isOlder(version: string, needed: string): boolean {
  const [have, want] = [version, needed].map((text) => text.split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < want.length; at += 1) if (have[at] !== want[at]) return (have[at] ?? 0) < (want[at] ?? 0);
  return false;
}
