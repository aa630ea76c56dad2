// A real Chromium for tests, where there is one; tests that need it say so when they are skipped. It resolves no name and
// asks nobody for anything: what a page asks for besides its own server is seen, and fails.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

const PROGRAMS = [process.env['CHROMIUM'], 'chromium', 'chromium-browser', 'google-chrome'];

/** Where it is; undefined: this machine has none. */
export const CHROMIUM: string | undefined = PROGRAMS.flatMap((name) => {
  const found =
    name === undefined ? undefined : spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
  return found?.status === 0 ? [found.stdout.trim()] : [];
})[0];

export const NO_CHROMIUM =
  'no Chromium here (apt-get install chromium, or CHROMIUM=<program>): looked at in no browser';

export interface Tab extends Page {
  /** What went wrong on the page, and what it asked others for. */
  readonly faults: readonly string[];
}

/** `open` gives a browser of its own to each caller: nothing is shared with another. */
export function browserForTests(): {
  open(url: string, options?: BrowserContextOptions): Promise<{ readonly tab: Tab; readonly context: BrowserContext }>;
  tabIn(context: BrowserContext, own: string): Promise<Tab>;
} {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (CHROMIUM === undefined) return;
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        // A name that an attacker has pointed at this machine.
        '--host-resolver-rules=MAP rebound.test 127.0.0.1 , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
      ],
    });
  });
  afterAll(() => browser?.close());
  const tabIn = async (context: BrowserContext, own: string): Promise<Tab> => {
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
    page.on('console', (told) => {
      // Answers that refuse are part of what is tested; everything else that a page complains of is a fault.
      if (told.type() === 'error' && !/status of (401|403|409|422)/.test(told.text()))
        faults.push(`console: ${told.text()}`);
    });
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(own) && !request.url().startsWith('data:')) faults.push(`asked ${request.url()}`);
    });
    return Object.assign(page, { faults });
  };
  return {
    tabIn,
    open: async (url, options) => {
      if (browser === undefined) throw new Error(NO_CHROMIUM);
      const context = await browser.newContext(options);
      onTestFinished(() => context.close());
      const tab = await tabIn(context, new URL(url).origin);
      await tab.goto(url);
      return { tab, context };
    },
  };
}

const axe = (): string => readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What is wrong with the page by WCAG 2.2 AA. The page's policy lets no script in: it comes by the debugger. */
export async function wcagFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe() });
  const run = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`;
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as readonly string[];
}

/** How far what stands on the page has moved by itself since it was loaded: by each element that moved. */
export const layoutShifts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`new Promise((done) => {
    const moved = [];
    const told = ({ node, previousRect: was, currentRect: is }) =>
      (node?.closest?.('[id]')?.id ?? node?.parentElement?.closest('[id]')?.id ?? 'gone') + ': from ' + [was.y, was.height] + ' to ' + [is.y, is.height];
    new PerformanceObserver((list) => { for (const { sources, hadRecentInput } of list.getEntries()) if (!hadRecentInput) moved.push(...sources.map(told)); })
      .observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => done(moved), 100));
  })`);
