import { describe, expect, it } from 'vitest';
import { lineText } from '../../src/ui/compose.ts';
import type { Layer } from '../../src/ui/frame.ts';
import { keymapOf, parseKey } from '../../src/ui/keymap.ts';
import { createRoot, topOf, type Definitions, type RootAction, type RootEffect, type RootState } from '../../src/ui/root/model.ts';
import { viewRoot } from '../../src/ui/root/view.ts';
import { unicodeGlyphs } from '../../src/ui/screen.ts';
import { createChat, createChatScreen } from '../../src/ui/screens/chat/index.ts';
import { askRename, createDialog, createDialogScreen } from '../../src/ui/screens/dialog/index.ts';
import { createInsightsScreen } from '../../src/ui/screens/insights/index.ts';
import { createMenuScreen } from '../../src/ui/screens/menu/index.ts';
import { createModelsScreen } from '../../src/ui/screens/models/index.ts';
import { createPaletteScreen } from '../../src/ui/screens/palette/index.ts';
import { createSearchScreen } from '../../src/ui/screens/search/index.ts';
import { createSessions, createSessionsScreen } from '../../src/ui/screens/sessions/index.ts';
import { fixedNow } from '../support/screen.ts';

const definitions: Definitions = {
  chat: createChatScreen({ now: () => fixedNow }),
  sessions: createSessionsScreen({ clock: () => 0 }),
  search: createSearchScreen({ now: () => fixedNow }),
  look: createChatScreen({ now: () => fixedNow }),
  menu: createMenuScreen(),
  palette: createPaletteScreen(),
  models: createModelsScreen(),
  insights: createInsightsScreen(),
  dialog: createDialogScreen(),
};

function open(width = 80, height = 24) {
  const root = createRoot(definitions);
  const chat = createChat({ session: {}, place: { path: '/home/ann' }, blocks: [], hasBacklog: false });
  let state: RootState = { width, height, stack: [{ name: 'chat', state: chat }] };
  const send = (...actions: RootAction[]): RootEffect[] =>
    actions.flatMap((action) => {
      const updated = root.update(state, action);
      state = updated.state;
      return updated.effects;
    });
  const press = (...keys: string[]): RootEffect[] =>
    keys.flatMap((notation) => send({ type: 'input', event: { type: 'key', ...parseKey(notation)! } }));
  const type = (text: string): RootEffect[] => send({ type: 'input', event: { type: 'text', text } });
  const frame = () => viewRoot(definitions, state, { width, height, now: fixedNow, userHome: '/home/ann', glyphs: unicodeGlyphs });
  send({ type: 'resize', width, height });
  return {
    send,
    press,
    type,
    frame,
    top: () => topOf(state).name,
    stack: () => state.stack.map((shown) => shown.name),
    root,
    state: () => state,
  };
}

describe('the stack of screens', () => {
  it('opens help and palette over the conversation and closes them again', () => {
    const app = open();
    app.press('f1');
    expect(app.stack()).toEqual(['chat', 'menu']);
    app.press('escape');
    app.press('ctrl+p');
    expect(app.stack()).toEqual(['chat', 'palette']);
    app.press('escape');
    expect(app.stack()).toEqual(['chat']);
  });

  it('asks for the picker with Ctrl+X, and a second Ctrl+X closes it', () => {
    const app = open();
    expect(app.press('ctrl+x')).toEqual([{ from: 'root', effect: { type: 'open-sessions' } }]);
    app.send({ type: 'open', screen: { name: 'sessions', state: createSessions({ keys: ['/home/ann'], isRepository: false }) } });
    expect(app.press('ctrl+x').some((effect) => effect.from === 'sessions')).toBe(true);
  });

  it('runs what a menu chose on the screen below it', () => {
    const app = open();
    app.press('f1');
    app.type('quit');
    expect(app.press('enter')).toEqual([{ from: 'chat', effect: { type: 'leave' } }]);
    expect(app.stack()).toEqual(['chat']);
  });

  it('takes a question away together with what stands above it, never the lowest screen', () => {
    const app = open();
    app.send({ type: 'open', screen: { name: 'dialog', state: createDialog(askRename({ id: 's', title: 't' })) } });
    app.press('f1');
    app.send({ type: 'close', name: 'dialog' });
    expect(app.stack()).toEqual(['chat']);
    app.send({ type: 'close', name: 'chat' });
    expect(app.stack()).toEqual(['chat']);
  });

  it('tells a hidden screen what concerns it', () => {
    const app = open();
    app.press('f1');
    app.send({ type: 'to', name: 'chat', action: { type: 'session', session: { title: 'renamed below' } } });
    app.press('escape');
    const shown = app
      .frame()
      .layers[0]!.lines[0]!.map((span) => span.text)
      .join('');
    expect(shown).toContain('renamed below');
  });
});

describe('typed letters', () => {
  it('that came in one read are one text in a field', () => {
    const app = open();
    app.type('hello?');
    expect(app.stack()).toEqual(['chat']);
  });

  it('`?` alone on the empty line is help', () => {
    const app = open();
    app.type('?');
    expect(app.top()).toBe('menu');
  });

  it('a pasted text never runs a command', () => {
    const app = open();
    app.send({ type: 'input', event: { type: 'paste', text: '?' } });
    expect(app.stack()).toEqual(['chat']);
  });

  it('an answer of the terminal reaches no screen', () => {
    const app = open();
    expect(app.send({ type: 'input', event: { type: 'reply', kind: 'csi', data: '[?62;4c' } })).toEqual([]);
  });
});

describe('the frame', () => {
  it('of a screen that is too small is one line', () => {
    const frame = open(39, 11).frame();
    expect(frame.layers).toHaveLength(1);
    expect(frame.layers[0]!.lines).toHaveLength(1);
  });

  it('shows a question as a box over what is below, with the cursor in its field', () => {
    const app = open();
    app.send({ type: 'open', screen: { name: 'dialog', state: createDialog(askRename({ id: 's', title: '제목' })) } });
    const frame = app.frame();
    expect(frame.layers).toHaveLength(3);
    const [, margin, box] = frame.layers as [Layer, Layer, Layer];
    expect(margin).toMatchObject({ x: box.x - 1, y: box.y, width: box.width + 2 });
    expect(box.x).toBeGreaterThan(0);
    expect(frame.cursor!.x).toBeGreaterThan(box.x);
    expect(frame.cursor!.y).toBeGreaterThan(box.y);
    const footer = lineText(frame.layers[0]!.lines.at(-1)!);
    expect(footer.trim().replace(/ {2,}/g, '  ')).toBe('Enter answer  ↓ other answer  Esc cancel');
  });
});

it('every key of the program reaches a command in some screen', () => {
  const app = open();
  for (const notation of ['ctrl+x', 'ctrl+p', 'f1', 'ctrl+l', 'ctrl+z', 'escape', 'ctrl+c']) {
    expect(keymapOf().resolve(app.root.scopes(app.state()), { type: 'key', ...parseKey(notation)! })).toBeDefined();
  }
});
