import { describe, expect, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { createRedactor, redactName } from '../../src/transfer/redact/redactor.ts';
import { plantSecrets } from '../support/secrets.ts';

const redactor = createRedactor();
const redact = async (text: string): Promise<string> => (await redactor.redact(text)).text;

describe('masks', () => {
  test.each([
    ['PASSWORD=12345678901234567', 'PASSWORD=***'],
    ['PASSWORD=abcdef890123456xyz', 'PASSWORD=abcdef...6xyz'],
    ['PASSWORD="a pass phrase of some length"', 'PASSWORD="***"'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----', '[REDACTED PRIVATE KEY]'],
  ])('%j becomes %j', async (text, masked) => {
    expect(await redact(text)).toBe(masked);
  });

  test('where each finding stood is said in positions of the text handed in', async () => {
    const text = '키: {"a":"\\u00e9\\n","token":"t\\u006fk-4711\\"x"} 끝';
    for (const whole of [text, text.slice(3, -2)]) {
      const { found } = await redactor.redact(whole);
      expect(found).toHaveLength(1);
      expect(whole.slice(found[0]?.start, found[0]?.end)).toBe('t\\u006fk-4711\\"x');
    }
  });
});

describe('every family, wherever it stands', () => {
  const frames: readonly (readonly [name: string, frame: (text: string) => string])[] = [
    ['alone', (text) => text],
    ['in a Korean sentence', (text) => `열쇠는 ${text} 입니다`],
    ['in Markdown code', (text) => `Set this:\n\n\`\`\`\n${text}\n\`\`\`\nand go on.`],
    ['between lines with CRLF', (text) => `first\r\n${text}\r\nlast`],
    ['in a JSON string', (text) => JSON.stringify({ content: [{ type: 'text', text }], n: 1 })],
    ['in JSON in JSON', (text) => JSON.stringify({ arguments: JSON.stringify({ command: text }) })],
    ['in cut JSON', (text) => `${JSON.stringify({ out: text }).slice(0, -2)}",`],
    ['behind a megabyte of text', (text) => `${'lorem ipsum '.repeat(90_000)}\n${text}`],
  ];
  for (const [name, frame] of frames) {
    test(name, async () => {
      for (let seed = 1; seed <= (name.includes('megabyte') ? 1 : 12); seed++) {
        // A megabyte of each would take the test half a minute: every ninth.
        const all = plantSecrets(createRandom(seed)).filter((_, index) => !name.includes('megabyte') || index % 9 === 0);
        for (const planted of all) {
          const text = frame(planted.text);
          const once = await redact(text);
          const lines = planted.secret.split('\n');
          const where = `seed ${seed}, ${planted.family}: ${planted.text}`;
          for (const line of lines) expect(once.includes(line), where).toBe(false);
          expect(await redact(once), `twice is once, ${where}`).toBe(once);
          if (name.startsWith('in a JSON') || name.startsWith('in JSON')) JSON.parse(once);
        }
      }
    });
  }

  test('right beside Hangul, Han and Kana', async () => {
    for (const planted of plantSecrets(createRandom(7)).filter(({ family }) => /^(?:vendor|jwt|telegram|phone)/.test(family))) {
      const text = await redact(`토큰은${planted.text}입니다 鍵は${planted.text}です`);
      expect(text, planted.family).not.toContain(planted.secret);
      expect(text).toMatch(/^토큰은.*입니다 鍵は.*です$/);
    }
  });
});

describe('what is told in several lines and pieces', () => {
  const key = ['MIIEvQIBADANBgkqhkiG9w0BAQEFAASC', 'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'];
  test.each([
    ['line breaks written out', `KEY="-----BEGIN PRIVATE KEY-----\\n${key.join('\\n')}\\n-----END PRIVATE KEY-----"`],
    ['lines of a list', JSON.stringify(['-----BEGIN PRIVATE KEY-----', ...key, '-----END PRIVATE KEY-----', 'after'])],
    ['lines a tool has numbered', `  1|-----BEGIN PRIVATE KEY-----\n  2|${key[0]}\n  3|${key[1]}\n  4|done`],
    ['an answer cut in the middle', `-----BEGIN OPENSSH PRIVATE KEY-----\n${key[0]}\n${key[1]?.slice(0, 20)}... [truncated]`],
    ['lines a diff has added', `+-----BEGIN EC PRIVATE KEY-----\n+${key[0]}\n+${key[1]}\n+-----END EC PRIVATE KEY-----`],
  ])('%s', async (_, text) => {
    const redacted = await redact(text);
    for (const line of key) expect(redacted).not.toContain(line.slice(0, 20));
    expect(redacted).toContain('[REDACTED PRIVATE KEY]');
    expect(await redact(redacted)).toBe(redacted);
  });

  test('what follows a cut key stays', async () => {
    expect(await redact(`-----BEGIN PRIVATE KEY-----\n${key[0]}\n\nThat was the key.`)).toContain('That was the key.');
  });
});

describe('JSON keeps its structure', () => {
  test('numbers keep their digits, keys their order, blanks their places', async () => {
    const text = '{ "z": 12345678901234567890, "a" : 1.0, "a": 2,\t"token": "abc-1234", "list": ["x", {"password": 4711}] }';
    expect(await redact(text)).toBe(
      '{ "z": 12345678901234567890, "a" : 1.0, "a": 2,\t"token": "***", "list": ["x", {"password": "***"}] }',
    );
  });

  test('a key of an object can be a secret itself', async () => {
    expect(await redact(`{"ghp_${'a1B2'.repeat(9)}": {"uses": 3}}`)).toBe('{"ghp_a1...a1B2": {"uses": 3}}');
  });

  test('ids of calls stay when asked to', async () => {
    const text = JSON.stringify([{ id: 'sk-abcdef1234567890', function: { arguments: '{"id":"x","token":"abc-1234"}' } }]);
    expect((await redactor.redact(text, { keepIds: true })).text).toBe(text.replace('abc-1234', '***'));
  });
});

test('a name is redacted for files and manifests', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  expect(await redactName(redactor, `why does ${secret} fail`)).not.toContain(secret);
});

test('a remark in the text switches nothing off', async () => {
  const secret = `glc_${'aB3x'.repeat(10)}`;
  expect(await redact(`// secretlint-disable\n${secret}`)).not.toContain(secret);
});

describe('time grows with the length', () => {
  const units = (
    'token token= token: "token":" token=" TOKEN=\' password password=a& authorization: eyJ eyJa. :// a://b:c a://b@ sk- sk_test_ hf_ SG. AKIA +1 1: ' +
    '\\ \\"token\\": [ {"a": ?token= https://a?token= api_key secret-secret. password:| <password> -----END A'
  ).split(' ');
  const texts = [
    ...units,
    'password: |\n  x\n',
    'Authorization: Digest a=',
    '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n',
    '--token ',
    'curl -u a ',
    'docker login ',
    '| a | b |\n',
    '| token |',
  ];

  test.each(texts)('%j', async (unit) => {
    const time = async (size: number): Promise<number> => {
      const text = unit.repeat(Math.ceil(size / unit.length));
      const began = performance.now();
      await redactor.redact(text);
      await redactor.redact(JSON.stringify({ text }));
      return performance.now() - began;
    };
    await time(10_000);
    const [small, large] = [await time(20_000), await time(160_000)];
    // Eight times the text: eight times the time, 64 times if it were quadratic. The floor is what a busy machine adds.
    expect(large, `${small.toFixed(0)} ms, then ${large.toFixed(0)} ms`).toBeLessThan(Math.max(250, small * 30));
  });
});
