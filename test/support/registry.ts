// A registry of npm packages on loopback that notes what was asked and with which login, and serves one package to those
// who have its token.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';

interface Asked {
  readonly path: string;
  readonly login: string | undefined;
}

export interface LocalRegistry {
  readonly url: string;
  /** Without the scheme, as `.npmrc` names the place of a login. */
  readonly place: string;
  readonly asked: Asked[];
}

/** `token`: without it everybody gets 401. `name`: the package it has, if it has one. */
export async function startRegistry(
  base: string,
  { token, name }: { readonly token?: string; readonly name?: string } = {},
): Promise<LocalRegistry> {
  const asked: Asked[] = [];
  const tarball = name === undefined ? undefined : pack(base, name);
  const server = http.createServer((request, response) => {
    const { url = '', headers } = request;
    asked.push({ path: decodeURIComponent(url), login: headers.authorization });
    const allowed = token === undefined || headers.authorization === `Bearer ${token}`;
    const here = `http://${headers.host}`;
    if (!allowed) response.writeHead(401).end('{"error":"login needed"}');
    else if (tarball !== undefined && url.endsWith('.tgz')) response.end(tarball);
    else if (name !== undefined && decodeURIComponent(url) === `/${name}`)
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: '1.0.0' },
          versions: { '1.0.0': { name, version: '1.0.0', dist: { tarball: `${here}/package.tgz` } } },
        }),
      );
    else response.writeHead(404).end('{"error":"not found"}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, place: `//127.0.0.1:${port}/`, asked };
}

function pack(base: string, name: string): Buffer {
  const folder = path.join(base, 'pack', 'package');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
  spawnSync('tar', ['-czf', '../package.tgz', 'package'], { cwd: path.dirname(folder) });
  return fs.readFileSync(path.join(base, 'package.tgz'));
}
