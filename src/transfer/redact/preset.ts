import type { SecretLintRuleCreator } from '@secretlint/types';
import { findingAt, type Finding } from './finding.ts';

/**
 * The rules of secretlint's recommended preset that know keys of their own. Left out: what our patterns cover with narrower ranges (basic
 * authentication and database addresses whole, private keys, `_authToken` to the end of the line, AWS, whose range loses the end of the
 * secret), and the one that lets a remark in the text (`secretlint-disable`) switch the others off.
 */
const ruleNames = (
  'slack openai anthropic groq huggingface linear notion sendgrid shopify github gitlab grafana 1password hashicorp-vault vercel ' +
  'databricks docker figma'
).split(' ');

/** What those rules begin with. A text without one of them costs this test and no more: the rules take 5 ms a MB on any text, up to 40. */
const beginnings =
  /hooks\.slack|xox[a-z]-|xapp-|T3BlbkFJ|sk-ant|gsk_|hf_|lin_api_|ntn_|SG\.|shp(?:pa|ca|at|ss)_|gh[pousr]_|github_pat_|glpat-|gl(?:c|sa)_|ops_ey|hv[sbr]\.|vc[piark]_|dapi[0-9A-Fa-f]|dckr_pat_|figd_/;

export type PresetScan = (text: string, known: readonly Finding[]) => Promise<Finding[]>;

/** Loads secretlint, 40 ms, when a text first asks for it. */
export function createPresetScan(): PresetScan {
  let loading: ReturnType<typeof loadLint> | undefined;
  return async (text, known) => {
    if (!beginnings.test(text)) return [];
    const hidden = blank(text, known);
    if (known.length > 0 && !beginnings.test(hidden)) return [];
    const lint = await (loading ??= loadLint());
    return (await lint(hidden)).flatMap(([from, to]) => {
      const clipped = /^[^\s"'`\\<>]*/.exec(text.slice(from, to))?.[0] ?? '';
      return clipped === '' ? [] : [findingAt(text, 'preset', from, from + clipped.length)];
    });
  };
}

async function loadLint(): Promise<(text: string) => Promise<(readonly [number, number])[]>> {
  const [{ lintSource }, preset] = await Promise.all([import('@secretlint/core'), import('@secretlint/secretlint-rule-preset-recommend')]);
  const { rules } = preset as unknown as { rules: readonly SecretLintRuleCreator[] };
  const wanted = new Set(ruleNames.map((name) => `@secretlint/secretlint-rule-${name}`));
  const config = { rules: rules.filter((rule) => wanted.has(rule.meta.id)).map((rule) => ({ id: rule.meta.id, rule })) };
  return async (content) => {
    const source = { content, filePath: 'text', ext: '', contentType: 'text' as const };
    const result = await lintSource({ source, options: { noPhysicFilePath: true, config } });
    return result.messages.map((message) => message.range);
  };
}

/** The same length, without what was found already. */
function blank(text: string, known: readonly Finding[]): string {
  let result = '';
  let from = 0;
  for (const { start, end } of known) {
    result += text.slice(from, start) + ' '.repeat(end - start);
    from = end;
  }
  return result + text.slice(from);
}
