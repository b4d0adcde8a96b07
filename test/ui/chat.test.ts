import { describe, expect, it } from 'vitest';
import type { ConversationEvent } from '../../src/agent/events.ts';
import type { Message } from '../../src/session/types.ts';
import { chatText } from '../../src/text/en/chat.ts';
import { composerText, createChat, createChatScreen, type ChatEffect, type ChatStart } from '../../src/ui/screens/chat/index.ts';
import { asciiGlyphs } from '../../src/ui/screen.ts';
import type { Block } from '../../src/ui/transcript/index.ts';
import { driveScreen, fixedNow } from '../support/screen.ts';

const sizes = [
  { width: 40, height: 12 },
  { width: 80, height: 24 },
  { width: 120, height: 40 },
];

let clock = fixedNow;

function open(start: Partial<ChatStart> = {}, size = { width: 80, height: 24 }) {
  clock = fixedNow;
  const screen = createChatScreen({ now: () => clock });
  const driver = driveScreen(
    screen,
    createChat({
      session: {},
      place: { path: '/home/ann/code/shop', branch: 'main', terminal: 'tmux %3' },
      blocks: [],
      hasBacklog: false,
      ...start,
    }),
    size,
  );
  const say = (event: ConversationEvent): ChatEffect[] => driver.send({ type: 'conversation', event, now: clock });
  const text = (): string => composerText(driver.state().composer);
  return { ...driver, say, line: text };
}

let nextId = 100;
const message = (role: string, text: string, more: Partial<Message> = {}): Message => ({
  id: nextId++,
  sessionId: 's1',
  role,
  text,
  toolCalls: [],
  timestamp: fixedNow,
  active: true,
  compacted: false,
  isSummary: false,
  ...more,
});

const sends = (effects: readonly ChatEffect[]): string[] => effects.flatMap((effect) => (effect.type === 'send' ? [effect.text] : []));
const types = (effects: readonly ChatEffect[]): string[] => effects.map((effect) => effect.type);

describe('the conversation screen', () => {
  it.each(sizes)('fills %o exactly, with header, line, rules and status', (size) => {
    const chat = open({ session: { id: 's1', title: '결제 모듈 리팩터링 👩‍👩‍👧', model: 'gpt-5-mini' } }, size);
    const lines = chat.lines();
    expect(lines[0]).toMatch(/^▌결제/);
    expect(lines.at(-4)).toBe('─'.repeat(size.width));
    expect(lines.at(-3)).toMatch(/^ ❯ /);
    expect(lines.at(-2)).toBe('─'.repeat(size.width));
    expect(chat.view().cursor).toEqual({ x: 3, y: size.height - 3 });
  });

  it('has an ASCII form of every sign it draws itself', () => {
    const view = open({ session: { id: 's1', title: 'plain' } }).view(asciiGlyphs);
    const drawn = view.lines.map((line) => line.map((span) => span.text).join('')).join('\n');
    expect(drawn).toMatch(/^[\x20-\x7e\n]*$/);
  });
});

describe('the header never wraps and drops, in turn, meter, branch, terminal, model, path; the title last', () => {
  const start = {
    session: { id: 's1', title: 'refactoring auth', model: 'gpt-5-mini' },
    context: { used: 12_400, limit: 200_000 },
  };
  it.each([
    [110, '▌refactoring auth   gpt-5-mini                     ~/code/shop main   tmux %3   12.4k of 200k ━━━━━━━━━━'],
    [84, '▌refactoring auth   gpt-5-mini      ~/code/shop main   tmux %3   12.4k of 200k'],
    [72, '▌refactoring auth   gpt-5-mini   ~/code/shop   tmux %3   12.4k of 200k'],
    [66, '▌refactoring auth   gpt-5-mini   ~/code/shop   12.4k of 200k'],
    [48, '▌refactoring auth   ~/code/shop   12.4k of 200k'],
    [40, '▌refactoring auth          ~/code/shop'],
  ])('at %i columns', (width, expected) => {
    const words = (line: string): string => line.trim().replace(/\s{2,}/g, '  ');
    expect(words(open(start, { width, height: 12 }).lines()[0]!)).toBe(words(expected));
  });

  it('cuts a long title at its end, at a character edge', () => {
    const title = '아주 긴 제목이 여기에 있습니다 '.repeat(6);
    expect(open({ session: { id: 's1', title } }, { width: 60, height: 12 }).lines()[0]).toMatch(/…/);
  });
});

describe('Enter', () => {
  it('sends the line, empties it and keeps it in the history', () => {
    const chat = open();
    chat.type('안녕 hello');
    const effects = chat.press('enter');
    expect(sends(effects)).toEqual(['안녕 hello']);
    expect(chat.line()).toBe('');
    chat.press('up');
    expect(chat.line()).toBe('안녕 hello');
  });

  it('after a backslash begins a new line', () => {
    const chat = open();
    chat.type('one\\');
    expect(sends(chat.press('enter'))).toEqual([]);
    expect(chat.line()).toBe('one\n');
  });

  it('does nothing on a blank line', () => {
    const chat = open();
    chat.type('   ');
    expect(chat.press('enter')).toEqual([]);
  });

  it('on the empty line after a failed turn asks again, once', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.say({ type: 'turn', event: { type: 'error', trouble: 'server', message: 'The server is down.', hint: 'Try again.' } });
    chat.say({ type: 'turn-ended', reason: 'error', at: clock });
    expect(chat.lines().at(-1)).toContain(chatText.retry);
    expect(chat.text()).toContain('The server is down.');
    expect(types(chat.press('enter'))).toEqual(['retry']);
    expect(chat.press('enter')).toEqual([]);
  });

  it('sends nothing while the session is only read along, and keeps the text', () => {
    const chat = open({ readOnly: 'reading along; it is open in tmux %1' });
    chat.type('hello');
    expect(types(chat.press('enter'))).toEqual(['locked']);
    expect(chat.line()).toBe('hello');
  });

  it('shows at once that it works, whatever was said before', () => {
    const chat = open();
    chat.send({ type: 'flash', text: 'demo answers from now on', now: clock });
    expect(chat.lines().at(-1)).toContain('demo answers from now on');
    chat.say({ type: 'turn-started', at: clock });
    expect(chat.lines().at(-1)).toContain(chatText.working);
  });
});

describe('a slash line', () => {
  it('runs its command with the rest as arguments', () => {
    const chat = open();
    chat.type('/title my research');
    expect(chat.press('enter')).toContainEqual({ type: 'run', id: 'session.title', args: 'my research' });
    expect(chat.line()).toBe('');
  });

  it('that names no command stays, says the nearest, and is sent as text by a second Enter', () => {
    const chat = open();
    chat.type('/stauts');
    expect(sends(chat.press('enter'))).toEqual([]);
    expect(chat.lines().at(-1)).toContain('/status');
    expect(chat.line()).toBe('/stauts');
    expect(sends(chat.press('enter'))).toEqual(['/stauts']);
  });

  it('that was changed after the refusal is judged anew', () => {
    const chat = open();
    chat.type('/stauts');
    chat.press('enter');
    chat.press('backspace', 'backspace', 'backspace', 'backspace');
    chat.type('atus');
    expect(types(chat.press('enter'))).toContain('run');
  });

  it('like a path is a message', () => {
    const chat = open();
    chat.type('/etc/hosts is broken');
    expect(sends(chat.press('enter'))).toEqual(['/etc/hosts is broken']);
  });

  it('opens the completion; Tab takes the chosen one, Enter runs one without arguments', () => {
    const chat = open();
    chat.type('/he');
    expect(chat.text()).toContain('/help');
    chat.press('tab');
    expect(chat.line()).toBe('/help');
    const other = open();
    other.type('/sess');
    expect(other.press('enter')).toContainEqual({ type: 'run', id: 'app.sessions', args: '' });
  });

  it('Esc closes the completion and leaves the text', () => {
    const chat = open();
    chat.type('/re');
    chat.press('escape');
    expect(chat.line()).toBe('/re');
    expect(chat.state().composer.completion).toBeUndefined();
  });
});

const long: readonly Block[] = Array.from({ length: 60 }, (_, index) => ({
  kind: 'agent',
  id: `a${index}`,
  text: index % 20 === 5 ? `needle ${index}` : `answer ${index}`,
  isStreaming: false,
}));

/** The store's answer to what was typed behind `/`. */
function answerFind(chat: ReturnType<typeof open>, effects: readonly ChatEffect[], ids: readonly number[] | 'loaded'): void {
  const token = effects.flatMap((effect) => (effect.type === 'find' ? [effect.token] : [])).at(-1);
  if (token === undefined) throw new Error('nothing was looked for');
  chat.send({ type: 'loaded', what: 'hits', token, ids });
}

describe('find', () => {
  it('n goes on with the words after Esc, and says what is missing where there are none', () => {
    const chat = open({ blocks: long });
    chat.press('shift+tab');
    chat.press('n');
    expect(chat.lines().at(-1)).toContain(chatText.noQuery);
    chat.press('/');
    answerFind(chat, chat.type('needle'), 'loaded');
    chat.press('enter');
    chat.press('escape');
    const before = chat.state().transcript.match;
    chat.press('n');
    expect(chat.state().transcript.match).toBeDefined();
    expect(chat.state().transcript.match).not.toEqual(before);
    chat.press('escape');
    expect(chat.state().transcript.query).toBe('');
  });

  it('that nothing matches is said once', () => {
    const chat = open({ blocks: long });
    chat.press('shift+tab', '/');
    answerFind(chat, chat.type('zebra'), []);
    chat.press('enter');
    expect(
      chat
        .lines()
        .at(-1)!
        .match(/no match/gu),
    ).toHaveLength(1);
  });
});

describe('a notice', () => {
  it('somebody asked for is scrolled to; another one leaves who reads further up in place', () => {
    for (const isAsked of [true, false]) {
      const chat = open({ blocks: long });
      chat.press('pageup');
      chat.send({ type: 'notice', tone: 'info', text: 'said at the end', isAsked });
      expect(chat.text().includes('said at the end')).toBe(isAsked);
    }
  });
});

describe('Esc and Ctrl+C', () => {
  it('Esc interrupts a running turn and never clears the text', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.type('draft');
    expect(types(chat.press('escape'))).toEqual(['interrupt']);
    expect(chat.line()).toBe('draft');
  });

  it('Ctrl+C interrupts, then clears the line into the history, then leaves when pressed twice within 2 s', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.type('draft');
    expect(types(chat.press('ctrl+c'))).toEqual(['interrupt']);
    chat.say({ type: 'turn-ended', reason: 'interrupted', at: clock });
    expect(types(chat.press('ctrl+c'))).toEqual(['draft']);
    expect(chat.line()).toBe('');
    expect(chat.lines().at(-1)).toContain(chatText.cleared);
    expect(chat.press('ctrl+c')).toEqual([]);
    expect(types(chat.press('ctrl+c'))).toEqual(['leave']);
    chat.press('up');
    expect(chat.line()).toBe('draft');
  });

  it('a second Ctrl+C after 2 s does not leave', () => {
    const chat = open();
    chat.press('ctrl+c');
    clock += 2001;
    expect(chat.press('ctrl+c')).toEqual([]);
  });

  it('Ctrl+D leaves an empty idle line, and while a turn runs says what to do', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    expect(chat.press('ctrl+d')).toEqual([]);
    expect(chat.lines().at(-1)).toContain(chatText.turnRuns);
    expect(createChatScreen({ now: () => clock }).disabledReason(chat.state(), 'app.leave')).toBe(chatText.turnRuns);
    chat.say({ type: 'turn-ended', reason: 'stop', at: clock });
    expect(types(chat.press('ctrl+d'))).toEqual(['leave']);
  });

  it('a typed letter takes the first Ctrl+C back', () => {
    const chat = open();
    chat.press('ctrl+c');
    chat.type('x');
    chat.press('backspace');
    expect(chat.press('ctrl+c')).toEqual([]);
  });
});

describe('a running turn', () => {
  it('shows what it streams, how long it runs and what waits', () => {
    const chat = open();
    chat.say({ type: 'user', message: message('user', 'run the tests'), sessionId: 's1', created: true });
    chat.say({ type: 'turn-started', at: clock - 32_000 });
    chat.say({ type: 'turn', event: { type: 'text', delta: 'Two of ' } });
    chat.say({ type: 'turn', event: { type: 'text', delta: '열두 개가 실패했습니다' } });
    chat.say({ type: 'queued', queue: ['next one'] });
    const text = chat.text();
    expect(text).toContain('● run the tests');
    expect(text).toContain('◆ Two of 열두 개가 실패했습니다');
    expect(text).toContain('next one');
    expect(chat.lines().at(-1)).toMatch(/working · 32s · 1 queued/);
  });

  it('puts what it writes before the messages that wait', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.say({ type: 'queued', queue: ['second'] });
    chat.say({ type: 'turn', event: { type: 'text', delta: 'answer' } });
    const text = chat.text();
    expect(text.indexOf('answer')).toBeLessThan(text.indexOf('second'));
  });

  it('becomes the stored message without showing anything twice', () => {
    const chat = open();
    const call = { id: 'c1', name: 'terminal', arguments: '{"command":"npm test"}' };
    chat.say({ type: 'turn-started', at: clock });
    chat.say({ type: 'turn', event: { type: 'text', delta: 'I run them.' } });
    chat.say({ type: 'turn', event: { type: 'tool-call', call } });
    const answer = message('assistant', 'I run them.', { toolCalls: [call] });
    chat.say({ type: 'message', message: answer });
    chat.say({ type: 'turn', event: { type: 'tool-result', callId: 'c1', name: 'terminal', text: '12 passed', isError: false, ms: 2100 } });
    chat.say({ type: 'turn', event: { type: 'text', delta: 'All pass.' } });
    chat.say({ type: 'message', message: message('assistant', 'All pass.') });
    chat.say({ type: 'turn-ended', reason: 'stop', at: clock });
    const text = chat.text();
    expect(text.split('I run them.').length).toBe(2);
    expect(text.split('All pass.').length).toBe(2);
    expect(text).toMatch(/terminal\s+npm test\s+✓ 2\.1 s/);
    expect(chat.state().transcript.blocks.map((block) => block.id)).toEqual([`m${answer.id}`, `m${answer.id}:c1`, `m${answer.id + 1}`]);
  });

  it('what waits comes back by Up on the empty line, which the lowest line says; with text there Up is as always', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.say({ type: 'queued', queue: ['later'] });
    expect(chat.lines().at(-1)).toContain('1 queued, ↑ takes back');
    expect(types(chat.press('up'))).toEqual(['take-queue']);
    chat.type('x');
    expect(types(chat.press('up'))).not.toContain('take-queue');
    expect(chat.lines().at(-1)).not.toContain('takes back');
  });

  it('that is interrupted says so and gives queued texts back into the line, in front of what stands there', () => {
    const chat = open();
    chat.say({ type: 'turn-started', at: clock });
    chat.say({ type: 'queued', queue: ['one', 'two'] });
    chat.type('three');
    chat.say({ type: 'queued', queue: [] });
    chat.say({ type: 'unsent', texts: ['one', 'two'] });
    chat.say({ type: 'turn-ended', reason: 'interrupted', at: clock });
    expect(chat.line()).toBe('one\n\ntwo\n\nthree');
    expect(chat.state().transcript.blocks.some((block) => block.kind === 'user')).toBe(false);
  });

  it('whose store is locked says what it waits for', () => {
    const chat = open();
    chat.send({ type: 'store-waiting', isWaiting: true });
    expect(chat.lines().at(-1)).toContain(chatText.waitingForStore);
    chat.send({ type: 'store-waiting', isWaiting: false });
    expect(chat.lines().at(-1)).not.toContain(chatText.waitingForStore);
  });
});

describe('a stored conversation', () => {
  const stored = (count: number, from = 1): Message[] =>
    Array.from({ length: count }, (_, index) =>
      message(index % 2 === 0 ? 'user' : 'assistant', `line ${from + index}`, { id: from + index }),
    );
  const opened = () => open({ session: { id: 's1', title: 'old' }, hasBacklog: true });

  it('is asked for by PgUp, replaces the recap, and stands at its end', () => {
    const chat = opened();
    const [effect] = chat.press('pageup');
    expect(effect).toMatchObject({ type: 'load-window', before: undefined });
    const { token } = effect as { token: number };
    chat.send({ type: 'loaded', what: 'window', token, messages: stored(40, 61), start: { sessionId: 's1', order: 61 }, hasBefore: true });
    expect(chat.text()).toContain('line 100');
    expect(chat.state().backlog.isRecap).toBe(false);
  });

  it('takes no second answer to the same question, nor one that was not asked for', () => {
    const chat = opened();
    const [effect] = chat.press('pageup');
    const { token } = effect as { token: number };
    chat.send({ type: 'loaded', what: 'window', token: token + 7, messages: stored(2), hasBefore: false });
    expect(chat.state().backlog.isRecap).toBe(true);
    chat.send({ type: 'loaded', what: 'window', token, messages: stored(2), hasBefore: false });
    chat.send({ type: 'loaded', what: 'window', token, messages: stored(2, 50), hasBefore: false });
    expect(chat.text()).not.toContain('line 50');
  });

  it('asks for the part before what this run added, so that nothing shows twice', () => {
    const chat = opened();
    chat.say({ type: 'user', message: message('user', 'new', { id: 500 }), sessionId: 's1', created: false });
    const [effect] = chat.press('pageup');
    expect(effect).toMatchObject({ before: { sessionId: 's1', order: 500 } });
  });

  it('goes to its beginning window by window', () => {
    const chat = opened();
    let effects = chat.press('home');
    for (let from = 61; from > 0; from -= 20) {
      const { token } = effects[0] as { token: number };
      effects = chat.send({
        type: 'loaded',
        what: 'window',
        token,
        messages: stored(20, from),
        start: { sessionId: 's1', order: from },
        hasBefore: from > 1,
      });
    }
    expect(effects).toEqual([]);
    expect(chat.text()).toContain('line 1\n');
  });

  it('can be read message by message; a letter returns to the line and is typed', () => {
    const chat = opened();
    const [effect] = chat.press('shift+tab');
    chat.send({ type: 'loaded', what: 'window', token: (effect as { token: number }).token, messages: stored(4), hasBefore: false });
    expect(chat.state().focus).toBe('reading');
    chat.press('up');
    expect(chat.press('y')).toEqual([{ type: 'copy', text: 'line 3', what: 'message' }]);
    chat.type('x');
    expect(chat.state().focus).toBe('composer');
    expect(chat.line()).toBe('x');
  });

  it('is searched from the place read at, and from the other end behind the last match', () => {
    const chat = opened();
    const [effect] = chat.press('shift+tab');
    chat.send({ type: 'loaded', what: 'window', token: (effect as { token: number }).token, messages: stored(30), hasBefore: false });
    const current = (): string => chat.lines().find((line, y) => y > 1 && line.startsWith('▌')) ?? '';
    chat.press('/');
    answerFind(chat, chat.type('line 7'), [7]);
    chat.press('enter');
    expect(current()).toMatch(/line 7$/);
    expect(chat.text()).toContain('from the beginning');
    chat.press('up');
    expect(current()).toMatch(/line 7$/);
    expect(chat.text()).toContain('from the end');
  });

  it('is searched with / and n, and a word that is not there is said', () => {
    const chat = opened();
    const [effect] = chat.press('shift+tab');
    chat.send({ type: 'loaded', what: 'window', token: (effect as { token: number }).token, messages: stored(30), hasBefore: false });
    chat.press('/');
    answerFind(chat, chat.type('nowhere'), []);
    chat.press('enter');
    expect(chat.lines().at(-1)).toContain(chatText.notFound('nowhere'));
  });
});

describe('the history of the line', () => {
  it('is asked of the store by the first Up, and the Up is carried out when it is there', () => {
    const chat = open();
    chat.type('draft');
    expect(types(chat.press('up'))).toContain('load-history');
    chat.send({ type: 'loaded', what: 'history', stored: ['older', 'oldest'], slash: [] });
    expect(chat.line()).toBe('older');
    chat.press('up');
    expect(chat.line()).toBe('oldest');
    chat.press('down', 'down');
    expect(chat.line()).toBe('draft');
  });

  it('is not put over what was typed or cleared while it was read', () => {
    const typing = open();
    typing.press('up');
    typing.type('new words');
    typing.send({ type: 'loaded', what: 'history', stored: ['older'], slash: [] });
    expect(typing.line()).toBe('new words');

    const cleared = open();
    cleared.type('mine');
    cleared.press('ctrl+c', 'up');
    expect(cleared.line()).toBe('mine');
    cleared.press('ctrl+c');
    cleared.send({ type: 'loaded', what: 'history', stored: ['older'], slash: [] });
    expect(cleared.line()).toBe('');
  });

  it('is searched by words with Ctrl+R; Enter takes the chosen one', () => {
    const chat = open();
    chat.press('ctrl+r');
    chat.send({ type: 'loaded', what: 'history', stored: ['fix the login', '로그인을 고쳐 줘', 'write tests'], slash: [] });
    chat.type('로그인');
    expect(chat.text()).toContain('로그인을 고쳐 줘');
    expect(chat.text()).not.toContain('write tests');
    chat.press('enter');
    expect(chat.line()).toBe('로그인을 고쳐 줘');
  });
});

describe('the mouse', () => {
  const at = (action: 'press' | 'release' | 'drag', x: number, y: number) =>
    ({ type: 'mouse', event: { type: 'mouse', action, button: 'left', x, y, shift: false, alt: false, ctrl: false } }) as const;

  it('drags a selection, copies it and says how much', () => {
    const chat = open();
    chat.say({ type: 'user', message: message('user', '안녕하세요 hello'), sessionId: 's1', created: true });
    const y = chat.lines().findIndex((line) => line.includes('안녕하세요'));
    chat.send(at('press', 3, y), at('drag', 12, y));
    const effects = chat.send(at('release', 12, y));
    expect(effects).toEqual([{ type: 'copy', text: '안녕하세요', what: 'selection' }]);
  });

  it('places the caret in the line', () => {
    const chat = open();
    chat.type('가나다라');
    chat.send(at('press', 3 + 4, 21), at('release', 3 + 4, 21));
    chat.type('X');
    expect(chat.line()).toBe('가나X다라');
  });
});
