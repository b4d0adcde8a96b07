import { namedSources, type Facts, type Query } from '../../../session/query.ts';
import { evaluate } from '../../../session/query-match.ts';
import { parseQuery } from '../../../session/query-parse.ts';
import { isMachineSource } from '../../../session/source.ts';
import type { SessionRow } from '../../../session/types.ts';
import { foldText, haystackOf, type Entry } from './rows.ts';

/** What a filter is asked about besides the rows themselves. */
export interface Asked {
  /** Milliseconds since the epoch: `before:2d` counts from it. */
  readonly now: number;
  /** Whether somebody has one of the lineage's sessions open. */
  readonly isLive: (row: SessionRow) => boolean;
}

export const nobodyAsked: Asked = { now: 0, isLive: () => false };

/** A query as typed, ready to be put to many rows. */
export interface TypedQuery {
  /** Texts every match has, folded. They are all there is to it where `accepts` is absent. */
  readonly words: readonly string[];
  /** The whole question, where words alone don't say it: fields, `OR`, `NOT`. */
  readonly accepts: ((entry: Entry) => boolean) | undefined;
}

/** Only what has one of these can be more than words. */
const syntax = /["*:-]|\b(?:AND|OR|NOT)\b/;

/** Words of a query, folded; every one must match. */
export function splitWords(query: string): string[] {
  return foldText(query)
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** Reads what was typed in the filter: the language of product.md 5, every text a substring of what the list knows of a session. */
export function readTyped(query: string, asked: Asked): TypedQuery {
  if (!syntax.test(query)) return { words: splitWords(query), accepts: undefined };
  const tree = parseQuery(query, { now: asked.now, times: 'active' });
  const words = textsOf(tree);
  if (words !== undefined) return { words, accepts: undefined };
  const folded = new Map<string, string>();
  const fold = (text: string): string => {
    const known = folded.get(text) ?? foldText(text);
    folded.set(text, known);
    return known;
  };
  return {
    words: [],
    accepts: (entry) => {
      const haystack = haystackOf(entry);
      const answer = evaluate(tree, factsOf(entry.row), {
        now: asked.now,
        text: (node) => haystack.includes(fold(node.text)),
        isLive: () => asked.isLive(entry.row),
      });
      // What only search can answer (`role:`, `tool:`) hides no row here.
      return answer !== false;
    },
  };
}

/** Kinds that hide otherwise and are asked for by name: `is:archived`, `source:cron`. */
export function wantedKinds(query: string): { readonly archived: boolean; readonly machine: boolean } {
  if (!query.includes(':')) return noKinds;
  const tree = parseQuery(query, { now: 0, times: 'active' });
  return { archived: asksForArchived(tree), machine: [...namedSources(tree)].some(isMachineSource) };
}

const noKinds = { archived: false, machine: false } as const;

function asksForArchived(tree: Query): boolean {
  if (tree.type === 'and' || tree.type === 'or') return tree.nodes.some(asksForArchived);
  return tree.type === 'test' && tree.test.field === 'is' && tree.test.value === 'archived';
}

/** The texts of a query that is nothing but texts, all of them to be found; undefined for any other. */
function textsOf(tree: Query): string[] | undefined {
  const nodes = tree.type === 'and' ? tree.nodes : [tree];
  const texts = nodes.flatMap((node) => (node.type === 'text' ? [foldText(node.text)] : []));
  return texts.length === nodes.length ? texts : undefined;
}

/** What a row tells of its lineage; numbers that only flags ask about are left at nothing. */
function factsOf(row: SessionRow): Facts {
  return {
    id: row.id,
    source: row.source,
    ...(row.title === undefined ? {} : { title: row.title }),
    ...(row.model === undefined ? {} : { model: row.model }),
    ...(row.cwd === undefined ? {} : { cwd: row.cwd }),
    ...(row.gitRepoRoot === undefined ? {} : { gitRepoRoot: row.gitRepoRoot }),
    ...(row.gitBranch === undefined ? {} : { branch: row.gitBranch }),
    startedAt: row.startedAt,
    lastActive: row.lastActive,
    messages: row.messageCount,
    tokens: 0,
    toolCalls: 0,
    pinned: row.pinned,
    archived: row.archived,
    ended: row.ended === true,
  };
}
