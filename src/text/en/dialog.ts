import { counted } from '../counted.ts';
import { grouped } from '../grouped.ts';

/** Questions and their answers. The letters are shortcuts; ←→ and Enter always work. */
export const dialogText = {
  keys: { take: 'answer', next: 'other answer', back: 'cancel' },
  rename: {
    title: 'Rename',
    text: 'Title of the session; empty takes it away.',
    save: 'Save',
    cancel: 'Cancel',
  },
  delete: {
    title: (count: number) => (count === 1 ? 'Delete this session?' : `Delete ${grouped(count)} sessions?`),
    named: (name: string) => `“${name}”`,
    more: (count: number) => `and ${grouped(count)} more`,
    /** `41 messages, 4 segments, 1 sub-agent`. */
    holds: (counts: { messages: number; segments: number; delegates: number }, sessions: number) =>
      [
        counted(counts.messages, 'message'),
        ...(counts.segments > sessions ? [counted(counts.segments, 'segment')] : []),
        ...(counts.delegates > 0 ? [counted(counts.delegates, 'sub-agent')] : []),
      ].join(', '),
    pinned: 'It is PINNED.',
    spared: (count: number) => `${counted(count, 'pinned one')} ${count === 1 ? 'stays' : 'stay'}: pins are deleted one at a time.`,
    notInView: (count: number) => `${grouped(count)} of them ${count === 1 ? 'is' : 'are'} not in this view.`,
    bin: (until: string) => `It goes into the bin until ${until}; \`hermes sessions restore\` brings it back.`,
    binMany: (until: string) => `They go into the bin until ${until}; \`hermes sessions restore\` brings them back.`,
    final: 'There is no bin (sessions.trash_days is 0): it is erased at once and for good.',
    ends: 'The conversation ends, and a new one begins.',
    yes: 'Yes, delete',
    no: 'No',
  },
  export: {
    title: (count: number) => (count === 1 ? 'Export this session' : `Export ${grouped(count)} sessions`),
    text: (names: string) => `${names}. Folder or file to write to, and the format:`,
    cancel: 'Cancel',
  },
  leave: {
    title: 'A turn is running',
    text: 'The answer is not finished yet.',
    wait: 'Wait for it, then leave',
    interrupt: 'Interrupt and leave',
    stay: 'Stay',
  },
  live: {
    title: 'Open elsewhere',
    text: (where: string, pid: number, since: string) => `This session is open in ${where} (pid ${pid}, since ${since}).`,
    otherProgram: 'It is held by another program, which does not hand it over.',
    read: 'Read along',
    branch: 'Branch a copy',
    takeOver: 'Take over',
    cancel: 'Cancel',
  },
  directoryGone: {
    title: 'Directory gone',
    text: (recorded: string) => `The directory of this session is gone: ${recorded}`,
    tools: 'Tools stay off until one is chosen.',
    root: (path: string) => `Repository root ${path}`,
    stay: (path: string) => `Stay in ${path}`,
    pick: 'Pick another',
    later: 'Later',
  },
  pickDirectory: {
    title: 'Directory',
    text: 'Path of the directory to go on in.',
    go: 'Go there',
    cancel: 'Cancel',
  },
  restart: {
    title: 'Before the restart',
    text: (title: string, when: string) => `This window had “${title}” open (${when}).`,
    resume: 'Resume it',
    fresh: 'New conversation',
  },
  archived: {
    title: 'Archived session',
    text: (title: string) => `“${title}” is archived.`,
    unarchive: 'Unarchive and resume',
    resume: 'Resume as it is',
    cancel: 'Cancel',
  },
  model: {
    title: (model: string) => `Use ${model}`,
    isDefault: 'It is the default already.',
    text: (path: string) => `To make it the default, these lines are written into ${path}:`,
    session: 'For this session',
    makeDefault: 'Make it the default',
    cancel: 'Cancel',
  },
};
