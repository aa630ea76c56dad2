// Builds the policy of an agent in its folder, or of a program of the project in its checkout. Both see the project
// read-only and neither the blackboard, other task folders, nor the user's home.

import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { expandHome, whyForbidden } from './forbidden-paths.ts';
import { visibleSockets } from './listening-sockets.ts';
import { otherPlaces } from './other-mounts.ts';
import { ALWAYS_HIDDEN, isBelow, type Policy, type Shown, TEMPORARY } from './policy.ts';
import { realOf, toolFolders } from './toolchains.ts';

export interface PolicyRequest {
  readonly env: Environment;
  readonly cwd: string;
  /** The project. */
  readonly root: string;
  /** The project's git directory. */
  readonly common: string;
  /** Its own folder below `.worktrees`, if it has one. */
  readonly folder?: { readonly path: string; readonly writable: boolean } | undefined;
  /** The folder that is its home, and the one that is its /tmp. */
  readonly home: string;
  readonly tmp: string;
  readonly network: boolean;
  /** Besides what every sandbox shows: Liza itself, a provider's files. */
  readonly show?: readonly Shown[];
  readonly write?: readonly Shown[];
  /** Paths of the configuration; `~` is the user's home. */
  readonly alsoRead?: readonly string[] | undefined;
  readonly alsoWrite?: readonly string[] | undefined;
  /** Nothing can be shown at another place than its own (macOS). */
  readonly inPlace: boolean;
  /** The person's installed packages beside and above the checkout are not seen: what a program finds, set-up made. */
  readonly hideModules?: boolean;
}

export function buildPolicy(disk: Disk, request: PolicyRequest): Policy {
  const { env, root, common, folder, inPlace } = request;
  const home = userHome(disk, env, root);
  const hidden = [...ALWAYS_HIDDEN, ...TEMPORARY, ...(home === undefined ? [] : [home])];
  const modules = request.hideModules === true ? modulesAround(disk, root, hidden) : [];
  const [alsoRead, alsoWrite] = configuredPaths(disk, request);
  const agents = [realOf(disk, root) ?? root, ...alsoWrite.map(({ from }) => from)];
  const tools = toolFolders(disk, env, hidden, agents).filter((path) => !modules.some((place) => isBelow(path, place)));
  // A copy of the board and Liza's own way of calling git are in the git directory.
  const board = [join(root, '.liza'), join(root, '.worktrees'), join(common, 'liza')];
  // What is made while the session lives would be seen: only what is there can be hidden.
  for (const path of board) disk.mkdirSync(path, { recursive: true });
  const policy: Policy = {
    cwd: request.cwd,
    hide: [
      ...ALWAYS_HIDDEN,
      ...(home === undefined || !inPlace ? [] : [home]),
      ...board,
      ...otherPlaces(disk, [...board, ...(home === undefined ? [] : [home])]),
      ...modules,
    ].filter((path) => disk.existsSync(path)),
    read: [
      ...tools,
      root,
      common,
      ...alternateObjects(disk, common),
      ...CERTIFICATES.flatMap((name) => certificates(disk, env[name])),
      ...(folder === undefined || folder.writable ? [] : [folder.path]),
      ...(request.show ?? []),
      ...alsoRead,
    ],
    write: [...(folder?.writable === true ? [folder.path] : []), ...(request.write ?? []), ...alsoWrite],
    home: { at: inPlace || home === undefined ? request.home : home, kept: request.home },
    tmp: request.tmp,
    network: request.network,
  };
  if (inPlace) return policy;
  const own = [
    request.home,
    request.tmp,
    ...(folder?.writable === true ? [folder.path] : []),
    ...(request.write ?? []).map(placeOf),
  ];
  return { ...policy, hide: [...policy.hide, ...visibleSockets(disk, policy, root, own)] };
}

const placeOf = (shown: Shown): string => (typeof shown === 'string' ? shown : shown.at);

/**
 * Node looks for a package in the `node_modules` of every folder up to the root. A checkout is below the project, so it
 * would find what the person installed there. The system's own folders stay, wherever a link leads.
 */
export function modulesAround(disk: Disk, root: string, hidden: readonly string[] = []): readonly string[] {
  const parents = root.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
  return parents.flatMap((parent) => {
    const real = realOf(disk, join(parent || '/', 'node_modules'));
    const isGone = parent !== root && hidden.some((place) => isBelow(parent, place));
    return real === undefined || isGone || isBelow(real, '/usr') ? [] : [real];
  });
}

/** A proxy that reads the traffic signs with its own certificate: without that file nothing is reached. */
const CERTIFICATES = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['AWS_CA_BUNDLE', 'PIP_CERT', 'CARGO_HTTP_CAINFO'],
];

const certificates = (disk: Disk, path: string | undefined): readonly Shown[] =>
  path !== undefined && isAbsolute(path) ? shownAt(disk, path) : [];

/** The user's home, which the sandbox's own replaces. Undefined when the project is the home or around it. */
function userHome(disk: Disk, env: Environment, root: string): string | undefined {
  const home = env['HOME'];
  const real = home === undefined || !isAbsolute(home) ? undefined : realOf(disk, home);
  return real === undefined || real === '/' || isBelow(real, root) ? undefined : real;
}

type Named = Exclude<Shown, string>;

/**
 * The paths of the configuration that are there, to read and to write. A link in a folder that sessions write may be a
 * session's own, and would show the next one anything: those are left out.
 */
function configuredPaths(disk: Disk, request: PolicyRequest): readonly [readonly Named[], readonly Named[]] {
  const { alsoRead = [], alsoWrite = [] } = request;
  const read = alsoRead.flatMap((path) => configured(disk, request, path, 'read'));
  const write = alsoWrite.flatMap((path) => configured(disk, request, path, 'write'));
  const isPlanted = ({ at, from }: Named): boolean =>
    at !== from && write.some((open) => open.at !== at && (isBelow(at, open.at) || isBelow(at, open.from)));
  return [read.filter((one) => !isPlanted(one)), write.filter((one) => !isPlanted(one))];
}

/** A link is shown as what it leads to, and may lead elsewhere than when it was configured: so it is checked here. */
function configured(disk: Disk, request: PolicyRequest, path: string, kind: 'read' | 'write'): readonly Named[] {
  const whole = expandHome(path, request.env);
  if (!isAbsolute(whole) || whyForbidden({ ...request, disk }, path, kind) !== undefined) return [];
  return shownAt(disk, whole);
}

/** A file or folder at its own place, even if that is a link. Empty: there is none. */
export function shownAt(disk: Disk, path: string): readonly Named[] {
  const from = realOf(disk, path);
  const parent = realOf(disk, dirname(path));
  return from === undefined || parent === undefined ? [] : [{ at: join(parent, basename(path)), from }];
}

/** Folders of objects that the project's repository borrows from others. */
function alternateObjects(disk: Disk, common: string): readonly string[] {
  try {
    const text = disk.readFileSync(join(common, 'objects', 'info', 'alternates'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => realOf(disk, resolve(common, 'objects', line)) ?? []);
  } catch {
    return [];
  }
}
