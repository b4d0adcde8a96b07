import { applyFindings, mergeFindings, type Finding } from './finding.ts';
import { scanText, type JsonOptions } from './json.ts';
import { createPresetScan } from './preset.ts';
import { mayHoldSecret } from './scan.ts';

export interface Redacted {
  readonly text: string;
  /** In order; `start` and `end` count in the text that was handed in. */
  readonly found: readonly Finding[];
}

/**
 * Strikes secrets out of texts (state-db.md 6.3). A text is looked at as a whole, however long; time grows with its length.
 *
 * Deliberately left: the query of an ordinary web address (but keys that their own form gives away are struck there too), cookies, passwords
 * told in a sentence without `:` or `=`, secrets in base64, percent codes or pictures, ids of sessions, messages and tool calls, and values
 * that only name a secret (`$TOKEN`, `<your key>`, `process.env.KEY`).
 */
export interface Redactor {
  redact(text: string, options?: JsonOptions): Promise<Redacted>;
  /** True: nothing would be struck. Most cells of a store are, and needn't wait for a promise. */
  isClean(text: string): boolean;
}

/** A redactor with all patterns; secretlint is loaded with the first text that could need it. */
export function createRedactor(): Redactor {
  const scanPreset = createPresetScan();
  return {
    isClean: (text) => !mayHoldSecret(text),
    async redact(text, options) {
      if (!mayHoldSecret(text)) return { text, found: [] };
      const own = scanText(text, options);
      const preset = await scanPreset(text, own);
      const found = preset.length === 0 ? own : mergeFindings(text, [...own, ...preset]);
      return found.length === 0 ? { text, found } : { text: applyFindings(text, found), found };
    },
  };
}

/** A title on its way into a file name or a manifest; signs a file name can't have are the caller's matter. */
export async function redactName(redactor: Redactor, text: string): Promise<string> {
  return (await redactor.redact(text)).text;
}
