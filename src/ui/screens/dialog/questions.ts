import { dialogText } from '../../../text/en/dialog.ts';
import type { Question } from './types.ts';

/** The questions of the program. Each names its answers in its type, so that none is forgotten where they are acted upon. */

export function askRename(session: { id: string; title: string }): Question<'save' | 'cancel'> {
  const { title, text, save, cancel } = dialogText.rename;
  return {
    id: 'rename',
    subject: session.id,
    title,
    text: [text],
    choices: [
      { id: 'save', label: save },
      { id: 'cancel', label: cancel },
    ],
    safe: 'cancel',
    first: 'save',
    field: { text: session.title },
  };
}

/** Names shown before the rest is counted. */
const namesShown = 5;
const refusalsShown = 2;

const listNames = (names: readonly string[]): string =>
  [
    ...names.slice(0, namesShown).map((name) => dialogText.delete.named(name)),
    ...(names.length > namesShown ? [dialogText.delete.more(names.length - namesShown)] : []),
  ].join(', ');

/** `until` is the day the bin lets go of it, as it is shown; absent: there is no bin. `openId`: the conversation on screen is meant. */
export function askDelete(doomed: {
  names: readonly string[];
  holds: { messages: number; segments: number; delegates: number };
  isPinned: boolean;
  spared: number;
  notInView: number;
  /** Why some are left, each in a sentence. */
  refused?: readonly string[];
  until: string | undefined;
  openId?: string;
}): Question<'delete' | 'no'> {
  const text = dialogText.delete;
  const { names, holds, isPinned, spared, notInView, until } = doomed;
  return {
    id: 'delete',
    ...(doomed.openId === undefined ? {} : { subject: doomed.openId }),
    title: text.title(names.length),
    text: [
      `${listNames(names)} · ${text.holds(holds, names.length)}`,
      ...(isPinned ? [text.pinned] : []),
      ...(notInView > 0 ? [text.notInView(notInView)] : []),
      ...(spared > 0 ? [text.spared(spared)] : []),
      ...(doomed.refused ?? []).slice(0, refusalsShown),
      ...(doomed.openId !== undefined ? [text.ends] : []),
      until === undefined ? text.final : names.length === 1 ? text.bin(until) : text.binMany(until),
    ],
    choices: [
      { id: 'delete', label: text.yes, letter: 'y' },
      { id: 'no', label: text.no, letter: 'n' },
    ],
    safe: 'no',
  };
}

export const exportFormats = ['md', 'html', 'jsonl', 'trace', 'qmd'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** `place`: the folder written to unless another is typed. */
export function askExport(wanted: { names: readonly string[]; place: string }): Question<ExportFormat | 'cancel'> {
  const { title, text, cancel } = dialogText.export;
  return {
    id: 'export',
    title: title(wanted.names.length),
    text: [text(listNames(wanted.names))],
    choices: [...exportFormats.map((format) => ({ id: format, label: format })), { id: 'cancel', label: cancel }],
    safe: 'cancel',
    first: 'md',
    field: { text: wanted.place },
  };
}

export function askLeaveWhileWorking(): Question<'wait' | 'interrupt' | 'stay'> {
  const { title, text, wait, interrupt, stay } = dialogText.leave;
  return {
    id: 'leave',
    title,
    text: [text],
    choices: [
      { id: 'wait', label: wait, letter: 'w' },
      { id: 'interrupt', label: interrupt, letter: 'i' },
      { id: 'stay', label: stay, letter: 's' },
    ],
    safe: 'stay',
  };
}

/**
 * `since` as it is shown. `canTakeOver` is false for holders that do not answer (another program's lease). `isAgain`: asked because
 * something was to be sent from where it is read along already; then Esc stays there.
 */
export function askLiveElsewhere(live: {
  id: string;
  where: string;
  pid: number;
  since: string;
  canTakeOver: boolean;
  isAgain?: boolean;
}): Question<'read' | 'branch' | 'take-over' | 'cancel'> {
  const { title, text, otherProgram, read, branch, takeOver, cancel } = dialogText.live;
  return {
    id: 'live-elsewhere',
    subject: live.id,
    title,
    text: [text(live.where, live.pid, live.since), ...(live.canTakeOver ? [] : [otherProgram])],
    choices: [
      { id: 'read', label: read, letter: 'r' },
      { id: 'branch', label: branch, letter: 'b' },
      ...(live.canTakeOver ? [{ id: 'take-over', label: takeOver, letter: 't' } as const] : []),
      ...(live.isAgain === true ? [] : [{ id: 'cancel', label: cancel, letter: 'c' } as const]),
    ],
    safe: live.isAgain === true ? 'read' : 'cancel',
    first: 'read',
  };
}

/** Typing goes on without an answer: Esc leaves the notice, and the tools off. */
export function askDirectoryGone(paths: { recorded: string; here: string; root?: string }): Question<'root' | 'stay' | 'pick' | 'later'> {
  const { title, text, tools, root, stay, pick, later } = dialogText.directoryGone;
  return {
    id: 'directory-gone',
    subject: paths.recorded,
    title,
    text: [text(paths.recorded), tools],
    choices: [
      ...(paths.root === undefined ? [] : [{ id: 'root', label: root(paths.root), letter: 'r' } as const]),
      { id: 'stay', label: stay(paths.here), letter: 's' },
      { id: 'pick', label: pick, letter: 'p' },
      { id: 'later', label: later, letter: 'l' },
    ],
    safe: 'later',
  };
}

export function askDirectory(here: string): Question<'go' | 'cancel'> {
  const { title, text, go, cancel } = dialogText.pickDirectory;
  return {
    id: 'pick-directory',
    title,
    text: [text],
    choices: [
      { id: 'go', label: go },
      { id: 'cancel', label: cancel },
    ],
    safe: 'cancel',
    first: 'go',
    field: { text: here },
  };
}

/** `when` as it is shown: `yesterday`. */
export function askResumeAfterRestart(session: { id: string; title: string; when: string }): Question<'resume' | 'new'> {
  const { title, text, resume, fresh } = dialogText.restart;
  return {
    id: 'restart',
    subject: session.id,
    title,
    text: [text(session.title, session.when)],
    choices: [
      { id: 'resume', label: resume, letter: 'r' },
      { id: 'new', label: fresh, letter: 'n' },
    ],
    safe: 'new',
  };
}

export function askArchived(session: { id: string; title: string }): Question<'unarchive' | 'resume' | 'cancel'> {
  const { title, text, unarchive, resume, cancel } = dialogText.archived;
  return {
    id: 'archived',
    subject: session.id,
    title,
    text: [text(session.title)],
    choices: [
      { id: 'unarchive', label: unarchive, letter: 'u' },
      { id: 'resume', label: resume, letter: 'r' },
      { id: 'cancel', label: cancel, letter: 'c' },
    ],
    safe: 'cancel',
    first: 'unarchive',
  };
}

/**
 * `lines` are exactly those that would be written into `configPath` (as shown); none: it is the default already. Where no model is the
 * default yet, making it one stands first: the next start would be without a model again.
 */
export function askModel(choice: {
  name: string;
  model: string;
  configPath: string;
  lines: readonly string[];
  hasDefault: boolean;
}): Question<'session' | 'default' | 'cancel'> {
  const { title, text, isDefault, session, makeDefault, cancel } = dialogText.model;
  const isChange = choice.lines.length > 0;
  return {
    id: 'model',
    subject: choice.name,
    title: title(choice.model),
    text: [isChange ? text(choice.configPath) : isDefault],
    code: choice.lines,
    choices: [
      { id: 'session', label: session, letter: 's' },
      ...(isChange ? [{ id: 'default', label: makeDefault, letter: 'd' } as const] : []),
      { id: 'cancel', label: cancel, letter: 'c' },
    ],
    safe: 'cancel',
    first: isChange && !choice.hasDefault ? 'default' : 'session',
  };
}
