import type { ToolCall } from '../../session/types.ts';
import { htmlExportText } from '../../text/en/html-export.ts';
import { summarizeArguments } from '../../text/summarize-arguments.ts';
import { chrome, escapePlain, escapeText } from './escape.ts';
import type { Highlighter } from './code.ts';

/** UTF-16 units of what a call was made with that its line shows. */
const summaryUnits = 160;
/** A longer text isn't parsed to show it more readably. */
const mostParsed = 2_000_000;
/** A `<pre>` of this many units; a longer text is several, of which only those in view are laid out. */
const preUnits = 32_000;

/** A call and what came back, folded into one line; either may be missing. `anchor` is the element's id, as markup. */
export function toolBlock(
  { call, name, result, anchor }: { call?: ToolCall | undefined; name: string; result?: string | undefined; anchor: string },
  highlighter: Highlighter,
): string {
  const output = result === undefined ? undefined : readFields(result);
  const state = result === undefined ? 'open' : hasFailed(output) ? 'failed' : 'done';
  const stateText = state === 'open' ? htmlExportText.noResult : htmlExportText[state];
  const summary = call === undefined ? '' : cut(summarizeArguments(call.arguments));
  const parts = [
    call === undefined ? '' : section(htmlExportText.arguments, call.arguments, readFields(call.arguments), highlighter),
    result === undefined ? '' : section(htmlExportText.output, result, output, highlighter),
  ];
  return (
    `<details class="tool ${state}"${anchor}><summary><b dir="auto">${escapeText(name)}</b> ${chrome(summary, 'arg')} ` +
    `<i class="c state" title="${escapePlain(stateText)}"></i></summary>\n${parts.join('')}</details>\n`
  );
}

const cut = (text: string): string => (text.length <= summaryUnits ? text : `${text.slice(0, summaryUnits)}…`);

type Fields = readonly (readonly [name: string, value: unknown])[];

/**
 * The fields of a JSON object, so that the lines of a file or of an output show as lines; undefined for any other text. Numbers with more digits
 * than JavaScript keeps leave the text as it is: nothing of an export is rounded.
 */
function readFields(text: string): Fields | undefined {
  if (text.length > mostParsed || !/^\s*\{/.test(text) || /[\d.]{16}|\d[eE][+-]?\d{3}/.test(text)) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    const fields = parsed !== null && typeof parsed === 'object' && !Array.isArray(parsed) ? Object.entries(parsed) : [];
    return fields.length === 0 ? undefined : fields;
  } catch {
    // Half a call, or an output that only begins like JSON: text.
    return undefined;
  }
}

/** Whether a result says so itself: an error, an exit code. */
function hasFailed(fields: Fields | undefined): boolean {
  return (fields ?? []).some(
    ([name, value]) =>
      (name === 'exit_code' && typeof value === 'number' && value !== 0) ||
      (name === 'error' && value !== null && value !== '' && value !== false) ||
      (name === 'success' && value === false),
  );
}

function section(label: string, text: string, fields: Fields | undefined, highlighter: Highlighter): string {
  const body = fields === undefined ? pre(text) : fields.map(([name, value]) => field(name, value, highlighter)).join('');
  return `<div class="part">${chrome(label, 'label')}\n${body}</div>\n`;
}

function field(name: string, value: unknown, highlighter: Highlighter): string {
  const label = `<span class="key">${escapeText(name)}</span>\n`;
  if (typeof value !== 'string') {
    const json = JSON.stringify(value, null, 1);
    return json.length <= 80
      ? `<div class="field">${label}<code dir="ltr">${escapeText(JSON.stringify(value))}</code></div>\n`
      : label + pre(json);
  }
  if (value.length <= 80 && !value.includes('\n')) return `<div class="field">${label}<code dir="ltr">${escapeText(value)}</code></div>\n`;
  const language = name === 'command' || name === 'cmd' ? 'bash' : '';
  return label + (value.length > preUnits ? pre(value) : highlighter.block(value, language));
}

/** Plain text of any size, all of it, in a frame that scrolls. */
function pre(text: string): string {
  if (text.length <= preUnits) return `<pre dir="ltr" tabindex="0">\n${escapeText(text)}</pre>\n`;
  let parts = '';
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + preUnits);
    // Between lines if there are some, never inside of a pair of surrogates or of CR and LF.
    const line = to < text.length ? text.lastIndexOf('\n', to - 1) : -1;
    if (line > from) to = line + 1;
    else if (/[\ud800-\udbff\r]/.test(text[to - 1] ?? '') && to < text.length) to -= 1;
    parts += `<span class="run">${escapeText(text.slice(from, to))}</span>`;
    from = to;
  }
  return `<pre dir="ltr" tabindex="0" class="long">\n${parts}</pre>\n`;
}
