import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Session } from '../../src/session/types.ts';
import { writeHtml } from '../../src/transfer/html/index.ts';
import type { TransferSession } from '../../src/transfer/types.ts';
import { launchChromium, openPage, waitUntil, type OpenPage, type PageOptions } from '../support/chromium.ts';
import { makeHome, runHermes } from '../support/hermes-run.ts';
import { hostileTexts } from '../support/hostile-markup.ts';
import { copyRealStore, hasRealStores } from '../support/real-stores.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { transferSession, transferStart, type SaidMessage } from '../support/transfer-sessions.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

async function* each<T>(all: readonly T[]): AsyncGenerator<T> {
  for (const one of all) yield await Promise.resolve(one);
}

/** Exports, opens, and closes with the test. */
async function open(sessions: readonly TransferSession[], options: PageOptions = {}, hash = ''): Promise<OpenPage> {
  let text = '';
  await writeHtml(each(sessions), { write: (part) => void (text += part) }, { now: transferStart + 86_400_000, count: sessions.length });
  const file = path.join(temporaryFolder(), 'sessions.html');
  writeFileSync(file, text);
  const opened = await openPage(browser, file, options);
  onTestFinished(() => opened.page.close());
  if (hash !== '') await opened.page.goto(`file://${file}${hash}`);
  return opened;
}

const call = (id: string, name: string, args: object) => ({ id, name, arguments: JSON.stringify(args) });

const auth = transferSession({ id: '20260302_140209_a1b2c3', title: 'refactoring auth', model: 'gpt-5-mini', cwd: '~/code/shop' }, [
  { role: 'system', text: 'Be brief.' },
  { role: 'user', text: 'Where is the token checked twice?' },
  {
    role: 'assistant',
    text: '',
    reasoning: 'I look at the middleware first.',
    toolCalls: [call('c1', 'terminal', { command: 'grep -rn token' }), call('c2', 'read_file', { path: 'src/auth.ts' })],
  },
  { role: 'tool', toolCallId: 'c1', text: JSON.stringify({ output: 'src/auth.ts:3: the buried_needle\n', exit_code: 0 }) },
  { role: 'tool', toolCallId: 'c2', text: 'export const token = 1;' },
  {
    role: 'assistant',
    text: '# Two places\n\n| place | cost |\n|---|--:|\n| `check()` | 1 |\n\n```ts\nconst token = check(); // twice\n```\n\n- [x] read\n\nSee [notes](https://example.com/notes) ![diagram](https://example.com/x.png).',
  },
  { role: 'user', text: 'Older talk.', isSummary: true },
]);
const pay = transferSession({ id: 'pay', title: '결제 모듈 리팩터링', source: 'telegram' }, [
  { role: 'user', text: '결제 토큰 만료 시 재시도하나요?' },
  { role: 'assistant', text: '아니요, **토큰 만료** 시에는 하지 않습니다. The token stays.' },
]);
const rtl = transferSession({ id: 'rtl', title: 'שלום' }, [
  { role: 'user', text: 'שלום, מה זה?' },
  { role: 'assistant', text: 'It is a greeting.' },
]);
const all = [auth, pay, rtl];

/** An expression about the first `element` that a selector finds. */
const ask = (page: Page, selector: string, expression: string): Promise<unknown> =>
  page.evaluate(`((element) => ${expression})(document.querySelector(${JSON.stringify(selector)}))`);

const shownTitle = (page: Page) => page.$eval('.session.shown h2', (element) => element.textContent);
const visibleItems = (page: Page) => page.$$eval('.side li:not([hidden]) .name', (names) => names.map((name) => name.textContent));
/** What a search says, once it has looked everywhere. */
async function search(page: Page, text: string): Promise<string> {
  await ask(page, '[data-part=query]', '{ element.value = ""; element.focus(); }');
  await page.keyboard.type(text);
  await waitUntil(page, "!['', 'searching …'].includes(document.querySelector('[data-part=hits]').value)");
  return String(await ask(page, '[data-part=hits]', 'element.value'));
}
const marks = (page: Page): Promise<string[]> => page.evaluate("[...(CSS.highlights.get('hit') ?? [])].map(String)") as Promise<string[]>;
const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;

describe('a page of several sessions', () => {
  test('shows the first one and switches by the sidebar, by address and back', async () => {
    const { page, requests, troubles } = await open(all);
    expect(await shownTitle(page)).toBe('refactoring auth');
    expect(await visibleItems(page)).toEqual(['refactoring auth', '결제 모듈 리팩터링', 'שלום']);
    await page.click('.side li:nth-child(2) a');
    await page.waitForSelector('#pay.shown');
    expect(await page.$eval('.session.shown .agent .text strong', (element) => element.textContent)).toBe('토큰 만료');
    expect(await page.$$eval('.side a[aria-current]', (links) => links.length)).toBe(1);
    expect(await page.title()).toBe('결제 모듈 리팩터링');
    await page.goBack();
    await page.waitForSelector('[id="20260302_140209_a1b2c3"].shown');
    expect(requests.filter((address) => !address.startsWith('file:'))).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test('opens at a message whose address is given, and unfolds it', async () => {
    const { page } = await open(all, {}, '#20260302_140209_a1b2c3/4');
    expect(await ask(page, '[id="20260302_140209_a1b2c3/4"]', 'element.open')).toBe(true);
    const { page: other } = await open(all, {}, '#pay/2');
    expect(await shownTitle(other)).toBe('결제 모듈 리팩터링');
    expect(await ask(other, '[id="pay/2"]', 'element.getBoundingClientRect().top < innerHeight')).toBe(true);
  });

  test('keeps only some sessions laid out, and shows each again', async () => {
    const many = Array.from({ length: 12 }, (_, n) =>
      transferSession({ id: `s${n}`, title: `session ${n}` }, [{ role: 'user', text: `words ${n}` }]),
    );
    const { page } = await open(many);
    for (const n of [...many.keys(), 1]) {
      await page.click(`.side li:nth-child(${n + 1}) a`);
      await page.waitForSelector(`#s${n}.shown`);
      expect(await page.$eval('.session.shown .typed', (element) => element.textContent)).toBe(`words ${n}`);
    }
    expect(await page.$$eval('.messages', (elements) => elements.length)).toBeLessThanOrEqual(7);
  });
});

describe('the search', () => {
  test('finds English words in all sessions, folded ones too, and marks them', async () => {
    const { page, troubles } = await open(all);
    expect(await search(page, 'token')).toBe('4 here, 5 in all');
    expect(await visibleItems(page)).toEqual(['refactoring auth', '결제 모듈 리팩터링']);
    expect(await marks(page)).toEqual(['token', 'token', 'token', 'token']);
    expect(await search(page, 'BURIED_needle')).toBe('1 here, 1 in all');
    expect(await page.$$eval('.tool[open]', (elements) => elements.length)).toBe(0);
    await page.keyboard.press('Enter');
    await waitUntil(page, "document.querySelector('[data-part=hits]').value === '1 of 1'");
    expect(await page.$eval('.tool[open] b', (element) => element.textContent)).toBe('terminal');
    expect(troubles).toEqual([]);
  });

  test('finds Korean, whole and in parts, decomposed or not, and goes on into the next session', async () => {
    const { page } = await open([...all, transferSession({ id: 'nfd' }, [{ role: 'user', text: '토큰'.normalize('NFD') }])]);
    expect(await search(page, '토큰')).toBe('0 here, 3 in all');
    expect(await visibleItems(page)).toEqual(['결제 모듈 리팩터링', 'untitled']);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#pay.shown');
    expect(await marks(page)).toEqual(['토큰', '토큰']);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#nfd.shown');
    expect((await marks(page)).map((text) => text.normalize('NFC'))).toEqual(['토큰']);
    expect(await search(page, '큰 만')).toBe('0 here, 4 in all');
    expect(await search(page, '"큰 만"')).toBe('0 here, 2 in all');
  });

  test('counts a session that was never laid out as it counts a shown one', async () => {
    const text = '`a` < b && "c" > \u0000d\u0000 token **to**ken\n\n- token\n\n```ts\nconst token: Token = {}; // token\n```';
    const twice = ['x', 'y'].map((id) => transferSession({ id, title: `<token> & ${id}` }, [{ role: 'assistant', text }]));
    const { page } = await open(twice);
    expect(await search(page, 'token')).toBe('7 here, 14 in all');
    expect(await search(page, '"< b && "')).toBe('1 here, 2 in all');
    for (const id of ['x', 'y']) {
      await page.click(`.side li:nth-child(${id === 'x' ? 1 : 2}) a`);
      await page.waitForSelector(`#${id}.shown`);
      await search(page, 'token');
      expect(await marks(page)).toHaveLength(7);
    }
  });

  test('says when nothing was said with these words, passes over the words of the page, and Escape ends it', async () => {
    const { page } = await open(all);
    expect(await search(page, 'interrupted Hermes')).toBe('no hits');
    expect(await visibleItems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await waitUntil(page, "document.querySelectorAll('.side li:not([hidden])').length === 3");
    expect(await marks(page)).toEqual([]);
  });
});

describe('keys', () => {
  test('/ goes to the search, arrows choose a session, j and k (and their Korean twins) go by message', async () => {
    const { page } = await open(all);
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.dataset.part + document.activeElement.value')).toBe('query');
    await page.keyboard.press('ArrowDown');
    expect(await shownTitle(page)).toBe('결제 모듈 리팩터링');
    await page.keyboard.press('ArrowUp');
    expect(await shownTitle(page)).toBe('refactoring auth');
    await page.keyboard.press('Escape');
    const focused = () => page.evaluate("document.activeElement.closest('.m, .tool')?.id") as Promise<string>;
    await page.keyboard.press('j');
    const first = await focused();
    await page.keyboard.press('j');
    expect(await focused()).not.toBe(first);
    await page.evaluate("dispatchEvent(new KeyboardEvent('keydown', { key: 'ㅏ' }))");
    expect(await focused()).toBe(first);
  });
});

describe('what a message looks like', () => {
  test('results stand in the fold of their call; thinking, system and summaries are folded', async () => {
    const { page } = await open([auth]);
    expect(await page.$$eval('.tool b', (names) => names.map((name) => name.textContent))).toEqual(['terminal', 'read_file']);
    expect(await page.$$eval('.messages details[open]', (elements) => elements.length)).toBe(0);
    const folded = await page.$$eval('.messages > details.m > summary', (elements) => elements.map((element) => element.textContent));
    expect(folded).toEqual(['system', 'thinking', 'summary of earlier messages, written by the program']);
    await page.click('.tool summary');
    expect(await ask(page, '.tool', 'element.innerText')).toContain('src/auth.ts:3: the buried_needle');
    expect(await page.$('.side li')).toBeNull();
  });

  test('Markdown is markup: headings, tables, coloured code, tasks, links that tell nothing; pictures are names', async () => {
    const { page, requests } = await open([auth]);
    const text = await page.$('.agent .text');
    expect(await text?.$eval('h3', (element) => element.textContent)).toBe('Two places');
    expect(await text?.$eval('td.right', (element) => element.textContent)).toBe('1');
    expect(await text?.$eval('pre .k', (element) => element.textContent)).toBe('const');
    expect(await text?.$eval('pre', (element) => element.textContent)).toBe('const token = check(); // twice');
    expect(await text?.$$eval('input[disabled]', (boxes) => boxes.length)).toBe(1);
    const links = await text?.$$eval('a', (found) =>
      found.map((each) => [each.textContent, each.getAttribute('href'), each.getAttribute('rel')]),
    );
    expect(links).toEqual([
      ['notes', 'https://example.com/notes', 'noopener noreferrer'],
      ['[image: diagram]', 'https://example.com/x.png', 'noopener noreferrer'],
    ]);
    expect(await page.$$('img')).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  test('times are local with their zone, and exact for programs', async () => {
    const { page } = await open([auth]);
    const time = await page.$eval('.user time', (element) => [
      element.getAttribute('datetime'),
      element.getAttribute('title'),
      element.textContent,
    ]);
    expect(time[0]).toBe('2026-03-02T14:03:09.000Z');
    expect(time[1]).toMatch(/^2026-03-0\d \d\d:\d\d:09 UTC[+-]\d\d:\d\d \(.+\)$/);
    expect(time[2]).toMatch(/^2026-03-0\d \d\d:\d\d$/);
  });

  test('language and direction go by the text', async () => {
    const { page } = await open([pay, rtl], {}, '#rtl');
    expect(await ask(page, '#rtl .user .text', '[element.lang, getComputedStyle(element).direction].join()')).toBe('he,rtl');
    expect(await ask(page, '#rtl .agent .text', 'getComputedStyle(element).direction')).toBe('ltr');
    expect(await page.$eval('#pay .user .text', (element) => element.getAttribute('lang'))).toBe('ko');
  });

  test('nothing of half a megabyte is lost, however it came', async () => {
    const lines = Array.from({ length: 9000 }, (_, n) => `line ${n} of the log <${n}> 로그`).join('\n');
    const paragraphs = lines.replaceAll('\n', '\n\n');
    const big = transferSession({ id: 'big' }, [
      { role: 'user', text: lines },
      { role: 'assistant', text: paragraphs, toolCalls: [call('c', 'cat', {}), call('d', 'cat', {})] },
      { role: 'tool', toolCallId: 'c', text: lines },
      { role: 'tool', toolCallId: 'd', text: JSON.stringify({ output: 'x'.repeat(500_000) }) },
    ]);
    const { page } = await open([big]);
    const texts = await page.$$eval('.user .text, .agent .text, .tool', (elements) => elements.map((element) => element.textContent ?? ''));
    expect(texts).toHaveLength(4);
    for (const text of texts.slice(0, 3)) expect(text.match(/line \d+ of the log <\d+> 로그/g)).toHaveLength(9000);
    expect(texts[2]).toContain(lines);
    expect(texts[3]).toContain('x'.repeat(500_000));
    expect(await search(page, '"line 8999 of"')).toBe('3 hits');
    expect(await page.$$eval('details.more', (elements) => elements.length)).toBe(1);
  });
});

/** The texts in every field a session and its messages have. */
function hostileSession(id: string, texts: readonly string[]): TransferSession[] {
  return texts.map((text, n) => {
    const fields: Partial<Session> & { id: string } = {
      id: `${id}${n} ${text}`,
      title: text,
      source: text,
      createdSource: `${text} `,
      model: text,
      cwd: text,
      gitBranch: text,
      endReason: text,
    };
    const said: SaidMessage[] = [
      { role: 'system', text },
      { role: 'user', text },
      {
        role: 'assistant',
        text,
        reasoning: text,
        toolCalls: [{ id: text, name: text, arguments: text }, call('b', text, { [text]: text, command: text })],
      },
      { role: 'tool', toolCallId: text, toolName: text, text },
      { role: 'tool', toolCallId: 'b', toolName: text, text: JSON.stringify({ [text]: `${text}\n`, error: text }) },
      { role: 'assistant', text: `words before ${text} and after\n\n${text}` },
      { role: 'user', text, displayKind: text },
      { role: 'user', text, isSummary: true },
      { role: text, text },
    ];
    return transferSession(fields, said, { preview: text });
  });
}

/** Elements and attributes that only markup of ours has; `0` everywhere else. */
const strangers = `(() => {
  const own = { script: 2, style: 1, form: 1, link: 0, base: 0, img: 0, iframe: 0, object: 0, embed: 0, math: 0, template: 0, textarea: 0, xmp: 0 };
  const found = [];
  for (const [name, count] of Object.entries(own)) if (document.querySelectorAll(name).length !== count) found.push(name);
  if (document.querySelectorAll('main svg, meta[http-equiv=refresh], [data-part] [data-part=query] *').length > 0) found.push('svg, meta');
  for (const element of document.querySelectorAll('*'))
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^src|^action$/.test(name)) found.push(element.tagName + ' ' + name + '=' + value);
      if (name === 'href' && !/^(#|https?:|mailto:)/.test(value)) found.push('href=' + value);
    }
  return found.concat(window.struck === undefined ? [] : ['struck']);
})()`;

describe('markup in what was said', () => {
  test.each([
    ['under the policy of the page', { ignoresPolicy: false }],
    ['without it', { ignoresPolicy: true }],
  ])('is text in every field, %s', async (_, options) => {
    const { page, requests, troubles } = await open(hostileSession('h', hostileTexts), options);
    expect(await page.evaluate(strangers)).toEqual([]);
    // One by one: every session is markup only once it is chosen.
    for (let n = 0; n < hostileTexts.length; n++) {
      await page.evaluate(`document.querySelectorAll('.side a')[${n}].click()`);
      await waitUntil(page, `document.querySelectorAll('main > .session')[${n}].classList.contains('shown')`);
      await page.evaluate("document.querySelectorAll('.session.shown details').forEach((each) => (each.open = true))");
      expect(await page.evaluate(strangers), hostileTexts[n] ?? '').toEqual([]);
      expect(await page.$$eval('.session.shown .user .text', (elements) => elements.length)).toBe(1);
      expect(await page.$$eval('.session.shown .tool', (elements) => elements.length)).toBe(2);
    }
    await search(page, 'struck');
    expect(requests.filter((address) => !address.startsWith('file:'))).toEqual([]);
    expect(troubles).toEqual([]);
    expect(await page.evaluate('typeof struck')).toBe('undefined');
  });

  test('is text where no script runs either', async () => {
    const { page, requests, troubles } = await open(hostileSession('h', hostileTexts), { hasScript: false, ignoresPolicy: true });
    const count = (selector: string) => page.$$(selector).then((elements) => elements.length);
    expect(await count('main > .session')).toBe(hostileTexts.length);
    expect(await count('.messages')).toBe(hostileTexts.length);
    expect(await count('script')).toBe(2);
    expect(await count('img, iframe, object, embed, main svg, main style, main form, main link, base')).toBe(0);
    expect(requests.filter((address) => !address.startsWith('file:'))).toEqual([]);
    expect(troubles).toEqual([]);
  });

  test('arrives letter by letter, whatever it is made of', async () => {
    const seed = Date.now();
    console.log(`seed ${seed}`);
    const part = fc.constantFrom(
      '<',
      '>',
      '&',
      '"',
      "'",
      '</',
      '<!--',
      '-->',
      ']]>',
      '&amp;',
      '&lt',
      '&#60;',
      '\n',
      ' ',
      '`',
      '*',
      '\\',
      '한',
      'é',
      '😀',
      '\u0301',
      'https://a.b/?c=<d>&e',
    );
    const text = fc.array(part, { minLength: 1, maxLength: 30 }).map((parts) => `a${parts.join('')}z`);
    const texts = fc.sample(
      text.filter((each) => !/^[`~]{3}/m.test(each)),
      { numRuns: 400, seed },
    );
    const said = texts.flatMap((each): SaidMessage[] => [
      { role: 'user', text: each },
      { role: 'assistant', text: `~~~~\n${each}\n~~~~` },
      { role: 'tool', toolName: each, text: each },
    ]);
    const { page, troubles } = await open([transferSession({ id: 'one' }, said)]);
    expect(await page.$$eval('.typed', (elements) => elements.map((element) => element.textContent))).toEqual(texts);
    expect(await page.$$eval('.agent pre', (elements) => elements.map((element) => element.textContent))).toEqual(texts);
    expect(await page.$$eval('.tool pre', (elements) => elements.map((element) => element.textContent))).toEqual(texts);
    expect(await page.$$eval('.tool b', (elements) => elements.map((element) => element.textContent))).toEqual(texts);
    expect(troubles).toEqual([]);
  });

  test('control characters and turned directions show as symbols that say their name', async () => {
    const { page } = await open([
      transferSession({ id: 'one' }, [{ role: 'user', text: 'a\u0000b\u001bc\u202ed\u0085e\ud800f\u007f10%\r20%' }]),
    ]);
    expect(await page.$eval('.typed', (element) => element.textContent)).toBe('a␀b␛c⇄d\ufffde\ufffdf␡10%␍\n20%');
    expect(await page.$$eval('.typed i', (elements) => elements.map((element) => element.getAttribute('title')))).toEqual([
      'U+0000',
      'U+001B',
      'U+202E',
      'U+0085',
      'U+D800',
      'U+007F',
    ]);
  });
});

describe('every reader', () => {
  test('a phone: one column, nothing to scroll sideways, the list in a drawer', async () => {
    const wide = transferSession({ id: 'wide', title: 'W'.repeat(100) }, [
      { role: 'user', text: 'x'.repeat(500) },
      {
        role: 'assistant',
        text: `\`${'y'.repeat(300)}\`\n\n\`\`\`\n${'z'.repeat(300)}\n\`\`\`\n\n|${'a|'.repeat(30)}\n|${'-|'.repeat(30)}\n|${'cell|'.repeat(30)}`,
      },
      { role: 'tool', toolName: 't'.repeat(200), text: 'o'.repeat(900) },
    ]);
    const { page } = await open([wide, ...all], { width: 390, height: 844 });
    expect(await overflow(page)).toBe(0);
    await page.evaluate("document.querySelectorAll('.tool').forEach((each) => (each.open = true))");
    expect(await overflow(page)).toBe(0);
    const isDrawn = () => ask(page, '.side', 'getComputedStyle(element).visibility');
    expect(await isDrawn()).toBe('hidden');
    await page.click('[data-part=menu]');
    await waitUntil(page, "getComputedStyle(document.querySelector('.side')).visibility === 'visible'");
    expect(await page.$eval('[data-part=menu]', (element) => element.getAttribute('aria-expanded'))).toBe('true');
    await waitUntil(page, "document.querySelector('.side').getBoundingClientRect().left === 0");
    await page.click('.side li:nth-child(3) a');
    await page.waitForSelector('#pay.shown');
    await waitUntil(page, "getComputedStyle(document.querySelector('.side')).visibility === 'hidden'");
    expect(await overflow(page)).toBe(0);
  });

  test.each(['light', 'dark'] as const)(
    '%s colours by the system, the other ones by the button, all of them legible (AA)',
    async (colours) => {
      const { page } = await open(all, { colours });
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const [first, other] = colours === 'light' ? ['rgb(251, 250, 248)', 'rgb(22, 22, 26)'] : ['rgb(22, 22, 26)', 'rgb(251, 250, 248)'];
      expect(await ground()).toBe(first);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
      expect(await page.evaluate(faintTexts)).toEqual([]);
      await page.click('[data-part=colours]');
      expect(await ground()).toBe(other);
    },
  );

  test('without scripts: the first session reads, the others unfold', async () => {
    const { page, troubles } = await open(all, { hasScript: false });
    expect(await page.$eval('main > .session .user', (element) => element.checkVisibility())).toBe(true);
    expect(await page.$eval('#pay .user', (element) => element.checkVisibility())).toBe(false);
    await page.click('#pay .body > summary');
    expect(await page.$eval('#pay .user', (element) => element.checkVisibility())).toBe(true);
    expect(await page.$eval('.side', (element) => element.checkVisibility())).toBe(false);
    expect(await overflow(page)).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('the outline has its landmarks, names and one level-one heading', async () => {
    const { page } = await open(all);
    const roles = JSON.stringify(await page.accessibility.snapshot({ interestingOnly: false })).match(/(?<="role":")\w+/g);
    for (const role of ['banner', 'navigation', 'main', 'search', 'contentinfo', 'article']) expect(new Set(roles)).toContain(role);
    expect(await page.$$eval('h1', (elements) => elements.length)).toBe(1);
    const unnamed = await page.$$eval(
      'button, input:not([disabled])',
      (elements) => elements.filter((each) => !each.getAttribute('aria-label')).length,
    );
    expect(unnamed).toBe(0);
    const ids = (await page.$$eval('[id]', (elements) => elements.map((element) => element.id))) as string[];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('an export of nothing is a page that says so', async () => {
    const { page, troubles } = await open([]);
    expect(await page.$eval('main', (element) => element.textContent)).toContain('No sessions in this export.');
    expect(troubles).toEqual([]);
  });
});

test.skipIf(!hasRealStores)('what Hermes Agent stored is exported by the built program and reads without trouble', async () => {
  const home = makeHome(undefined);
  copyRealStore('hermes-v31-40.db', home.path);
  const file = path.join(home.work, 'all.html');
  const { code, err } = await runHermes(home, ['sessions', 'export', '--format', 'html', file]);
  expect([code, err]).toEqual([0, expect.not.stringContaining('rror')]);
  const { page, requests, troubles } = await openPage(browser, file);
  onTestFinished(() => page.close());
  const count = await page.$$eval('.side li', (items) => items.length);
  expect(count).toBeGreaterThan(20);
  for (let n = 0; n < count; n++) {
    await page.evaluate(`document.querySelectorAll('.side a')[${n}].click()`);
    await waitUntil(page, `document.querySelectorAll('main > .session')[${n}].classList.contains('shown')`);
    expect(await page.evaluate(strangers)).toEqual([]);
    expect(await ask(page, '.session.shown .messages', 'element.childElementCount > 1')).toBe(true);
  }
  expect(requests.filter((address) => !address.startsWith('file:'))).toEqual([]);
  expect(troubles).toEqual([]);
});

/** Texts in view whose contrast to their ground is below 4.5 to 1 (WCAG 2 AA). */
const faintTexts = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const paint = (grounds) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of grounds) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => { const [r, g, b] = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const faint = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || !element.checkVisibility() || element.closest('script, style, .unseen, .skip') !== null) continue;
    const grounds = [];
    for (let at = element; at !== null; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
    const own = getComputedStyle(element);
    const [one, other] = [light(paint(grounds)), light(paint([...grounds, own.color]))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) faint.add(element.className + ': ' + element.textContent.slice(0, 30) + ' ' + ((one + 0.05) / (other + 0.05)).toFixed(2));
  }
  return [...faint];
})()`;
