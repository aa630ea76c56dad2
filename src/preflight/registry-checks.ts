// Whether the registries of the project's package managers can be reached from the sandbox, and whether one needs a login
// that the sandbox does not get. Only a connection is opened: no name of a package and no login goes anywhere.

import { join } from 'node:path';
import type { Environment, Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';
import { isRefusal } from '../protocol/decision.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { registrySite, runConfined, sandboxMode, withSetupRead } from '../sandbox/mode.ts';
import { type KnownRegistry, type RegistrySite, registriesOf } from '../sandbox/registries.ts';
import type { Manager } from '../sandbox/rules/registry-settings.ts';
import { hostOf } from '../sandbox/rules/registry-url.ts';
import type { TaskContext } from '../tasks/context.ts';
import { shellWord } from '../text/format.ts';
import { defaultInSandbox, npmDefault } from './default-registry.ts';
import type { NamedRegistry } from './rules/locked-registry.ts';
import { fine, type PreflightCheck, warn } from './rules/result.ts';

/** Managers that share npm's registry. */
const NPM_KIN: readonly [Manager, ...Manager[]] = ['npm', 'pnpm', 'yarn'];

/** Files that tell which package managers a project uses. */
const PROJECTS: readonly { readonly files: readonly string[]; readonly managers: readonly [Manager, ...Manager[]] }[] =
  [
    { files: ['package.json'], managers: NPM_KIN },
    { files: ['pyproject.toml', 'requirements.txt', 'setup.py'], managers: ['pip', 'uv'] },
    { files: ['Cargo.toml'], managers: ['cargo'] },
    { files: ['go.mod'], managers: ['go'] },
    { files: ['Gemfile'], managers: ['bundler'] },
  ];

interface InUse {
  /** Registries that the user's settings name, of the managers that the project uses. */
  readonly named: readonly KnownRegistry[];
  /** Managers for which nobody names the registry of all packages: they go to their own. */
  readonly unnamed: readonly Manager[];
}

function registriesInUse(site: RegistrySite): InUse {
  const known = registriesOf(site);
  const used = PROJECTS.filter(({ files }) => files.some((name) => site.disk.existsSync(join(site.root, name)))).map(
    ({ managers }) => ({ managers, own: known.filter(({ manager }) => managers.includes(manager)) }),
  );
  return {
    named: used.flatMap(({ own }) => own),
    unnamed: used.filter(({ own }) => !own.some(isOfAll)).map(({ managers }) => managers[0]),
  };
}

const isOfAll = ({ scope }: KnownRegistry): boolean => scope === undefined;

/** Empty where nothing is confined: then package managers have the whole of the user's home. */
export async function checkRegistries(
  context: TaskContext,
  { setupWorks }: { readonly setupWorks: boolean },
): Promise<readonly PreflightCheck[]> {
  const { board } = await context.store.read();
  const config = settings(board.state);
  const mode = await sandboxMode(context.sandboxSupport, config);
  const site = registrySite(context, withSetupRead(config));
  if (isRefusal(mode) || !('tool' in mode) || site === undefined) return [];
  const inUse = registriesInUse(site);
  if (inUse.named.length + inUse.unnamed.length === 0) return [];
  if (!config.post_worktree_cmd?.trim() && installsNothing(site)) return [];
  // A set-up that is green shows that nobody needs the login.
  const wanting = setupWorks ? [] : await withoutLogin(context, site, config);
  if (config.sandbox_network?.setup === 'off')
    return wanting.length > 0 ? wanting : [fine('registry', 'not tried: sandbox_network gives set-up no network')];
  const reached = await inProbeFolder(context, (folder) => tryToReach(context, config, { inUse, folder }));
  return wanting.length === 0 ? reached : [...wanting, ...reached.filter(({ level }) => level !== 'ok')];
}

/** A package.json alone, and it names no package: nobody goes to a registry for it. */
function installsNothing({ disk, root }: RegistrySite): boolean {
  const others = PROJECTS.flatMap(({ files }) => files).filter((name) => name !== 'package.json');
  if (others.some((name) => disk.existsSync(join(root, name)))) return false;
  return !/"\w*[dD]ependencies"\s*:\s*[{[]\s*"/.test(plainText(disk, join(root, 'package.json'), LARGEST) ?? '');
}
const LARGEST = 1_000_000;

type Lists = Partial<Pick<Settings, 'setup_read' | 'worktree_files'>>;

/** Private registries whose login stays outside: what needs it fails, so a person is told how to give it. */
async function withoutLogin(host: Host, site: RegistrySite, lists: Lists): Promise<readonly PreflightCheck[]> {
  return (await loginsKept(host, site, lists)).map(({ name, give }) =>
    warn(
      'registry',
      `${name} needs a login that the sandbox does not get: installing from it fails there`,
      give,
      `${name} needs a login`,
    ),
  );
}

interface KeptLogin {
  /** `npm @acme: npm.acme.example`. */
  readonly name: string;
  /** The user's file with the login, as `setup_read` names it. */
  readonly file?: string;
  /** What the person types to give it. */
  readonly give: string;
  readonly registry: NamedRegistry;
}

export async function loginsKept(host: Host, site: RegistrySite, lists: Lists): Promise<readonly KeptLogin[]> {
  const { root, env } = site;
  const { setup_read = [], worktree_files = [] } = lists;
  const own = join(root, '.npmrc');
  const home = env['HOME'] ?? '';
  const kept = registriesInUse(site).named.filter(
    ({ login, given, from }) => login && !given && (from !== own || !worktree_files.includes('.npmrc')),
  );
  // A login at the manager's own registry is for publishing: everybody installs from there without one.
  const mayBeUsual = (one: KnownRegistry): boolean => isOfAll(one) && NPM_KIN.includes(one.manager);
  const usual = kept.some(mayBeUsual) ? hostOf((await npmDefault(host)) ?? '')?.host : undefined;
  return kept
    .filter((one) => !mayBeUsual(one) || usual === undefined || hostOf(one.url)?.host !== usual)
    .map(({ manager, scope, url, from }) => {
      const registry = { scope, host: hostOf(url)?.host ?? url };
      const name = `${manager}${scope === undefined ? '' : ` ${scope}`}: ${registry.host}`;
      if (from === undefined) return { name, registry, give: IN_VARIABLE };
      const file = home !== '' && from.startsWith(`${home}/`) ? `~${from.slice(home.length)}` : from;
      const give = `to give it to set-up alone: ${setting('setup_read', [...setup_read, file])}`;
      return { name, file, registry, give };
    });
}

const IN_VARIABLE = 'write address and login into a settings file, and show that by setup_read (docs/security.md)';
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

async function inProbeFolder<T>({ disk, paths }: TaskContext, probe: (folder: string) => Promise<T>): Promise<T> {
  const cache = join(paths.liza, 'cache');
  disk.mkdirSync(cache, { recursive: true });
  const folder = disk.mkdtempSync(join(cache, 'probe-'));
  try {
    return await probe(folder);
  } finally {
    disk.rmSync(folder, { recursive: true, force: true });
  }
}

async function tryToReach(
  context: TaskContext,
  config: Settings,
  { inUse, folder }: { readonly inUse: InUse; readonly folder: string },
): Promise<readonly PreflightCheck[]> {
  const { env, sandboxSupport } = context;
  const own = await Promise.all(
    inUse.unnamed.map(async (manager) => ({
      manager,
      url: await defaultInSandbox(context, config, { manager, folder }),
    })),
  );
  const wanted = [...inUse.named, ...own].flatMap(({ url }) => {
    const at = hostOf(url ?? '');
    return at === undefined ? [] : [{ name: at.host, via: proxyFor(env, at.host) ?? at }];
  });
  const silent = own.filter(({ url }) => url === undefined).map(({ manager }) => manager);
  const untold = silent.length === 0 ? '' : `${silent.join(', ')}: does not tell its own registry, not tried`;
  const targets = [...new Set(wanted.map(({ via }) => JSON.stringify([via.host, via.port])))];
  if (targets.length === 0) return untold === '' ? [] : [fine('registry', untold)];
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
  const names = [...new Set(wanted.map(({ name }) => name))].join(', ');
  if (failed.length === 0)
    return [
      fine('registry', [`${names} can be reached from the sandbox`, untold].filter((part) => part !== '').join('; ')),
    ];
  return failed.map(([host, port, why]) => {
    const names = [
      ...new Set(wanted.filter(({ via }) => via.host === host && via.port === port).map(({ name }) => name)),
    ];
    const through = names.includes(host) ? '' : ` (through the proxy ${host})`;
    const message = `${names.join(', ')} cannot be reached from the sandbox${through}: ${why}`;
    return warn(
      'registry',
      message,
      'check the network and the address in your settings; packages that are already installed still work',
    );
  });
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
