// Who a process is, beyond its pid: the system gives a pid out again, so boot and start time belong to it.
// Linux reads /proc; macOS, which has none, asks ps and sysctl.

import type { Disk } from '../ports/disk.ts';
import { isLinux, type ProcessHost, ps, statOf } from './proc-files.ts';

export interface ProcessIdentity {
  readonly boot: string;
  readonly pid: number;
  readonly started: string;
}

export function identify(host: ProcessHost, pid: number): ProcessIdentity | undefined {
  const started = startTime(host, pid);
  return started === undefined ? undefined : { boot: bootId(host), pid, started };
}

export function isAlive(host: ProcessHost, identity: ProcessIdentity): boolean {
  return identity.boot === bootId(host) && startTime(host, identity.pid) === identity.started;
}

/** Somebody stopped it (Ctrl-Z, SIGSTOP), and it can go on; false where the system does not tell. */
export function isHalted(host: ProcessHost, identity: ProcessIdentity): boolean {
  if (!isLinux(host) || !isAlive(host, identity)) return false;
  try {
    const stat = host.disk.readFileSync(`/proc/${identity.pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T');
  } catch {
    return false;
  }
}

/** An identity as one text: `<boot>/<pid>/<started>`. */
export const formatProcess = ({ boot, pid, started }: ProcessIdentity): string => `${boot}/${pid}/${started}`;

/** For a field of the board. Where several hosts share it, the host is named too. */
export const boardProcess = ({ shared }: ProcessHost, identity: ProcessIdentity): string =>
  formatProcess(shared === undefined ? identity : { ...identity, boot: `${identity.boot}@${shared.host}` });

/** What a field of the board names, where this host may judge it: of another host's pids nothing is known here. */
export function judgedProcess({ shared }: ProcessHost, text: string): ProcessIdentity | undefined {
  const identity = parseProcess(text);
  if (identity === undefined || shared === undefined) return identity;
  const own = `@${shared.host}`;
  return identity.boot.endsWith(own) ? { ...identity, boot: identity.boot.slice(0, -own.length) } : undefined;
}

/** On macOS `started` has spaces; boot and pid never do. */
export function parseProcess(text: string): ProcessIdentity | undefined {
  const [, boot, pid, started] = /^([^/\s]+)\/([1-9]\d{0,9})\/(\S.*)$/.exec(text) ?? [];
  if (boot === undefined || pid === undefined || started === undefined) return undefined;
  return { boot, pid: Number(pid), started };
}

/** Read once for each machine. */
const boots = new WeakMap<Disk, string>();

export function bootId(host: ProcessHost): string {
  const known = boots.get(host.disk);
  if (known !== undefined) return known;
  const boot = isLinux(host) ? host.disk.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : askBoot(host);
  boots.set(host.disk, boot);
  return boot;
}

const askBoot = ({ processes }: ProcessHost): string =>
  processes.spawnSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).stdout?.trim() ?? '';

/** When this process itself began; a crew asks for each of its leases whether its holder is alive. */
const own = new WeakMap<ProcessHost['processes'], string>();

/** Undefined: it has ended, even if its parent does not know yet. */
function startTime(host: ProcessHost, pid: number): string | undefined {
  if (pid !== host.processes.pid) return lookUpStart(host, pid);
  const known = own.get(host.processes) ?? lookUpStart(host, pid);
  if (known !== undefined) own.set(host.processes, known);
  return known;
}

function lookUpStart(host: ProcessHost, pid: number): string | undefined {
  if (!isLinux(host)) return ps(host, '-o', 'lstart=', '-p', String(pid)).trim() || undefined;
  const stat = statOf(host, pid);
  return stat === undefined || stat.isOver ? undefined : stat.started;
}
