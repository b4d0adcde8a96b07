import { createHash } from 'node:crypto';
import { htmlExportText, htmlPageText } from '../../text/en/html-export.ts';
import { version } from '../../text/version.ts';
import { chrome, escapePlain } from './escape.ts';
import style from './page.css?raw';
import script from './page.js?raw';
import { dateAndTime } from './time.ts';

/** Says before the first frame that scripts run; what only a script can do is hidden until then. */
const start = "document.documentElement.classList.add('js')";

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, sent or run but the style and the two scripts of this page, known by their hashes. */
const policy = [
  "default-src 'none'",
  `style-src ${hash(style)}`,
  `script-src ${hash(start)} ${hash(script)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const icon = (path: string): string =>
  `<svg viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;

const button = (part: string, label: string, path: string, more = ''): string =>
  `<button type="button" data-part="${part}" aria-label="${escapePlain(label)}" title="${escapePlain(label)}"${more}>${icon(path)}</button>`;

/** Everything before the first session. `title` is text. */
export function pageHead(title: string): string {
  const text = htmlExportText;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="generator" content="hermes ${version}">
<title>${escapePlain(title)}</title>
<style>${style}</style>
<script>${start}</script>
</head>
<body data-texts="${escapePlain(JSON.stringify(htmlPageText))}">
<a class="skip" href="#main">${chrome(text.skip)}</a>
<header class="bar" role="banner">
${button('menu', text.openList, 'M3 5.5h14M3 10h14M3 14.5h14', ' aria-expanded="false"')}
<p class="brand">${chrome(text.program)}</p>
<h1 class="unseen">${escapePlain(title)}</h1>
<search><form data-part="form"><input data-part="query" type="search" autocomplete="off" spellcheck="false" enterkeyhint="search" placeholder="${escapePlain(text.search)}" aria-label="${escapePlain(text.searchLabel)}">
<output data-part="hits" aria-live="polite"></output>
${button('earlier', text.earlierHit, 'M5 12.5l5-5 5 5', ' hidden')}${button('later', text.laterHit, 'M5 7.5l5 5 5-5', ' hidden')}</form></search>
${button('colours', htmlPageText.darkColours, 'M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14')}
</header>
<nav class="side" data-part="side" aria-label="${escapePlain(text.sessionList)}">
<p class="count" data-part="count"></p>
<ul data-part="list"></ul>
<p class="keys">${chrome(text.keys)}</p>
</nav>
<div class="veil" data-part="veil"></div>
<div class="page">
<main id="main" tabindex="-1" aria-label="${escapePlain(text.conversation)}">
`;
}

/** Everything behind the last session; `now` is when the page was written. */
export function pageFoot({ sessions, messages, now }: { sessions: number; messages: number; now: number }): string {
  const nothing = sessions === 0 ? `<p class="none">${chrome(htmlExportText.nothing)}</p>\n` : '';
  const lines = [htmlExportText.exported(dateAndTime(now), version), htmlExportText.total(sessions, messages)];
  return `${nothing}</main>
<footer class="foot">${lines.map((line) => chrome(line)).join(' · ')}</footer>
</div>
<script>${script}</script>
</body>
</html>
`;
}
