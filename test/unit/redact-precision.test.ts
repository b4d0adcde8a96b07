import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../fixtures/random.ts';
import { createRedactor } from '../../src/transfer/redact/redactor.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { plantSecrets } from '../support/secrets.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

const redactor = createRedactor();

describe('ordinary text stays as it is', () => {
  test.each([
    ['session ids', 'hermes --resume 20250305_091523_a1b2c3d4 cron_20250305_091523'],
    [
      'hashes and uuids',
      'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, id 8f14e45f-ceea-467f-a0e6-1b2c3d4e5f60, sha256:9f86d081884c7d65',
    ],
    ['hashes with their times', '1712345678:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'],
    ['times and numbers', 'at 1712345678901 +00:00, 2025-03-05T09:15:23+09:00, +1000 lines, x+12345678, 1e+10000000, +1 2024-03-05 12:00'],
    ['a picture', `data:image/png;base64,iVBORw0KGgo+14155552671/AKIAIOSFODNN7EXAMPLE1${'Ab1+/sk'.repeat(50)}==`],
    [
      'package names',
      'pip install sk-learn-contrib-extras; npm_config_registry npm_package_version hf_hub_download xai-sdk-python pypi-publish-action',
    ],
    ['names of am_, fw_, exa_', 'am_2024_report_final team_notification_settings fw_version_update exa_search_results fal_client_queue'],
    ['the query of a web address', 'https://example.com/a?token=abc123def&x=1 and http://h/?a=1&password=hunter2'],
    ['addresses', 'http://localhost:3000/@types/node git@github.com:a/b.git ssh://git@github.com/a/b https://medium.com/@someone'],
    [
      'references',
      'TOKEN=$GITHUB_TOKEN PASSWORD=$' + '{DB_PASSWORD} API_KEY=<your key> SECRET=%SECRET% TOKEN={{ token }} KEY=op://vault/item',
    ],
    ['code', 'const token = getToken(); if (token === other) return; user.password = hashedPassword; connect(password=password)'],
    [
      'types',
      'interface A { token: string; password?: string; secret: Buffer }\ndef f(token: str = None, password: Optional[str] = None): ...',
    ],
    ['python settings', 'API_KEY = os.environ["API_KEY"]\nSECRET_KEY = config("SECRET_KEY")\nTOKEN = None'],
    ['javascript settings', 'apiKey: process.env.OPENAI_API_KEY,\nauthorization: `Bearer $' + '{token}`,'],
    ['numbers of tokens', 'max_tokens: 4096, {"max_tokens":4096,"total_tokens": 12, "token":"Hello"} MAX_TOKENS=8192 tokens=12'],
    ['sentences', 'Secret: never commit to main. The token is stored in the keychain: see docs. Auth: we use JWT. 비밀번호를 바꾸세요.'],
    ['forms', '{"password":"Enter your password","token":"Token","secret":"string","auth":"none","passwordHint":"your first dog"}'],
    [
      'command lines',
      'curl -u user:$PASS https://x; mysql -p shop; docker login -u me --password-stdin; sshpass -e ssh x; curl -u me https://x:8443/',
    ],
    [
      'tables of settings',
      '| token | description of it |\n| --- | --- |\n| api_key | required |\n| password | at least 12 |\n| token | base64 |',
    ],
    ['tokens of a parser', `e[e.TildeToken=55]="TildeToken";E.isForToken=tK;{[Kind.MoreToken]: '>>=', topicToken:"^^",tokens:c?[]:null}`],
    ['bits and colours', 'STENCIL_PASS_DEPTH: 0x0B95; Token.Number: "#976806", Token.String: "#fff"'],
    [
      'references of a document',
      '[my-credentials]: https://example.com/setup#credentials\n.. _`Bearer Token`: https://example.com/rfc6750',
    ],
    [
      'sentences under odd keys',
      '{"match_the_0_token_here": "分析器预期在此处找到标记。", "token_hint_text_1": "토큰을 찾을 수 없습니다."}',
    ],
    ['handing on', '{ secret: experimental_toolApprovalSecret, password: O }'],
    ['authors', 'AUTHOR=Jane Doe\nauthor: Jane\nAuthority: none'],
    ['markers in prose', 'It lies between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.'],
    ['masks', 'sk-abc...wxyz *** ghp_16...8B4a PASSWORD=*** [REDACTED PRIVATE KEY]'],
  ])('%s', async (_, text) => {
    expect((await redactor.redact(text)).text).toBe(text);
  });
});

/** Source and documents of the project itself: code, prose, tables, command lines. Its tests hold made-up keys, which are right to strike. */
function projectTexts(): string[] {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  return ['src', 'docs'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }) as string[])
      .filter((name) => /\.(?:ts|md)$/.test(name) && !name.includes('redact'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
}

function storeTexts(): string[] {
  const texts: string[] = [];
  for (const name of ['hermes-v31-40.db', 'hermes-v17-1000.db'] as const) {
    const db = new Database(copyRealStore(name, temporaryFolder()));
    for (const table of ['sessions', 'messages']) {
      for (const row of db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]) {
        for (const value of Object.values(row)) if (typeof value === 'string' && value.length > 4) texts.push(value);
      }
    }
    db.close();
  }
  return texts;
}

test.skipIf(!hasRealStores)('recall and precision', { timeout: 60_000 }, async () => {
  const texts = [...projectTexts(), ...storeTexts()];
  const size = texts.reduce((sum, text) => sum + text.length, 0) / 1e6;
  const wrong: string[] = [];
  for (const text of texts) {
    for (const finding of (await redactor.redact(text)).found) wrong.push(text.slice(Math.max(0, finding.start - 30), finding.end));
  }
  let right = 0;
  let planted = 0;
  for (let seed = 1; seed <= 20; seed++) {
    for (const each of plantSecrets(createRandom(seed))) {
      planted += 1;
      if (!(await redactor.redact(each.text)).text.includes(each.secret)) right += 1;
    }
  }
  const perMegabyte = wrong.length / size;
  console.log(
    `redaction: recall ${right}/${planted}; ${wrong.length} false findings in ${size.toFixed(1)} MB of ordinary text (${perMegabyte.toFixed(2)} a MB), ` +
      `precision ${((100 * right) / (right + wrong.length)).toFixed(2)} % with ${planted} secrets among them\n${wrong.slice(0, 20).join('\n')}`,
  );
  expect(right).toBe(planted);
  // A megabyte is about 500 messages. One wrong strike in that is what a reader of an export can live with; measured: see the line above.
  expect(perMegabyte).toBeLessThan(1);
});
