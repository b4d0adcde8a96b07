import type { CommandId, Scope } from '../commands/table.ts';
import type { MouseEvent } from '../terminal/input-event.ts';
import type { Line } from './frame.ts';

/** What every screen can be told. A screen adds its own `loaded` actions. */
export type InputAction =
  | { type: 'command'; id: CommandId }
  | { type: 'text'; text: string }
  | { type: 'paste'; text: string }
  /** Coordinates are relative to the screen's own box. */
  | { type: 'mouse'; event: MouseEvent }
  /** The size of the screen's box changed, or it is shown for the first time. */
  | { type: 'resize'; width: number; height: number };

/** State and effects as data; `update` does no input or output. */
export interface Update<State, Effect> {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** Facts of the terminal and the moment that a view needs; everything else is in the state. */
export interface ViewContext {
  readonly width: number;
  readonly height: number;
  /** Milliseconds since the epoch; injected. */
  readonly now: number;
  /** Home directory of the user, to draw paths as `~/…`. */
  readonly userHome: string;
  readonly glyphs: Glyphs;
}

export interface View {
  readonly lines: readonly Line[];
  /** Relative to the screen's own box. */
  readonly cursor?: { readonly x: number; readonly y: number };
  /** Of a box: what keys do while it stands. It covers the last line of the screen below, whose keys mean nothing then. */
  readonly footer?: Line;
}

export interface ScreenDefinition<State, Action, Effect> {
  readonly name: string;
  /** Key scopes, innermost first; text fields come before lists, lists before the screen. */
  scopes(state: State): readonly Scope[];
  update(state: State, action: Action | InputAction): Update<State, Effect>;
  view(state: State, context: ViewContext): View;
  /** Why a command can't run now, in one line; undefined = it can. Shown in the F1 menu and the palette. */
  disabledReason(state: State, id: CommandId): string | undefined;
}

/** Chrome glyphs of the theme; each has an ASCII twin for terminals that draw ambiguous characters wide (product.md 2). */
export interface Glyphs {
  readonly user: string;
  readonly agent: string;
  readonly prompt: string;
  readonly folded: string;
  readonly unfolded: string;
  readonly pin: string;
  readonly ok: string;
  readonly failed: string;
  readonly ellipsis: string;
  readonly horizontal: string;
  readonly vertical: string;
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomLeft: string;
  readonly bottomRight: string;
  readonly bar: string;
  readonly meter: string;
  readonly dot: string;
  /** Between `dot` and `user`: a little of something, in a heat map. */
  readonly point: string;
  readonly arrow: string;
  readonly restored: string;
  readonly resumed: string;
  readonly warning: string;
}

export const unicodeGlyphs: Glyphs = {
  user: '●',
  agent: '◆',
  prompt: '❯',
  folded: '▸',
  unfolded: '▾',
  pin: '★',
  ok: '✓',
  failed: '✗',
  ellipsis: '…',
  horizontal: '─',
  vertical: '│',
  topLeft: '╭',
  topRight: '╮',
  bottomLeft: '╰',
  bottomRight: '╯',
  bar: '▌',
  meter: '━',
  dot: '·',
  point: '•',
  arrow: '→',
  restored: '↪',
  resumed: '↻',
  warning: '⚠',
};

export const asciiGlyphs: Glyphs = {
  user: '*',
  agent: '+',
  prompt: '>',
  folded: '>',
  unfolded: 'v',
  pin: '*',
  ok: 'v',
  failed: 'x',
  ellipsis: '.',
  horizontal: '-',
  vertical: '|',
  topLeft: '+',
  topRight: '+',
  bottomLeft: '+',
  bottomRight: '+',
  bar: '|',
  meter: '=',
  dot: '-',
  point: 'o',
  arrow: '>',
  restored: '>',
  resumed: '@',
  warning: '!',
};
