// The package managers' settings in a sandbox's home: copies of the user's files that say where packages come from, never
// their logins, unless `sandbox_read` shows the file itself. A private registry stays in force also where its login is
// missing: an install then fails at that registry, and the name of a private package goes to no other.

import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { shownAt } from './build-policy.ts';
import { makeFolders } from './confine.ts';
import { expandHome, type ProjectSite, whyForbidden } from './forbidden-paths.ts';
import { isBelow, type Shown } from './policy.ts';
import {
  type Manager,
  type PassedSettings,
  passedNpmrc,
  passedPipConf,
  passedYarnrc,
  passedYarnYml,
  type Registry,
} from './rules/registry-settings.ts';
import { passedCargo, passedUv } from './rules/registry-toml.ts';
import { passedBundle, passedGoEnv, quietNpm, registriesNamed, registryVariables } from './rules/registry-variables.ts';
import { realOf } from './toolchains.ts';

interface SettingsFile {
  readonly manager: Manager;
  /** Below HOME. */
  readonly usual: string;
  /** Names another file; for cargo, another folder. */
  readonly variable?: string;
  passed(text: string, beside: (name: string) => string): PassedSettings;
}

const FILES: readonly SettingsFile[] = [
  { manager: 'npm', usual: '.npmrc', variable: 'npm_config_userconfig', passed: (text) => passedNpmrc(text) },
  { manager: 'pnpm', usual: '.config/pnpm/rc', passed: (text) => passedNpmrc(text, 'pnpm') },
  { manager: 'yarn', usual: '.yarnrc', passed: passedYarnrc },
  { manager: 'yarn', usual: '.yarnrc.yml', passed: passedYarnYml },
  { manager: 'pip', usual: '.config/pip/pip.conf', variable: 'PIP_CONFIG_FILE', passed: passedPipConf },
  { manager: 'pip', usual: '.pip/pip.conf', passed: passedPipConf },
  { manager: 'uv', usual: '.config/uv/uv.toml', variable: 'UV_CONFIG_FILE', passed: passedUv },
  ...['.cargo/config.toml', '.cargo/config'].map(
    (usual): SettingsFile => ({
      manager: 'cargo',
      usual,
      passed: (text, beside) => passedCargo(text, beside('credentials.toml') || beside('credentials')),
    }),
  ),
  { manager: 'go', usual: '.config/go/env', variable: 'GOENV', passed: passedGoEnv },
  { manager: 'bundler', usual: '.bundle/config', variable: 'BUNDLE_USER_CONFIG', passed: passedBundle },
];

export interface RegistrySite extends ProjectSite {
  /** Files and folders that the configuration shows as they are. */
  readonly open: readonly string[];
}

export interface FoundSettings extends PassedSettings {
  readonly manager: Manager;
  readonly path: string;
  readonly usual: string;
  readonly variable?: string;
  /** `sandbox_read` shows the file itself. */
  readonly given: boolean;
  /** Variables that the file asks for (`${NPM_TOKEN}`). */
  readonly asks: readonly string[];
}

/** Reads the settings files of the user that are there; those of the project's root come last. */
export function findRegistrySettings(site: RegistrySite): readonly FoundSettings[] {
  const { disk, env, root } = site;
  const found = FILES.flatMap((file) => {
    const named = variableNamed(env, file.variable);
    const path = named?.value ?? usualPlace(env, file.usual);
    return path === undefined ? [] : readSettings(site, { ...file, path, ...(named && { variable: named.name }) });
  });
  const own = { manager: 'npm', usual: '.npmrc', passed: (text: string) => passedNpmrc(text) } as const;
  const path = join(root, '.npmrc');
  const isHome = found.some((one) => realOf(disk, one.path) === realOf(disk, path));
  return [...found, ...(isHome ? [] : readSettings(site, { ...own, path }))];
}

function readSettings(site: RegistrySite, file: SettingsFile & { readonly path: string }): readonly FoundSettings[] {
  const text = textOf(site.disk, file.path);
  if (text === undefined) return [];
  const { manager, path, usual, variable } = file;
  const passed = file.passed(text, (name) => textOf(site.disk, join(dirname(path), name)) ?? '');
  const asks = [...text.matchAll(/\$\{([A-Za-z_]\w*)[-?]?\}/g)].map(([, name = '']) => name);
  return [{ ...passed, manager, path, usual, ...(variable && { variable }), given: isGiven(site, path), asks }];
}

/** npm reads its variables in either case. */
function variableNamed(env: Environment, variable: string | undefined) {
  if (variable === undefined) return undefined;
  const name = [variable, variable.toUpperCase()].find((one) => env[one] !== undefined && isAbsolute(env[one]));
  return name === undefined ? undefined : { name, value: env[name] ?? '' };
}

function usualPlace(env: Environment, usual: string): string | undefined {
  const { HOME: home, XDG_CONFIG_HOME: config, CARGO_HOME: cargo } = env;
  if (usual.startsWith('.config/') && config !== undefined && isAbsolute(config)) return join(config, usual.slice(8));
  if (usual.startsWith('.cargo/') && cargo !== undefined && isAbsolute(cargo)) return join(cargo, usual.slice(7));
  return home === undefined || !isAbsolute(home) ? undefined : join(home, usual);
}

const LONGEST = 1_000_000;

function textOf(disk: Disk, path: string): string | undefined {
  try {
    const { size } = disk.statSync(path);
    return size > LONGEST ? undefined : disk.readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isGiven(site: RegistrySite, path: string): boolean {
  return site.open.some((place) => {
    if (whyForbidden(site, place, 'read') !== undefined) return false;
    const whole = expandHome(place, site.env).replace(/(?<=.)\/+$/, '');
    const real = realOf(site.disk, whole);
    return isBelow(path, whole) || (real !== undefined && isBelow(realOf(site.disk, path) ?? path, real));
  });
}

export interface BroughtRegistries {
  readonly read: readonly Shown[];
  /** Variables that change inside. */
  readonly env: Environment;
  /** Logins among the variables that a shown file asks for. */
  readonly asks: readonly string[];
}

export interface RegistryHome extends RegistrySite {
  /** The folder that is the sandbox's home. */
  readonly home: string;
  /** Nothing can be shown at another place than its own (macOS). */
  readonly inPlace: boolean;
}

/** Writes the copies, and says what else must be shown. */
export function bringRegistries(site: RegistryHome): BroughtRegistries {
  const { disk, env, home, inPlace, root } = site;
  const found = findRegistrySettings(site);
  const asks = found.filter(({ given }) => given).flatMap((one) => one.asks);
  const project = found.find(({ path }) => path === join(root, '.npmrc'));
  // Agents can commit what the project's file says: only the person's own settings show a file.
  const read: Shown[] = found.flatMap(({ path: file, certificates }) =>
    isBelow(realOf(disk, file) ?? file, realOf(disk, root) ?? root)
      ? []
      : certificates.filter((path) => isCertificate(site, path)).flatMap((path) => shownAt(disk, path)),
  );
  const places: Record<string, string> = {};
  for (const one of found) {
    if (one === project || one.given) continue;
    const user = env['HOME'] ?? '/';
    const inside = isBelow(one.path, user) ? relative(user, one.path) : one.usual;
    // Elsewhere than in the home: the variable, or the folder's, is led to the copy.
    if (one.variable !== undefined && (inPlace || !isBelow(one.path, user)))
      places[one.variable] = join(inPlace ? home : (realOf(disk, user) ?? user), inside);
    write(disk, home, inside, one.text);
  }
  const user = found.find((one) => one !== project && one.manager === 'npm' && one.usual === '.npmrc');
  // In a checkout the project's own file is missing where it is not in git: the nearest wins, so it comes last.
  const both = project === undefined ? '' : `${shownText(disk, user)}${shownText(disk, project)}`;
  const isGiven = project?.given === true || user?.given === true;
  // A file that is shown cannot be written upon: npm is led to one that has both.
  write(disk, home, BOTH, isGiven ? both : '');
  if (isGiven && both !== '')
    places[user?.variable ?? 'npm_config_userconfig'] = join(
      inPlace ? home : (realOf(disk, env['HOME'] ?? '/') ?? '/'),
      BOTH,
    );
  else if (project !== undefined) write(disk, home, placeOf(user, env), both);
  if (project?.given === false && project.login && !inPlace) {
    write(disk, home, MASKED, project.text);
    read.push({ at: project.path, from: join(home, MASKED) });
  }
  return { read, asks, env: { ...registryVariables(env, new Set(asks)), ...places, ...quietNpm(env) } };
}

/** What npm calls `cafile` or pip `cert` may also be a key. */
function isCertificate(site: RegistrySite, path: string): boolean {
  if (!isAbsolute(path) || whyForbidden(site, path, 'read') !== undefined) return false;
  const text = textOf(site.disk, path) ?? '';
  return /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text) && !text.includes('PRIVATE KEY');
}

/** Stands in for a file of the project that has a login in it. */
const MASKED = '.liza-elsewhere/project-npmrc';

/** The user's settings of npm with those of the project, where one of them is shown with its login. */
const BOTH = '.liza-elsewhere/npmrc';

const shownText = (disk: Disk, file: FoundSettings | undefined): string =>
  file === undefined ? '' : file.given ? `${textOf(disk, file.path) ?? ''}\n` : file.text;

function placeOf(user: FoundSettings | undefined, env: Environment): string {
  const home = env['HOME'] ?? '/';
  return user === undefined || !isBelow(user.path, home) ? '.npmrc' : relative(home, user.path);
}

/** A link or a folder that a session left in the way is removed first. */
function write(disk: Disk, home: string, name: string, text: string): void {
  const path = join(home, name);
  if (text === '' && disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  makeFolders(disk, home, dirname(path));
  disk.rmSync(path, { recursive: true, force: true });
  if (text !== '') disk.writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
}

export interface KnownRegistry extends Registry {
  /** `sandbox_read` shows the file that names it. */
  readonly given: boolean;
  /** The file; absent: a variable names it. */
  readonly from?: string;
}

/** Every registry that the user's settings or variables name, once. */
export function registriesOf(site: RegistrySite): readonly KnownRegistry[] {
  const files = findRegistrySettings(site).flatMap(({ registries, given, path }) =>
    registries.map((one) => ({ ...one, given, from: path })),
  );
  const all: readonly KnownRegistry[] = [
    ...registriesNamed(site.env).map((one) => ({ ...one, given: false })),
    ...files,
  ];
  const key = ({ manager, scope, url }: Registry): string => JSON.stringify([manager, scope, url]);
  return all.filter((one, at) => all.findIndex((other) => key(other) === key(one)) === at);
}
