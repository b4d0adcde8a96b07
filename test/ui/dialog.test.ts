import { describe, expect, it } from 'vitest';
import { stringWidth } from '../../src/terminal/width.ts';
import { lineText } from '../../src/ui/compose.ts';
import {
  askArchived,
  askDirectory,
  askDirectoryGone,
  askLeaveWhileWorking,
  askLiveElsewhere,
  askModel,
  askRename,
  askResumeAfterRestart,
  createDialog,
  createDialogScreen,
  dialogWidth,
  type Question,
} from '../../src/ui/screens/dialog/index.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { driveScreen } from '../support/screen.ts';

const live = askLiveElsewhere({ id: 's1', where: 'tmux %3', pid: 4242, since: '14:02', canTakeOver: true });
const gone = askDirectoryGone({
  recorded: '/home/ann/work/결제-모듈/feature-branch-that-has-gone',
  here: '/home/ann',
  root: '/home/ann/work',
});
const all: Record<string, Question> = {
  rename: askRename({ id: 's1', title: 'old title' }),
  leave: askLeaveWhileWorking(),
  live,
  lease: askLiveElsewhere({ id: 's1', where: 'Hermes Agent', pid: 7, since: 'yesterday', canTakeOver: false }),
  gone,
  goneOutside: askDirectoryGone({ recorded: '/gone', here: '/tmp' }),
  pick: askDirectory('/home/ann'),
  restart: askResumeAfterRestart({ id: 's1', title: '明日の会議', when: 'yesterday' }),
  archived: askArchived({ id: 's1', title: 'old' }),
  model: askModel({
    name: 'ollama:qwen3',
    model: 'qwen3',
    configPath: '~/.hermes/config.yaml',
    lines: ['model:', '  default: qwen3', '  provider: ollama'],
    hasDefault: true,
  }),
};

function open(question: Question, size = { width: 80, height: 24 }) {
  const driver = driveScreen(createDialogScreen(), createDialog(question), size);
  const box = (): string[] => driver.view().lines.map(lineText);
  return { ...driver, box };
}

const choiceOf = (effects: readonly { choice: string }[]): string | undefined => effects[0]?.choice;

describe('a dialog looks like this', () => {
  it('with answers in a row', () => {
    expect(open(all['leave']!).box()).toEqual([
      '╭─ A turn is running ────────────────────────────────────────────╮',
      '│ The answer is not finished yet.                                │',
      '│                                                                │',
      '│   Wait for it, then leave    Interrupt and leave  ❯ Stay       │',
      '╰────────────────────────────────────────────────────────────────╯',
    ]);
  });

  it('with a line of text, the cursor at its end', () => {
    const dialog = open(all['rename']!);
    expect(dialog.box()).toEqual([
      '╭─ Rename ───────────────────────────────────────────────────────╮',
      '│ Title of the session; empty takes it away.                     │',
      '│                                                                │',
      '│ ❯ old title                                                    │',
      '│                                                                │',
      '│ ❯ Save    Cancel                                               │',
      '╰────────────────────────────────────────────────────────────────╯',
    ]);
    expect(dialog.view().cursor).toEqual({ x: 13, y: 3 });
  });

  it('with answers below one another and wrapped text where it is narrow', () => {
    expect(open(gone, { width: 40, height: 14 }).box()).toEqual([
      '╭─ Directory gone ─────────────────╮',
      '│ The directory of this session is │',
      '│ gone: /home/ann/work/결제-모듈   │',
      '│ /feature-branch-that-has-gone    │',
      '│ Tools stay off until one is      │',
      '│ chosen.                          │',
      '│                                  │',
      '│   Repository root /home/ann/work │',
      '│   Stay in /home/ann              │',
      '│   Pick another                   │',
      '│ ❯ Later                          │',
      '╰──────────────────────────────────╯',
    ]);
  });

  it('with the lines that would be written', () => {
    expect(
      open(all['model']!)
        .box()
        .slice(1, 6)
        .map((line) => line.slice(2, -2).trimEnd()),
    ).toEqual(['To make it the default, these lines are written into', '~/.hermes/config.yaml:', '', ' model:', '   default: qwen3']);
  });

  it('with straight borders at every size, no higher than the screen', () => {
    for (const [name, question] of Object.entries(all)) {
      for (const [width, height] of [
        [40, 12],
        [80, 24],
        [120, 40],
      ] as const) {
        const lines = open(question, { width, height }).box();
        for (const line of lines) expect(stringWidth(line), `${name} ${line}`).toBe(dialogWidth(width));
        expect(lines.length, name).toBeLessThanOrEqual(height);
        for (const { label } of question.choices) expect(lines.join('\n'), name).toContain(label.slice(0, 20));
      }
    }
  });

  it('in plain signs where the terminal has no others', () => {
    const lines = open(all['leave']!).view(asciiGlyphs).lines.map(lineText);
    expect(lines.join('\n')).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('an answer', () => {
  it('is the safe one for Esc and Ctrl+C, whatever is chosen', () => {
    for (const question of Object.values(all)) {
      for (const key of ['escape', 'ctrl+c']) {
        const dialog = open(question);
        dialog.press('tab');
        expect(choiceOf(dialog.press(key))).toBe(question.safe);
      }
    }
  });

  it('is the safe one for Enter too where the others end or change something', () => {
    expect(choiceOf(open(all['leave']!).press('enter'))).toBe('stay');
    expect(choiceOf(open(gone).press('enter'))).toBe('later');
    expect(choiceOf(open(all['restart']!).press('enter'))).toBe('new');
    expect(choiceOf(open(live).press('enter'))).toBe('read');
  });

  it('is reached by ←→ and Enter alone, around both ends', () => {
    for (const question of Object.values(all).filter(({ field }) => field === undefined)) {
      const reached = new Set<string>();
      for (let steps = 0; steps < question.choices.length; steps++) {
        const dialog = open(question);
        for (let step = 0; step < steps; step++) dialog.press('right');
        reached.add(choiceOf(dialog.press('enter'))!);
      }
      expect(reached).toEqual(new Set(question.choices.map(({ id }) => id)));
    }
    expect(
      choiceOf(
        (() => {
          const dialog = open(live);
          dialog.press('left');
          return dialog.press('enter');
        })(),
      ),
    ).toBe('cancel');
  });

  it('can be a letter, in either case or as the Hangul letter of its key', () => {
    expect(choiceOf(open(all['leave']!).type('w'))).toBe('wait');
    expect(choiceOf(open(all['leave']!).type('W'))).toBe('wait');
    expect(choiceOf(open(all['leave']!).type('ㅈ'))).toBe('wait');
    expect(open(all['leave']!).type('x')).toEqual([]);
  });

  it('carries what it is about', () => {
    expect(open(live).type('t')).toEqual([{ type: 'answer', question: 'live-elsewhere', choice: 'take-over', subject: 's1' }]);
  });

  it('offers no take-over from a holder that does not answer', () => {
    const dialog = open(all['lease']!);
    expect(dialog.box().join('\n')).not.toContain('Take over');
    expect(dialog.type('t')).toEqual([]);
  });
});

describe('a line of text in a dialog', () => {
  it('is edited with readline keys and comes with the answer', () => {
    const dialog = open(all['rename']!);
    dialog.press('ctrl+u');
    dialog.send({ type: 'paste', text: 'Q3 "alpha" & 雪\'s\n' });
    expect(dialog.press('enter')).toEqual([
      { type: 'answer', question: 'rename', choice: 'save', subject: 's1', text: 'Q3 "alpha" & 雪\'s' },
    ]);
  });

  it('takes letters and arrows, Tab goes through the answers', () => {
    const dialog = open(all['rename']!);
    dialog.type('s');
    dialog.press('left', 'tab');
    expect(dialog.press('enter')).toEqual([{ type: 'answer', question: 'rename', choice: 'cancel', subject: 's1', text: 'old titles' }]);
  });

  it('stays when the answer is refused, with the reason', () => {
    const dialog = open(all['rename']!);
    dialog.send({ type: 'refused', message: "Title 'x' is already in use by session s2" });
    expect(dialog.box().join('\n')).toContain("Title 'x' is already in use by session s2");
    dialog.type('!');
    expect(dialog.box().join('\n')).not.toContain('already in use');
    expect(dialog.box().join('\n')).toContain('old title!');
  });
});

describe('the mouse in a dialog', () => {
  const press = (x: number, y: number) =>
    ({ type: 'mouse', event: { type: 'mouse', action: 'press', button: 'left', x, y, shift: false, alt: false, ctrl: false } }) as const;

  it('chooses an answer, then gives it; nothing beside the answers', () => {
    const dialog = open(all['leave']!);
    expect(dialog.send(press(6, 3))).toEqual([]);
    expect(choiceOf(dialog.send(press(6, 3)))).toBe('wait');
    expect(open(all['leave']!).send(press(6, 1))).toEqual([]);
  });
});
