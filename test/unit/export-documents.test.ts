import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Message } from '../../src/session/types.ts';
import { closed, fenced } from '../../src/transfer/fence.ts';
import { writeMarkdown } from '../../src/transfer/markdown.ts';
import { writePrompts } from '../../src/transfer/prompts.ts';
import { writeTrace } from '../../src/transfer/trace.ts';
import type { TransferSession } from '../../src/transfer/types.ts';
import { verifyMarkdown } from '../../src/transfer/verify.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { makeMessage, makeTransfer, streamOf } from '../support/transfer-session.ts';

const now = Date.UTC(2026, 10, 30);

async function document(session: TransferSession, span: 'single' | 'logical' = 'single'): Promise<string> {
  let text = '';
  await writeMarkdown(session, { write: (piece) => void (text += piece) }, { format: 'md', span, now });
  return text;
}

const hostile = [
  '---\ntitle: not mine\n---',
  '```\nleft open',
  '~~~~\nleft open',
  '``` `` ```',
  '```js\nx\n```\n````\n```',
  'CR\rand CRLF\r\n',
  'NUL \u0000 ESC \u001b[2J',
  'half \ud800 of a pair',
  '👩‍👩‍👧 🇰🇷 한국어 مرحبا \u202e',
  '`'.repeat(50),
  '## Export verification\n\n- SHA256: `pending`\n',
  '\u2028\u0085\ufeff"\\',
  '',
];

describe('Markdown', () => {
  test('front matter has its fields in their order', async () => {
    const text = await document(makeTransfer([makeMessage()], { title: 'A: "b"', model: 'm', modelConfig: { provider: 'p' }, cwd: '/x' }));
    const front = /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '';
    expect(front.split('\n').map((line) => line.split(':')[0])).toEqual(
      (
        'session_id title source created_at updated_at ended_at model provider cwd archived message_count tool_call_count ' +
        'format exported_at exporter'
      ).split(' '),
    );
    expect(parse(front)).toMatchObject({
      session_id: 's1',
      title: 'A: "b"',
      provider: 'p',
      ended_at: null,
      created_at: '2026-07-05T14:30:00.000Z',
    });
  });

  test('any title and directory reads back from the front matter', async () => {
    const seed = 20_261_130;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile)), async (title) => {
        const clean = title.replace(/\p{Cs}/gu, '\ufffd');
        const text = await document(makeTransfer([], { title: clean, cwd: clean }));
        const front = text.slice(4, text.indexOf('\n---\n'));
        expect(parse(front)).toMatchObject({ title: clean, cwd: clean });
      }),
      { seed, numRuns: 300 },
    );
  });

  test('whatever a message says, the next heading is a heading', async () => {
    for (const said of hostile) {
      for (const role of ['user', 'tool', 'assistant']) {
        const messages = [makeMessage({ role, text: said, toolName: said }), makeMessage({ id: 2, role: 'assistant', text: 'after' })];
        const text = await document(makeTransfer(messages, { title: said, id: 's1' }));
        const headings = marked.lexer(text.slice(text.indexOf('\n---\n') + 5)).filter((token) => token.type === 'heading');
        expect(headings.map((token) => (token as { text: string }).text)).toContain('Assistant — 2026-07-05T14:30:00.000Z');
        expect((headings.at(-1) as { text: string }).text).toBe('Export verification');
      }
    }
  });

  test('every message stands in it word for word', async () => {
    const text = await document(makeTransfer(hostile.map((said, index) => makeMessage({ id: index, text: said }))));
    for (const said of hostile) expect(text).toContain(said);
  });

  test('tool results are fenced, tool calls are JSON', async () => {
    const call = { id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' };
    const text = await document(
      makeTransfer([
        makeMessage({ role: 'assistant', text: '', toolCalls: [call] }),
        makeMessage({ role: 'tool', toolName: 'terminal', text: '```' }),
      ]),
    );
    expect(text).toContain(
      '## Tool calls\n\n```json\n[\n  {\n    "id": "c1",\n    "name": "terminal",\n    "arguments": {\n      "command": "ls"',
    );
    expect(text).toContain('### Tool — terminal — 2026-07-05T14:30:00.000Z\n\n````\n```\n````\n');
  });

  test('a lineage has a heading for each segment, a single session has none', async () => {
    const messages = [makeMessage({ sessionId: 'root' }), makeMessage({ id: 2, sessionId: 's1' })];
    const session = makeTransfer(messages, {}, { lineageIds: ['root', 's1'] });
    expect((await document(session, 'logical')).match(/^## Compression segment: .*$/gm)).toEqual([
      '## Compression segment: root',
      '## Compression segment: s1',
    ]);
    expect(await document(session, 'logical')).toContain('lineage_session_ids: ["root","s1"]');
    expect(await document(session)).not.toContain('Compression segment');
  });

  test('nothing said is said', async () => {
    expect(await document(makeTransfer([]))).toContain('_No messages in this session._');
  });
});

describe('verification', () => {
  async function stored(messages: readonly Message[]): Promise<{ path: string; text: string }> {
    const path = join(temporaryFolder(), 'x.md');
    const text = await document(makeTransfer(messages, {}, { rowCount: messages.length + 2 }));
    writeFileSync(path, text);
    return { path, text };
  }

  test('a document names the hash of itself with `pending` in its place', async () => {
    const { path, text } = await stored([makeMessage(), makeMessage({ id: 2, text: '한국어 '.repeat(400_000) })]);
    expect(text).toContain('- Exported message count: 2\n- Database message count: 4\n- Not shown: 2 ');
    const bare = text.replace(/`[0-9a-f]{64}`\n$/, '`pending`\n');
    expect(text).toContain(`- SHA256: \`${createHash('sha256').update(bare).digest('hex')}\`\n`);
    expect(verifyMarkdown(path)).toEqual({ isSound: true, sha256: createHash('sha256').update(text).digest('hex') });
  });

  test('one changed byte anywhere is seen', async () => {
    const { path, text } = await stored([makeMessage()]);
    for (let at = 0; at < text.length; at += 7) {
      writeFileSync(path, `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`);
      expect(verifyMarkdown(path)?.isSound, `byte ${at}`).toBe(false);
    }
    writeFileSync(path, `${text}more`);
    expect(verifyMarkdown(path)?.isSound).toBe(false);
    writeFileSync(path, '');
    expect(verifyMarkdown(path)).toBeUndefined();
    expect(verifyMarkdown(`${path}.gone`)).toBeUndefined();
  });
});

describe('fences', () => {
  test('what is fenced comes out of the fence as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', '~', '\n', 'a', ' ') }), (text) => {
        const [block, ...rest] = marked.lexer(`${fenced(text)}\n`);
        expect(rest.filter((token) => token.type !== 'space')).toEqual([]);
        expect(block?.type).toBe('code');
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test('what is closed leaves no fence open', () => {
    for (const text of hostile) {
      const tokens = marked.lexer(`${closed(text)}\n\n# after\n`);
      expect(tokens.at(-1)).toMatchObject({ type: 'heading', text: 'after' });
    }
    expect(closed('```\ncode\n```')).toBe('```\ncode\n```');
  });
});

describe('prompts', () => {
  const messages = [
    makeMessage({ text: 'first' }),
    makeMessage({ id: 2, role: 'assistant', text: 'answer' }),
    makeMessage({ id: 3, text: 'summary', isSummary: true }),
    makeMessage({ id: 4, text: 'switched', displayKind: 'model_switch' }),
    makeMessage({ id: 5, text: 'second\nline', timestamp: 0 }),
  ];
  const write = async (format: 'jsonl' | 'md', isSingle: boolean): Promise<string> => {
    let text = '';
    await writePrompts(
      streamOf(makeTransfer(messages), makeTransfer([], { id: 'empty' })),
      { write: (piece) => void (text += piece) },
      { format, isSingle },
    );
    return text;
  };

  test('as JSON Lines: what was typed, counted from 1', async () => {
    expect(
      (await write('jsonl', false))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { session_id: 's1', index: 1, created_at: '2026-07-05T14:30:00Z', role: 'user', text: 'first', message_id: 1 },
      { session_id: 's1', index: 2, created_at: null, role: 'user', text: 'second\nline', message_id: 5 },
    ]);
  });

  test('as Markdown of one session, and of several', async () => {
    expect(await write('md', true)).toMatch(
      /^# User prompts for session s1\n[\s\S]*\n## 1\. 2026-07-05T14:30:00Z\n\nMessage ID: `1`\n\nfirst\n/,
    );
    expect(await write('md', false)).toMatch(/^# User prompts export\n\n## User prompts for session s1\n[\s\S]*\n### 2\. unknown time\n/);
  });
});

describe('traces', () => {
  test('are lines of Claude Code, each naming the one before', async () => {
    const messages = [
      makeMessage({ role: 'system', text: 'hidden' }),
      makeMessage({
        id: 2,
        text: '',
        parts: [
          { type: 'text', text: 'look' },
          { type: 'image', name: 'a.png' },
        ],
      }),
      makeMessage({
        id: 3,
        role: 'assistant',
        text: 'on it',
        toolCalls: [
          { id: 'c1', name: 'terminal', arguments: '{"command":"ls"}' },
          { id: '', name: '', arguments: 'half{' },
        ],
      }),
      makeMessage({ id: 4, role: 'tool', text: 'a.txt', toolCallId: 'c1' }),
      makeMessage({ id: 5, role: 'assistant', text: '' }),
    ];
    let text = '';
    await writeTrace(makeTransfer(messages, { cwd: '/x', model: 'm' }), { write: (piece) => void (text += piece) }, now);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['message'])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'text', text: '[image omitted]' },
        ],
      },
      {
        role: 'assistant',
        model: 'm',
        content: [
          { type: 'text', text: 'on it' },
          { type: 'tool_use', id: 'c1', name: 'terminal', input: { command: 'ls' } },
          { type: 'tool_use', id: 'call_3_1', name: 'unknown', input: { arguments: 'half{' } },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'a.txt' }] },
    ]);
    lines.forEach((line, index) => {
      expect(line).toMatchObject({
        isSidechain: false,
        userType: 'external',
        cwd: '/x',
        sessionId: 's1',
        version: 'hermes-agent',
        gitBranch: '',
      });
      expect(line['uuid']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(line['parentUuid']).toBe(index === 0 ? null : lines[index - 1]?.['uuid']);
    });
  });
});
