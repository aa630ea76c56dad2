// Plays the demo, makes its report, and looks at it in Chromium: wide and narrow, light and dark. Fails if the page asks
// for anything but itself, complains, or is wider than a phone. Writes docs/pictures/report*.png. Needs Chromium.
//   node tools/report-pictures.mjs --file <page>     looks at another report and writes no docs
//   node tools/report-pictures.mjs --into <folder>   keeps every picture in full

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { startChromium } from './chromium.mjs';
import { helpIfAsked } from './help.mjs';

helpIfAsked(import.meta.filename);
const ROOT = path.join(import.meta.dirname, '..');
const VIEWS = [
  { name: 'wide', width: 1280 },
  { name: 'wide-dark', width: 1280, scheme: 'dark' },
  { name: 'phone', width: 360, scale: 2 },
  { name: 'phone-dark', width: 360, scheme: 'dark', scale: 2 },
];
/** What the docs show: the top of the page, or a part of it. */
const SHOWN = {
  wide: { file: 'report.png', height: 1150 },
  phone: { file: 'report-phone.png', height: 900, from: '#timeline' },
};

const { values } = parseArgs({ options: { file: { type: 'string' }, into: { type: 'string' } } });
const liza = (cwd, ...args) =>
  JSON.parse(
    execFileSync(process.execPath, [path.join(ROOT, 'dist', 'liza.cjs'), ...args, '--json'], {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TZ: 'UTC' },
    }),
  );

if (values.file === undefined) execFileSync(process.execPath, [path.join(ROOT, 'tools', 'build.mjs')], { cwd: ROOT });
const folder = values.file === undefined ? liza(ROOT, 'demo', '--fast').folder : undefined;
try {
  const file = folder === undefined ? path.resolve(values.file) : path.join(folder, liza(folder, 'report').file);
  const faults = await look(pathToFileURL(file).href);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  if (folder !== undefined) rmSync(path.dirname(folder), { recursive: true, force: true });
}

async function look(url) {
  const chromium = await startChromium();
  try {
    const page = await chromium.open(url);
    const wide = [];
    for (const view of VIEWS) {
      await page.see(view);
      const { content, screen } = await page.evaluate(
        '({ content: document.documentElement.scrollWidth, screen: innerWidth })',
      );
      if (content > screen) wide.push(`${view.name}: the page is ${content} px wide, the screen ${screen}`);
      await keep(page, view.name);
    }
    if (values.into !== undefined) writeFileSync(path.join(values.into, 'report.pdf'), await page.print());
    return [
      ...wide,
      ...page.asked.map((asked) => `the page asked for ${asked}`),
      ...page.complaints.map((text) => `the page complained: ${text}`),
    ];
  } finally {
    await chromium.close();
  }
}

async function keep(page, name) {
  if (values.into !== undefined) {
    mkdirSync(values.into, { recursive: true });
    writeFileSync(path.join(values.into, `${name}.png`), await page.picture());
  }
  const shown = SHOWN[name];
  if (shown === undefined || folder === undefined) return;
  writeFileSync(
    path.join(ROOT, 'docs', 'pictures', shown.file),
    await page.picture({ ...shown, top: await topOf(page, shown.from) }),
  );
  process.stdout.write(`docs/pictures/${shown.file}\n`);
}

function topOf(page, selector = 'body') {
  return page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top + scrollY`);
}
