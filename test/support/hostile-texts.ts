import type { Random } from '../../fixtures/random.ts';
import type { OpenConnection } from '../../src/store/connection.ts';
import { insertRow } from '../../src/store/writes/rows.ts';

const pieces = [
  'gateway',
  'Gateway',
  'GATEWAY',
  'gate',
  'way',
  'auth',
  'the',
  'AI',
  'ai',
  'C++',
  'a_b',
  'src/x.ts',
  '#4821',
  'café',
  'cafe',
  'CAFÉ',
  'cafe\u0301',
  '修复gateway重启问题',
  '明日の会議は桜井さん',
  '회의록정리완료',
  '회의',
  '회의록',
  '최신AI가',
  'API를',
  'gateway가',
  '桜',
  '桜井',
  '회의록정리'.normalize('NFD'),
  '하\u11ab글',
  '한글',
  'がぎ'.normalize('NFD'),
  'がぎ',
  '\uf90a属',
  '金属',
  'Kelvin',
  '\u212aelvin',
  'İstanbul',
  'istanbul',
  'ΟΔΟΣ',
  'οδος',
  'οδοσ',
  'Straße',
  'STRASSE',
  'привет',
  'ПРИВЕТ',
  'Йод',
  'йод'.normalize('NFD'),
  'приветhello',
  'J\u030c',
  'x\u0302',
  'x\u0302y',
  '👩‍👩‍👧',
  '👍🏽',
  '⚠️',
  'नमस्ते',
  '\u0958',
  'مرحبا',
  'ไทยแลนด์',
  'ﬁne',
  'ｆｕｌｌ幅',
  '٣٤',
  '42',
  'v2',
  'gpt5',
  '가42',
  '\u200b',
  '\u202e',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '*',
  'null',
  'function',
  'arguments',
  'nfoo',
  'foo',
  'json',
  'text',
  'image',
  'object',
  '…',
  'Σ',
  'ς',
  ';',
  '\u037e',
  '`',
  '\u1fef',
  'naïve',
  'ǰ',
  'ß',
  'ẞ',
] as const;
const joints = [' ', ' ', ' ', '\n', '', '', ', ', '\u00a0', '-', '.', '\t', '  '];

export const hostilePiece = (random: Random): string => random.pick(pieces);

function hostileText(random: Random, most = 8): string {
  let text = '';
  for (let left = random.between(1, most); left > 0; left--) text += hostilePiece(random) + random.pick(joints);
  return random.chance(0.5) ? text.trimEnd() : text;
}

function hostileContent(random: Random): unknown {
  const text = hostileText(random);
  const roll = random.next();
  if (roll < 0.06)
    return `\u0000json:${ascii(random, [
      { type: 'text', text },
      { type: 'image_url', image_url: { url: `data:image/png;base64,AAAA` } },
    ])}`;
  if (roll < 0.09) return `\u0000json:${ascii(random, [text, { type: 'input_image', name: 'a/b/회의.png' }, 7, { text: 5 }, {}])}`;
  if (roll < 0.1) return `\u0000json:{broken ${text}`;
  if (roll < 0.12) return `${text}\u0000${hostileText(random)}`;
  if (roll < 0.14) return Buffer.from(text);
  if (roll < 0.15) return Buffer.from([0xff, 0xfe, 0x41]);
  if (roll < 0.16) return null;
  if (roll < 0.17) return '';
  return text;
}

/** Python escapes everything beyond ASCII, other programs nothing. */
function ascii(random: Random, value: unknown): string {
  const json = JSON.stringify(value);
  return random.chance(0.5) ? json.replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`) : json;
}

function hostileCalls(random: Random): string {
  const argument = ascii(random, { command: hostileText(random), path: 'src/x.ts' });
  const call = { id: 'call_1', type: 'function', function: { name: random.pick(['terminal', 'read_file', '도구']), arguments: argument } };
  const odd = { id: 'x', name: 'patch', input: { text: hostileText(random) } };
  const json = ascii(random, random.chance(0.8) ? [call] : [call, odd]);
  return random.chance(0.1) ? JSON.stringify(json) : random.chance(0.05) ? `${json}broken` : json;
}

/** Sessions and messages with texts of every kind, in rows of every kind. `now` in milliseconds. */
export function fillHostileStore(connection: OpenConnection, random: Random, sessions: number, now: number, first = 0): void {
  const seconds = now / 1000;
  connection.db.transaction(() => {
    for (let index = first; index < first + sessions; index++) {
      const id = `s${index}`;
      const isChild = index > first && random.chance(0.2);
      const parent = isChild ? `s${index - 1}` : undefined;
      const kind = random.pick(['compression', 'branch', 'delegate'] as const);
      if (isChild && kind === 'compression')
        connection.db.prepare(`UPDATE sessions SET end_reason = 'compression', ended_at = 5 WHERE id = ?`).run(parent);
      insertRow(connection, 'sessions', {
        id,
        source: random.pick(['cli', 'tui', 'telegram', 'cron', 'subagent', 'tool']),
        started_at: seconds - random.between(1, 1e6),
        ended_at: random.chance(0.5) ? seconds : undefined,
        parent_session_id: parent,
        model_config: JSON.stringify(
          isChild && kind !== 'compression' ? { [kind === 'branch' ? '_branched_from' : '_delegate_from']: parent } : {},
        ),
        title: random.chance(0.05)
          ? Buffer.from(`회의 gateway ${index}`)
          : random.chance(0.7)
            ? `${hostileText(random, 4)} ${index}`
            : undefined,
        message_count: 1,
        archived: random.chance(0.1) ? 1 : 0,
        pinned: random.chance(0.1) ? 1 : 0,
      });
      for (let left = random.between(0, 8); left > 0; left--) {
        const role = random.pick(['user', 'assistant', 'assistant', 'tool', 'system', 'session_meta']);
        const long = role === 'tool' && random.chance(0.2) ? `${'lorem ipsum '.repeat(800)}${hostileText(random)}` : undefined;
        insertRow(connection, 'messages', {
          session_id: id,
          role,
          content: long ?? hostileContent(random),
          tool_name: role === 'tool' ? random.pick(['terminal', 'read_file', '도구', Buffer.from('도구 Gateway'), undefined]) : undefined,
          tool_calls: role === 'assistant' && random.chance(0.4) ? hostileCalls(random) : undefined,
          timestamp: random.chance(0.05) ? random.pick([0, -1, 1e12]) : seconds - random.between(1, 1e6),
          active: random.chance(0.1) ? 0 : 1,
          compacted: random.chance(0.05) ? 1 : 0,
          display_kind: random.chance(0.04) ? 'hidden' : random.chance(0.04) ? 'notice' : undefined,
          display_metadata: random.chance(0.03) ? '{"model_only": true}' : undefined,
        });
      }
    }
    connection.db
      .prepare(`INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, 'user', CAST(X'67617465776179FF20C3' AS TEXT), 1)`)
      .run(`s${first}`);
  })();
}
