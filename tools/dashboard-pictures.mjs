// Plays the demo with `--web` and looks at its dashboard in Chromium: the question while it is open, and every page once all
// is played. Fails if a page asks anybody else for anything, complains, or is wider than the screen. Writes
// docs/pictures/dashboard-*.png. Needs Chromium.
//   node tools/dashboard-pictures.mjs --into <folder>   keeps every page at three widths, dark and light, and writes no docs

import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { helpIfAsked } from './help.mjs';

helpIfAsked(import.meta.filename);
const ROOT = path.join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { into: { type: 'string' } } });
const OUT = values.into ?? path.join(ROOT, 'docs', 'pictures');
const PAGES = [
  'now',
  'board',
  'task/money',
  'task/money/diff/2',
  'queue',
  'agents',
  'account',
  'account/money',
  'cost',
  'log',
  'share',
];
const SIZES = [
  [320, 'light'],
  [320, 'dark'],
  [768, 'light'],
  [768, 'dark'],
  [1440, 'light'],
  [1440, 'dark'],
];
const LONGEST_MS = 300_000;

execFileSync(process.execPath, [path.join(ROOT, 'tools', 'build.mjs')], { cwd: ROOT });
mkdirSync(OUT, { recursive: true });
const demo = spawn(process.execPath, [path.join(ROOT, 'dist', 'liza.cjs'), 'demo', '--web'], {
  env: { ...process.env, TZ: 'UTC', LANG: 'C.UTF-8' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
const said = { stdout: '', stderr: '' };
const waiting = new Set();
for (const name of Object.keys(said))
  demo[name].on('data', (chunk) => {
    said[name] += chunk;
    for (const look of waiting) look();
  });
const ended = new Promise((resolve) => demo.once('exit', resolve));
const faults = [];
let folder;
try {
  const [link] = await told('stdout', /http:\/\/127\.0\.0\.1:\d+\/#\S+/);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 820 }, deviceScaleFactor: 1 });
    page.on('pageerror', (error) => faults.push(`the page complained: ${error.message}`));
    page.on('console', (line) => line.type() === 'error' && faults.push(`the page complained: ${line.text()}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(link).origin) && !request.url().startsWith('data:'))
        faults.push(`asked for ${request.url()}`);
    });
    await page.goto(link);
    await page.waitForURL('**/now');
    const base = page.url().replace(/\/now$/, '');
    await page.locator('.tag.ask').waitFor({ timeout: LONGEST_MS });
    await page.locator('.tag.working').first().waitFor();
    await keep(page, 'now');
    await told('stderr', /The demo is played/);
    [, folder] = /cd (\S+)/.exec(said.stdout) ?? [];
    if (values.into === undefined) {
      await page.goto(`${base}/task/money`);
      await keep(page, 'task');
      await page.goto(`${base}/task/money/diff/2?step=1`);
      await keep(page, 'diff');
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(`${base}/account`);
      await keep(page, 'phone');
    } else await everyPage(page, base);
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGINT');
  await ended;
  if (folder !== undefined) rmSync(path.dirname(folder), { recursive: true, force: true });
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

async function keep(page, name, options = {}) {
  const file = path.join(OUT, `${values.into === undefined ? 'dashboard-' : ''}${name}.png`);
  await page.waitForTimeout(200);
  await page.screenshot({ path: file, ...options });
  process.stdout.write(`${path.relative(process.cwd(), file)}\n`);
}

async function everyPage(page, base) {
  for (const [width, colorScheme] of SIZES) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    for (const one of PAGES) {
      await page.goto(`${base}/${one}`);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      if (wide > width) faults.push(`${one}: the page is ${wide} px wide, the screen ${width}`);
      await keep(page, `${one.replaceAll('/', '-')}-${width}-${colorScheme}`, { fullPage: true });
    }
  }
}

/** Until the demo has said it. */
function told(name, pattern) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const found = pattern.exec(said[name]);
      if (found === null) return;
      waiting.delete(look);
      clearTimeout(late);
      resolve(found);
    };
    const late = setTimeout(() => reject(new Error(`the demo did not say ${pattern}: ${said.stderr}`)), LONGEST_MS);
    waiting.add(look);
    look();
  });
}
