import { findingAt, type Finding } from './finding.ts';

/** How the keys of one maker look: what stands behind the prefix, and from how many characters on it is one. */
interface Vendor {
  readonly prefix: string;
  readonly min: number;
  /** The prefix begins ordinary names too (`sk-learn`, `npm_config_registry`): the rest must look like chance. */
  readonly isWeak: boolean;
}

const strong = (min: number, ...prefixes: string[]): Vendor[] => prefixes.map((prefix) => ({ prefix, min, isWeak: false }));
const weak = (min: number, ...prefixes: string[]): Vendor[] => prefixes.map((prefix) => ({ prefix, min, isWeak: true }));

/** state-db.md 6.3, and the keys of Google sign-in, Stripe hooks and age beside them. */
const vendors: readonly Vendor[] = [
  ...strong(10, 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'xoxb-', 'xoxa-', 'xoxp-', 'xoxr-', 'xoxs-', 'xapp-', 'glpat-'),
  ...strong(
    10,
    'sk_live_',
    'sk_test_',
    'rk_live_',
    'rk_test_',
    'bb_live_',
    'dop_v1_',
    'doo_v1_',
    'sk-ant-',
    'sk-or-v1-',
    'GOCSPX-',
    'whsec_',
  ),
  ...strong(20, 'gAAAA', 'ya29.', 'AGE-SECRET-KEY-1'),
  ...strong(30, 'AIza'),
  ...weak(10, 'sk-', 'sk_', 'pplx-', 'fal_', 'fc-', 'hf_', 'r8_', 'npm_', 'pypi-', 'am_', 'tvly-', 'exa_', 'gsk_', 'syt_', 'retaindb_'),
  ...weak(10, 'hsk-', 'mem0_', 'brv_', 'xai-', 'ntn_', 'fw_', 'SG.'),
];

const byPrefix = new Map(vendors.map((vendor) => [vendor.prefix, vendor]));
const escaped = [...byPrefix.keys()].sort((a, b) => b.length - a.length).map((prefix) => prefix.replace('.', '\\.'));
const prefixes = new RegExp(escaped.join('|'), 'g');
const body = /[A-Za-z0-9_-]+/y;
/** `SG.id.secret`, Google's tokens. */
const dottedBody = /[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*/y;
const awsId = /A(?:KIA|SIA|3T[A-Z0-9])[A-Z0-9]{16,17}/g;

/** Keys that their own beginning gives away. Letters, digits, `_` and `-` bound them; any other character may stand beside. */
export function findVendorKeys(text: string): Finding[] {
  const found: Finding[] = [];
  // Behind a prefix whose rest is no chance, the rest of the rest is none either: each run of characters is read once.
  let readUntil = 0;
  prefixes.lastIndex = 0;
  for (let hit = prefixes.exec(text); hit !== null; hit = prefixes.exec(text)) {
    const vendor = byPrefix.get(hit[0]);
    if (vendor === undefined || (vendor.isWeak && hit.index < readUntil) || isInsideWord(text, hit.index)) continue;
    const start = hit.index + hit[0].length;
    const run = hit[0].endsWith('.') ? dottedBody : body;
    run.lastIndex = start;
    const rest = (run.exec(text)?.[0] ?? '').replace(/\.$/, '');
    const end = start + rest.length;
    if (rest.length >= vendor.min && (!vendor.isWeak || isChance(rest))) {
      found.push(findingAt(text, 'vendor-key', hit.index, end));
      prefixes.lastIndex = end;
    } else readUntil = end;
  }
  for (const { index, 0: id } of text.matchAll(awsId)) {
    if (isTokenUnit(text, index - 1) || isTokenUnit(text, index + id.length)) continue;
    found.push(findingAt(text, 'vendor-key', index, index + id.length));
  }
  return found;
}

/** `_` and `-` may join a name with a key (`my_ghp_…`); a letter or digit before makes it a word. Written-out breaks end in a letter. */
function isInsideWord(text: string, index: number): boolean {
  const before = text[index - 1];
  return before !== undefined && /[A-Za-z0-9]/.test(before) && !(/[nrt]/.test(before) && text[index - 2] === '\\');
}

function isTokenUnit(text: string, at: number): boolean {
  const unit = text[at];
  return unit !== undefined && /[A-Za-z0-9_]/.test(unit) && !(/[nrt]/.test(unit) && text[at - 1] === '\\');
}

/**
 * A run of ten and more letters and digits mixed, or of more letters than words have. Words joined by `_` and `-` have no such run; keys of
 * 16 characters and more nearly always do (a base64url character is `_` or `-` in one of 32 cases).
 */
function isChance(rest: string): boolean {
  return (
    rest
      .split(/[_.-]/)
      .some((run) => (run.length >= 10 && /\d/.test(run) && /[A-Za-z]/.test(run)) || (run.length >= 16 && /[A-Za-z]/.test(run))) ||
    isSpreadKey(rest)
  );
}

/** A key written in groups (`fc-8f14e45f-ceea-467f-a0e6-…`). */
function isSpreadKey(rest: string): boolean {
  const groups = rest.split('-');
  const mixed = groups.filter((group) => group.length >= 4 && /\d/.test(group));
  return groups.length >= 4 && mixed.length * 2 >= groups.length && rest.length >= 19 && /[a-z]/i.test(rest);
}
