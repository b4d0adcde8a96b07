import { describe, expect, it } from 'vitest';
import { chatText } from '../../src/text/en/chat.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import { createChat, createChatScreen, type ChatStart } from '../../src/ui/screens/chat/index.ts';
import { askModel } from '../../src/ui/screens/dialog/index.ts';
import { driveScreen, fixedNow } from '../support/screen.ts';

function open(start: Partial<ChatStart> = {}) {
  const screen = createChatScreen({ now: () => fixedNow });
  const chat = createChat({ session: {}, place: { path: '/home/ann/code/shop' }, blocks: [], hasBacklog: false, ...start });
  return driveScreen(screen, chat, { width: 80, height: 24 });
}

describe('an empty conversation', () => {
  it('says that it is one, and where the earlier ones are', () => {
    const lines = open({ session: { model: 'gpt-5-mini' } }).lines();
    expect(lines[2]).toBe(`   ${chatText.isNew}`);
    expect(lines[3]).toBe(`   ${chatText.earlierOnes('^X')}`);
  });

  it('without a model says how to get one before anything is typed', () => {
    const text = open().lines().join('\n');
    expect(text).toContain(chatText.noModel);
    expect(text).toContain('/model');
  });

  it('is quiet as soon as something is said', () => {
    const blocks = [{ kind: 'user' as const, id: 'u1', text: 'hello' }];
    expect(open({ blocks }).lines().join('\n')).not.toContain(chatText.noModel);
  });
});

describe('a notice', () => {
  const notice = (text: string) => open({ blocks: [{ kind: 'notice' as const, id: 'n1', tone: 'info', text }] });

  it.each([
    ['stands behind a point', 'the title was set', ' · the title was set', ' - the title was set'],
    ['with a mark of its own stands behind that one', '↻ this pane', ' ↻ this pane', ' @ this pane'],
    [
      'about a directory has the arrow',
      '↪ restored workspace dir: ~/x',
      ' ↪ restored workspace dir: ~/x',
      ' > restored workspace dir: ~/x',
    ],
  ])('%s', (_name, text, unicode, ascii) => {
    const chat = notice(text);
    expect(chat.lines()).toContain(unicode);
    chat.send({ type: 'glyphs', glyphs: asciiGlyphs });
    expect(chat.lines()).toContain(ascii);
  });
});

it('a table in a notice goes on under its second column', () => {
  const text = `Title       short\nLast asked  ${'가나다 '.repeat(20).trim()}`;
  const lines = open({ blocks: [{ kind: 'notice', id: 'n1', tone: 'info', text }] }).lines();
  const at = lines.findIndex((line) => line.includes('Last asked'));
  expect(lines[at]).toMatch(/^ {3}Last asked {2}가나다/);
  expect(lines[at + 1]).toMatch(/^ {15}가나다/);
});

describe('the header', () => {
  it('names the unit where the size of the window is not known', () => {
    expect(open({ context: { used: 584 } }).lines()[0]).toMatch(/584 tokens$/);
  });
});

describe('the question which model answers', () => {
  const choice = { name: 'demo', model: 'demo', configPath: '~/.hermes/config.yaml', hasDefault: true };

  it('offers to make it the default while that changes a line', () => {
    expect(askModel({ ...choice, lines: ['+ default: demo'] }).choices.map(({ id }) => id)).toEqual(['session', 'default', 'cancel']);
  });

  it('begins on the default where there is none yet, on this session where there is one', () => {
    const first = (hasDefault: boolean) => askModel({ ...choice, hasDefault, lines: ['+ default: demo'] }).first;
    expect([first(false), first(true)]).toEqual(['default', 'session']);
  });

  it('does not offer what is so already', () => {
    expect(askModel({ ...choice, lines: [] }).choices.map(({ id }) => id)).toEqual(['session', 'cancel']);
  });
});

describe('the lowest line names the keys of what is open', () => {
  it('the completion, with the row and how many there are', () => {
    const chat = open();
    chat.type('/');
    expect(chat.lines().at(-1)).toMatch(/^ 1 of \d+ .*Tab complete {2}Esc back {2}F1 help$/);
  });

  it('the search in my messages', () => {
    const chat = open();
    chat.press('ctrl+r');
    expect(chat.lines().at(-1)).toMatch(/Enter take {2}Esc back$/);
  });
});

it('a conversation that is read along says in its line what can be done', () => {
  const chat = open({ readOnly: 'reading along; it is open in tmux %3' });
  expect(chat.lines().at(-3)).toContain(chatText.placeholderReadOnly('^X'));
  expect(chat.lines().at(-1)).toMatch(/^ reading along; it is open in tmux %3/);
});
