import { formatTokens } from '../../text/duration.ts';
import { appText } from '../../text/en/app.ts';
import { tildePath } from '../../text/paths.ts';
import { localTime } from '../../text/relative-time.ts';
import type { Context } from './context.ts';

/** `/status` as aligned lines: which session, which model, where, since when. */
export function describeStatus(context: Context): string {
  const { desk, run } = context;
  const chat = desk.current();
  const { seat } = chat;
  const state = desk.stateOf(chat);
  const names = appText.status;
  const model = modelOf(seat);
  const workspace = seat.workspace();
  const rows: readonly (readonly [string, string])[] = [
    [names.model, model?.model ?? seat.modelName() ?? names.none],
    [names.provider, model?.provider ?? names.none],
    [names.profile, run.home.profile ?? 'default'],
    [names.session, seat.id() ?? names.notStored],
    [names.title, seat.title() ?? names.none],
    [names.directory, `${tildePath(workspace.cwd, run.userHome)}${workspace.gitBranch === undefined ? '' : ` (${workspace.gitBranch})`}`],
    [names.terminal, run.terminal().label],
    [names.started, localTime(seat.startedAt, run.now())],
    [names.messages, String(seat.said())],
    [names.tokens, state.context === undefined ? names.none : formatTokens(state.context.used)],
    [names.state, seat.conversation.isBusy ? names.working : names.idle],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function modelOf(seat: ReturnType<Context['desk']['current']>['seat']): { model: string; provider: string } | undefined {
  try {
    return seat.model();
  } catch {
    // No model is set up: the lines say none.
    return undefined;
  }
}
