// Package managers in a real sandbox, against registries on loopback: they know the user's registries and not the logins,
// and the name of a private package goes to its own registry alone.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { settings } from '../../../src/protocol/state.ts';
import { runConfined, sandboxSupportOf } from '../../../src/sandbox/mode.ts';
import { hostAt } from '../../host.ts';
import { type Project, project } from '../../support/project.ts';
import { startRegistry } from '../../support/registry.ts';

const works = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', '--proc', '/proc', 'true']).status === 0;
const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
const TOKEN = 'a1B2c3D4e5F6-top-secret';

let p: Project;
let folder: string;
let home: string;
beforeEach(() => {
  p = project({});
  folder = path.join(p.root, '.worktrees/.merge-t-00000000');
  home = path.join(p.base, 'home');
  for (const one of [folder, home]) fs.mkdirSync(one, { recursive: true });
});

const inHome = (name: string, text: string): void => {
  fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
  fs.writeFileSync(path.join(home, name), text);
};

async function run(
  script: string,
  { config = {}, env = {} }: { config?: Partial<ReturnType<typeof settings>>; env?: Record<string, string> } = {},
) {
  const clean = Object.entries(process.env).filter(([name]) => !/^(npm_|pip_|uv_|cargo_|xdg_|node_extra)/i.test(name));
  const whole = { ...Object.fromEntries(clean), ...p.env, HOME: home, LIZA_SANDBOX: undefined, ...env };
  const rules = { ...settings(await p.state()), sandbox: 'require' as const, ...config };
  const program = { argv: ['sh', '-c', script] as [string, ...string[]], cwd: folder, env: whole, timeoutMs: 60_000 };
  const sandboxSupport = sandboxSupportOf(hostAt(Date.now, { ...process.env }), []);
  return runConfined({ ...p.as('coder-1'), sandboxSupport }, rules, { folder, part: 'setup' }, program);
}

const INSTALL = 'npm install --no-audit --no-fund --no-update-notifier --loglevel=error --fetch-retries=0';

describe.skipIf(!works || !has('npm'))('npm in bubblewrap', () => {
  const wantsPrivate = (): void =>
    fs.writeFileSync(path.join(folder, 'package.json'), '{"dependencies": {"@acme/hidden": "1.0.0"}}');

  test('asks for a scoped package at its own registry only, without the token, and fails there', async () => {
    const [acme, everyone] = [await startRegistry(p.base, { token: TOKEN }), await startRegistry(p.base)];
    inHome('.npmrc', `registry=${everyone.url}\n@acme:registry=${acme.url}\n${acme.place}:_authToken=${TOKEN}\n`);
    wantsPrivate();
    const ended = await run(`cat ~/.npmrc; env; ${INSTALL}`);
    expect(ended).toMatchObject({ how: 'exited', code: 1 });
    expect(ended.tail).toMatch(/E401|Unable to authenticate|login needed/);
    expect(ended.tail).not.toContain(TOKEN);
    expect(acme.asked).toEqual([{ path: '/@acme/hidden', login: undefined }]);
    expect(everyone.asked).toEqual([]);
  }, 60_000);

  test('installs a private package without telling its name to the default registry, though npm audits by default', async () => {
    const acme = await startRegistry(p.base, { name: '@acme/hidden' });
    const everyone = await startRegistry(p.base);
    inHome('.npmrc', `registry=${everyone.url}\n@acme:registry=${acme.url}\n`);
    wantsPrivate();
    for (const env of [{}, { NPM_CONFIG_AUDIT: 'true' }]) {
      fs.rmSync(path.join(folder, 'node_modules'), { recursive: true, force: true });
      expect(await run('npm install --loglevel=error --fetch-retries=0', { env })).toMatchObject({ code: 0 });
    }
    expect(acme.asked.map((one) => one.path)).toContain('/@acme/hidden');
    expect(everyone.asked).toEqual([]);
  }, 60_000);

  test('knows harmless settings of the user, and none that runs a program', async () => {
    inHome('.npmrc', 'audit=false\nfund=false\nprefer-offline=true\nsave-exact=true\nscript-shell=/bin/evil\n');
    const { tail } = await run('cat ~/.npmrc');
    expect(tail.trim().split('\n')).toEqual(['audit=false', 'fund=false', 'prefer-offline=true', 'save-exact=true']);
  }, 60_000);

  test('has the token where sandbox_read shows the file, and the variable that the file asks for', async () => {
    const [acme, everyone] = [
      await startRegistry(p.base, { token: TOKEN, name: '@acme/hidden' }),
      await startRegistry(p.base),
    ];
    inHome('.npmrc', `registry=${everyone.url}\n@acme:registry=${acme.url}\n${acme.place}:_authToken=\${NPM_TOKEN}\n`);
    wantsPrivate();
    const env = { NPM_TOKEN: TOKEN };
    expect(await run(INSTALL, { env })).toMatchObject({ how: 'exited', code: 1 });
    expect(acme.asked.map(({ login }) => login)).toEqual([undefined]);
    const ended = await run(INSTALL, { env, config: { sandbox_read: ['~/.npmrc'] } });
    expect(ended).toMatchObject({ how: 'exited', code: 0 });
    expect(acme.asked.at(-1)).toMatchObject({ login: `Bearer ${TOKEN}` });
    expect(fs.existsSync(path.join(folder, 'node_modules/@acme/hidden/package.json'))).toBe(true);
    expect(everyone.asked).toEqual([]);
  }, 90_000);

  test('knows the registries of a .npmrc in the project that is not in git; its token is not to be read there', async () => {
    const acme = await startRegistry(p.base, { token: TOKEN });
    const file = path.join(p.root, '.npmrc');
    fs.writeFileSync(file, `@acme:registry=${acme.url}\n${acme.place}:_authToken=${TOKEN}\n`);
    wantsPrivate();
    const ended = await run(`cat ${file}; ${INSTALL}`);
    expect(ended.tail).toContain(`@acme:registry=${acme.url}`);
    expect(ended.tail).not.toContain(TOKEN);
    expect(acme.asked).toEqual([{ path: '/@acme/hidden', login: undefined }]);
    expect(fs.readFileSync(file, 'utf8')).toContain(TOKEN);
  }, 60_000);

  test('of a certificate that the settings name: shown where the person names it, and it is one', async () => {
    const certificate = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    inHome('ca.pem', certificate);
    inHome('.ssh/id', '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n');
    const look = 'cat ~/ca.pem 2>/dev/null; ls -a ~/.ssh 2>/dev/null; cat ~/.ssh/id 2>/dev/null; true';
    inHome('.npmrc', `cafile=${home}/ca.pem\n`);
    expect(await run(look)).toMatchObject({ tail: certificate });
    // Agents commit the project's file, and merged it would open whatever it names.
    inHome('.npmrc', '');
    for (const named of ['ca.pem', '.ssh/id', '.ssh']) {
      fs.writeFileSync(path.join(p.root, '.npmrc'), `cafile=${home}/${named}\n`);
      expect(await run(look), named).toMatchObject({ tail: '' });
    }
    fs.rmSync(path.join(p.root, '.npmrc'));
    inHome('.npmrc', `cafile=${home}/.ssh/id\n`);
    expect(await run(look)).toMatchObject({ tail: '' });
  });

  test('a link in a folder of the project that is on PATH shows nothing of the home', async () => {
    inHome('.ssh/id', 'secret');
    fs.mkdirSync(path.join(p.root, 'bin'));
    fs.symlinkSync(path.join(home, '.ssh/id'), path.join(p.root, 'bin/helper'));
    const env = { PATH: `${path.join(p.root, 'bin')}:${process.env['PATH']}` };
    expect(await run('ls -a ~/.ssh 2>/dev/null; true', { env })).toMatchObject({ tail: '' });
  });

  test('finds the copy of a file that a variable names, wherever that is', async () => {
    const elsewhere = path.join(p.base, 'ci-npmrc');
    fs.writeFileSync(elsewhere, `@acme:registry=http://acme.example/\n//acme.example/:_authToken=${TOKEN}\n`);
    const ended = await run('npm config get @acme:registry; cat "$NPM_CONFIG_USERCONFIG"; env', {
      env: { NPM_CONFIG_USERCONFIG: elsewhere, npm_config_registry: `http://me:${TOKEN}@acme.example/all/` },
    });
    expect(ended.tail).toContain('http://acme.example/\n');
    expect(ended.tail).toContain('npm_config_registry=http://acme.example/all/');
    expect(ended.tail).not.toContain(TOKEN);
  }, 60_000);
});

describe.skipIf(!works || !has('pip'))('pip in bubblewrap', () => {
  test('asks the configured index only, without its password', async () => {
    const index = await startRegistry(p.base, { token: TOKEN });
    inHome('.config/pip/pip.conf', `[global]\nindex-url = ${index.url.replace('//', `//me:${TOKEN}@`)}simple\n`);
    const ended = await run('cat ~/.config/pip/pip.conf; pip download --retries 0 --no-input acme-hidden </dev/null');
    expect('code' in ended && ended.code).not.toBe(0);
    expect(ended.tail).not.toContain(TOKEN);
    expect(index.asked[0]).toEqual({ path: '/simple/acme-hidden/', login: undefined });
  }, 60_000);
});
