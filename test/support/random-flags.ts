import type { Random } from '../../fixtures/random.ts';
import type { OpenConnection } from '../../src/store/connection.ts';

/** Values that occur in the file, and a few that don't. */
function valuesOf(connection: OpenConnection, column: string, others: readonly string[]): string[] {
  if (!connection.has('sessions', column)) return [...others];
  const found = connection.db.prepare(`SELECT DISTINCT ${column} FROM sessions WHERE ${column} <> '' LIMIT 40`).pluck().all();
  return [...found.map(String), ...others];
}

/** Filters as somebody could type them about this file. */
export function makeFlags(connection: OpenConnection): (random: Random) => Record<string, string> {
  const whole = (column: string, ...others: string[]) => {
    const values = valuesOf(connection, column, others);
    return (random: Random): string => random.pick(values);
  };
  const part = (column: string, ...others: string[]) => {
    const values = valuesOf(connection, column, others);
    return (random: Random): string => {
      const text = [...random.pick(values)];
      const from = random.between(0, Math.max(0, text.length - 3));
      const piece = text.slice(from, from + random.between(1, 6)).join('');
      return random.chance(0.3) ? piece.toUpperCase() : piece;
    };
  };
  const span = (random: Random): string =>
    random.pick([`${random.between(1, 500)}`, `${random.between(1, 900)}d`, `${random.between(1, 60)}w`, `${random.between(1, 90)}h`]);
  const time = (random: Random): string =>
    random.chance(0.5) ? span(random) : new Date(connection.now() - random.between(-3, 700) * 43_200_000).toISOString();
  const count =
    (most: number) =>
    (random: Random): string =>
      String(random.between(0, most));
  const makers: Record<string, (random: Random) => string> = {
    'older-than': span,
    'newer-than': span,
    before: time,
    after: time,
    source: whole('source', 'nowhere'),
    title: part('title', 'é'),
    model: part('model', 'K'),
    provider: whole('billing_provider', 'openrouter'),
    cwd: whole('cwd', '/', '/w', '/home'),
    branch: part('git_branch', 'été'),
    user: whole('user_id', 'ann'),
    'chat-id': whole('chat_id', 'c1'),
    'chat-type': whole('chat_type', 'dm'),
    'end-reason': whole('end_reason', 'cli_close'),
    workspace: part('cwd', 'W/A'),
    'min-messages': count(8),
    'max-messages': count(60),
    'min-tokens': count(900),
    'max-tokens': count(5_000),
    'min-cost': (random) => (random.between(0, 30) / 100).toFixed(2),
    'max-cost': (random) => (random.between(0, 60) / 100).toFixed(2),
    'min-tool-calls': count(4),
    'max-tool-calls': count(9),
  };
  const names = Object.keys(makers);
  return (random) => {
    const chosen = new Set<string>();
    for (let left = random.pick([1, 1, 2, 2, 3, 4]); left > 0; left--) chosen.add(random.pick(names));
    return Object.fromEntries([...chosen].map((name) => [name, makers[name]!(random)]));
  };
}
