// From who stays where to the policy: an agent in its folder, or a program of the project in its checkout. Both see
// the project read-only and neither the blackboard, other folders of work, nor the user's home.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { holeAt, inFull } from './forbidden-paths.ts';
import { ALWAYS_HIDDEN, isBelow, type Policy, type Shown, TEMPORARY } from './policy.ts';
import { realOf, toolFolders } from './toolchains.ts';

export interface Stay {
  readonly env: Environment;
  readonly cwd: string;
  /** The project. */
  readonly root: string;
  /** Its git directory. */
  readonly common: string;
  /** Its own folder below `.worktrees`, if it has one. */
  readonly folder?: { readonly path: string; readonly writable: boolean } | undefined;
  /** The folder that is its home, and the one that is its /tmp. */
  readonly home: string;
  readonly tmp: string;
  readonly network: boolean;
  /** Besides what everybody sees: Liza itself, a provider's files. */
  readonly show?: readonly Shown[];
  readonly write?: readonly Shown[];
  /** Of the configuration; `~` is the user's home. */
  readonly alsoRead?: readonly string[] | undefined;
  readonly alsoWrite?: readonly string[] | undefined;
  /** Nothing can be shown at another place than its own (macOS). */
  readonly inPlace: boolean;
}

export function policyOf(stay: Stay): Policy {
  const { env, root, common, folder, inPlace } = stay;
  const home = homeAt(env, root);
  const hidden = [...ALWAYS_HIDDEN, ...TEMPORARY, ...(home === undefined ? [] : [home])];
  const tools = toolFolders(env, hidden);
  const [alsoRead, alsoWrite] = namedIn(stay);
  return {
    cwd: stay.cwd,
    hide: [
      ...ALWAYS_HIDDEN,
      ...(home === undefined || !inPlace ? [] : [home]),
      join(root, '.liza'),
      join(root, '.worktrees'),
      // A copy of the board, and Liza's own way of calling git.
      join(common, 'liza'),
    ].filter((path) => existsSync(path)),
    read: [
      ...tools,
      root,
      common,
      ...borrowed(common),
      ...CERTIFICATES.flatMap((name) => certificates(env[name])),
      ...(folder === undefined || folder.writable ? [] : [folder.path]),
      ...(stay.show ?? []),
      ...alsoRead,
    ],
    write: [...(folder?.writable === true ? [folder.path] : []), ...(stay.write ?? []), ...alsoWrite],
    home: { at: inPlace || home === undefined ? stay.home : home, kept: stay.home },
    tmp: stay.tmp,
    network: stay.network,
  };
}

/** Of whoever looks into the network's traffic: without them nothing is reached. */
const CERTIFICATES = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
  ...['AWS_CA_BUNDLE', 'PIP_CERT', 'CARGO_HTTP_CAINFO'],
];

const certificates = (path: string | undefined): readonly Shown[] =>
  path !== undefined && isAbsolute(path) ? shownAt(path) : [];

/** The user's own, where the other one takes its place. Not when the project is the home or around it. */
function homeAt(env: Environment, root: string): string | undefined {
  const home = env['HOME'];
  const real = home === undefined || !isAbsolute(home) ? undefined : realOf(home);
  return real === undefined || real === '/' || isBelow(real, root) ? undefined : real;
}

type Named = Exclude<Shown, string>;

/** Of the configuration. In a folder that is open a link may be a session's own, and would show the next one anything. */
function namedIn(stay: Stay): readonly [readonly Named[], readonly Named[]] {
  const { alsoRead = [], alsoWrite = [] } = stay;
  const read = alsoRead.flatMap((path) => named(path, 'read', stay));
  const write = alsoWrite.flatMap((path) => named(path, 'write', stay));
  const isPlanted = ({ at, from }: Named): boolean =>
    at !== from && write.some((open) => open.at !== at && (isBelow(at, open.at) || isBelow(at, open.from)));
  return [read.filter((one) => !isPlanted(one)), write.filter((one) => !isPlanted(one))];
}

/** What the configuration names, if it is there; a link is shown as what it leads to, and may lead elsewhere by now. */
function named(path: string, kind: 'read' | 'write', stay: Stay): readonly Named[] {
  const whole = inFull(path, stay.env);
  if (!isAbsolute(whole) || holeAt(path, kind, stay) !== undefined) return [];
  return shownAt(whole);
}

/** A file or folder at its own place, were it a link. */
export function shownAt(path: string): readonly Named[] {
  const from = realOf(path);
  const parent = realOf(dirname(path));
  return from === undefined || parent === undefined ? [] : [{ at: join(parent, basename(path)), from }];
}

/** Objects that the project itself borrows from elsewhere. */
function borrowed(common: string): readonly string[] {
  try {
    const text = readFileSync(join(common, 'objects', 'info', 'alternates'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => realOf(resolve(common, 'objects', line)) ?? []);
  } catch {
    return [];
  }
}
