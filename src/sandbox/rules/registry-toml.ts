// The same for settings in TOML: cargo's `config.toml` and uv's `uv.toml`. Reads lines of `key = "text"`, dotted keys,
// sections and inline tables: how registries are written. Every setting that passes is written out under its whole name.

import type { PassedSettings, Registry } from './registry-settings.ts';
import { hasLogin, withoutLogins } from './registry-url.ts';

interface Setting {
  /** `['registries', 'acme', 'index']` */
  readonly path: readonly string[];
  /** As it is written. */
  readonly value: string;
  /** Of a list of tables: which one it is in. */
  readonly item?: number;
}

const CARGO_PASSED = [
  /^registries\.[^.]+\.(?:index|protocol)$/,
  /^registry\.default$/,
  /^source\..+\.(?:registry|replace-with|git|branch|tag|rev|directory|local-registry)$/,
  /^net\.(?:retry|git-fetch-with-cli|offline)$/,
  /^http\.(?:proxy|timeout|cainfo|check-revoke|multiplexing|ssl-version)$/,
];

/** Cargo finds tokens in `credentials.toml`, too, which is not passed on. */
export function passedCargo(text: string, credentials = ''): PassedSettings {
  const all = settingsIn(text);
  const passed = all.filter(({ path }) => CARGO_PASSED.some((pattern) => pattern.test(path.join('.'))));
  const logins = [...all, ...settingsIn(credentials)].filter(({ path }) => path.at(-1) === 'token');
  const registries = passed.flatMap(({ path, value }): readonly Registry[] => {
    const [table, name = '', key] = path;
    const isIndex = (table === 'registries' && key === 'index') || (table === 'source' && path.at(-1) === 'registry');
    const written = unquoted(value);
    if (!isIndex || !written.includes('://')) return [];
    const login = hasLogin(written) || logins.some((one) => one.path.at(-2) === name);
    return [
      { manager: 'cargo', url: withoutLogins(written), login, ...(table === 'registries' ? { scope: name } : {}) },
    ];
  });
  return {
    text: passed.map(written).join(''),
    registries,
    login: logins.length > 0 || passed.some(({ value }) => hasLogin(value)),
    certificates: passed.filter(({ path }) => path.join('.') === 'http.cainfo').map(({ value }) => unquoted(value)),
  };
}

const UV_PASSED = /^(?:(?:pip\.)?(?:index-url|extra-index-url|find-links|no-index)|native-tls|allow-insecure-host)$/;
const UV_INDEX = ['name', 'url', 'default', 'explicit'];

export function passedUv(text: string): PassedSettings {
  const all = settingsIn(text);
  const passed = all.filter(({ path, item }) => item === undefined && UV_PASSED.test(path.join('.')));
  const tables = all.filter(
    ({ path: [table, key = ''], item }) => item !== undefined && table === 'index' && UV_INDEX.includes(key),
  );
  const items = [...new Set(tables.map(({ item }) => item))].map((n) => tables.filter(({ item }) => item === n));
  const addresses = [
    ...passed.filter(({ path }) => path.at(-1)?.endsWith('index-url')),
    ...tables.filter(({ path }) => path[1] === 'url'),
  ].flatMap(({ value }) => [...value.matchAll(/["']([^"']+:\/\/[^"']+)["']/g)].map(([, url = '']) => url));
  return {
    text: [
      ...passed.map(written),
      ...items.map((own) => `[[index]]\n${own.map((one) => written({ ...one, path: one.path.slice(1) })).join('')}`),
    ].join(''),
    registries: addresses.map((url) => ({ manager: 'uv', url: withoutLogins(url), login: hasLogin(url) })),
    login: hasLogin(text),
    certificates: [],
  };
}

const written = ({ path, value }: Setting): string => `${path.map(keyText).join('.')} = ${withoutLogins(value)}\n`;
const keyText = (part: string): string => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part));
const unquoted = (value: string): string => /^(["'])(.*)\1$/.exec(value.trim())?.[2] ?? value.trim();

function settingsIn(text: string): readonly Setting[] {
  let section: readonly string[] = [];
  let item: number | undefined;
  let items = 0;
  return linesOf(text).flatMap((line): readonly Setting[] => {
    const [, brackets, name] = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
    if (brackets !== undefined && name !== undefined) {
      section = keyParts(name);
      item = brackets === '[[' ? items++ : undefined;
      return [];
    }
    const [, key, value] =
      /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=\s*(.+?)\s*$/.exec(line) ?? [];
    if (key === undefined || value === undefined) return [];
    const path = [...section, ...keyParts(key)];
    const where = item === undefined ? {} : { item };
    const [, table] = /^\{(.*)\}\s*(?:#.*)?$/.exec(value) ?? [];
    if (table === undefined) return [{ path, value: value.replace(COMMENT, '$1'), ...where }];
    return [...table.matchAll(INLINE)].map(([, inner = '', text = '']) => ({
      path: [...path, ...keyParts(inner)],
      value: text,
      ...where,
    }));
  });
}

/** A list over several lines is one. */
const linesOf = (text: string): readonly string[] =>
  text.replace(/^([^\n#=[]+=\s*)(\[(?:"[^"\n]*"|'[^'\n]*'|#[^\n]*|[^\]"'#])*\])/gm, joined).split(/\r?\n/);
const joined = (_: string, key: string, list: string): string =>
  `${key}${list.replace(/("[^"]*"|'[^']*')|#[^\n]*|\r?\n/g, '$1')}`;

const COMMENT = /^("[^"]*"|'[^']*'|[^"'#]*?)\s*#.*$/;
const INLINE = /([\w.-]+|"[^"]*")\s*=\s*("[^"]*"|'[^']*'|[^,\s]+)/g;

const keyParts = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, one, two, plain]) => one ?? two ?? plain ?? '');
