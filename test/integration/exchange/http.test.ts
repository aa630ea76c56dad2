// The exchange behind a server that asks for a login: it comes from the person's own git settings, and is in no address,
// message, command line or environment of anybody else.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listRefs } from '../../../src/exchange/call.ts';
import { pushRefs } from '../../../src/exchange/push.ts';
import { type Bare, bareRepository, exchangeOf, hostClone, SHORT } from '../../support/exchange.ts';
import { INTEGRATION, type Repository } from '../../support/repository.ts';

const SECRET = 'correct-horse-battery';

/** Command lines of all processes that show it. */
const showing = (secret: string): readonly string[] =>
  (process.platform === 'linux' ? fs.readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
        return line.includes(secret) ? [line] : [];
      } catch {
        return []; // it has ended
      }
    });
let shown: readonly string[] = [];

/** Git's own program for servers; with `mute`, one that takes a request and never answers. */
async function serve(bare: Bare, mute = false): Promise<string> {
  bare.git('config', 'http.receivepack', 'true');
  const server = createServer((request, answer) => {
    if (mute) return;
    const expected = `Basic ${Buffer.from(`me:${SECRET}`).toString('base64')}`;
    shown = [...shown, ...showing(SECRET)];
    if (request.headers.authorization === expected) return backend(bare, request, answer);
    answer.writeHead(401, { 'WWW-Authenticate': 'Basic realm="hub"' }).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path.basename(bare.path)}`;
}

function backend(bare: Bare, request: IncomingMessage, answer: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://near');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: path.dirname(bare.path),
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'me',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.on('close', () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf('\r\n\r\n');
    const head = all.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^Status: (\d+)/m.exec(head.join('\n'))?.[1] ?? 200);
    answer.writeHead(status, Object.fromEntries(head.map((line) => line.split(/: (.*)/).slice(0, 2))));
    answer.end(all.subarray(end + 4));
  });
  request.pipe(child.stdin);
}

async function member(repo: Repository, exchange: string) {
  return exchangeOf(await repo.gitDir({ integration: INTEGRATION }), { exchange }, SHORT);
}

test('without a login it is a refusal that says what to do, and nobody is asked', async () => {
  const repo = hostClone();
  const exchange = await member(repo, await serve(bareRepository()));
  const listed = await listRefs(exchange);
  expect(listed).toMatchObject({ how: 'refused', mend: expect.stringContaining('git ls-remote') });
});

test('the person’s own helper gives the login; the project’s is never asked', async () => {
  const repo = hostClone();
  const bare = bareRepository();
  const url = await serve(bare);
  const asked = path.join(repo.base, 'asked');
  repo.git('config', 'credential.helper', `!touch ${asked}; false`);
  const helper = path.join(repo.base, 'helper');
  fs.writeFileSync(helper, `#!/bin/sh\necho username=me\necho password=${SECRET}\n`, { mode: 0o755 });
  fs.appendFileSync(path.join(repo.base, '.gitconfig'), `[credential]\n\thelper = ${helper}\n`);
  const exchange = await member(repo, url);
  expect(await pushRefs(exchange, [{ ref: INTEGRATION, to: repo.head(), from: null }])).toEqual({ how: 'done' });
  expect(bare.refs()).toEqual({ [INTEGRATION]: repo.head() });
  expect(fs.existsSync(asked)).toBe(false);
  expect(shown).toEqual([]);
  const left = fs.readdirSync(path.join(repo.root, '.git'), { recursive: true, withFileTypes: true });
  for (const file of left.filter((one) => one.isFile()))
    expect(fs.readFileSync(path.join(file.parentPath, file.name), 'latin1')).not.toContain(SECRET);
});

test('a server that takes the request and says nothing is given up in time', async () => {
  const exchange = await member(hostClone(), await serve(bareRepository(), true));
  const begun = performance.now();
  expect(await listRefs(exchange)).toMatchObject({ how: 'unreachable' });
  expect(performance.now() - begun).toBeLessThan(3 * SHORT.list);
});

test('the project’s git settings lead the exchange nowhere else and start nothing', async () => {
  const repo = hostClone();
  const bare = bareRepository();
  const touched = path.join(repo.base, 'touched');
  repo.git('config', `url./nowhere/.insteadOf`, bare.path);
  repo.git('config', 'core.sshCommand', `touch ${touched}`);
  repo.git('config', 'remote.origin.receivepack', `touch ${touched}`);
  fs.writeFileSync(path.join(repo.root, '.git/hooks/pre-push'), `#!/bin/sh\ntouch ${touched}\n`, { mode: 0o755 });
  const exchange = await member(repo, bare.path);
  expect(await pushRefs(exchange, [{ ref: INTEGRATION, to: repo.head(), from: null }])).toEqual({ how: 'done' });
  expect(fs.existsSync(touched)).toBe(false);
});
