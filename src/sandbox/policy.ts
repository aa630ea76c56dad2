// What a confined program may see, write and reach, as plain data, and how it adds up: everything is read-only
// unless an entry says otherwise, and of all entries that cover a path the deepest one decides. Knows no tool.

import type { Environment } from '../ports/host.ts';

/** Paths are absolute and real: no link on the way. */
export interface Policy {
  readonly cwd: string;
  /** Nothing below is seen. */
  readonly hide: readonly string[];
  /** Seen but not written, though something above is hidden or writable. */
  readonly read: readonly Shown[];
  readonly write: readonly Shown[];
  /** Where the program believes its home to be, and the folder that really is there. */
  readonly home: { readonly at: string; readonly kept: string };
  /** The folder that is its /tmp. */
  readonly tmp: string;
  /** Off: nothing but a loopback of its own. */
  readonly network: boolean;
}

/** A path, or another file or folder that is shown there. */
export type Shown = string | { readonly at: string; readonly from: string };

export interface Entry {
  readonly kind: 'hide' | 'read' | 'write';
  readonly at: string;
  readonly from: string;
}

/** Hidden from agents and from programs of the project alike. */
export const ALWAYS_HIDDEN = [
  ...['/home', '/root', '/Users', '/media'],
  // Sockets, some of them as good as root: a read-only disk does not keep anyone from talking to them.
  ...['/run', '/var/snap/lxd', '/var/lib/lxd', '/var/lib/incus', '/mnt/wslg', '/mnt/wsl'],
] as const;
/** The system's places for temporary files: all lead to the program's own. */
export const TEMPORARY = ['/tmp', '/var/tmp'] as const;

const RANK = { hide: 0, read: 1, write: 2 } as const;

/** The entries from the root downwards; where two name one path, the more permissive. */
export function entriesOf({ hide, read, write, home, tmp }: Policy): readonly Entry[] {
  const all: readonly Entry[] = [
    ...hide.map((at): Entry => ({ kind: 'hide', at, from: at })),
    ...read.map((one) => shown('read', one)),
    ...TEMPORARY.map((at): Entry => ({ kind: 'write', at, from: tmp })),
    { kind: 'write', at: home.at, from: home.kept },
    ...write.map((one) => shown('write', one)),
  ];
  const byPath = new Map<string, Entry>();
  for (const one of all) {
    const other = byPath.get(one.at);
    if (other === undefined || RANK[one.kind] >= RANK[other.kind]) byPath.set(one.at, one);
  }
  const ordered = [...byPath.values()].sort((a, b) => depth(a.at) - depth(b.at) || (a.at < b.at ? -1 : 1));
  return ordered.filter((one) => !isSeenAnyway(one, ordered));
}

/** Everything is read-only from the start: every entry less is a faster start. */
function isSeenAnyway({ kind, at, from }: Entry, all: readonly Entry[]): boolean {
  if (kind !== 'read' || at !== from) return false;
  // These are made new for it: /dev/shm, where some keep temporary files, is empty then.
  if (isBelow(at, '/dev') || isBelow(at, '/proc')) return false;
  const around = all.findLast((other) => other.at !== at && isBelow(at, other.at));
  return around === undefined || (around.kind === 'read' && around.at === around.from);
}

const shown = (kind: Entry['kind'], one: Shown): Entry =>
  typeof one === 'string' ? { kind, at: one, from: one } : { kind, ...one };

const depth = (path: string): number => path.split('/').filter((part) => part !== '').length;

/** Whether `path` is `folder` or below it. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** Ways to programs of the user that no read-only disk closes: agents of keys, the desktop, the session's bus. */
const SOCKETS = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'GPG_AGENT_INFO',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'DOCKER_HOST',
  'WSL_INTEROP',
  'TMUX',
  'STY',
] as const;

/** Where programs keep their files, if not in the usual places of a home. */
const BELOW_HOME = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_BIN_HOME'];

/** Corrects variables that name places, and drops those that lead out of the sandbox. */
export function environmentIn(
  env: Environment,
  places: { readonly HOME: string } & Readonly<Record<string, string>>,
): Environment {
  const untrue = BELOW_HOME.filter((name) => !isBelow(env[name] ?? places.HOME, places.HOME));
  return { ...env, ...Object.fromEntries([...SOCKETS, ...untrue].map((name) => [name, undefined])), ...places };
}

/**
 * PATH without the folders that the program could fill itself: those of its home, its /tmp and its own folder, and those
 * that depend on where it is. Whoever wrote there would decide what `git` is. A link of the user's counts as its target.
 */
export function pathIn(path: string, policy: Policy, realOf: (folder: string) => string | undefined): string {
  const entries = entriesOf(policy);
  const places = new Set<string>([policy.home.at, policy.cwd, ...TEMPORARY]);
  const isOwn = (folder: string): boolean => {
    const around = entries.findLast(({ at }) => isBelow(folder, at));
    return around?.kind === 'write' && places.has(around.at);
  };
  const kept = path
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .flatMap((folder) => [folder, realOf(folder) ?? folder].filter((one) => !isOwn(one)).slice(0, 1));
  return [...new Set(kept)].join(':');
}
