import { expect, test } from 'vitest';
import { programHandlers } from '../../src/app/tui/program.ts';
import { commands } from '../../src/commands/table.ts';
import { createChat, createChatScreen } from '../../src/ui/screens/chat/index.ts';

/** Taken by src/ui/root/model.ts before any screen sees them. */
const ofTheRoot = ['app.help'];

test('whatever the chat hands to the program is carried out there', () => {
  const screen = createChatScreen({ now: () => 0 });
  const handedOn = commands.flatMap(({ id }) => {
    const { effects } = screen.update(createChat({ session: {}, place: { path: '/' }, blocks: [], hasBacklog: false }), {
      type: 'command',
      id,
    });
    return effects.some((effect) => effect.type === 'run' && effect.id === id) ? [id] : [];
  });
  expect(handedOn).toContain('session.status');
  expect(handedOn.filter((id) => programHandlers[id] === undefined)).toEqual(ofTheRoot);
});
