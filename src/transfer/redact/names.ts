/**
 * How sure a name makes that its value is a secret. `password`: whatever it is. `key`: unless it is a plain word. `weak`: only when it looks
 * like one, since the name means other things as well (`auth: true`, `tokens: 3`).
 */
export type NameClass = 'password' | 'key' | 'weak';

const passwords = /^(?:password|passwd|passwords|pwd|passphrase|passcode|userpassword|dbpassword|secret|secrets|clientsecret|appsecret)$/;
const keys =
  /^(?:token|[a-z]{2,12}token|authtoken|apikey|apikeys|secretkey|accesskey|privatekey|authkey|bearer|authorization|credential|credentials)$/;
const weaks = /^(?:tokens|auth|oauth|basicauth|pass)$/;
/** `api_key`, `access-key`, `privateKey`. */
const beforeKey =
  /^(?:api|access|private|secret|encryption|encrypt|signing|sign|master|subscription|account|license|auth|storage|shared|session|deploy|host|service)$/;
/** The last word of names that speak about a secret: its place, its size, its rules. `password_hash` and `secret_id` stay secrets. */
const abouts =
  /^(?:url|uri|path|file|filename|dir|folder|name|names|count|counts|limit|limits|size|length|len|min|max|expires|expiry|expiration|ttl|at|in|budget|usage|per|ratio|field|fields|header|headers|label|placeholder|hint|policy|rule|rules|error|errors|message|status|provider|endpoint|method|enabled|disabled|required|timeout|format|strategy|version|var|prefix|suffix|pattern|regex|location|index|position|used|total|mode|kind|type|types|description|form|reset|age|days|manager|store|service|client|class|module|user|username|scope|scopes|flow|level|state|ring|group|ref|details|cost|price|rate|stream|window|length|idx|ids|num|scheme|schemes|callback|handler|middleware|guard|required|strength|generator|validator|input|output|encoding|line|lines|column|columns|start|end|raw|options|opts|params|props)$/;
/** The first word of names of numbers and parts of speech: `max_tokens`, `is_secret`, `tokenizer`. */
const befores =
  /^(?:max|min|num|n|total|is|has|no|count|use|uses|with|without|show|hide|input|output|prompt|completion|cached|reasoning|page)$/;

/** Every name that counts has one of them; most keys of JSON have none. */
const pieces = /token|secret|pass|pwd|cred|auth|bearer|key/i;

/** How much the name of a variable, field, header or flag says; undefined when it says nothing. */
export function classifyName(name: string): NameClass | undefined {
  if (!pieces.test(name)) return undefined;
  const words = splitName(name);
  const last = words.at(-1);
  if (last === undefined || (words.length > 1 && abouts.test(last))) return undefined;
  if (words.length > 1 && befores.test(words[0] ?? '') && !/^(?:key|apikey|password)$/.test(last)) return undefined;
  let found: NameClass | undefined;
  for (const [index, word] of words.entries()) {
    if (passwords.test(word)) return 'password';
    if (keys.test(word) || (word === 'key' && beforeKey.test(words[index - 1] ?? ''))) found = 'key';
    else if (found === undefined && weaks.test(word) && (word !== 'pass' || words.length > 1)) found = 'weak';
  }
  return found;
}

/** `X-Api-Key`, `DB_PASSWORD`, `spring.mail.password`, `clientSecret` → their words in small letters. */
function splitName(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => (word.length > 3 ? word.replace(/\d+$/, '') : word))
    .filter((word) => word !== '' && !/^\d+$/.test(word));
}

/** What passwords are called in other languages than English. */
export const foreignPassword = /비밀번호|비번|패스워드|パスワード|密码|密碼|passwort|kennwort|contraseña/i;
