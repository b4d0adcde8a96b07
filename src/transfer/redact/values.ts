import { isMasked } from './finding.ts';

/** A value that says where a secret is, or that one belongs here, and is none itself. */
export function isReference(value: string): boolean {
  return (
    isMasked(value) ||
    /^(?:\$[A-Za-z_{(]|%\w+%$|\{\{|\{[A-Za-z_.]+\}$|<[^>]*>?$|\[[A-Z_ -]+\]$|[.…]+$|[xX]{3,}$|@\w+$|[\w-]{0,10}(?:\.{3}|…|[xX*]{3,})$|%[a-z\d](?:\W|$)|[,;)\]])/.test(
      value,
    ) ||
    /^(?:process\.env|import\.meta|os\.(?:environ|getenv)|env[.([]|ENV\[|secrets\.|vault:|op:\/\/|ref\+|file:\/\/)/.test(value) ||
    /^(?:your|insert|enter|replace)[-_ ][A-Za-z_ -]*$/i.test(value) ||
    isTemplate(value)
  );
}

/** `Bearer ${token}`: what stands around the expression is too little for a secret. */
function isTemplate(value: string): boolean {
  if (!value.includes('${') && !value.includes('{{')) return false;
  return !looksRandom(value.replace(/\$\{[^}]*\}|\{\{[^}]*\}\}/g, ''));
}

const typeWords = new Set(
  (
    'string str text number int integer bool boolean bytes object array any unknown never true false yes no on off null none nil undefined ' +
    'required optional hidden password passwd secret token key apikey api_key redacted masked unset empty default bearer basic function ' +
    'self this void char varchar list dict map date value type input type=password'
  ).split(' '),
);

/** Types, switches and the like, which stand where a secret could: `token: string`, `"auth": "none"`. */
export function isTypeWord(value: string): boolean {
  return typeWords.has(value.toLowerCase());
}

/** Letters and digits mixed as no word is, or a run of letters longer than words are. */
export function looksRandom(value: string): boolean {
  if (value.length < 6) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return true;
  return value.length >= 24 && /[A-Za-z0-9+/=]{24}/.test(value);
}

/** `token` or `Hello` in a list of a tokenizer: one word of one case, too short for a key. */
export function isPlainWord(value: string): boolean {
  return /^(?:[A-Z]?[a-z]{1,7}|[A-Z]{1,8}|[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,8})[.!?:]?$/u.test(
    value,
  );
}

/** `^1.2.0` of a package that is called `canceltoken`. */
export function isVersion(value: string): boolean {
  return /^[\^~]?\d+(?:\.\d+){1,3}$/.test(value);
}

/**
 * What no key or token is: signs alone (`'>>='` of a compiler's tokens), an address (its query is another family), a colour, a sentence in another script. A
 * password may be any of them.
 */
export function isNoKey(value: string): boolean {
  return (
    !/[\p{L}\d]/u.test(value) ||
    /^https?:\/\/[^\s@]+$/i.test(value) ||
    /^#[0-9a-f]{3,8}$/i.test(value) ||
    (/(?!\p{ASCII})\p{L}/u.test(value) && !/[\w+/=-]{6}/.test(value))
  );
}

/** What code has behind `=` and `:` without quotes: a call, an index, a member, a name of several words. */
export function isCode(value: string): boolean {
  return (
    /^[!&*]?[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*[([{]/.test(value) ||
    /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+$/.test(value) ||
    /^[a-z]+(?:[A-Z][a-z]+)+$|^(?:[A-Z][a-z]+){2,}$/.test(value) ||
    /^[a-z]+(?:_[a-z]+)+$/.test(value) ||
    /^[A-Z]+(?:_[A-Z]+)+$/.test(value) ||
    // `toolApprovalSecret`, and `tokens:c?[]:null` of packed code.
    /^[A-Za-z_$][\w$]*[a-z\d](?:Token|Secret|Password|Passphrase|Key|Credentials?)$/.test(value) ||
    /^[!\w$.]+\?[[({"'!]/.test(value) ||
    /^(?:new|await|typeof|return|lambda|if|for|not|f|r|b)$/.test(value) ||
    /^[[{(|&?!]/.test(value)
  );
}
