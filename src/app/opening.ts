import type { Config } from '../config/types.ts';
import { NotFoundError, StoreError } from '../errors.ts';
import { buildRecap } from '../session/recap.ts';
import { localSources } from '../session/source.ts';
import { statusOf } from '../session/status.ts';
import type { Session } from '../session/types.ts';
import type { OpenConnection } from '../store/connection.ts';
import { askStore } from '../store/open.ts';
import { LAYOUT_VERSION } from '../store/schema/create.ts';
import { latest } from '../store/reads/latest.ts';
import { recapMessages, type RecapMessages } from '../store/reads/recap.ts';
import { resolveSession } from '../store/reads/resolve.ts';
import { messageHome } from '../store/reads/recall.ts';
import { resumeTarget, segmentIds, sessionById } from '../store/reads/sessions.ts';
import { messagesAround, type Window } from '../store/reads/transcript.ts';
import { readBreadcrumb } from '../terminal/breadcrumbs.ts';
import { start as startText } from '../text/en/start.ts';
import { storeText } from '../text/en/store.ts';
import { tildePath } from '../text/paths.ts';
import { relativeTime } from '../text/relative-time.ts';
import type { Block } from '../ui/transcript/index.ts';
import { chooseSession, type PaneMemory, type ResumeReads, type StartPlan, type StartRequest } from './choose-session.ts';
import type { Run } from './run.ts';
import { isDirectory, type Workspace } from './workspace.ts';

/** A conversation as it opens: which one, where, and what is shown of it. */
export interface Opening {
  readonly plan: StartPlan;
  readonly recap: RecapMessages | undefined;
  /** Milliseconds since the epoch; the store could not be opened in place and a private copy was read. */
  readonly copiedAt: number | undefined;
  /** The message it opens at, with what stands around it. */
  readonly at?: OpeningAt;
  /** Layout of the store, where it is newer than the one known here. */
  readonly newerLayout?: number;
}

export interface OpeningAt {
  readonly messageId: number;
  readonly window: Window;
}

/** Whether the stored conversation ends without an answer. */
export function isOpenQuestion({ recap }: Pick<Opening, 'recap'>): boolean {
  const last = recap?.messages.at(-1);
  if (last === undefined) return false;
  const { role, finishReason, toolCalls } = last;
  const status = statusOf({ role, hasToolCalls: toolCalls.length > 0, ...(finishReason === undefined ? {} : { finishReason }) });
  return status === 'interrupted' || status === 'error';
}

/** A new conversation there; its title is kept until its first message. */
export function freshOpening(workspace: Workspace, title?: string): Opening {
  return { plan: { workspace, notices: [], ...(title === undefined ? {} : { title }) }, recap: undefined, copiedAt: undefined };
}

/**
 * Decides what opens, on a connection that only reads and is closed again: looking changes nothing (product.md 1).
 * @throws the errors of `chooseSession`, StoreError
 */
export function openChosen(run: Run, request: StartRequest): Opening {
  const isNamed = request.continue !== undefined || request.resume !== undefined;
  const withoutStore = (): Opening => ({
    plan: chooseSession(request, run.startedIn, noStore, () => paneMemory(run)),
    recap: undefined,
    copiedAt: undefined,
  });
  if (!isNamed) return withoutStore();
  try {
    return askStore(run.home.storePath, { now: run.now }, (connection) => {
      const plan = chooseSession(request, run.startedIn, readsOf(connection), () => paneMemory(run));
      const recap = plan.session === undefined ? undefined : readRecap(connection, plan.session, run.loaded().config);
      const { version } = connection.shape;
      const at = plan.at === undefined || plan.session === undefined ? undefined : readAt(connection, plan.session, plan.at);
      return {
        plan,
        recap,
        copiedAt: connection.copiedAt,
        ...(at === undefined ? {} : { at }),
        ...(version > LAYOUT_VERSION ? { newerLayout: version } : {}),
      };
    });
  } catch (error) {
    // A store that does not exist yet is an empty one: nothing to resume.
    if (error instanceof StoreError && error.trouble === 'missing') return withoutStore();
    throw error;
  }
}

/** Messages before and behind the one that is opened at. */
const aroundMessage = 60;

/** @throws NotFoundError where that conversation does not show it; names the one that does */
function readAt(connection: OpenConnection, session: Session, messageId: number): OpeningAt {
  const home = messageHome(connection, messageId);
  const hint = home === undefined ? startText.findMessage : startText.inOtherSession(messageId, home.sessionId);
  const miss = (why: string): NotFoundError => new NotFoundError(startText.notInSession(messageId, session.id), why);
  if (home === undefined || !segmentIds(connection, session.id).includes(home.sessionId)) throw miss(hint);
  const window = messagesAround(connection, messageId, aroundMessage, aroundMessage);
  // Undone, or meant for the model alone.
  if (window?.messages.some((message) => message.id === messageId) !== true) throw miss(startText.findMessage);
  return { messageId, window };
}

const noStore: ResumeReads = {
  session: () => undefined,
  target: () => undefined,
  latest: () => undefined,
  resolve: () => ({ kind: 'none' }),
};

function readsOf(connection: OpenConnection): ResumeReads {
  return {
    session: (id) => sessionById(connection, id),
    target: (id) => resumeTarget(connection, id),
    latest: (workspaces) => latest(connection, { sources: localSources, ...(workspaces === undefined ? {} : { workspaces }) }),
    resolve: (name) => resolveSession(connection, name),
  };
}

/** What this pane was left at; the first reason when its breadcrumb is not followed. */
function paneMemory(run: Run): PaneMemory {
  if (!run.loaded().config.session.terminalContinue) return { none: startText.continueOff };
  const found = readBreadcrumb(run.home.path, run.terminal(), run.now());
  if (found.kind === 'found') return { sessionId: found.sessionId, cwd: found.cwd ?? '' };
  const rejection = found.rejected[0];
  return { none: rejection === undefined ? startText.noCrumb : startText.notFollowed(rejection.text) };
}

const readRecap = (connection: OpenConnection, session: Session, config: Config): RecapMessages =>
  recapMessages(connection, session.id, { limit: config.display.resumeExchanges });

/** A recorded directory that does not exist any more, and the checkout it belonged to where that still does. */
export interface GoneDirectory {
  readonly recorded: string;
  readonly root?: string;
}

export function goneDirectoryOf(plan: StartPlan): GoneDirectory | undefined {
  const recorded = plan.goneDirectory;
  if (recorded === undefined) return undefined;
  const root = plan.session?.gitRepoRoot;
  return { recorded, ...(root === undefined || root === recorded || !isDirectory(root) ? {} : { root }) };
}

function directoryChoices(gone: GoneDirectory, here: string, userHome: string): string {
  const root = gone.root === undefined ? {} : { root: tildePath(gone.root, userHome) };
  return startText.directoryChoices({ here: tildePath(here, userHome), ...root });
}

/** Rows beside the panel: the blank one above what is said next. */
const besidePanel = 1;

/** The panel of a stored conversation, and the lines that say why it is this one. */
export function openingBlocks(config: Config, opening: Opening, facts: { now: number; readKey: string; userHome: string }): Block[] {
  const { now, readKey } = facts;
  const { plan, recap } = opening;
  const blocks: Block[] = [];
  const { session } = plan;
  const said = [...(plan.reason === undefined ? [] : [startText.resumed(plan.reason)]), ...plan.notices];
  const gone = goneDirectoryOf(plan);
  if (gone !== undefined) said.push(directoryChoices(gone, plan.workspace.cwd, facts.userHome));
  if (opening.newerLayout !== undefined) said.push(storeText.newerNotice(opening.newerLayout, LAYOUT_VERSION));
  if (session !== undefined && recap !== undefined) {
    const { display } = config;
    const built = buildRecap(recap.messages, {
      exchanges: display.resumeExchanges,
      maxUserChars: display.resumeMaxUserChars,
      maxAssistantChars: display.resumeMaxAssistantChars,
      maxAssistantLines: display.resumeMaxAssistantLines,
      skipToolOnly: display.resumeSkipToolOnly,
      earlierOutside: recap.earlier,
    });
    const shown = recap.messages.filter((message) => !message.isSummary && message.text !== '').length;
    blocks.push({
      kind: 'recap',
      id: 'recap',
      recap: built,
      when: relativeTime(session.lastActive, now),
      messageCount: recap.earlier + shown,
      readKey,
      isMinimal: display.resumeDisplay === 'minimal',
      reservedRows: besidePanel + said.reduce((rows, text) => rows + text.split('\n').length + 1, 0),
    });
  }
  said.forEach((text, index) => blocks.push({ kind: 'notice', id: `opening${index}`, tone: 'info', text }));
  return blocks;
}
