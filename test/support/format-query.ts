import { parseQuery, type ParseOptions } from '../../src/session/query-parse.ts';
import type { Query, Test } from '../../src/session/query.ts';

/** Writes a tree of `parseQuery` so that it is read as the same tree. */
export function formatQuery(query: Query, options: ParseOptions): string {
  switch (query.type) {
    case 'and':
      return query.nodes.map((node) => formatQuery(node, options)).join(' ');
    case 'or':
      return query.nodes.map((node) => formatQuery(node, options)).join(' OR ');
    case 'not':
      return `NOT ${formatQuery(query.node, options)}`;
    case 'test':
      return formatTest(query.test);
    case 'text': {
      const bare = `${query.text}${query.isPrefix ? '*' : ''}`;
      if (!query.isPhrase && JSON.stringify(parseQuery(bare, options)) === JSON.stringify(query)) return bare;
      return `${quote(query.text)}${query.isPrefix ? '*' : ''}`;
    }
  }
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

function formatTest(test: Test): string {
  if ('is' in test) return `${test.field}:${quote(test.is)}`;
  if ('contains' in test) return `${test.field}:${quote(test.contains)}`;
  if ('value' in test) return `is:${test.value}`;
  if ((test.field === 'active' || test.field === 'said') && test.from !== undefined) return `after:${new Date(test.from).toISOString()}`;
  if ((test.field === 'active' || test.field === 'said') && test.until !== undefined) return `before:${new Date(test.until).toISOString()}`;
  throw new Error(`can't be typed: ${JSON.stringify(test)}`);
}
