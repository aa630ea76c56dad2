// Variables by which package managers learn of registries: addresses stay, without the login in them; logins go. And the
// two managers whose files are lists of such variables.

import type { Manager, PassedSettings, Registry } from './registry-settings.ts';
import { hasLogin, withoutLogins } from './registry-url.ts';

const ADDRESSES: readonly (readonly [Manager, RegExp])[] = [
  ['npm', /^npm_config_(?:.*:)?registry$/i],
  ['yarn', /^YARN_(?:NPM_REGISTRY_SERVER|REGISTRY)$/],
  ['pip', /^PIP_(?:EXTRA_)?INDEX_URL$/],
  ['uv', /^UV_(?:(?:EXTRA_)?INDEX_URL|(?:DEFAULT_)?INDEX)$/],
  ['cargo', /^CARGO_REGISTRIES_.+_INDEX$/],
  ['go', /^GOPROXY$/],
  ['bundler', /^BUNDLE_MIRROR__/],
];

/** Also addresses, but of places beside a registry: they only lose their login. */
const BESIDE = /^(?:PIP_FIND_LINKS|UV_FIND_LINKS|POETRY_REPOSITORIES_.+_URL|GOSUMDB)$/;

const LOGINS: readonly RegExp[] = [
  /^npm_config_.*(?:_auth|_password|_authtoken|otp)/i,
  /^(?:NPM_TOKEN|NPM_AUTH_TOKEN|NODE_AUTH_TOKEN)$/,
  /^YARN_NPM_AUTH_/,
  /^CARGO_REGISTR(?:Y|IES_.+)_TOKEN$/,
  /^UV_INDEX_.+_(?:USERNAME|PASSWORD)$/,
  /^UV_PUBLISH_(?:TOKEN|PASSWORD)$/,
  /^POETRY_(?:HTTP_BASIC|PYPI_TOKEN)_/,
  /^TWINE_PASSWORD$/,
  // A login by host: `BUNDLE_GEMS__EXAMPLE__ORG`.
  /^BUNDLE_(?!MIRROR__)[A-Z0-9_]+__[A-Z0-9_]+$/,
  /^GEM_HOST_API_KEY/,
];

type Variables = Readonly<Record<string, string | undefined>>;

/** `given`: names of logins that a file of `sandbox_read` asks for. Undefined takes a variable away. */
export function registryVariables(env: Variables, given: ReadonlySet<string>): Variables {
  const changed = Object.entries(env).flatMap(([name, value]): readonly (readonly [string, string | undefined])[] => {
    if (value === undefined) return [];
    if (LOGINS.some((pattern) => pattern.test(name))) return given.has(name) ? [] : [[name, undefined]];
    const isAddress = BESIDE.test(name) || ADDRESSES.some(([, pattern]) => pattern.test(name));
    return isAddress && hasLogin(value) ? [[name, withoutLogins(value)]] : [];
  });
  return Object.fromEntries(changed);
}

/**
 * npm's audit sends the name of every installed package to the default registry, those of a private scope too, and its
 * update notifier asks there for news: both are off, whatever the user's settings say. `npm audit` still works.
 */
export function quietNpm(env: Variables): Variables {
  const said = Object.keys(env).filter((name) => /^npm_config_(?:audit|update[-_]notifier)$/i.test(name));
  return {
    ...Object.fromEntries(said.map((name) => [name, undefined])),
    npm_config_audit: 'false',
    npm_config_update_notifier: 'false',
  };
}

/** The registries that variables name. */
export function registriesNamed(env: Variables): readonly Registry[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const manager = ADDRESSES.find(([, pattern]) => pattern.test(name))?.[0];
    return manager === undefined || value === undefined ? [] : addressesIn(manager, value, scopeOf(name));
  });
}

const scopeOf = (name: string): string | undefined =>
  /^npm_config_(@.*):registry$/i.exec(name)?.[1] ?? /^CARGO_REGISTRIES_(.+)_INDEX$/.exec(name)?.[1]?.toLowerCase();

const addressesIn = (manager: Manager, value: string, scope?: string): readonly Registry[] =>
  value
    .split(/[\s,|]+/)
    .map((one) => one.replace(/^[\w-]+=(?=[a-z+]+:\/\/)/, ''))
    .filter((one) => one.includes('://'))
    .map((one) => ({
      manager,
      url: withoutLogins(one),
      login: hasLogin(one),
      ...(scope === undefined ? {} : { scope }),
    }));

const GO_PASSED = /^(?:GOPROXY|GOPRIVATE|GONOPROXY|GONOSUMDB|GOSUMDB|GOINSECURE|GOVCS)$/;

/** What `go env -w` wrote. */
export function passedGoEnv(text: string): PassedSettings {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Z]+)=(.*)$/.exec(line.trim()) ?? [];
    return name === undefined || value === undefined || !GO_PASSED.test(name) ? [] : [{ name, value }];
  });
  return {
    text: lines.map(({ name, value }) => `${name}=${withoutLogins(value)}\n`).join(''),
    registries: lines.flatMap(({ name, value }) => (name === 'GOPROXY' ? addressesIn('go', value) : [])),
    login: lines.some(({ value }) => hasLogin(value)),
    certificates: [],
  };
}

/** `BUNDLE_MIRROR__HTTPS://GEMS__EXAMPLE/: "https://…"`; a key of a host is its login. */
export function passedBundle(text: string): PassedSettings {
  const lines = text.split('\n').flatMap((line) => {
    const [, name, value] = /^["']?(BUNDLE_.+?)["']?:\s+["']?(.*?)["']?\s*$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  const mirrors = lines.filter(({ name, value }) => name.startsWith('BUNDLE_MIRROR__') && value.includes('://'));
  const logins = lines.filter(({ name }) => !name.includes('://') && LOGINS.some((pattern) => pattern.test(name)));
  const registries = mirrors.flatMap(({ value }) => addressesIn('bundler', value));
  return {
    text:
      mirrors.length === 0
        ? ''
        : `---\n${mirrors.map(({ name, value }) => `${name}: "${withoutLogins(value)}"\n`).join('')}`,
    registries: registries.map((one) => ({ ...one, login: one.login || logins.length > 0 })),
    login: logins.length > 0 || mirrors.some(({ value }) => hasLogin(value)),
    certificates: [],
  };
}
