// Who a process is, beyond its pid: a pid alone lies, because it is given out again.
// Linux reads /proc; macOS, which has none, asks ps and sysctl.

import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly boot: string;
  readonly pid: number;
  readonly started: string;
}

export function identify(pid: number): ProcessIdentity | undefined {
  const started = startTime(pid);
  return started === undefined ? undefined : { boot: bootId(), pid, started };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === bootId() && startTime(identity.pid) === identity.started;
}

/** An identity as one text, for a field of the board: `<boot>/<pid>/<started>`. */
export const formatProcess = ({ boot, pid, started }: ProcessIdentity): string => `${boot}/${pid}/${started}`;

/** On macOS `started` has spaces; boot and pid never do. */
export function parseProcess(text: string): ProcessIdentity | undefined {
  const [, boot, pid, started] = /^([^/\s]+)\/([1-9]\d{0,9})\/(\S.*)$/.exec(text) ?? [];
  if (boot === undefined || pid === undefined || started === undefined) return undefined;
  return { boot, pid: Number(pid), started };
}

/** Milliseconds since boot; comparable between processes of one boot, deaf to the wall clock. */
export const monotonic = (): number => Number(process.hrtime.bigint() / 1_000_000n);

let boot: string | undefined;

export function bootId(): string {
  boot ??=
    process.platform === 'linux'
      ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
      : output('sysctl', ['-n', 'kern.bootsessionuuid']);
  return boot;
}

function startTime(pid: number): string | undefined {
  if (process.platform !== 'linux') return output('ps', ['-o', 'lstart=', '-p', String(pid)]) || undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold spaces and brackets; fields are counted after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent does not know yet.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Loaded only where it is needed: node:child_process costs 3 ms. */
const output = (program: string, args: readonly string[]): string =>
  process.getBuiltinModule('node:child_process').spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() ?? '';
