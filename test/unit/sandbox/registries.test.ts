// What of a package manager's settings passes into the sandbox: addresses, never a login.

import { describe, expect, test } from 'vitest';
import {
  passedNpmrc,
  passedPipConf,
  passedYarnrc,
  passedYarnYml,
} from '../../../src/sandbox/rules/registry-settings.ts';
import { passedCargo, passedUv } from '../../../src/sandbox/rules/registry-toml.ts';
import { hostOf, withoutLogins } from '../../../src/sandbox/rules/registry-url.ts';
import {
  passedBundle,
  passedGoEnv,
  registriesNamed,
  registryVariables,
} from '../../../src/sandbox/rules/registry-variables.ts';

const SECRET = 'sEcr3t';

describe.each([
  ['npm', (value: string) => passedNpmrc(`https-proxy=${value}`)],
  ['yarn', (value: string) => passedYarnrc(`https-proxy "${value}"`)],
  ['pip', (value: string) => passedPipConf(`[global]\nproxy = ${value}`)],
  ['cargo', (value: string) => passedCargo(`[http]\nproxy = "${value}"`)],
] as const)('a proxy of %s', (_, passed) => {
  test.each(['me:sEcr3t@proxy.acme:3128', 'http://me:sEcr3t@proxy.acme:3128', 'http://sEcr3t@proxy.acme:3128'])(
    'passes without its login: %s',
    (value) => {
      expect(passed(value).text).toContain('proxy.acme:3128');
      expect(passed(value).text).not.toContain(SECRET);
      expect(passed(value).login).toBe(true);
    },
  );
});

test('uv: a list over several lines stays a list', () => {
  const { text } = passedUv(
    'extra-index-url = [\n  "https://me:sEcr3t@a.acme/simple", # ours\n  "https://b.acme/]/",\n]\nnative-tls = true\n',
  );
  expect(text).toBe('extra-index-url = [  "https://a.acme/simple",   "https://b.acme/]/",]\nnative-tls = true\n');
});

describe('an address', () => {
  test.each([
    ['https://me:sEcr3t@host/x', 'https://host/x'],
    ['https://sEcr3t@host/x', 'https://host/x'],
    ['https://me:sE/cr3t@host/x', 'https://host/x'],
    ['https://me:sE@cr3t@host/x', 'https://host/x'],
    ['https://me:sE,cr3t@host/x', 'https://host/x'],
    ['sparse+https://me:sEcr3t@host/x', 'sparse+https://host/x'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as .npmrc writes it
    ['https://${NAME}:${SECRET}@host:${PORT}/', 'https://host:${PORT}/'],
    ['https://a:sEcr3t@one,https://b:sEcr3t@two|direct', 'https://one,https://two|direct'],
    ['ssh://git:sEcr3t@host/x', 'ssh://git@host/x'],
    ['me:sEcr3t@proxy:3128', 'proxy:3128'],
    ['me:sE@cr:3t@proxy:3128', 'proxy:3128'],
    ['proxy = me:sEcr3t@proxy:3128', 'proxy = proxy:3128'],
    ['proxy=me:sEcr3t@proxy', 'proxy=proxy'],
  ])('%s passes as %s', (address, passed) => expect(withoutLogins(address)).toBe(passed));

  test.each([
    'https://host:8080/@acme/x',
    'http://[::1]:4873/',
    'https://host/a?b=c@d',
    'ssh://git@host/x',
    'direct',
    'git@host:x',
  ])('%s has no login and stays', (address) => expect(withoutLogins(address)).toBe(address));

  test('names host and port', () => {
    expect(hostOf('http://[::1]:4873/x')).toEqual({ host: '::1', port: 4873 });
    expect(hostOf('sparse+https://index.acme.example/')).toEqual({ host: 'index.acme.example', port: 443 });
    expect(hostOf('file:///x')).toBeUndefined();
  });
});

test('npm: registries and scopes pass, logins and programs do not', () => {
  const { text, registries, login } = passedNpmrc(
    [
      '; mine',
      'registry = "https://npm.acme.example/all/"',
      '@acme:registry=https://me:sEcr3t@npm.acme.example/own',
      '@other:registry=https://other.example/',
      '//npm.acme.example/:_authToken=sEcr3t',
      '_auth=sEcr3t',
      '//npm.acme.example/:_password="sEcr3t"',
      'script-shell=/home/me/sEcr3t',
      'cafile=/etc/acme.pem',
    ].join('\n'),
  );
  expect(text.split('\n')).toEqual([
    'registry=https://npm.acme.example/all/',
    '@acme:registry=https://npm.acme.example/own',
    '@other:registry=https://other.example/',
    'cafile=/etc/acme.pem',
    '',
  ]);
  expect(registries).toEqual([
    { manager: 'npm', url: 'https://npm.acme.example/all/', login: true },
    { manager: 'npm', scope: '@acme', url: 'https://npm.acme.example/own', login: true },
    { manager: 'npm', scope: '@other', url: 'https://other.example/', login: false },
  ]);
  expect(login).toBe(true);
});

test('npm: a login of one registry is none of another whose address begins alike', () => {
  const { registries } = passedNpmrc('registry=https://acme.example/team2/\n//acme.example/team/:_authToken=x\n');
  expect(registries).toMatchObject([{ login: false }]);
});

test('yarn: both formats keep servers and scopes', () => {
  expect(
    passedYarnrc('registry "https://npm.acme.example"\n"@a:registry" "https://x:sEcr3t@a.example"\nlastUpdateCheck 1\n')
      .text,
  ).toBe('"registry" "https://npm.acme.example"\n"@a:registry" "https://a.example"\n');
  const { text, registries } = passedYarnYml(
    [
      'npmRegistryServer: "https://npm.acme.example"',
      'npmScopes:',
      '  acme:',
      '    npmAlwaysAuth: true',
      '    npmAuthToken: sEcr3t',
      '    npmRegistryServer: https://own.acme.example # ours',
      '  other:',
      '    npmRegistryServer: https://other.example',
      'yarnPath: .yarn/sEcr3t.cjs',
    ].join('\n'),
  );
  expect(text).not.toContain(SECRET);
  expect(registries).toEqual([
    { manager: 'yarn', url: 'https://npm.acme.example', login: false },
    { manager: 'yarn', scope: '@acme', url: 'https://own.acme.example', login: true },
    { manager: 'yarn', scope: '@other', url: 'https://other.example', login: false },
  ]);
  expect(passedYarnYml(text).registries.map(({ url }) => url)).toEqual(registries.map(({ url }) => url));
});

test.each([
  'npmScopes: { acme: { npmRegistryServer: "https://own.acme.example", npmAuthToken: sEcr3t }, other: {npmRegistryServer: https://other.example} }',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as .yarnrc.yml writes it
  'npmScopes:\n  acme: { npmAuthToken: "#${TOKEN}", npmRegistryServer: https://own.acme.example } # ours\n  other: { npmRegistryServer: https://other.example }',
  'npmScopes: {\n  # ours, with a } in it\n  "acme": {\n    npmAuthToken: "sEcr3t", npmRegistryServer: "https://own.acme.example",\n  },\n  other: { npmRegistryServer: https://other.example },\n}\nyarnPath: sEcr3t',
])('yarn: scopes in braces are kept, their tokens are not: %j', (yml) => {
  const { text, registries, login } = passedYarnYml(yml);
  expect(text).toBe(
    'npmScopes:\n  "acme":\n    npmRegistryServer: "https://own.acme.example"\n  "other":\n    npmRegistryServer: "https://other.example"\n',
  );
  expect(registries).toEqual([
    { manager: 'yarn', scope: '@acme', url: 'https://own.acme.example', login: true },
    { manager: 'yarn', scope: '@other', url: 'https://other.example', login: false },
  ]);
  expect(login).toBe(true);
});

test('pip: indexes pass in their sections, also lists over several lines', () => {
  const { text, registries } = passedPipConf(
    '[global]\nindex-url = https://me:sEcr3t@pip.acme.example/simple\nextra-index-url =\n    https://two.example/simple\n    https://x:sEcr3t@three.example/simple\nclient-cert = /home/me/sEcr3t.pem\n[install]\ntrusted-host = pip.acme.example\n',
  );
  expect(text).toBe(
    '[global]\nindex-url = https://pip.acme.example/simple\nextra-index-url =\n    https://two.example/simple\n    https://three.example/simple\n[install]\ntrusted-host = pip.acme.example\n',
  );
  expect(registries.map(({ url, login }) => [url, login])).toEqual([
    ['https://pip.acme.example/simple', true],
    ['https://two.example/simple', false],
    ['https://three.example/simple', true],
  ]);
});

test('cargo: indexes pass from sections, dotted keys and inline tables; tokens and programs do not', () => {
  const { text, registries } = passedCargo(
    [
      '[registries]',
      'one = { index = "sparse+https://one.example/", token = "sEcr3t" }',
      '[registries.two]',
      'index = "https://two.example/index" # ours',
      'token = "sEcr3t"',
      '[source.crates-io]',
      'replace-with = "mirror"',
      '[source."mirror"]',
      'registry = "sparse+https://mirror.example/"',
      '[build]',
      'rustc-wrapper = "/home/me/sEcr3t"',
    ].join('\n'),
    '[registries.three]\ntoken = "sEcr3t"\n',
  );
  expect(text).toBe(
    [
      'registries.one.index = "sparse+https://one.example/"',
      'registries.two.index = "https://two.example/index"',
      'source.crates-io.replace-with = "mirror"',
      'source.mirror.registry = "sparse+https://mirror.example/"',
      '',
    ].join('\n'),
  );
  expect(registries).toEqual([
    { manager: 'cargo', scope: 'one', url: 'sparse+https://one.example/', login: true },
    { manager: 'cargo', scope: 'two', url: 'https://two.example/index', login: true },
    { manager: 'cargo', url: 'sparse+https://mirror.example/', login: false },
  ]);
});

test('uv, go and bundler: the same', () => {
  const uv = passedUv(
    '[[index]]\nname = "acme"\nurl = "https://me:sEcr3t@acme.example/simple"\ndefault = true\n[pip]\nindex-url = "https://b.example"\n',
  );
  expect(uv.text).toBe(
    'pip.index-url = "https://b.example"\n[[index]]\nname = "acme"\nurl = "https://acme.example/simple"\ndefault = true\n',
  );
  expect(uv.registries).toMatchObject([
    { url: 'https://b.example' },
    { url: 'https://acme.example/simple', login: true },
  ]);
  const go = passedGoEnv(
    'GOPROXY=https://me:sEcr3t@go.acme.example,direct\nGOPRIVATE=acme.example\nGOFLAGS=-exec=sEcr3t\n',
  );
  expect(go.text).toBe('GOPROXY=https://go.acme.example,direct\nGOPRIVATE=acme.example\n');
  expect(go.registries).toEqual([{ manager: 'go', url: 'https://go.acme.example', login: true }]);
  const bundle = passedBundle(
    '---\nBUNDLE_MIRROR__HTTPS://GEMS__EXAMPLE/: "https://gems.acme.example/"\nBUNDLE_GEMS__ACME__EXAMPLE: "me:sEcr3t"\n',
  );
  expect(bundle.text).toBe('---\nBUNDLE_MIRROR__HTTPS://GEMS__EXAMPLE/: "https://gems.acme.example/"\n');
  expect(bundle.registries).toEqual([{ manager: 'bundler', url: 'https://gems.acme.example/', login: true }]);
});

test('variables: addresses lose their login, logins go unless a shown file asks for them, the rest stays', () => {
  const env = {
    PIP_INDEX_URL: 'https://me:sEcr3t@pip.acme.example/simple',
    'npm_config_@acme:registry': 'https://npm.acme.example/',
    'npm_config_//npm.acme.example/:_authToken': SECRET,
    NPM_TOKEN: SECRET,
    CARGO_REGISTRIES_ACME_TOKEN: SECRET,
    CARGO_REGISTRIES_ACME_INDEX: 'sparse+https://cargo.acme.example/',
    BUNDLE_GEMS__ACME__EXAMPLE: SECRET,
    BUNDLE_PATH: 'vendor',
    PATH: '/bin',
  };
  expect(registryVariables(env, new Set())).toEqual({
    PIP_INDEX_URL: 'https://pip.acme.example/simple',
    'npm_config_//npm.acme.example/:_authToken': undefined,
    NPM_TOKEN: undefined,
    CARGO_REGISTRIES_ACME_TOKEN: undefined,
    BUNDLE_GEMS__ACME__EXAMPLE: undefined,
  });
  expect(registryVariables({ NPM_TOKEN: SECRET }, new Set(['NPM_TOKEN']))).toEqual({});
  expect(registriesNamed(env)).toEqual([
    { manager: 'pip', url: 'https://pip.acme.example/simple', login: true },
    { manager: 'npm', scope: '@acme', url: 'https://npm.acme.example/', login: false },
    { manager: 'cargo', scope: 'acme', url: 'sparse+https://cargo.acme.example/', login: false },
  ]);
});
