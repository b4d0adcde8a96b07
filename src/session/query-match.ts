import { activityKey } from './order.ts';
import type { Facts, Query, Test } from './query.ts';
import { matchesWorkspace } from './workspace.ts';

type Text = Extract<Query, { type: 'text' }>;

/** What is answered from elsewhere; where it is missing, the question stays open. */
export interface Asked {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the session says so. */
  readonly text?: (node: Text) => boolean;
  /** Whether a process has the session open. */
  readonly isLive?: (id: string) => boolean;
}

/**
 * Whether a lineage is what the query describes, by its facts alone; the same rules everywhere (src/store/reads/select-sql.ts says them in SQL).
 *
 * @returns undefined where that hangs on something nobody could be asked: a filter that hides rows takes it for yes, an action for no
 */
export function evaluate(query: Query, facts: Facts, asked: Asked): boolean | undefined {
  switch (query.type) {
    case 'and':
      return every(query.nodes, (node) => evaluate(node, facts, asked));
    case 'or': {
      const none = every(query.nodes, (node) => opposite(evaluate(node, facts, asked)));
      return opposite(none);
    }
    case 'not':
      return opposite(evaluate(query.node, facts, asked));
    case 'text':
      return asked.text?.(query);
    case 'test':
      return passes(query.test, facts, asked);
  }
}

const opposite = (answer: boolean | undefined): boolean | undefined => (answer === undefined ? undefined : !answer);

/** One no settles it, whatever is open. */
function every<Node>(nodes: readonly Node[], ask: (node: Node) => boolean | undefined): boolean | undefined {
  let result: boolean | undefined = true;
  for (const node of nodes) {
    const answer = ask(node);
    if (answer === false) return false;
    if (answer === undefined) result = undefined;
  }
  return result;
}

function passes(test: Test, facts: Facts, asked: Asked): boolean | undefined {
  switch (test.field) {
    case 'source':
    case 'provider':
    case 'user':
      return facts[test.field] === test.is;
    case 'chat-id':
      return facts.chatId === test.is;
    case 'chat-type':
      return facts.chatType === test.is;
    case 'end-reason':
      return facts.endReason === test.is;
    case 'title':
    case 'model':
    case 'branch':
      return contains(facts[test.field], test.contains);
    case 'cwd':
      return isUnder(facts.cwd, test.under);
    case 'workspace':
      return matchesWorkspace(facts, test.contains);
    case 'messages':
    case 'tokens':
    case 'cost':
      return isWithin(facts[test.field], test.min, test.max);
    case 'tool-calls':
      return isWithin(facts.toolCalls, test.min, test.max);
    case 'started':
      return isDuring(facts.startedAt, test, asked.now);
    case 'active':
      return isDuring(facts.lastActive, test, asked.now);
    case 'among':
      return test.ids.has(facts.id);
    case 'is':
      return test.value === 'live' ? asked.isLive?.(facts.id) : facts[test.value];
    case 'role':
    case 'tool':
    case 'said':
      return undefined;
  }
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

const contains = (text: string | undefined, part: string): boolean => text !== undefined && folded(text).includes(folded(part));

function isUnder(cwd: string | undefined, folder: string): boolean {
  return cwd !== undefined && (cwd === folder || cwd.startsWith(folder.endsWith('/') ? folder : `${folder}/`));
}

/** A number that isn't known is within no bounds. */
function isWithin(value: number | undefined, min = -Infinity, max = Infinity): boolean {
  return value !== undefined && value >= min && value <= max;
}

/** A time that can't be believed is in no window; one more than a day ahead counts as now, so that a wrong clock ages nothing (product.md 8). */
export function isDuring(time: number, window: { from?: number; until?: number }, now: number): boolean {
  if (time <= 0) return false;
  const at = activityKey(time, now);
  return at >= (window.from ?? -Infinity) && at < (window.until ?? Infinity);
}
