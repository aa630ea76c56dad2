// What anybody who can open a connection may try: other names, other origins, other paths, other cookies, too much and too
// slow. Each is refused, is on record, and leaves the board as it was.

import { readFileSync } from 'node:fs';
import net from 'node:net';
import { expect, test } from 'vitest';
import { cpuTimer } from '../../../support/cpu-time.ts';
import { dashboardOn, formOn, type Opened } from '../../../support/dashboard.ts';
import { listen } from '../../../support/event-stream.ts';
import { project } from '../../../support/project.ts';

const host = ({ port }: Opened): string => `Host: 127.0.0.1:${port}\r\n`;
const statusOf = (said: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(said)?.[1]);
const END = 'Connection: close\r\n\r\n';

test('a name that is not this server’s is refused before anything is looked at', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const own = `127.0.0.1:${dashboard.port}`;
  for (const other of [
    'evil.example',
    `evil.example:${dashboard.port}`,
    '127.0.0.1',
    '127.0.0.1:1',
    `${own}.evil.example`,
    `evil@${own}`,
    '',
  ]) {
    const said = await dashboard.raw(
      `GET ${browser.base}/now HTTP/1.1\r\nHost: ${other}\r\nCookie: ${browser.cookie}\r\n${END}`,
    );
    expect([other, statusOf(said)]).toEqual([other, 421]);
    expect(said).not.toContain('Retry all calls');
  }
  for (const name of [own, `localhost:${dashboard.port}`, `LOCALHOST:${dashboard.port}`]) {
    const said = await dashboard.raw(`GET / HTTP/1.1\r\nHost: ${name}\r\n${END}`);
    expect([name, statusOf(said)]).toEqual([name, 200]);
  }
  const without = await dashboard.raw(`GET / HTTP/1.0\r\n${END}`);
  expect(statusOf(without)).toBe(421);
  const log = readFileSync(`${self.context.paths.liza}/dashboard.log`, 'utf8');
  expect(log).toContain('421 GET');
});

test('a header that is sent twice is refused, whichever of both is right', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const twice = [
    `${host(dashboard)}Host: evil.example\r\n`,
    `${host(dashboard)}Cookie: ${browser.cookie}\r\nCookie: ${browser.cookie}\r\n`,
    `${host(dashboard)}Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: none\r\n`,
  ];
  for (const headers of twice) {
    const said = await dashboard.raw(`GET ${browser.base}/now HTTP/1.1\r\n${headers}${END}`);
    expect(statusOf(said)).toBe(400);
  }
});

test('paths that are not plain lead nowhere', async () => {
  const dashboard = await dashboardOn(project());
  const { base, cookie } = await dashboard.comeIn();
  const paths = [
    `/x/..${base}/now`,
    `${base}/../now`,
    `${base}/%2e%2e/now`,
    `${base}//now`,
    `/${base}/now`,
    `${base}/now%00`,
    `${base}/task/%2e%2e`,
    `${base}\\now`,
    `http://evil.example${base}/now`,
    `http://127.0.0.1:${dashboard.port}${base}/now`,
    `*`,
    `${base}/output/..%2f..%2fstate.yaml`,
    `${base}/${'x'.repeat(3000)}`,
  ];
  for (const path of paths) {
    const said = await dashboard.raw(`GET ${path} HTTP/1.1\r\n${host(dashboard)}Cookie: ${cookie}\r\n${END}`);
    expect([path.slice(0, 60), statusOf(said)]).toEqual([path.slice(0, 60), 400]);
  }
  for (const path of [
    'output/state.yaml',
    'output/..',
    'task/none',
    'constructor',
    'task/t/diff/0',
    'task/t/diff/x',
    'account/none',
  ]) {
    const said = await dashboard.raw(`GET ${base}/${path} HTTP/1.1\r\n${host(dashboard)}Cookie: ${cookie}\r\n${END}`);
    expect([path, [400, 404].includes(statusOf(said))]).toEqual([path, true]);
  }
});

test('methods besides GET, HEAD and POST are refused, an upgrade and a tunnel too', async () => {
  const dashboard = await dashboardOn(project());
  for (const method of ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PATCH'])
    expect(statusOf(await dashboard.raw(`${method} / HTTP/1.1\r\n${host(dashboard)}${END}`))).toBe(405);
  expect(await dashboard.raw(`CONNECT evil.example:443 HTTP/1.1\r\n${host(dashboard)}\r\n`)).toBe('');
  const asked = `GET / HTTP/1.1\r\n${host(dashboard)}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  expect(await dashboard.raw(asked)).toBe('');
});

test('a form of another site or another port does nothing, with the right cookie and the right word', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const form = { ...formOn((await browser.get('now')).body, 'pause') };
  const from = (headers: Readonly<Record<string, string>>) =>
    dashboard.ask(`${browser.base}/act`, { form, headers: { cookie: browser.cookie, ...headers } });
  const origin = `http://127.0.0.1:${dashboard.port}`;
  const foreign = [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${dashboard.port + 1}`, 'sec-fetch-site': 'same-site' },
    { origin, 'sec-fetch-site': 'cross-site' },
    { origin, 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: `https://127.0.0.1:${dashboard.port}` },
    {},
  ];
  for (const headers of foreign) expect([headers, (await from(headers)).status]).toEqual([headers, 403]);
  expect(dashboard.ran).toEqual([]);
  expect((await from({ origin, 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  expect(dashboard.ran).toEqual([['pause']]);
});

test('a body that is no form of this session changes nothing', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const other = await dashboard.comeIn();
  const form = formOn((await browser.get('now')).body, 'pause');
  expect((await browser.post('act', { ...form, form: '' })).status).toBe(403);
  expect((await browser.post('act', { ...form, form: await other.word() })).status).toBe(403);
  expect((await browser.post('act', { ...form, kind: '__proto__' })).status).toBe(400);
  expect((await browser.post('act', { ...form, id: '--force' })).status).not.toBe(303);
  expect((await browser.post('act', { ...form, action: 'constructor' })).status).not.toBe(303);
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json'])
    expect((await browser.post('act', form, { 'content-type': type })).status).toBe(415);
  expect(dashboard.ran).toEqual([]);
});

test('a page is told to nobody without a session, and a cookie of another server is none', async () => {
  const dashboard = await dashboardOn(project());
  const second = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const stranger = await second.comeIn();
  const ask = (cookie: string, base = browser.base) => dashboard.ask(`${base}/now`, { headers: { cookie } });
  const value = browser.cookie.split('=')[1];
  for (const cookie of [
    '',
    'x=y',
    stranger.cookie,
    `liza-${dashboard.port}=${stranger.cookie.split('=')[1]}`,
    `liza-${second.port}=${value}`,
    `${browser.cookie}; ${browser.cookie}`,
    browser.cookie.slice(0, -1),
  ]) {
    const answer = await ask(cookie);
    expect([cookie.slice(0, 20), answer.status]).toEqual([cookie.slice(0, 20), 401]);
    expect(answer.body).not.toContain('Retry all calls');
  }
  // The path is a secret of the server's own, so that the cookie is not sent to servers on other ports.
  expect((await ask(browser.cookie, stranger.base)).status).toBe(401);
  expect((await dashboard.ask('/now', { headers: { cookie: browser.cookie } })).status).toBe(401);
  expect((await ask(browser.cookie)).status).toBe(200);
});

test('a code is good once, and its text is not the secret of the session', async () => {
  const dashboard = await dashboardOn(project());
  const code = dashboard.link('operator').split('#')[1] ?? '';
  const headers = { origin: `http://127.0.0.1:${dashboard.port}` };
  const login = (typed: string) => dashboard.ask('/login', { form: { code: typed }, headers });
  expect((await login('aaaa-bbbb-cccc-dddd')).status).toBe(403);
  const typed = code.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
  const first = await login(typed);
  expect(first.status).toBe(303);
  const cookie = String(first.headers['set-cookie']);
  expect(cookie).toMatch(/^liza-\d+=[0-9a-f]{64}; Path=\/[0-9a-f]{32}; Max-Age=43200; HttpOnly; SameSite=Strict$/);
  expect(cookie).not.toContain(code);
  expect((await login(code)).status).toBe(403);
});

test('who has signed out is a stranger', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  expect((await browser.post('leave', { form: await browser.word() })).status).toBe(303);
  expect((await browser.get('now')).status).toBe(401);
});

test('who only looks finds no button, and nothing that they send is done', async () => {
  const dashboard = await dashboardOn(project());
  const form = formOn((await (await dashboard.comeIn()).get('now')).body, 'pause');
  const viewer = await dashboard.comeIn('viewer');
  const { body } = await viewer.get('now');
  expect(body).not.toContain('/act"');
  for (const path of ['task/t', 'queue', 'agents', 'board'])
    expect((await viewer.get(path)).body).not.toContain('/act"');
  const word = await viewer.word();
  expect((await viewer.post('act', { ...form, form: word })).status).toBe(403);
  expect((await viewer.post('share', { form: word, role: 'operator' })).status).toBe(403);
  expect((await viewer.get('share')).status).toBe(404);
  expect((await viewer.get('note?task=t&line=1&file=a&round=1')).status).toBe(404);
  expect(dashboard.ran).toEqual([]);
});

test('pages that other sites embed, fetch or open get nothing', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  for (const site of ['cross-site', 'same-site']) {
    expect((await browser.get('now', { 'sec-fetch-site': site, 'sec-fetch-mode': 'cors' })).status).toBe(403);
    expect((await browser.get('now', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
    const opened = await browser.get('now', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' });
    expect(opened.status).toBe(403);
    expect(opened.body).not.toContain('Retry all calls');
  }
  const { headers } = await browser.get('now');
  const policy = String(headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['cache-control']).toBe('no-store');
});

test('too much is cut off: headers, bodies, bodies without a length', async () => {
  const dashboard = await dashboardOn(project());
  const post = (headers: string, body = '') =>
    dashboard.raw(
      `POST /login HTTP/1.1\r\n${host(dashboard)}Origin: http://127.0.0.1:${dashboard.port}\r\nContent-Type: application/x-www-form-urlencoded\r\n${headers}Connection: close\r\n\r\n${body}`,
    );
  expect(statusOf(await post('Content-Length: 100000\r\n', 'code=x'))).toBe(413);
  expect(statusOf(await post('Content-Length: 99999999999999999999\r\n'))).toBe(400);
  expect(statusOf(await post('Transfer-Encoding: chunked\r\n', '5\r\ncode=\r\n0\r\n\r\n'))).toBe(411);
  expect([400, 411]).toContain(
    statusOf(await post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')),
  );
  expect(statusOf(await dashboard.raw(`GET / HTTP/1.1\r\n${host(dashboard)}X: ${'x'.repeat(20_000)}\r\n${END}`))).toBe(
    431,
  );
});

test('500 connections that say nothing do not keep a person out', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const sockets = Array.from({ length: 500 }, () => net.connect(dashboard.port, '127.0.0.1').on('error', () => {}));
  await Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: ');
  const begun = performance.now();
  const answer = await browser.get('now');
  const took = performance.now() - begun;
  for (const socket of sockets) socket.destroy();
  expect(answer.status).toBe(200);
  expect(took).toBeLessThan(3000);
});

test('a flood of requests and of bad codes is cut off, and whoever is known is answered meanwhile', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const headers = { origin: dashboard.origin };
  const flood = Array.from({ length: 1500 }, (_, n) =>
    (n % 3 === 0
      ? dashboard.ask('/login', { form: { code: `aaaa-bbbb-cccc-${n}` }, headers })
      : dashboard.ask('/', n % 3 === 1 ? {} : { headers: { host: 'evil.example' } })
    ).then(
      ({ status }) => status,
      () => 'cut off',
    ),
  );
  const worked = cpuTimer();
  const known = await browser.get('now');
  const took = worked();
  const came = await Promise.all(flood);
  expect(known.status).toBe(200);
  expect(took).toBeLessThan(5000);
  expect(came.filter((one) => one === 'cut off').length).toBeGreaterThan(500);
  // It lets people in again as soon as it is over.
  await expect
    .poll(() =>
      dashboard.ask('/').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
}, 180_000);

test('what agents wrote is text on every page: no markup, no colours, no turned lines, no secrets', async () => {
  const secret = 'correct-horse-battery-staple-9931';
  const nasty = `<img src=x onerror=alert(1)>\u001b[31mred\u001b[0m \u202egnp.exe ghp_${'a1B2'.repeat(9)} ${secret} </script><script>alert(2)</script>`;
  const self = project({
    tasks: [
      { id: 't', description: nasty, done_when: nasty, scope: `IN: src ${nasty}` },
      {
        id: 'b',
        status: 'BLOCKED',
        blocked_reason: nasty,
        blocked_questions: [nasty],
        assigned_to: 'coder-1',
        description: nasty,
      },
    ],
  });
  await self.ok(['note', nasty]);
  const dashboard = await dashboardOn({ ...self, env: { ...self.env, MY_TOKEN: secret } });
  const browser = await dashboard.comeIn();
  for (const path of ['now', 'board', 'task/t', 'task/b', 'log', 'queue', 'agents', 'account', 'account/t', 'cost']) {
    const { status, body } = await browser.get(path);
    expect([path, status]).toEqual([path, 200]);
    expect([path, /<img|onerror=alert\(1\)>|<script>alert/.exec(body)?.[0]]).toEqual([path, undefined]);
    expect([path, /[\u001b\u202a-\u202e\u2066-\u2069]/.exec(body)?.[0]]).toEqual([path, undefined]);
    expect([path, body.includes('ghp_a1B2'), body.includes(secret)]).toEqual([path, false, false]);
  }
  expect((await browser.get('task/t')).body).toContain('&lt;img src=x');
  // The same for what is told as it happens.
  const { seq } = await self.store.read();
  const stream = listen(dashboard, browser, `view=now&after=${seq}`);
  await stream.until(({ event }) => event === 'stand');
  // The same text once more would be no news.
  await self.ok(['note', `later ${nasty}`]);
  const { data } = await stream.until(({ event }) => event === 'entry');
  expect(String(data['detail'])).toContain('red');
  expect(String(data['detail'])).not.toMatch(/ghp_a1B2|\[31m|[\u001b\u202e]/);
  expect(String(data['detail'])).not.toContain(secret);
});
