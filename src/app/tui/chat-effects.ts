import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentError, HermesError } from '../../errors.ts';
import { appText } from '../../text/en/app.ts';
import { commandSpec } from '../../commands/table.ts';
import { hintFor } from '../../ui/keymap.ts';
import type { ChatEffect } from '../../ui/screens/chat/index.ts';
import { recallCommands, rememberCommand } from '../command-history.ts';
import { findHelpWithoutModel, withoutStore } from '../no-model.ts';
import type { Context } from './context.ts';
import { copy } from './copy.ts';
import type { OpenChat } from './desk.ts';
import { askAgain } from './resume.ts';

/** Messages of a window of the transcript: some screens of text, a few milliseconds to read. */
const windowSize = 200;
const historySize = 500;

export function runChatEffect(context: Context, effect: ChatEffect): void {
  const { desk } = context;
  const chat = desk.current();
  switch (effect.type) {
    case 'send':
      context.track(send(context, chat, effect.text));
      return;
    case 'retry':
      context.track(guarded(context, chat, undefined, () => chat.seat.conversation.retry()));
      return;
    case 'locked':
      context.track(askAgain(context, chat));
      return;
    case 'interrupt':
      context.track(chat.seat.conversation.interrupt());
      return;
    case 'take-queue': {
      const texts = chat.seat.conversation.takeQueue();
      if (texts.length > 0) desk.tell(chat, { type: 'unsent', texts });
      return;
    }
    case 'run':
      context.runCommand(effect.id, effect.args);
      return;
    case 'load-window':
      context.track(loadWindow(context, chat, effect));
      return;
    case 'find':
      context.track(find(context, chat, effect));
      return;
    case 'load-later':
    case 'load-around':
    case 'resume-look':
    case 'close-look':
      // A conversation of its own is loaded to its end.
      return;
    case 'load-history':
      context.track(loadHistory(context, chat));
      return;
    case 'copy':
      context.track(copy(context, effect.text, effect.what === 'message'));
      return;
    case 'edit':
      editOutside(context, chat, effect.text);
      return;
    case 'draft':
      desk.saveDraft(chat);
      return;
    case 'remember-command':
      rememberCommand(context.run.home.path, effect.line, context.log);
      return;
    case 'leave':
      context.finish({ leaving: 'tui_close' });
      return;
  }
}

async function send(context: Context, chat: OpenChat, text: string): Promise<void> {
  if (!chat.seat.conversation.isBusy) chat.inFlight = text;
  await guarded(context, chat, text, () => chat.seat.conversation.send(text));
  chat.inFlight = undefined;
}

/** A refusal before anything was stored gives the text back and says what to do. */
async function guarded(context: Context, chat: OpenChat, text: string | undefined, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    chat.inFlight = undefined;
    const hasNoModel = text !== undefined && error instanceof AgentError && error.trouble === 'no-model';
    // The line is full again, so `/model` can't be typed there: the palette leaves it alone.
    const key = hasNoModel ? hintFor('app.palette', ['global'], { overrides: context.run.loaded().config.keys }) : undefined;
    const hint = key === undefined ? error.hint : appText.noModelHint(key, commandSpec('model.choose').name);
    context.desk.tell(chat, { type: 'notice', tone: 'error', text: error.message, ...(hint === undefined ? {} : { hint }) });
    if (text === undefined) return;
    context.desk.tell(chat, { type: 'unsent', texts: [text] });
    if (hasNoModel) await helpWithoutModel(context, chat, text);
  }
}

/** What could help all the same, as notices below the refusal. */
async function helpWithoutModel(context: Context, chat: OpenChat, text: string): Promise<void> {
  const { servers, matches } = await findHelpWithoutModel(context.store, text);
  const tell = (said: string): void => context.desk.tell(chat, { type: 'notice', tone: 'info', text: said });
  if (servers.length > 0) tell(appText.localServers(servers.map((server) => `${server.label} ${server.baseUrl}`)));
  if (matches.length > 0) tell(matches.join('\n'));
}

async function loadWindow(context: Context, chat: OpenChat, effect: ChatEffect & { type: 'load-window' }): Promise<void> {
  const id = chat.seat.id();
  if (id === undefined) return;
  try {
    const window = await context.store.read.messagesBefore(id, effect.before, windowSize);
    context.desk.tell(chat, {
      type: 'loaded',
      what: 'window',
      token: effect.token,
      messages: window.messages,
      ...(window.start === undefined ? {} : { start: window.start }),
      hasBefore: window.hasBefore,
    });
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    context.desk.tell(chat, { type: 'failed', what: 'window', token: effect.token, message: error.message, ...hint });
  }
}

/** All messages of the stored conversation that match, its compressed segments included. */
async function find(context: Context, chat: OpenChat, { token, query }: ChatEffect & { type: 'find' }): Promise<void> {
  chat.finding?.abort();
  const id = chat.seat.id();
  if (id === undefined) return context.desk.tell(chat, { type: 'loaded', what: 'hits', token, ids: 'loaded' });
  const controller = new AbortController();
  chat.finding = controller;
  try {
    const hits = await context.store.reading(controller.signal).hitsIn(id, query);
    context.desk.tell(chat, { type: 'loaded', what: 'hits', token, ids: hits.map((hit) => hit.messageId) });
  } catch (error) {
    if (controller.signal.aborted) return;
    if (!(error instanceof HermesError)) throw error;
    context.desk.tell(chat, { type: 'flash', text: error.message, isError: true, now: context.run.now() });
  }
}

async function loadHistory(context: Context, chat: OpenChat): Promise<void> {
  const sessionId = chat.seat.id();
  const query = { ...(sessionId === undefined ? {} : { sessionId }), workspaces: chat.seat.workspace().keys, limit: historySize };
  const stored = await context.store.read.userHistory(query).catch(withoutStore);
  context.desk.tell(chat, { type: 'loaded', what: 'history', stored, slash: recallCommands(context.run.home.path) });
}

/** Gives the terminal to $VISUAL or $EDITOR until it ends; what it saved is the new text. */
function editOutside(context: Context, chat: OpenChat, text: string): void {
  const { stage, run, desk } = context;
  const editor = run.env['VISUAL'] ?? run.env['EDITOR'] ?? 'vi';
  const folder = mkdtempSync(path.join(tmpdir(), 'hermes-message-'));
  const file = path.join(folder, 'message.md');
  try {
    writeFileSync(file, text, { mode: 0o600 });
    stage.tty.leave();
    // The variable is a command line of the user's own (`code --wait`), so a shell reads it.
    const outcome = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', cwd: chat.seat.workspace().realCwd });
    stage.tty.enter();
    stage.canvas.redrawAll();
    if (outcome.status !== 0) {
      const reason = outcome.error?.message ?? `exit code ${outcome.status ?? outcome.signal ?? '?'}`;
      context.flash(appText.editorFailed(editor, reason), true);
      return;
    }
    const edited = readFileSync(file, 'utf8');
    desk.tell(chat, { type: 'fill', text: edited.endsWith('\n') && !text.endsWith('\n') ? edited.slice(0, -1) : edited });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (!stage.tty.isEntered()) {
      stage.tty.enter();
      stage.canvas.redrawAll();
    }
  }
}
