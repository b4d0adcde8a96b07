import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptLanguage } from '../../src/text/script-language.ts';
import { anchorAddress, escapePlain, escapeText, safeAddress } from '../../src/transfer/html/escape.ts';
import { writeHtml } from '../../src/transfer/html/index.ts';
import { cutPieces } from '../../src/transfer/html/pieces.ts';
import { dateAndTime } from '../../src/transfer/html/time.ts';
import type { TransferSession } from '../../src/transfer/types.ts';
import { transferSession, transferStart } from '../support/transfer-sessions.ts';

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const one of all) yield await Promise.resolve(one);
}

async function pageOf(sessions: readonly TransferSession[], options: { title?: string; count?: number } = {}): Promise<string> {
  let text = '';
  await writeHtml(each(sessions), { write: (part) => void (text += part) }, { now: transferStart, ...options });
  return text;
}

const talk = (id: string, text: string) => transferSession({ id, title: `about ${id}` }, [{ role: 'user', text }]);

describe('escaping', () => {
  test('no text and no attribute has a sign of markup left', () => {
    const seed = Date.now();
    console.log(`seed ${seed}`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(escapePlain(text)).not.toMatch(/[<>"'\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(escapeText(text).replace(/<i class="c ctl" title="U\+[\dA-F]{4}">[^<>&"']<\/i>/gu, '')).not.toMatch(/[<>"']/);
      }),
      { seed, numRuns: 2000 },
    );
  });

  test.each([
    ['https://example.com/a?b=1&c=2', 'https://example.com/a?b=1&c=2'],
    ['http://example.com', 'http://example.com/'],
    ['mailto:a@example.com', 'mailto:a@example.com'],
    ['HTTPS://EXAMPLE.COM/', 'https://example.com/'],
    ['https://еxample.com/', 'https://xn--xample-2of.com/'],
    ['javascript:alert(1)', undefined],
    [' \u0001java\nscript:alert(1)', undefined],
    ['JAVASCRIPT:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['file:///etc/passwd', undefined],
    ['vscode://file/x', undefined],
    ['blob:https://example.com/x', undefined],
    ['//example.com/x', undefined],
    ['/x', undefined],
    ['', undefined],
  ])('a link to %j leads to %j', (href, expected) => {
    expect(safeAddress(href)).toBe(expected);
  });

  test('an anchor names the element as it stands in the page', () => {
    expect(anchorAddress('20260302_140209_a1b2c3', 4)).toBe('#20260302_140209_a1b2c3/4');
    expect(anchorAddress('a b\u0000"\ud800')).toBe('#a%20b%E2%90%80%22%EF%BF%BD');
  });
});

describe('pieces of a message', () => {
  test('code of fences stands apart, and nothing is lost', () => {
    expect(cutPieces('one\n\n```ts\nlet a;\n```\ntwo\n~~~\n```\n~~~\n')).toEqual([
      { kind: 'text', text: 'one\n\n' },
      { kind: 'code', text: 'let a;', language: 'ts' },
      { kind: 'text', text: 'two\n' },
      { kind: 'code', text: '```', language: '' },
    ]);
    expect(cutPieces('```\nnever closed')).toEqual([{ kind: 'code', text: 'never closed', language: '' }]);
    expect(cutPieces('')).toEqual([]);
  });

  test('a long text ends a piece only where a block begins at the margin', () => {
    const text = Array.from({ length: 400 }, (_, n) => `paragraph ${n} ${'word '.repeat(20)}\n\n  indented\n\n`).join('');
    const pieces = cutPieces(text);
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
    for (const piece of pieces) expect(piece.text).toMatch(/^paragraph/);
  });
});

test.each([
  ['Where is the token?', undefined],
  ['토큰은 어디에 있나요?', 'ko'],
  ['token 만료 처리는 refresh()에서', 'ko'],
  ['The button says 확인, and nothing else happens when it is pressed a second time', undefined],
  ['トークンの期限', 'ja'],
  ['令牌过期', 'zh'],
  ['שלום עולם', 'he'],
  ['', undefined],
  ['{"a": 1}', undefined],
])('the script of %j says %s', (text, expected) => {
  expect(scriptLanguage(text)).toBe(expected);
});

describe('a page', () => {
  test('its policy names the style and the scripts by what they are', async () => {
    const page = await pageOf([talk('a', 'words')]);
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const inside = (tag: string) => Array.from(page.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, 'g')), (match) => match[1] ?? '');
    expect(inside('style').map(hash)).toEqual([/style-src (\S+);/.exec(policy)?.[1]]);
    expect(inside('script').map(hash)).toEqual(/script-src (\S+) (\S+);/.exec(policy)?.slice(1));
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect(page).not.toContain('<!--');
  });

  test('is written as it is read: the next session is asked for when the one before has been written', async () => {
    let asked = 0;
    let longest = 0;
    let written = 0;
    const many = async function* (): AsyncGenerator<TransferSession> {
      for (; asked < 200; asked++) {
        // Two buffers at most lie between what was read and what was written.
        expect(asked * 2000 - written).toBeLessThan(200_000);
        yield await Promise.resolve(talk(`s${asked}`, 'x'.repeat(2000)));
      }
    };
    const slow = {
      async write(text: string): Promise<void> {
        await Promise.resolve();
        longest = Math.max(longest, text.length);
        written += text.length;
      },
    };
    expect(await writeHtml(many(), slow, { now: transferStart, count: 200 })).toEqual({ sessions: 200, messages: 200 });
    expect(longest).toBeLessThan(200_000);
  });

  test('is named after its session, after their number, or as it is told', async () => {
    const title = (page: string) => /<title>(.*?)<\/title>/.exec(page)?.[1];
    expect(title(await pageOf([talk('a', 'words')], { count: 1 }))).toBe('about a');
    expect(title(await pageOf([talk('a', 'words'), talk('b', 'words')], { count: 2 }))).toBe('2 Hermes sessions');
    expect(title(await pageOf([talk('a', 'words')], { count: 1, title: '<b>' }))).toBe('&lt;b&gt;');
    expect(title(await pageOf([]))).toBe('Hermes sessions');
  });

  test('the same sessions make the same bytes', async () => {
    const sessions = [talk('a', 'words'), talk('b', '단어')];
    expect(await pageOf(sessions)).toBe(await pageOf(sessions));
  });

  test('times that no clock showed are left out, the others local', async () => {
    const page = await pageOf([
      transferSession({ id: 'a', startedAt: 0, lastActive: 0 }, [{ role: 'user', text: 'x', timestamp: Number.NaN }]),
    ]);
    expect(page).not.toContain('<time');
    expect(page).not.toContain('NaN');
    expect(dateAndTime(transferStart)).toMatch(/^2026-03-0[123] \d\d:\d\d$/);
  });
});

test.each([
  ['an exit code', '{"output": "x", "exit_code": 1}', 'failed'],
  ['an error', '{"error": "no such file"}', 'failed'],
  ['a success that is none', '{"success": false}', 'failed'],
  ['no error', '{"output": "x", "error": null, "exit_code": 0}', 'done'],
  ['text about an error', 'error: no such file', 'done'],
])('a result that has %s is marked as it says', async (_, text, state) => {
  const page = await pageOf([transferSession({ id: 'a' }, [{ role: 'tool', toolName: 't', text }])]);
  expect(page).toContain(`<details class="tool ${state}"`);
});

test('numbers are shown to the last digit, and strings with their lines', async () => {
  const page = await pageOf([
    transferSession({ id: 'a' }, [
      { role: 'tool', toolName: 't', text: '{"id": 12345678901234567890, "at": 1e400}' },
      { role: 'tool', toolName: 't', text: '{"content": "first\\nsecond"}' },
    ]),
  ]);
  expect(page).toContain('12345678901234567890');
  expect(page).toContain('1e400');
  expect(page).toContain('first\nsecond');
});
