import type { Random } from '../../fixtures/random.ts';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const digits = '0123456789';

/** So many characters by chance, with a letter and a digit among them at least. */
function chance(random: Random, length: number, alphabet = letters + digits): string {
  const text = Array.from({ length }, () => alphabet[random.between(0, alphabet.length - 1)]).join('');
  return length < 3 ? text : `a${text.slice(1, -1)}7`;
}

const hex = '0123456789abcdef';

/** Every prefix of state-db.md 6.3 with a rest as its maker gives it out. */
const vendorKeys: readonly (readonly [prefix: string, length: number, alphabet?: string])[] = [
  ['sk-', 48], ['sk-proj-', 60], ['sk-ant-api03-', 80], ['ghp_', 36], ['github_pat_', 40], ['gho_', 36], ['ghu_', 36], ['ghs_', 36], ['ghr_', 36],
  ['xapp-1-', 40], ['xoxb-', 40], ['xoxa-', 40], ['xoxp-', 40], ['xoxr-', 40], ['xoxs-', 40], ['AIza', 35], ['pplx-', 40], ['fal_', 32],
  ['fc-', 32, hex], ['bb_live_', 28], ['gAAAA', 60], ['AKIA', 16, 'ABCDEFGHIJ234567'], ['sk_live_', 24], ['sk_test_', 24], ['rk_live_', 24],
  ['SG.', 40], ['hf_', 34], ['r8_', 37], ['npm_', 36], ['pypi-', 60], ['dop_v1_', 64, hex], ['doo_v1_', 64, hex], ['am_', 40], ['sk_', 32],
  ['tvly-', 32], ['exa_', 32], ['gsk_', 52], ['syt_', 40], ['retaindb_', 32], ['hsk-', 32], ['mem0_', 32], ['brv_', 32], ['xai-', 60], ['ntn_', 44],
  ['fw_', 24],
]; // prettier-ignore

export interface Planted {
  readonly family: string;
  /** What must be nowhere afterwards. */
  readonly secret: string;
  /** How it stands in a text. */
  readonly text: string;
}

/** One secret of every family and form, made anew for each seed. */
export function plantSecrets(random: Random): Planted[] {
  const secret = (): string => chance(random, random.between(9, 40));
  const planted = (family: string, value: string, text = value): Planted => ({ family, secret: value, text });
  const around = (family: string, form: (value: string) => string): Planted => {
    const value = secret();
    return planted(family, value, form(value));
  };
  const base64 = `${chance(random, 64)}\n${chance(random, 64)}\n${chance(random, 40)}`;
  const upper = chance(random, 16, 'ABCDEFGHJKLM23456789').toUpperCase();
  const jwt = `eyJ${chance(random, 20)}.eyJ${chance(random, 40)}.${chance(random, 43)}`;
  return [
    ...vendorKeys.map(([prefix, length, alphabet]) => {
      const value = prefix + (prefix === 'AKIA' ? upper : chance(random, length, alphabet));
      return planted(`vendor ${prefix}`, value);
    }),
    ...['OPENAI_API_KEY', 'GH_TOKEN', 'CLIENT_SECRET', 'DB_PASSWORD', 'ROOT_PASSWD', 'AWS_CREDENTIAL', 'BASIC_AUTH'].flatMap((name) => [
      around(`env ${name}`, (value) => `${name}=${value}`),
      around(`env export ${name}`, (value) => `export ${name}="${value}"`),
    ]),
    around('config dotted', (value) => `spring.mail.password=${value}`),
    around('config anchored', (value) => `password = ${value}`),
    around('markdown bold', (value) => `- **Password**: ${value}`),
    around('markdown bold sign', (value) => `**API key:** \`${value}\``),
    around('markdown table', (value) => `| Setting | Value |\n| --- | --- |\n| \`API_KEY\` | \`${value}\` |`),
    around('curl', (value) => `curl -sS -u admin:${value} https://example.com/`),
    around('mysql', (value) => `mysql -uroot -p${value} shop`),
    around('sshpass', (value) => `sshpass -p '${value}' ssh me@example.com`),
    around('docker login', (value) => `docker login -u me -p ${value} registry.example.com`),
    around('netrc', (value) => `machine example.com login me password ${value}`),
    around('yaml', (value) => `  api_key: ${value}`),
    around('yaml block', (value) => `password: |\n  ${value}\n`),
    ...['apiKey', 'token', 'secret', 'password', 'access_token', 'refresh_token', 'auth_token', 'bearer', 'client_secret'].flatMap(
      (name) => [
        around(`json ${name}`, (value) => `{"${name}": "${value}", "n": 1}`),
        around(`json escaped ${name}`, (value) => `{\\"${name}\\":\\"${value}\\"}`),
      ],
    ),
    around('json beside', (value) => `{"name":"X_API_KEY","value":"${value}"}`),
    around('arguments', (value) => `["deploy","--token","${value}"]`),
    around('authorization', (value) => `Authorization: Bearer ${value}`),
    around('authorization any', (value) => `curl -H 'Authorization: Custom ${value}' x`),
    around('authorization code', (value) => `headers: { 'Authorization': "token ${value}" }`),
    around('proxy', (value) => `Proxy-Authorization: Basic ${value}=`),
    ...['x-api-key', 'X-Auth-Token', 'api-key', 'x-goog-api-key'].map((name) => around(`header ${name}`, (value) => `${name}: ${value}`)),
    planted('telegram', `${chance(random, 10, '123456789').replace(/\D/g, '1')}:AA${chance(random, 33)}`),
    planted('private key', base64, `-----BEGIN RSA PRIVATE KEY-----\n${base64}\n-----END RSA PRIVATE KEY-----`),
    planted('private key cut', base64, `-----BEGIN PRIVATE KEY-----\n${base64}`),
    planted('private key headless', base64, `${base64}\n-----END PRIVATE KEY-----`),
    around('database', (value) => `postgres://app:${value}@db.example/app`),
    around('database slash', (value) => `mysql://app:${value}/x@y@db.example/app`),
    around('database query', (value) => `jdbc:postgresql://db/app?user=a&password=${value}`),
    planted('url token', jwtless(chance(random, 30)), ''),
    planted('jwt', jwt),
    around('form', (value) => `grant_type=refresh&client_secret=${value}&scope=all`),
    around('request target', (value) => `GET /callback?access_token=${value}&state=1 HTTP/1.1`),
    planted('phone', `+1415555${chance(random, 4, digits).replace(/\D/g, '2')}`),
    planted('phone grouped', `+82 10-${random.between(1000, 9999)}-${random.between(1000, 9999)}`),
    around('flag', (value) => `gh auth login --token ${value}`),
    around('xml', (value) => `<password>${value}</password>`),
    around('korean name', (value) => `비밀번호: ${value}`),
    planted('preset', `glsa_${chance(random, 32)}_${chance(random, 8, hex)}`),
    planted('preset webhook', `https://hooks.slack.com/services/T${chance(random, 9)}/B${chance(random, 9)}/${chance(random, 24)}`),
  ].map((each) => (each.text === '' ? { ...each, text: `https://${each.secret}@git.example/repo` } : each));
}

function jwtless(token: string): string {
  return token.replaceAll('.', 'x');
}
