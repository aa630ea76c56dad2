// An agent that has come by a code, or by the cookie of a person's browser, acts as nobody: the connection is known by the
// process behind it. Real processes, real connections; where a system does not tell whose a connection is, the test says so.

import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as secure } from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ownersOf } from '../../../../src/cli/web/peer.ts';
import { siteOf } from '../../../../src/git/directory.ts';
import { agentTag } from '../../../../src/process/tags.ts';
import { hostAt } from '../../../host.ts';
import { dashboardOn, formOn } from '../../../support/dashboard.ts';
import { project } from '../../../support/project.ts';

const onLinux = test.skipIf(process.platform !== 'linux');
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
for (const program of ['bwrap', 'openssl'])
  if (!has(program)) process.stderr.write(`no ${program} here: what needs it is not tested\n`);

/** Sends a form from a process of its own, which then prints the status. */
const SEND = `
const [port, path, body, cookie] = process.argv.slice(1);
const own = 'http://127.0.0.1:' + port;
fetch(own + path, { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers: { origin: own, cookie } })
  .then(async (answer) => console.log(answer.status, (await answer.text()).replace(/<[^>]*>/g, ' ')));
`;

const send = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
  promisify(execFile)(process.execPath, ['-e', SEND, ...args], { env }).then(({ stdout }) => stdout);

onLinux('the process at the other end of a connection is found', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const socket = net.connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  const local = { address: '127.0.0.1', port };
  const remote = { address: '127.0.0.1', port: socket.localPort ?? 0 };
  expect(ownersOf(hostAt(), { local, remote })).toEqual([process.pid]);
  // Half closed, too; and nobody takes the place of another by the same port.
  socket.end();
  await new Promise((resolve) => socket.once('finish', resolve));
  expect(ownersOf(hostAt(), { local, remote })).toEqual([process.pid]);
  expect(ownersOf(hostAt(), { local, remote: { ...remote, address: '127.0.0.2' } })).toBe('nobody');
  expect(ownersOf(hostAt(), { local, remote: { ...remote, port: 1 } })).toBe('nobody');
  expect(ownersOf(hostAt(), { local, remote: { ...remote, address: '192.0.2.7' } })).toBe('elsewhere');
});

onLinux('a connection on its way to another process: one that hides stands for it only where it is a browser', () => {
  const { disk, processes } = hostAt();
  const files: Record<string, string> = {
    '/proc/net/tcp': '  0: 0100007F:1388 0100007F:1F90 01 0:0 0:0 0 1000 0 4242 1\n',
    '/proc/self/status': 'Uid:\t1000\t1000\n',
    '/proc/7/status': 'Uid:\t1000\t1000\n',
  };
  const host = (comm: string) => ({
    processes,
    disk: {
      ...disk,
      readFileSync: ((file: string) => (file === '/proc/7/comm' ? `${comm}\n` : (files[file] ?? ''))) as never,
      readdirSync: (() => ['7']) as never,
      someNames: () => {
        throw Object.assign(new Error('not ours to read'), { code: 'EACCES' });
      },
    },
  });
  const ends = { local: { address: '127.0.0.1', port: 8080 }, remote: { address: '127.0.0.1', port: 5000 } };
  expect(ownersOf(host('ssh-agent'), ends)).toBe('nobody');
  expect(ownersOf(host('(sd-pam)'), ends)).toBe('nobody');
  expect(ownersOf(host('firefox'), ends)).toEqual([7]);
  expect(ownersOf(host('sshd-session'), ends)).toEqual([7]);
});

onLinux('over IPv6, and by an address that holds one of IPv4, it is found, too', async () => {
  const server = net.createServer({ allowHalfOpen: true }).listen(0, '::');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (const address of ['::1', '127.0.0.1']) {
    const arrived = new Promise<net.Socket>((resolve) => server.once('connection', resolve));
    const socket = net.connect(port, address);
    const there = await arrived;
    const end = (own: string | undefined, at: number | undefined) => ({ address: own ?? '', port: at ?? 0 });
    const [local, remote] = [end(there.localAddress, there.localPort), end(there.remoteAddress, there.remotePort)];
    expect(ownersOf(hostAt(), { local, remote })).toEqual([process.pid]);
    socket.destroy();
    there.destroy();
  }
});

onLinux('an agent that closes its half of the connection is known all the same', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const code = dashboard.link('operator').split('#')[1] ?? '';
  const halved = `
    const [port, code] = process.argv.slice(1);
    const body = 'code=' + code;
    const socket = require('net').connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(['POST /login HTTP/1.1', 'host: 127.0.0.1:' + port, 'origin: http://127.0.0.1:' + port,
      'connection: close', 'content-type: application/x-www-form-urlencoded', 'content-length: ' + body.length, '', body].join('\\r\\n'));
    socket.on('data', (bytes) => process.stdout.write(bytes));`;
  const tag = agentTag(siteOf(self.context.disk, self.root), 'coder-1');
  const env = { PATH: process.env['PATH'], LIZA_PROGRAM: tag };
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', halved, String(dashboard.port), code], { env });
  // Node gives up an answer that takes its time, where the other half is closed.
  expect(stdout).not.toContain('303');
  await expect.poll(async () => (await self.state()).anomalies.length).toBe(1);
  const person = await send({ PATH: process.env['PATH'] }, String(dashboard.port), '/login', `code=${code}`, '');
  expect(person).toMatch(/^303/);
});

onLinux('below an agent, a good code opens no session, and the attempt is on record', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const code = dashboard.link('operator').split('#')[1] ?? '';
  const tag = agentTag(siteOf(self.context.disk, self.root), 'coder-1');
  const said = await send(
    { PATH: process.env['PATH'], LIZA_PROGRAM: tag },
    String(dashboard.port),
    '/login',
    `code=${code}`,
    '',
  );
  expect(said).toMatch(/^403/);
  expect(said).toContain('coder-1');
  expect(readFileSync(`${self.context.paths.liza}/refused.log`, 'utf8')).toContain(
    'coder-1 tried to act as the operator: liza dashboard',
  );
  expect(readFileSync(`${self.context.paths.liza}/dashboard.log`, 'utf8')).toContain('403 POST /login');
  expect((await self.state()).anomalies).toHaveLength(1);
  // The code is as good as before, for a person.
  const person = await send({ PATH: process.env['PATH'] }, String(dashboard.port), '/login', `code=${code}`, '');
  expect(person).toMatch(/^303/);
});

onLinux.each(['looks', 'acts'])(
  'below an agent that %s, the cookie of a person’s browser does nothing, and is good for nobody any more',
  async (how) => {
    const self = project();
    const dashboard = await dashboardOn(self);
    const browser = await dashboard.comeIn();
    const form = new URLSearchParams(formOn((await browser.get('now')).body, 'pause')).toString();
    const env = { PATH: process.env['PATH'], LIZA_PROGRAM: agentTag(siteOf(self.context.disk, self.root), 'coder-1') };
    const look = `fetch('${dashboard.origin}${browser.base}/now', { headers: { cookie: '${browser.cookie}' } }).then((answer) => console.log(answer.status))`;
    const said =
      how === 'acts'
        ? await send(env, String(dashboard.port), `${browser.base}/act`, form, browser.cookie)
        : (await promisify(execFile)(process.execPath, ['-e', look], { env })).stdout;
    expect(said).toMatch(/^403/);
    expect(dashboard.ran).toEqual([]);
    expect((await self.state()).anomalies).toHaveLength(1);
    expect((await browser.get('now')).status).toBe(401);
    const again = await dashboard.comeIn();
    expect((await again.post('act', formOn((await again.get('now')).body, 'pause'))).status).toBe(303);
  },
);

onLinux('a browser that closes a connection before it has its answer is still signed in', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const head = `GET ${browser.base}/now HTTP/1.1\r\nHost: 127.0.0.1:${dashboard.port}\r\nCookie: ${browser.cookie}\r\n\r\n`;
  const refused = () => readFileSync(`${self.context.paths.liza}/dashboard.log`, 'utf8');
  // Closed in full before this process, where the server is too, can look whose it is.
  const leave = `const socket = require('net').connect(${dashboard.port}, '127.0.0.1', () => socket.write(${JSON.stringify(head)}, () => process.exit()))`;
  for (let n = 0; n < 5; n += 1) spawnSync(process.execPath, ['-e', leave]);
  await expect.poll(refused).toContain('was not found');
  expect((await browser.get('now')).status).toBe(200);
  expect((await self.state()).anomalies).toEqual([]);
});

test('an agent may not start a dashboard', async () => {
  const self = project();
  const { code, stderr } = await self.liza(['dashboard'], { as: 'coder-1' });
  expect(code).toBe(1);
  expect(stderr).toContain('liza dashboard is for the operator');
});

test('other machines are let in with a certificate or through a tunnel, never in plain sight', async () => {
  const self = project();
  for (const argv of [
    ['--listen', '0.0.0.0'],
    ['--listen', '192.0.2.7', '--tunnel', 'https://a.example'],
    ['--tunnel', 'a.example'],
    ['--port', '70000'],
    ['--cert', 'a.pem'],
  ]) {
    const { code, stderr } = await self.liza(['dashboard', ...argv]);
    expect([argv, code]).toEqual([argv, 1]);
    expect(stderr).not.toBe('');
  }
});

test.skipIf(process.platform !== 'linux' || !has('bwrap'))(
  'an agent in the sandbox is known there, too, though it sees no other process',
  async () => {
    const self = project();
    const dashboard = await dashboardOn(self);
    const code = dashboard.link('operator').split('#')[1] ?? '';
    const tag = agentTag(siteOf(self.context.disk, self.root), 'coder-1');
    const confined = [
      '--ro-bind',
      '/',
      '/',
      '--dev',
      '/dev',
      '--proc',
      '/proc',
      '--unshare-pid',
      '--unshare-ipc',
      '--die-with-parent',
    ];
    const argv = [...confined, process.execPath, '-e', SEND, String(dashboard.port), '/login', `code=${code}`, ''];
    const env = { PATH: process.env['PATH'], LIZA_PROGRAM: tag };
    const { stdout } = await promisify(execFile)('bwrap', argv, { env });
    expect(stdout).toMatch(/^403/);
    expect(readFileSync(`${self.context.paths.liza}/refused.log`, 'utf8')).toContain(
      'coder-1 tried to act as the operator',
    );
  },
);

test.skipIf(!has('openssl'))(
  'with a certificate it answers to the names in it, and its cookie goes over TLS alone',
  async () => {
    const self = project();
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => self.file(name));
    const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    const names = ['-subj', '/CN=box.test', '-addext', 'subjectAltName=DNS:box.test,IP:192.0.2.7'];
    const { status } = spawnSync('openssl', [...made, ...names, '-keyout', `${key}`, '-out', `${cert}`]);
    expect(status).toBe(0);
    const certificate = { cert: readFileSync(`${cert}`, 'utf8'), key: readFileSync(`${key}`, 'utf8') };
    const dashboard = await dashboardOn(self, { address: '127.0.0.1', port: 0, certificate });
    const ask = (name: string, path = '/', form?: string) =>
      new Promise<{ status: number; cookie: string }>((resolve, reject) => {
        const sent = secure(
          {
            ...{
              host: '127.0.0.1',
              port: dashboard.port,
              path,
              servername: 'box.test',
              ca: certificate.cert,
              agent: false,
            },
            method: form === undefined ? 'GET' : 'POST',
            headers: {
              host: `${name}:${dashboard.port}`,
              ...(form === undefined
                ? {}
                : {
                    origin: `https://${name}:${dashboard.port}`,
                    'content-type': 'application/x-www-form-urlencoded',
                    'content-length': Buffer.byteLength(form),
                  }),
            },
          },
          (response) => {
            response.resume();
            resolve({ status: response.statusCode ?? 0, cookie: String(response.headers['set-cookie']) });
          },
        );
        sent.on('error', reject);
        sent.end(form);
      });
    expect(dashboard.origin).toBe(`https://box.test:${dashboard.port}`);
    expect((await ask('box.test')).status).toBe(200);
    expect((await ask('192.0.2.7')).status).toBe(200);
    expect((await ask('evil.example')).status).toBe(421);
    const login = await ask('box.test', '/login', `code=${dashboard.link('operator').split('#')[1]}`);
    expect(login.status).toBe(303);
    expect(login.cookie).toContain('; Secure');
  },
);
