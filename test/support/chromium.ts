import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Throws where none is installed: a page that nobody opened is not checked. */
function findChromium(): string {
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const name of names) {
      const file = path.join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not this one.
      }
    }
  }
  throw new Error(
    `None of ${names.join(', ')} is on PATH: these tests open exported pages in a real browser (Debian: apt install chromium)`,
  );
}

export function launchChromium(): Promise<Browser> {
  // The sandbox of a browser that runs as root has nobody to become.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return puppeteer.launch({ executablePath: findChromium(), args, headless: true });
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colours?: 'light' | 'dark';
  readonly hasScript?: boolean;
  /** Takes the page's own policy away, to see what it would have stopped. */
  readonly ignoresPolicy?: boolean;
}

export interface OpenPage {
  readonly page: Page;
  /** Addresses asked for, the page itself first. */
  readonly requests: string[];
  /** What a page that behaves has none of: dialogs, errors, messages on the console, breaches of its policy. */
  readonly troubles: string[];
}

/** Opens a file; whatever it asks for besides itself is refused and noted. */
export async function openPage(browser: Browser, file: string, options: PageOptions = {}): Promise<OpenPage> {
  const page = await browser.newPage();
  const requests: string[] = [];
  const troubles: string[] = [];
  const address = `file://${file}`;
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => troubles.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => troubles.push(`error: ${String(error)}`));
  page.on('popup', () => troubles.push('a window was opened'));
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    requests.push(request.url());
    if (request.url() === address || request.url().startsWith(`${address}#`)) void request.continue();
    else void request.abort();
  });
  await page.setViewport({ width: options.width ?? 1280, height: options.height ?? 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: options.colours ?? 'light' }]);
  await page.setJavaScriptEnabled(options.hasScript ?? true);
  await page.setBypassCSP(options.ignoresPolicy ?? false);
  await page.evaluateOnNewDocument(
    "addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  );
  await page.goto(address);
  return { page, requests, troubles };
}

/** Waits for an expression to be true in the page. (Puppeteer's own way compiles it there, which the page's policy forbids.) */
export async function waitUntil(page: Page, expression: string): Promise<void> {
  const until = Date.now() + 10_000;
  while ((await page.evaluate(expression)) !== true) {
    if (Date.now() > until) throw new Error(`Not true within 10 s: ${expression}`);
    await setTimeout(20);
  }
}
