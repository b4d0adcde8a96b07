import type { CommandId, Scope } from '../../commands/table.ts';
import type { InputEvent } from '../../terminal/input-event.ts';
import { keymapOf, type KeyOverrides } from '../keymap.ts';
import type { InputAction, ScreenDefinition, Update } from '../screen.ts';
import type { ChatAction, ChatEffect, ChatState } from '../screens/chat/state.ts';
import type { DialogAction, DialogEffect, DialogState } from '../screens/dialog/index.ts';
import type { InsightsAction, InsightsEffect, InsightsState } from '../screens/insights/index.ts';
import { openMenu, type MenuAction, type MenuEffect, type MenuState } from '../screens/menu/index.ts';
import type { ModelsAction, ModelsEffect, ModelsState } from '../screens/models/index.ts';
import { openPalette } from '../screens/palette/index.ts';
import type { SearchAction, SearchEffect, SearchState } from '../screens/search/index.ts';
import type { SessionsAction, SessionsEffect, SessionsState } from '../screens/sessions/index.ts';

/** Every screen by name, with what it holds, is told and asks for. */
export interface Screens {
  chat: { state: ChatState; action: ChatAction; effect: ChatEffect };
  sessions: { state: SessionsState; action: SessionsAction; effect: SessionsEffect };
  search: { state: SearchState; action: SearchAction; effect: SearchEffect };
  /** A conversation that is looked at from the search; the pane's own one stays below. */
  look: { state: ChatState; action: ChatAction; effect: ChatEffect };
  menu: { state: MenuState; action: MenuAction; effect: MenuEffect };
  palette: { state: MenuState; action: MenuAction; effect: MenuEffect };
  models: { state: ModelsState; action: ModelsAction; effect: ModelsEffect };
  insights: { state: InsightsState; action: InsightsAction; effect: InsightsEffect };
  dialog: { state: DialogState; action: DialogAction; effect: DialogEffect };
}

export type ScreenName = keyof Screens;

/** A screen on the stack with its state. */
export type Shown = { [Name in ScreenName]: { readonly name: Name; readonly state: Screens[Name]['state'] } }[ScreenName];

export type Definitions = {
  readonly [Name in ScreenName]: ScreenDefinition<Screens[Name]['state'], Screens[Name]['action'] | InputAction, Screens[Name]['effect']>;
};

/** The whole screen: the stack of screens, the topmost last. The lowest is the conversation, or the picker of `sessions browse`. */
export interface RootState {
  readonly width: number;
  readonly height: number;
  readonly stack: readonly Shown[];
}

export type RootAction =
  | { type: 'input'; event: InputEvent }
  | { type: 'resize'; width: number; height: number }
  | { type: 'open'; screen: Shown }
  | { type: 'close'; name: ScreenName }
  /** Replaces the state of a screen wherever it stands; used when another conversation is shown. */
  | { type: 'replace'; screen: Shown }
  /** A command chosen in a menu, meant for the screen on top. */
  | { type: 'run'; id: CommandId }
  | { [Name in ScreenName]: { type: 'to'; name: Name; action: Screens[Name]['action'] } }[ScreenName];

export type RootEffect =
  | { [Name in Exclude<ScreenName, 'menu' | 'palette'>]: { from: Name; effect: Screens[Name]['effect'] } }[Exclude<
      ScreenName,
      'menu' | 'palette'
    >]
  | { from: 'root'; effect: { type: 'redraw' } | { type: 'suspend' } | { type: 'open-sessions' } | { type: 'open-search' } };

const none: readonly RootEffect[] = [];

/** Commands that mean the same on every screen. */
type RootCommand = 'app.sessions' | 'app.search' | 'app.palette' | 'app.help' | 'app.redraw' | 'app.suspend';
const rootCommands: ReadonlySet<CommandId> = new Set<RootCommand>([
  'app.sessions',
  'app.search',
  'app.palette',
  'app.help',
  'app.redraw',
  'app.suspend',
]);

export interface Root {
  update(state: RootState, action: RootAction): Update<RootState, RootEffect>;
  /** Key scopes of the screen on top. */
  scopes(state: RootState): readonly Scope[];
}

export const topOf = (state: RootState): Shown => state.stack.at(-1)!;

/**
 * Joins the screens: input goes to the one on top, commands of the program are carried out here, effects are handed on with the name of
 * the screen they come from. Menu and palette stay inside: what they choose runs on the screen below them.
 */
export function createRoot(definitions: Definitions, overrides?: KeyOverrides): Root {
  const keymap = keymapOf(overrides);

  const definitionOf = (name: ScreenName): ScreenDefinition<unknown, unknown, unknown> =>
    definitions[name] as unknown as ScreenDefinition<unknown, unknown, unknown>;

  const scopes = (state: RootState): readonly Scope[] => {
    const top = topOf(state);
    return definitionOf(top.name).scopes(top.state);
  };

  /** Tells the screen at `index` something; its effects come out, those of menus are carried out. */
  function tell(state: RootState, index: number, action: unknown): Update<RootState, RootEffect> {
    const shown = state.stack[index]!;
    const updated = definitionOf(shown.name).update(shown.state, action);
    const stack =
      updated.state === shown.state ? state.stack : state.stack.with(index, { name: shown.name, state: updated.state } as Shown);
    const next = stack === state.stack ? state : { ...state, stack };
    if (shown.name === 'menu' || shown.name === 'palette') return runMenu(next, updated.effects as readonly MenuEffect[]);
    return { state: next, effects: updated.effects.map((effect) => ({ from: shown.name, effect }) as RootEffect) };
  }

  function runMenu(state: RootState, effects: readonly MenuEffect[]): Update<RootState, RootEffect> {
    let current: Update<RootState, RootEffect> = { state, effects: none };
    for (const effect of effects) {
      const step = effect.type === 'close' ? { state: closeTop(current.state), effects: none } : run(current.state, effect.id);
      current = { state: step.state, effects: [...current.effects, ...step.effects] };
    }
    return current;
  }

  const tellTop = (state: RootState, action: unknown): Update<RootState, RootEffect> => tell(state, state.stack.length - 1, action);

  function open(state: RootState, screen: Shown): Update<RootState, RootEffect> {
    const next = { ...state, stack: [...state.stack, screen] };
    return tellTop(next, { type: 'resize', width: state.width, height: state.height });
  }

  function run(state: RootState, id: CommandId): Update<RootState, RootEffect> {
    const top = topOf(state);
    const isMenu = top.name === 'menu' || top.name === 'palette';
    if (!rootCommands.has(id) || (isMenu && id !== 'app.redraw' && id !== 'app.suspend')) return tellTop(state, { type: 'command', id });
    switch (id as RootCommand) {
      case 'app.redraw':
        return { state, effects: [{ from: 'root', effect: { type: 'redraw' } }] };
      case 'app.suspend':
        return { state, effects: [{ from: 'root', effect: { type: 'suspend' } }] };
      case 'app.sessions':
        if (top.name === 'sessions' || (top.name === 'dialog' && state.stack.some((shown) => shown.name === 'sessions')))
          return tellTop(state, { type: 'command', id: 'app.back' });
        return { state, effects: [{ from: 'root', effect: { type: 'open-sessions' } }] };
      case 'app.search':
        // Out of a conversation that is looked at, back to what was found.
        if (state.stack.some((shown) => shown.name === 'search') || top.name === 'dialog')
          return tellTop(state, { type: 'command', id: 'app.back' });
        return { state, effects: [{ from: 'root', effect: { type: 'open-search' } }] };
      case 'app.help':
        return open(state, { name: 'menu', state: openMenu(sourceOf(top)) });
      case 'app.palette':
        return top.name === 'dialog' ? { state, effects: none } : open(state, { name: 'palette', state: openPalette(sourceOf(top)) });
    }
  }

  function sourceOf(shown: Shown) {
    const definition = definitionOf(shown.name);
    return {
      scopes: definition.scopes(shown.state),
      disabledReason: (id: CommandId) => definition.disabledReason(shown.state, id),
      ...(overrides === undefined ? {} : { overrides }),
    };
  }

  function input(state: RootState, event: InputEvent): Update<RootState, RootEffect> {
    switch (event.type) {
      case 'key': {
        const id = keymap.resolve(scopes(state), event);
        return id === undefined ? { state, effects: none } : run(state, id);
      }
      case 'text':
        return typed(state, event.text);
      case 'paste':
        return tellTop(state, { type: 'paste', text: event.text });
      case 'mouse':
        return tellTop(state, { type: 'mouse', event });
      case 'focus':
        return event.focused ? tellTop(state, { type: 'focused' }) : { state, effects: none };
      case 'reply':
        return { state, effects: none };
    }
  }

  /** Text is a key only as a single character in a scope that binds it: `?` on an empty line, `y` in reading mode. */
  function typed(state: RootState, text: string): Update<RootState, RootEffect> {
    const letters = [...text];
    // Where nothing is typed into, letters that came in one read are keys one after the other.
    if (letters.length > 1 && !scopes(state).includes('field')) {
      const [first = '', ...rest] = letters;
      const step = typed(state, first);
      const next = typed(step.state, rest.join(''));
      return { state: next.state, effects: [...step.effects, ...next.effects] };
    }
    const id = keymap.resolve(scopes(state), { type: 'text', text });
    return id === undefined ? tellTop(state, { type: 'text', text }) : run(state, id);
  }

  function update(state: RootState, action: RootAction): Update<RootState, RootEffect> {
    switch (action.type) {
      case 'input':
        return input(state, action.event);
      case 'run':
        return run(state, action.id);
      case 'open':
        return open(state, action.screen);
      case 'close':
        return { state: closeNamed(state, action.name), effects: none };
      case 'replace': {
        const index = state.stack.findIndex((shown) => shown.name === action.screen.name);
        if (index === -1) return { state, effects: none };
        const next = { ...state, stack: state.stack.with(index, action.screen) };
        return tell(next, index, { type: 'resize', width: state.width, height: state.height });
      }
      case 'to': {
        const index = state.stack.findLastIndex((shown) => shown.name === action.name);
        return index === -1 ? { state, effects: none } : tell(state, index, action.action);
      }
      case 'resize': {
        let current: Update<RootState, RootEffect> = { state: { ...state, width: action.width, height: action.height }, effects: none };
        for (let index = 0; index < state.stack.length; index++) {
          const step = tell(current.state, index, { type: 'resize', width: action.width, height: action.height });
          current = { state: step.state, effects: [...current.effects, ...step.effects] };
        }
        return current;
      }
    }
  }

  return { update, scopes };
}

/** Takes the topmost screen away; the lowest stays. */
function closeTop(state: RootState): RootState {
  return state.stack.length === 1 ? state : { ...state, stack: state.stack.slice(0, -1) };
}

/** Takes a screen away together with what stands above it. */
function closeNamed(state: RootState, name: ScreenName): RootState {
  const index = state.stack.findLastIndex((shown) => shown.name === name);
  return index <= 0 ? state : { ...state, stack: state.stack.slice(0, index) };
}
