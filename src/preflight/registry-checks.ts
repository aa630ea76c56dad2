// Whether the registries of the project's package managers can be reached from the sandbox, and whether one needs a login
// that the sandbox does not get. Only a connection is opened: no name of a package and no login goes anywhere.

import { join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { isRefusal } from '../protocol/decision.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { registrySite, runConfined, sandboxMode } from '../sandbox/mode.ts';
import { type KnownRegistry, type RegistrySite, registriesOf } from '../sandbox/registries.ts';
import type { Manager } from '../sandbox/rules/registry-settings.ts';
import { hostOf, isPublic } from '../sandbox/rules/registry-url.ts';
import type { TaskContext } from '../tasks/context.ts';
import { shellWord } from '../text/format.ts';
import { fine, type PreflightCheck, warn } from './rules/result.ts';

/** Files that tell which package managers a project uses, and where each goes if nobody says otherwise. */
const PROJECTS: readonly {
  readonly files: readonly string[];
  readonly managers: readonly Manager[];
  readonly usual: string;
}[] = [
  { files: ['package.json'], managers: ['npm', 'pnpm', 'yarn'], usual: 'https://registry.npmjs.org/' },
  {
    files: ['pyproject.toml', 'requirements.txt', 'setup.py'],
    managers: ['pip', 'uv'],
    usual: 'https://pypi.org/simple',
  },
  { files: ['Cargo.toml'], managers: ['cargo'], usual: 'https://index.crates.io/' },
  { files: ['go.mod'], managers: ['go'], usual: 'https://proxy.golang.org/' },
  { files: ['Gemfile'], managers: ['bundler'], usual: 'https://rubygems.org/' },
];

/** The user's registries of the managers that the project uses; `usual`: where those go that nobody configured. */
function registriesInUse(site: RegistrySite): readonly KnownRegistry[] {
  const known = registriesOf(site);
  return PROJECTS.filter(({ files }) => files.some((name) => site.disk.existsSync(join(site.root, name)))).flatMap(
    ({ managers, usual }) => {
      const own = known.filter(({ manager }) => managers.includes(manager));
      const all = own.some(({ scope }) => scope === undefined);
      const manager = managers[0] as Manager;
      return all ? own : [...own, { manager, url: usual, login: false, given: false }];
    },
  );
}

/** Those of them that are nobody's public ones. */
export const privateRegistries = (site: RegistrySite): readonly KnownRegistry[] =>
  registriesInUse(site).filter(({ url }) => !isPublic(url));

/** Empty where nothing is confined: then package managers have the whole of the user's home. */
export async function checkRegistries(
  context: TaskContext,
  { setupWorks }: { readonly setupWorks: boolean },
): Promise<readonly PreflightCheck[]> {
  const { board } = await context.store.read();
  const config = settings(board.state);
  const mode = await sandboxMode(context.sandboxSupport, config);
  const site = registrySite(context, config);
  if (isRefusal(mode) || !('tool' in mode) || site === undefined) return [];
  const inUse = registriesInUse(site);
  if (inUse.length === 0) return [];
  // A set-up that is green shows that nobody needs the login.
  const wanting = setupWorks ? [] : withoutLogin(site, config);
  const unreached = config.sandbox_network?.setup === 'off' ? [] : await unreachable(context, config, inUse);
  if (wanting.length + unreached.length > 0) return [...wanting, ...unreached];
  const hosts = [...new Set(inUse.flatMap(({ url }) => hostOf(url)?.host ?? []))];
  if (config.sandbox_network?.setup === 'off')
    return [fine('registry', 'not tried: sandbox_network keeps set-up off the network')];
  return [fine('registry', `${hosts.join(', ')} can be reached from the sandbox`)];
}

type Lists = Partial<Pick<Settings, 'sandbox_read' | 'worktree_files'>>;

/** Private registries whose login stays outside: what needs it fails, so a person is told how to give it. */
const withoutLogin = (site: RegistrySite, lists: Lists): readonly PreflightCheck[] =>
  loginsKept(site, lists).map(({ name, give }) =>
    warn('registry', `${name} has a login that the sandbox does not get: installing from it fails there`, give),
  );

interface KeptLogin {
  /** `npm @acme: npm.acme.example`. */
  readonly name: string;
  /** The user's file with the login, as `sandbox_read` names it. */
  readonly file?: string;
  /** What the person types to give it. */
  readonly give: string;
}

export function loginsKept(site: RegistrySite, lists: Lists): readonly KeptLogin[] {
  const { root, env } = site;
  const { sandbox_read = [], worktree_files = [] } = lists;
  const own = join(root, '.npmrc');
  const home = env['HOME'] ?? '';
  return privateRegistries(site)
    .filter(({ login, given, from }) => login && !given && (from !== own || !worktree_files.includes('.npmrc')))
    .map(({ manager, scope, url, from }) => {
      const name = `${manager}${scope === undefined ? '' : ` ${scope}`}: ${hostOf(url)?.host ?? url}`;
      if (from === undefined) return { name, give: IN_VARIABLE };
      if (from === own)
        return { name, give: `to give it: ${setting('worktree_files', [...worktree_files, '.npmrc'])}` };
      const file = home !== '' && from.startsWith(`${home}/`) ? `~${from.slice(home.length)}` : from;
      return { name, file, give: `to give it: ${setting('sandbox_read', [...sandbox_read, file])}` };
    });
}

const IN_VARIABLE = 'write address and login into a settings file, and show that by sandbox_read (docs/security.md)';
const setting = (key: string, list: readonly string[]): string =>
  `liza config set ${key} ${shellWord(JSON.stringify(list))}`;

const PROBE_MS = 4000;
/** Opens connections and prints which of them failed, and why. */
const PROBE = `const net = require('node:net');
for (const one of process.argv.slice(1)) {
  const [host, port] = JSON.parse(one);
  const socket = net.connect({ host, port, timeout: ${PROBE_MS} });
  const failed = (why) => { console.log('failed ' + JSON.stringify([host, port, why])); socket.destroy(); };
  socket.on('connect', () => socket.destroy());
  socket.on('timeout', () => failed('no answer within ${PROBE_MS / 1000} s'));
  socket.on('error', (error) => failed(error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN' ? 'the name is not known' : error.code || error.message));
}`;

async function unreachable(
  context: TaskContext,
  config: Settings,
  registries: readonly KnownRegistry[],
): Promise<readonly PreflightCheck[]> {
  const { disk, env, paths, sandboxSupport } = context;
  const wanted = registries.flatMap(({ url }) => {
    const at = hostOf(url);
    return at === undefined ? [] : [{ name: at.host, via: proxyFor(env, at.host) ?? at }];
  });
  const targets = [...new Set(wanted.map(({ via }) => JSON.stringify([via.host, via.port])))];
  if (targets.length === 0) return [];
  const cache = join(paths.liza, 'cache');
  disk.mkdirSync(cache, { recursive: true });
  const folder = disk.mkdtempSync(join(cache, 'probe-'));
  try {
    const node = sandboxSupport?.program[0] ?? 'node';
    const ended = await runConfined(
      context,
      config,
      { folder, part: 'setup' },
      {
        argv: [node, '-e', PROBE, ...targets],
        cwd: folder,
        env: { ...env, NODE_OPTIONS: undefined },
        timeoutMs: PROBE_MS + 10_000,
        signal: context.stop?.(),
      },
    );
    const failed = [...ended.tail.matchAll(/^failed (\[.*\])$/gm)].map(
      ([, json = '[]']) => JSON.parse(json) as [string, number, string],
    );
    return failed.map(([host, port, why]) => {
      const names = [
        ...new Set(wanted.filter(({ via }) => via.host === host && via.port === port).map(({ name }) => name)),
      ];
      const through = names.includes(host) ? '' : ` (by the proxy ${host})`;
      const message = `${names.join(', ')} cannot be reached from the sandbox${through}: ${why}`;
      return warn(
        'registry',
        message,
        'look at the network and at the address in your settings; what is installed already still works',
      );
    });
  } finally {
    disk.rmSync(folder, { recursive: true, force: true });
  }
}

function proxyFor(env: Environment, host: string): { readonly host: string; readonly port: number } | undefined {
  const named = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'].map(
    (name) => env[name],
  );
  const proxy = named.find((value) => value !== undefined && value !== '');
  const direct = (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(',').map((one) => one.trim().replace(/^\*?\./, ''));
  if (
    proxy === undefined ||
    direct.some((one) => one === '*' || (one !== '' && (host === one || host.endsWith(`.${one}`))))
  )
    return undefined;
  return hostOf(proxy.includes('://') ? proxy : `http://${proxy}`);
}
