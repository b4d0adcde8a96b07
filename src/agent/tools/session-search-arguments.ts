/** What a model may ask `session_search` (state-db.md 10); every argument may be left out. */
export interface SearchArguments {
  readonly query: string | undefined;
  readonly limit: number;
  readonly sort: 'best' | 'newest' | 'oldest';
  readonly isFull: boolean;
  readonly sessionId: string | undefined;
  /** `NaN` for what is no message id. */
  readonly aroundMessageId: number | undefined;
  readonly window: number;
  readonly roles: readonly string[];
  readonly profile: string | undefined;
}

/** Longer queries are cut (state-db.md 10), at an edge between characters. */
const longestQuery = 2048;
const defaultRoles = ['user', 'assistant'];

/** Models write numbers as text and invent values: what can't be meant is the default, what is too much the limit. Links name profile and session. */
export function readSearchArguments(args: unknown): SearchArguments {
  const given = typeof args === 'object' && args !== null ? (args as Readonly<Record<string, unknown>>) : {};
  const text = (name: string): string | undefined => {
    const value = given[name];
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  const whole = (name: string): number | undefined => {
    const value = given[name];
    const number = typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : NaN;
    return Number.isFinite(number) ? Math.trunc(number) : undefined;
  };
  const within = (name: string, least: number, usual: number, most: number): number =>
    Math.min(most, Math.max(least, whole(name) ?? usual));

  const link = /^@session:([^/]+)\/(.+)$/.exec(text('session_id') ?? '');
  const sort = text('sort')?.toLowerCase();
  const filter = given['role_filter'];
  const roles = (Array.isArray(filter) ? filter.filter((role) => typeof role === 'string').join(',') : (text('role_filter') ?? ''))
    .split(',')
    .flatMap((role) => (role.trim() === '' ? [] : [role.trim().toLowerCase()]));
  const asked = given['around_message_id'];
  return {
    query: text('query')
      ?.slice(0, longestQuery)
      .replace(/[\ud800-\udbff]$/u, ''),
    limit: within('limit', 1, 3, 10),
    sort: sort === 'newest' || sort === 'oldest' ? sort : 'best',
    isFull: text('detail')?.toLowerCase() === 'full',
    sessionId: link?.[2] ?? text('session_id'),
    aroundMessageId: asked === undefined || asked === null || asked === '' ? undefined : (whole('around_message_id') ?? NaN),
    window: within('window', 1, 5, 20),
    roles: roles.length === 0 ? defaultRoles : roles,
    profile: text('profile') ?? link?.[1],
  };
}
