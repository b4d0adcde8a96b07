import { findAddressSecrets } from './addresses.ts';
import { findAssignments } from './assignments.ts';
import { findCommandPasswords } from './command-lines.ts';
import { mergeFindings, type Finding } from './finding.ts';
import { findPrivateKeys } from './private-keys.ts';
import { findTableSecrets } from './table-cells.ts';
import { findAuthorizations, findJwts, findPhones, findTelegramTokens } from './tokens.ts';
import { findVendorKeys } from './vendor-keys.ts';

/** Something of every family, the preset's as well, in one pass: short texts, most of what a store holds, cost this test and no more. */
const traces =
  /token|secret|pass|pwd|cred|auth|bearer|basic|key|curl|wget|mysql|mariadb|login|비밀번호|비번|패스워드|パスワード|密码|密碼|kennwort|contraseña|[a-z\d][_-][\w-]{8}|:\/\/|eyJ|\d{6}:|\+[1-9]|gAAAA|ya29|AIza|SG\.|A(?:KIA|SIA|3T)|hv[sbr]\.|dapi/i;

/** False: the text holds no secret. Letters that JSON escapes (`\\u0073k-…`) hide from the test, so they count as a trace. */
export function mayHoldSecret(text: string): boolean {
  return traces.test(text) || text.includes('\\u00');
}

/** All families of state-db.md 6.3 in a text that is no JSON, or is looked at as if it were none. In order, apart from each other. */
export function scanPlain(text: string): Finding[] {
  return mergeFindings(text, [
    ...findPrivateKeys(text),
    ...findVendorKeys(text),
    ...findAssignments(text),
    ...findCommandPasswords(text),
    ...findTableSecrets(text),
    ...findAuthorizations(text),
    ...findAddressSecrets(text),
    ...findJwts(text),
    ...findTelegramTokens(text),
    ...findPhones(text),
  ]);
}
