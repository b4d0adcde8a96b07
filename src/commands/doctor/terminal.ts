import type { Config } from '../../config/types.ts';
import { readBreadcrumb, type FoundBreadcrumb, type NoBreadcrumb } from '../../terminal/breadcrumbs.ts';
import { colourDepth, isDumb } from '../../terminal/capabilities.ts';
import { identifyTerminal, paneCrumbName, type Terminal } from '../../terminal/identity.ts';
import { readLiveRecords } from '../../terminal/live-records.ts';
import { doctorText as text } from '../../text/en/doctor.ts';
import { relativeTime } from '../../text/relative-time.ts';
import type { ShellContext } from '../context.ts';
import { isUtf8, localeVariable } from './locale.ts';
import type { Outside } from './outside.ts';
import type { Finding } from './report.ts';

/** Which terminal this is and why, what is remembered for it, who else is at work, and what it can do. */
export function checkTerminal(
  context: ShellContext,
  outside: Outside,
  config: Config,
  isStored: (sessionId: string) => boolean | undefined,
): Finding[] {
  const terminal = identifyTerminal(outside.facts);
  return [
    checkIdentity(terminal),
    checkBreadcrumb(context, terminal, config, isStored),
    checkLive(context, outside, terminal),
    checkTerm(outside),
    checkColours(outside),
    checkSize(outside),
    ...checkTmux(outside, terminal),
    checkLocale(outside),
  ];
}

function checkIdentity(terminal: Terminal): Finding {
  const isKnown = terminal.kind !== 'none';
  const tty = terminal.tty?.path.replace(/^\/dev\//, '');
  return {
    id: 'identity',
    mark: isKnown ? 'ok' : 'look',
    text: text.identity(terminal.label, tty),
    details: terminal.why.map((reason) => reason.text),
    ...(isKnown ? {} : { hint: text.notRemembered }),
  };
}

function checkBreadcrumb(
  { home, now }: ShellContext,
  terminal: Terminal,
  config: Config,
  isStored: (sessionId: string) => boolean | undefined,
): Finding {
  const found = readBreadcrumb(home.path, terminal, now());
  const details = found.rejected.map((rejection) => rejection.text);
  if (!config.session.terminalContinue) return { id: 'breadcrumb', mark: 'note', text: text.continueOff, details };
  return { id: 'breadcrumb', details, ...judgeBreadcrumb(found, terminal, now(), isStored) };
}

function judgeBreadcrumb(
  found: FoundBreadcrumb | NoBreadcrumb,
  terminal: Terminal,
  now: number,
  isStored: (sessionId: string) => boolean | undefined,
): Pick<Finding, 'mark' | 'text' | 'hint'> {
  if (found.kind === 'none') {
    const { length } = found.rejected;
    return length === 0 ? { mark: 'ok', text: text.noCrumb } : { mark: 'look', text: text.noneFits(length) };
  }
  const file = found.from === 'pane' ? paneCrumbName(terminal.identity) : (terminal.tty?.crumbName ?? '');
  if (isStored(found.sessionId) === false) {
    return { mark: 'look', text: text.foundNotStored(found.sessionId, file), hint: text.foundNotStoredHint };
  }
  return { mark: 'ok', text: text.found(found.sessionId, found.from, relativeTime(now - found.ageMs, now), file) };
}

function checkLive({ home, now }: ShellContext, { facts }: Outside, terminal: Terminal): Finding {
  const { records, newer } = readLiveRecords(home.path, facts.proc, { host: terminal.host, boot: terminal.boot }, now());
  const others = records.filter((record) => record.pid !== facts.pid || record.host !== terminal.host);
  const isHere = (identity: string): boolean => identity !== '' && identity === terminal.identity;
  const details = others.map((record) => {
    const sessions = record.sessions.map(({ id, state, since }) => text.liveSession(id, state, relativeTime(since, now())));
    return text.liveRow(record.label, record.pid, sessions, isHere(record.identity));
  });
  if (newer.length > 0) details.push(text.liveNewer(newer.length));
  const here = others.filter((record) => isHere(record.identity)).length;
  return { id: 'live', mark: 'ok', text: others.length === 0 ? text.nobodyLive : text.live(others.length, here), details };
}

function checkTerm({ facts: { env } }: Outside): Finding {
  const term = env['TERM'] ?? '';
  if (isDumb(env)) return { id: 'term', mark: 'look', text: text.termDumb(term || 'Emacs'), hint: text.termDumbHint };
  if (term === '') return { id: 'term', mark: 'look', text: text.termUnset, hint: text.termUnsetHint };
  return { id: 'term', mark: 'ok', text: term };
}

function checkColours({ facts: { env } }: Outside): Finding {
  const depth = text.colours(colourDepth(env));
  const decides = ['NO_COLOR', 'FORCE_COLOR'].find((name) => (env[name] ?? '') !== '');
  return { id: 'colours', mark: 'ok', text: decides === undefined ? depth : text.coloursBy(decides, depth) };
}

/** The smallest screen that is drawn (ui/root). */
const least = { columns: 40, rows: 12 };

function checkSize({ size }: Outside): Finding {
  if (size === undefined) return { id: 'size', mark: 'note', text: text.noSize };
  const shown = text.size(size.columns, size.rows);
  if (size.columns >= least.columns && size.rows >= least.rows) return { id: 'size', mark: 'ok', text: shown };
  return { id: 'size', mark: 'look', text: shown, hint: text.tooSmallHint(least.columns, least.rows) };
}

/** tmux holds a lone Esc back this long at most before it can be felt, in milliseconds. */
const longestEscapeTime = 50;
const goodEscapeTime = 10;

function checkTmux({ askTmux }: Outside, terminal: Terminal): Finding[] {
  const socket = terminal.tmux?.socket;
  if (socket === undefined) return [];
  const escapeTime = askTmux(socket, 'escape-time');
  if (escapeTime === undefined) return [{ id: 'escape-time', mark: 'look', text: text.tmuxSilent }];
  const isLate = Number(escapeTime) > longestEscapeTime;
  return [
    {
      id: 'escape-time',
      mark: isLate ? 'look' : 'ok',
      text: text.milliseconds(Number(escapeTime)),
      ...(isLate ? { hint: text.escapeTimeHint(goodEscapeTime) } : {}),
    },
    checkExtendedKeys(askTmux(socket, 'extended-keys')),
  ];
}

function checkExtendedKeys(value: string | undefined): Finding {
  if (value === undefined) return { id: 'extended-keys', mark: 'note', text: text.optionUnknown };
  const isOff = value === 'off';
  return { id: 'extended-keys', mark: isOff ? 'look' : 'ok', text: value, ...(isOff ? { hint: text.extendedKeysHint } : {}) };
}

function checkLocale({ facts: { env } }: Outside): Finding {
  const found = localeVariable(env);
  if (found === undefined) return { id: 'locale', mark: 'look', text: text.localeUnset, hint: text.localeHint };
  const isFine = isUtf8(env);
  return {
    id: 'locale',
    mark: isFine ? 'ok' : 'look',
    text: text.locale(found.name, found.value),
    ...(isFine ? {} : { hint: text.localeHint }),
  };
}
