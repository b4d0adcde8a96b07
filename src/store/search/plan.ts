import { UsageError } from '../../errors.ts';
import { compileText, type TextMatcher } from '../../session/match-text.ts';
import type { Query, Test } from '../../session/query.ts';
import { storeText } from '../../text/en/store.ts';

export interface AskedTest {
  readonly test: Test;
  readonly isWanted: boolean;
}

/** One way to match: all of these at once. */
interface Clause {
  /** Indexes of terms that must be in the document. */
  readonly terms: readonly number[];
  /** What must be true of the message or its lineage; what must not be in the text is left to the matcher. */
  readonly tests: readonly AskedTest[];
}

/** How a query is searched for. Clauses say where to look; the query itself says what matches. */
export interface Plan {
  readonly query: Query;
  readonly text: TextMatcher;
  readonly clauses: readonly Clause[];
  /** Some test asks about the lineage, not the message. */
  readonly hasLineageTests: boolean;
}

/** Ways of a query that are looked at one by one; one with more is searched for in every message. */
const maxClauses = 32;

/** Words and fields of a query, at most: a message may have to be asked for each of them. */
export const mostLeaves = 1_000;

/** @throws UsageError for a query of more words than can be searched for */
export function planOf(query: Query): Plan {
  const leaves = countLeaves(query);
  if (leaves > mostLeaves) throw new UsageError(storeText.queryTooLong(leaves, mostLeaves), storeText.queryTooLongHint);
  const text = compileText(query);
  const clauses = clausesOf(query, true, text) ?? [{ terms: [], tests: [] }];
  return {
    query,
    text,
    clauses: clauses.map((clause) => ({ ...clause, terms: [...new Set(clause.terms)] })),
    hasLineageTests: asksLineage(query),
  };
}

function countLeaves(query: Query): number {
  if (query.type === 'text' || query.type === 'test') return 1;
  return query.type === 'not' ? countLeaves(query.node) : query.nodes.reduce((sum, node) => sum + countLeaves(node), 0);
}

export const isMessageTest = ({ field }: Test): boolean => field === 'role' || field === 'tool' || field === 'said';

function asksLineage(query: Query): boolean {
  if (query.type === 'test') return !isMessageTest(query.test);
  if (query.type === 'not') return asksLineage(query.node);
  return query.type !== 'text' && query.nodes.some(asksLineage);
}

function clausesOf(query: Query, isWanted: boolean, text: TextMatcher): Clause[] | undefined {
  switch (query.type) {
    case 'text':
      return [{ terms: isWanted ? [text.termOf(query)] : [], tests: [] }];
    case 'test':
      return [{ terms: [], tests: [{ test: query.test, isWanted }] }];
    case 'not':
      return clausesOf(query.node, !isWanted, text);
    case 'and':
    case 'or': {
      const parts = query.nodes.map((node) => clausesOf(node, isWanted, text));
      if (parts.some((part) => part === undefined)) return undefined;
      const known = parts as Clause[][];
      if ((query.type === 'or') === isWanted) return atMost(known.flat());
      let product: Clause[] | undefined = [{ terms: [], tests: [] }];
      for (const part of known) {
        product = atMost(
          product.flatMap((left) =>
            part.map((right) => ({ terms: [...left.terms, ...right.terms], tests: [...left.tests, ...right.tests] })),
          ),
        );
        if (product === undefined) return undefined;
      }
      return product;
    }
  }
}

const atMost = (clauses: Clause[]): Clause[] | undefined => (clauses.length > maxClauses ? undefined : clauses);
