import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/session/query-parse.ts';
import type { Message } from '../../src/session/types.ts';
import { createChat, createChatScreen, createLook, type ChatEffect, type LookAt } from '../../src/ui/screens/chat/index.ts';
import { driveScreen, fixedNow as now } from '../support/screen.ts';

const total = 1000;
/** A conversation of a thousand messages; every hundredth says needle, one of them in the result of a tool. */
const all: Message[] = Array.from({ length: total }, (_, index): Message => {
  const id = index + 1;
  const base = { id, sessionId: 's', timestamp: now, active: true, compacted: false, isSummary: false };
  if (id === 500)
    return { ...base, role: 'assistant', text: '', toolCalls: [{ id: 'c', name: 'terminal', arguments: '{"command":"ls"}' }] };
  if (id === 501)
    return { ...base, role: 'tool', text: `${'a line\n'.repeat(30)}the needle 501`, toolCalls: [], toolCallId: 'c', toolName: 'terminal' };
  const text = id % 100 === 0 ? `a needle in message ${id}` : `message ${id}`;
  return { ...base, role: id % 2 === 0 ? 'assistant' : 'user', text, toolCalls: [] };
});
const hits = [100, 200, 300, 400, 501, 600, 700, 800, 900, 1000];
const query = parseQuery('needle', { now, times: 'said' });
const place = (id: number) => ({ sessionId: 's', order: id });

function open(at: LookAt = 501, size = { width: 80, height: 24 }) {
  const screen = createChatScreen({ now: () => now });
  const chat = createChat({ session: { id: 's', title: 'long' }, place: { path: '/home/ann' }, blocks: [], hasBacklog: false });
  const driver = driveScreen(screen, createLook(chat, at, { text: 'needle', query }), size);
  const answer = (effects: readonly ChatEffect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'load-around') around(effect.token, effect.at);
      else if (effect.type === 'load-later') {
        const from = effect.after?.order ?? 0;
        const messages = all.slice(from, from + 50);
        const { token } = effect;
        answer(
          driver.send({
            type: 'loaded',
            what: 'later',
            token,
            messages,
            end: place(messages.at(-1)!.id),
            hasAfter: messages.at(-1)!.id < total,
          }),
        );
      } else if (effect.type === 'load-window') {
        const to = (effect.before?.order ?? total + 1) - 1;
        const messages = all.slice(Math.max(0, to - 50), to);
        const { token } = effect;
        answer(
          driver.send({ type: 'loaded', what: 'window', token, messages, start: place(messages[0]!.id), hasBefore: messages[0]!.id > 1 }),
        );
      } else if (effect.type === 'find') driver.send({ type: 'loaded', what: 'hits', token: effect.token, ids: hits });
    }
  };
  function around(token: number, wanted: LookAt): void {
    const middle = wanted === 'first' ? 1 : wanted === 'last' ? total : wanted;
    const messages = all.slice(Math.max(0, middle - 21), middle + 20);
    const [first, last] = [messages[0]!.id, messages.at(-1)!.id];
    const edges = { start: place(first), end: place(last), hasBefore: first > 1, hasAfter: last < total };
    answer(driver.send({ type: 'loaded', what: 'around', token, messages, ...edges }));
  }
  around(driver.state().look!.around!.token, at);
  driver.send({ type: 'loaded', what: 'hits', token: driver.state().found!.token, ids: hits });
  const press = (...keys: string[]): ChatEffect[] =>
    keys.flatMap((key) => {
      const effects = driver.press(key);
      answer(effects);
      return effects;
    });
  return { ...driver, press, screenPress: driver.press };
}

const current = (look: ReturnType<typeof open>): string => look.lines().find((line, y) => y > 1 && line.startsWith('▌')) ?? '';

describe('a conversation that is looked at', () => {
  it.each([
    [40, 12],
    [80, 24],
    [120, 40],
    [250, 70],
  ])('at %ix%i it opens at the hit, unfolded, marked, with what can be done below', (width, height) => {
    const look = open(501, { width, height });
    expect(look.text()).toContain('the needle 501');
    const marked = look
      .view()
      .lines.flat()
      .filter((each) => each.style === 'accent bold underline');
    expect(marked.map((each) => each.text)).toEqual(['needle']);
    expect(look.lines().at(-1)).toMatch(/^ looking {3}5 of 10/u);
    expect(look.view().cursor).toBeUndefined();
  });

  it('n and N go through all hits, those outside of the window too, and begin again at the other end', () => {
    const look = open();
    const seen: string[] = [];
    for (let hit = 0; hit < 6; hit++) {
      look.press('n');
      seen.push(current(look).trim());
    }
    expect(seen.slice(0, 5).map((line) => /\d+$/u.exec(line)?.[0])).toEqual(['600', '700', '800', '900', '1000']);
    expect(look.lines().at(-1)).toContain('1 of 10');
    expect(current(look)).toContain('message 100');
    look.press('N');
    expect(current(look)).toContain('message 1000');
  });

  it('is scrolled from one end to the other, without a gap', () => {
    const look = open();
    look.press('g');
    expect(current(look)).toMatch(/message 1$/u);
    const seen = new Set<number>();
    const note = (): void => {
      for (const line of look.lines()) for (const found of line.matchAll(/message (\d+)/gu)) seen.add(Number(found[1]));
    };
    for (let page = 0; page < 400 && !seen.has(total); page++) {
      note();
      look.press('pagedown');
      note();
    }
    expect(all.filter(({ id }) => id !== 500 && id !== 501 && !seen.has(id))).toEqual([]);
    look.press('G', 'up');
    expect(current(look)).toMatch(/message 999$/u);
  });

  it('/ looks for other words in it, and counts them', () => {
    const look = open();
    look.press('/');
    look.type('other');
    const { token } = look.state().found!;
    look.send({ type: 'loaded', what: 'hits', token, ids: [3, 490] });
    expect(look.lines().at(-1)).toContain('2 matches');
    look.press('enter');
    expect(look.state().found?.at).toBe(3);
  });

  it('Enter resumes, Esc leaves, Space folds, and nothing can be typed', () => {
    const look = open();
    expect(look.press('enter')).toEqual([{ type: 'resume-look' }]);
    expect(look.press('escape')).toEqual([{ type: 'close-look' }]);
    look.press('space');
    expect(look.text()).not.toContain('the needle 501');
    const before = look.text();
    expect(look.type('x')).toEqual([]);
    expect(look.text()).toBe(before);
  });

  it('a window that can not be read is said, and asked for again', () => {
    const look = open();
    const [effect] = look.screenPress('g');
    look.send({ type: 'failed', what: 'window', token: (effect as { token: number }).token, message: 'the disk is gone' });
    expect(look.lines().at(-1)).toContain('the disk is gone');
    expect(look.screenPress('g').map(({ type }) => type)).toContain('load-around');
  });
});
