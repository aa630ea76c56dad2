// What the sandbox may know of a package manager's settings: where packages come from, how to get there, and harmless
// habits (`fund=false`). Only named settings pass; whatever else is in the file (logins, programs to run, paths of the
// user's home) does not.

import { hasLogin, withoutLogins } from './registry-url.ts';

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'pip' | 'uv' | 'cargo' | 'go' | 'bundler';

export interface Registry {
  readonly manager: Manager;
  /** `@acme`, or cargo's name of it; absent: all packages. */
  readonly scope?: string;
  /** Without a login. */
  readonly url: string;
  /** The user's settings have a login for it. */
  readonly login: boolean;
}

export interface PassedSettings {
  /** In the file's own format; empty: nothing of it is for the sandbox. */
  readonly text: string;
  readonly registries: readonly Registry[];
  /** There is a login in the file, of whatever registry. */
  readonly login: boolean;
  /** Certificates that the settings name: they are shown too. */
  readonly certificates: readonly string[];
}

interface Line {
  readonly key: string;
  readonly value: string;
}

const NPM_PASSED =
  /^(?:(?:@[^:]+:)?registry|audit(?:-level)?|fund|update-notifier|progress|save-exact|save-prefix|prefer-offline|package-lock|replace-registry-host|strict-ssl|cafile|ca(?:\[\])?|proxy|https?-proxy|noproxy|no-proxy|fetch-[a-z-]+|maxsockets|legacy-peer-deps|strict-peer-dep[a-z]*|auto-install-peers|engine-strict|ignore-scripts|node-linker|shamefully-hoist|public-hoist-pattern(?:\[\])?|hoist(?:-pattern(?:\[\])?)?)$/;
const NPM_LOGIN = /^(?:(\/\/.*?):)?(?:_auth|_authToken|_password|username|tokenHelper|certfile|keyfile|cert|key)$/;

/** `.npmrc`, and pnpm's `rc`. */
export function passedNpmrc(text: string, manager: Manager = 'npm'): PassedSettings {
  const lines = iniLines(text);
  const logins = lines.flatMap(({ key }) => {
    const [whole, place] = NPM_LOGIN.exec(key) ?? [];
    return whole === undefined ? [] : [place ?? ''];
  });
  const passed = lines.filter(({ key }) => NPM_PASSED.test(key));
  const registries = passed.flatMap(({ key, value }): readonly Registry[] => {
    const [, scope, name] = /^(?:(@[^:]+):)?(registry)$/.exec(key) ?? [];
    if (name === undefined) return [];
    const url = withoutLogins(value);
    const place = `${url.replace(/^[a-z]+:/, '').replace(/\/$/, '')}/`;
    const login =
      url !== value || logins.some((one) => (one === '' ? scope === undefined : place.startsWith(slashed(one))));
    return [{ manager, url, login, ...(scope === undefined ? {} : { scope }) }];
  });
  return passedOf(passed, registries, logins.length > 0, /^cafile$/);
}

const slashed = (place: string): string => (place.endsWith('/') ? place : `${place}/`);

function passedOf(
  passed: readonly Line[],
  registries: readonly Registry[],
  login: boolean,
  certificate: RegExp,
): PassedSettings {
  return {
    text: passed.map(({ key, value }) => `${key}=${withoutLogins(value)}\n`).join(''),
    registries,
    login: login || passed.some(({ value }) => hasLogin(value)),
    certificates: passed.filter(({ key }) => certificate.test(key)).map(({ value }) => value),
  };
}

/** `key = value`, without comments and sections; quotes around either are taken off. */
function iniLines(text: string): readonly Line[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^\s*([^#;[\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [{ key: unquoted(key), value: unquoted(value) }];
  });
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;

/** Yarn 1: `registry "https://…"`, `"@acme:registry" "https://…"`. Its logins are in `.npmrc`. */
export function passedYarnrc(text: string): PassedSettings {
  const lines = text.split(/\r?\n/).flatMap((line): readonly Line[] => {
    const [, key, value] = /^\s*("[^"]+"|[^\s"#]+)\s+(.+?)\s*$/.exec(line) ?? [];
    return key === undefined || value === undefined ? [] : [{ key: unquoted(key), value: unquoted(value) }];
  });
  const { registries, login, certificates } = passedNpmrc(iniOf(lines), 'yarn');
  const passed = lines.filter(({ key }) => NPM_PASSED.test(key));
  return {
    text: passed.map(({ key, value }) => `"${key}" "${withoutLogins(value)}"\n`).join(''),
    registries,
    login,
    certificates,
  };
}

const iniOf = (lines: readonly Line[]): string => lines.map(({ key, value }) => `${key}=${value}\n`).join('');

/** Yarn 2 and later: what `.yarnrc.yml` says of servers, for all packages and by scope. */
export function passedYarnYml(written: string): PassedSettings {
  const text = inBlocks(written);
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*(?:#|$)/.test(line));
  const kept: string[] = [];
  const registries: Registry[] = [];
  let block: string | undefined;
  let scope: string | undefined;
  for (const line of lines) {
    const indent = line.length - line.trimStart().length;
    const [, rawKey = '', rawValue = ''] = /^\s*([^:]+|"[^"]+"):\s*(.*?)\s*$/.exec(line) ?? [];
    const [key, value] = [unquoted(rawKey), unquoted(rawValue.replace(/\s+#.*$/, ''))];
    if (indent === 0) block = key;
    if (indent === 0 && key === 'npmScopes') kept.push('npmScopes:');
    if (block === 'npmScopes' && indent > 0 && value === '') scope = key;
    if (key !== 'npmRegistryServer' || (indent > 0 && block !== 'npmScopes')) continue;
    const url = withoutLogins(value);
    if (indent > 0) kept.push(`  ${JSON.stringify(scope ?? '')}:`);
    kept.push(`${indent > 0 ? '    ' : ''}npmRegistryServer: ${JSON.stringify(url)}`);
    const login = url !== value || hasYarnLogin(text, indent > 0 ? scope : undefined);
    registries.push({ manager: 'yarn', url, login, ...(indent > 0 && scope ? { scope: `@${scope}` } : {}) });
  }
  return {
    text: registries.length === 0 ? '' : `${kept.join('\n')}\n`,
    registries,
    login: /npmAuth(?:Token|Ident)/.test(text) || registries.some(({ login }) => login),
    certificates: [],
  };
}

/** YAML with maps in braces (`npmScopes: { acme: { … } }`) written as indented lines; `${NAME}` stays. */
function inBlocks(text: string): string {
  const indents: string[] = [];
  let out = '';
  for (const part of text.match(YAML_PART) ?? []) {
    const indent = indents.at(-1);
    const line = out.slice(out.lastIndexOf('\n') + 1);
    if (part === '{' && /:\s*$/.test(line)) {
      indents.push(`${/^\s*/.exec(line)?.[0] ?? ''}  `);
      out = `${out.trimEnd()}\n${indents.at(-1)}`;
    } else if (indent === undefined) out += part;
    else if (part === '}') {
      indents.pop();
      out += `\n${indents.at(-1) ?? ''}`;
    } else if (part === ',') out += `\n${indent}`;
    else if (!/^\s/.test(part)) out += part;
    else if (!/^\s*$/.test(line)) out += ' ';
  }
  return out;
}

/** A quoted text, a placeholder, a comment with the blank before it, or one character. */
const YAML_PART = /"(?:\\.|[^"\\\n])*"|'[^'\n]*'|\$\{[^}\n]*\}|\s#[^\n]*|[\s\S]/g;

/** A login by server counts for every registry: which one it is for is Yarn's to say. */
function hasYarnLogin(text: string, scope: string | undefined): boolean {
  if (/npmRegistries:/.test(text) && /npmAuth(?:Token|Ident)/.test(text)) return true;
  if (scope === undefined) return /^npmAuth(?:Token|Ident)/m.test(text);
  const own = new RegExp(`^\\s+["']?${scope.replace(/[^\w-]/g, '.')}["']?:\\s*$((?:\\n\\s{3,}.*)*)`, 'm').exec(text);
  return /npmAuth(?:Token|Ident)/.test(own?.[1] ?? '');
}

const PIP_PASSED = /^(?:(?:extra-)?index-url|find-links|no-index|trusted-host|cert|proxy|timeout|retries)$/;

/** `pip.conf`: sections stay, and lists that go on in the next lines. */
export function passedPipConf(text: string): PassedSettings {
  const lines = text.split(/\r?\n/);
  const kept: string[] = [];
  const registries: Registry[] = [];
  const certificates: string[] = [];
  let key: string | undefined;
  for (const line of lines) {
    if (/^\s*[#;]/.test(line)) continue;
    const [, section] = /^\[([^\]]+)\]/.exec(line) ?? [];
    const [, name, first] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    const more = /^\s+\S/.test(line);
    if (section !== undefined) kept.push(`[${section}]`);
    if (name !== undefined) key = name.toLowerCase().replaceAll('_', '-');
    if (section !== undefined || key === undefined || !PIP_PASSED.test(key) || (name === undefined && !more)) continue;
    kept.push(withoutLogins(line));
    const value = first ?? line.trim();
    if (key === 'cert') certificates.push(value);
    if (!key.endsWith('index-url')) continue;
    for (const one of value.split(/\s+/).filter((part) => part !== ''))
      registries.push({ manager: 'pip', url: withoutLogins(one), login: hasLogin(one) });
  }
  return {
    text:
      registries.length + certificates.length === 0 && !kept.some((line) => !line.startsWith('['))
        ? ''
        : `${kept.join('\n')}\n`,
    registries,
    login: hasLogin(text),
    certificates,
  };
}
