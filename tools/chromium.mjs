// A headless Chromium that is spoken to over two pipes: no port, no package. Everything a page asks for is refused,
// but for the page itself, and remembered; so is everything it complains about.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--hide-scrollbars',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--remote-debugging-pipe',
];

export async function startChromium() {
  const program = [process.env.CHROMIUM, ...NAMES].find(
    (name) => name !== undefined && spawnSync(name, ['--version']).status === 0,
  );
  if (program === undefined) throw new Error('no Chromium: apt-get install chromium, or name one in CHROMIUM');
  const profile = mkdtempSync(path.join(tmpdir(), 'liza-chromium-'));
  const child = spawn(program, [...FLAGS, `--user-data-dir=${profile}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const { send, on } = conversation(child.stdio[3], child.stdio[4], ended);
  return {
    open: (url) => openPage(send, on, url),
    close: async () => {
      send('Browser.close').catch(() => {});
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** JSON texts, each ended by a zero byte. */
function conversation(out, back, ended) {
  const waiting = new Map();
  const listeners = [];
  let last = 0;
  let rest = '';
  back.setEncoding('utf8');
  back.on('data', (data) => {
    const texts = (rest + data).split('\0');
    rest = texts.pop() ?? '';
    for (const text of texts) {
      const { id, result, error, method, params } = JSON.parse(text);
      if (id === undefined) for (const listener of listeners) listener(method, params);
      else if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
    }
  });
  ended.then(() => {
    for (const { reject } of waiting.values()) reject(new Error('Chromium has ended'));
  });
  const send = (method, params = {}, sessionId = undefined) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      out.write(`${JSON.stringify({ id: last, method, params, sessionId })}\0`);
    });
  return { send, on: (listener) => listeners.push(listener) };
}

async function openPage(send, on, url) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const tell = (method, params) => send(method, params, sessionId);
  const asked = [];
  const complaints = [];
  let loaded = () => {};
  on((method, params) => {
    if (method === 'Fetch.requestPaused') {
      const { requestId, request } = params;
      const own = request.url === url;
      if (!own) asked.push(request.url);
      const answer = own ? ['Fetch.continueRequest', { requestId }] : refusal(requestId);
      tell(...answer).catch(() => {});
    }
    // Whatever the interception does not see, such as a socket or a preload.
    if (method === 'Network.requestWillBeSent' && params.request.url !== url) asked.push(params.request.url);
    if (method === 'Network.webSocketCreated') asked.push(params.url);
    if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled') complaints.push(`console.${params.type}`);
    if (method === 'Log.entryAdded' && params.entry.level !== 'verbose') complaints.push(params.entry.text);
    if (method === 'Page.loadEventFired') loaded();
  });
  for (const part of ['Page', 'Runtime', 'Log', 'Network']) await tell(`${part}.enable`);
  await tell('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  const done = new Promise((resolve) => {
    loaded = resolve;
  });
  await tell('Page.navigate', { url });
  await done;
  const evaluate = async (expression) =>
    (await tell('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })).result.value;
  return {
    asked,
    complaints,
    evaluate,
    /** As on a screen that wide, or on paper. `scheme`: light or dark. */
    see: async ({ width, scheme = 'light', scale = 1, media = 'screen' }) => {
      const size = { width, height: 900, deviceScaleFactor: scale, mobile: false };
      await tell('Emulation.setDeviceMetricsOverride', size);
      await tell('Emulation.setEmulatedMedia', { media, features: [{ name: 'prefers-color-scheme', value: scheme }] });
      await evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    },
    /** The whole page, or that much of it. */
    picture: async ({ top = 0, height = Number.POSITIVE_INFINITY } = {}) => {
      const { cssContentSize: size } = await tell('Page.getLayoutMetrics');
      const clip = { x: 0, y: top, width: size.width, height: Math.min(height, size.height - top), scale: 1 };
      const { data } = await tell('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
      return Buffer.from(data, 'base64');
    },
    print: async () => Buffer.from((await tell('Page.printToPDF', { printBackground: true })).data, 'base64'),
  };
}

const refusal = (requestId) => ['Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }];
