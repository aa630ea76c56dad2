// Whether this machine has a sandbox, and whether it really works here: it is started once for each machine, with all
// that a session is kept from, and must let the trial run and refuse what it has to refuse.

import { isAbsolute, join } from 'node:path';
import { isExecutableFile } from '../ports/disk.ts';
import type { Environment, Host } from '../ports/host.ts';
import { letRun, UNKNOWN } from '../process/first-inside.ts';
import { furtherDescriptors, giveDescriptor3 } from '../process/start.ts';
import { shortageIn } from '../text/shortage.ts';
import { bwrapArgv, type Facts } from './bwrap.ts';
import { leaseFilter } from './lease-filter.ts';
import { isBrokered } from './mailbox-commands.ts';
import type { Policy } from './policy.ts';
import { seatbeltArgv } from './seatbelt.ts';
import { PERLS, scopeTrial } from './socket-scope.ts';

export interface Tool {
  readonly kind: 'bubblewrap' | 'seatbelt';
  readonly program: string;
  /** Further arguments that it needs on this machine. */
  readonly extra: readonly string[];
  /** Of system calls; bubblewrap reads it from descriptor 3. */
  readonly filter?: Uint8Array | undefined;
  /** By which programs are kept from abstract sockets of others (socket-scope.ts). */
  readonly perl?: string | undefined;
}

/** `why` and `remedy` are for people. */
export type Detected =
  | Tool
  | {
      readonly why: string;
      readonly remedy: string;
      /** The machine has too little of something just now: nothing is known of the sandbox. */
      readonly short?: true;
    };

export const isTool = (found: Detected): found is Tool => 'kind' in found;

/** The program alone, without a trial: cheap enough for every command. */
export function findTool({ disk, env, processes: { platform } }: Host): Detected {
  const isProgram = (path: string): boolean => isExecutableFile(disk, path);
  if (platform === 'darwin') {
    const program = '/usr/bin/sandbox-exec';
    if (isProgram(program)) return { kind: 'seatbelt', program, extra: [] };
    return { why: 'sandbox-exec is missing', remedy: 'it is part of macOS: check that /usr/bin is complete' };
  }
  if (platform !== 'linux') return { why: 'Liza knows no sandbox for this system', remedy: 'use Linux or macOS' };
  // The system's own first: a program in a home folder may have been put there by an agent.
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(':').filter(isAbsolute)];
  const program = folders.map((folder) => join(folder, 'bwrap')).find(isProgram);
  return program === undefined
    ? { why: 'bubblewrap is not installed', remedy: INSTALL }
    : { kind: 'bubblewrap', program, extra: [] };
}

const INSTALL = 'install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap';

/** What the trial of a program found, for each machine. */
const known = new WeakMap<Host['processes'], Map<string, Promise<Detected>>>();

export function detect(host: Host): Promise<Detected> {
  const tool = findTool(host);
  if (!isTool(tool)) return Promise.resolve(tool);
  const tried = triedBySupervisor(host, tool);
  if (tried !== undefined) return Promise.resolve(tried);
  const trials = known.get(host.processes) ?? new Map<string, Promise<Detected>>();
  known.set(host.processes, trials);
  const key = `${tool.program} ${host.env[UNSCOPED] ?? ''}`;
  const found = trials.get(key) ?? tryTool(host, tool);
  trials.set(key, found);
  // Tried again by the next one that asks.
  return found.then((tried) => {
    if ('short' in tried) trials.delete(key);
    return tried;
  });
}

/**
 * The best first: no further user namespace inside. In one of its own a program may mount the hierarchy of cgroups, and
 * end or freeze all that runs in the same one as it, its supervisor included. An older bubblewrap (before 0.8) or one that
 * is setuid has no such option. Then: root needs no user namespace; a root without its rights, as in some containers, does.
 */
const WAYS = [['--unshare-user', '--disable-userns'], [], ['--unshare-user']] as const;

/** A kernel may know no filters: the other ways without one are better than none. */
function waysOf(tool: Tool, arch: string): readonly Tool[] {
  const filter = leaseFilter(arch);
  const filters = filter === undefined ? [undefined] : [filter, undefined];
  return filters.flatMap((one) => WAYS.map((extra) => ({ ...tool, extra, filter: one })));
}

/** For the commands that a supervisor runs for its agents: the trial that it made itself, by program and way. */
export const triedEnvironment = ({ kind, program, extra, filter, perl }: Tool): Environment =>
  kind === 'bubblewrap'
    ? { [TRIED]: [program, ...extra, ...(filter === undefined ? [] : ['--seccomp']), perl ?? ''].join(' ') }
    : {};

const TRIED = 'LIZA_SANDBOX_TRIED';

/** Only of the very program that is found here, and only a way that is known here. */
function triedBySupervisor({ env, processes }: Host, tool: Tool): Tool | undefined {
  if (!isBrokered(env) || tool.kind !== 'bubblewrap') return undefined;
  return waysOf(tool, processes.arch)
    .flatMap((way) => [undefined, ...PERLS].map((perl) => ({ ...way, perl })))
    .find((way) => env[TRIED] === triedEnvironment(way)[TRIED]);
}

/** Starts it for real, the best way first. */
export async function tryTool(host: Host, tool: Tool): Promise<Detected> {
  const ways = tool.kind === 'bubblewrap' ? waysOf(tool, host.processes.arch) : [tool];
  let said = '';
  for (const way of ways) {
    const answer = await failureOf(host, way, trialArgv(way));
    if (answer === undefined) return { ...way, perl: await scopingPerl(host, way) };
    said = answer;
    // It would hang the other ways, too, and the caller waits.
    if (answer === HANGS) break;
  }
  const shortage = shortageIn(said);
  return shortage === undefined
    ? { why: `${tool.kind} does not work here: ${said}`, remedy: remedyFor(said) }
    : { why: `${tool.kind} could not be tried: ${shortage[0]}`, remedy: shortage[1], short: true };
}

/** Undefined: the kernel is older than 6.12, or there is no perl. */
async function scopingPerl(host: Host, tool: Tool): Promise<string | undefined> {
  const perl = PERLS.find((path) => isExecutableFile(host.disk, path));
  if (tool.kind !== 'bubblewrap' || perl === undefined || host.env[UNSCOPED] === '1') return undefined;
  const argv = bwrapArgv(tool, TRIAL_POLICY, scopeTrial(perl), TRIAL_FACTS);
  return (await failureOf(host, tool, argv)) === undefined ? perl : undefined;
}

/** For tests: as on a kernel without scopes. */
const UNSCOPED = 'LIZA_SANDBOX_UNSCOPED';

const TRIAL_POLICY: Policy = {
  cwd: '/',
  hide: ['/var'],
  read: [],
  write: [],
  home: { at: '/tmp', kept: '/tmp' },
  tmp: '/tmp',
  network: false,
};

const TRIAL_FACTS: Facts = { kindOf: () => 'folder', env: {}, held: true };

function trialArgv(tool: Tool): readonly [string, ...string[]] {
  // A hidden folder must be empty but for what is shown there: otherwise a tool that only runs what it is given would
  // pass for a user who cannot write there anyway. Only the shell itself is used: not every system has more at known
  // places.
  const hides = 'for one in /var/*; do [ "$one" = /var/tmp ] || { echo it hides nothing >&2; exit 1; }; done; ';
  const script = `${tool.kind === 'bubblewrap' ? hides : ''}! (: > "$0") 2>/dev/null`;
  const shell: readonly [string, ...string[]] = ['/bin/sh', '-c', script, '/.liza-sandbox-trial'];
  return tool.kind === 'bubblewrap'
    ? bwrapArgv(tool, TRIAL_POLICY, shell, TRIAL_FACTS)
    : seatbeltArgv(tool.program, TRIAL_POLICY, shell);
}

/** Why the tool does not work; undefined: it works. */
function failureOf(
  { clock, processes }: Host,
  tool: Tool,
  [program, ...args]: readonly [string, ...string[]],
): Promise<string | undefined> {
  const isHeld = tool.kind === 'bubblewrap';
  return new Promise((done) => {
    const child = processes.spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', ...furtherDescriptors({ descriptor3: tool.filter, held: isHeld })],
      env: { PATH: '/usr/bin:/bin' },
    });
    giveDescriptor3(child, tool.filter);
    const isTold = isHeld ? letRun(child) : () => true;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 2000);
    });
    const cancel = clock.after(TRIAL_MS, () => child.kill('SIGKILL'));
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) => {
      cancel();
      const why = said.trim().split('\n').at(-1) || (signal === 'SIGKILL' ? HANGS : (signal ?? `exit ${code}`));
      if (code === 0) done(isTold() ? undefined : UNKNOWN);
      else done(why.replace(/^bwrap: /, ''));
    });
  });
}

const TRIAL_MS = 5000;
const HANGS = `it did not answer within ${TRIAL_MS / 1000} s`;

const remedyFor = (said: string): string =>
  /uid map|user namespace|NEWUSER|Operation not permitted|Permission denied/i.test(said)
    ? 'user namespaces are not allowed here: allow them for bwrap (Ubuntu: an AppArmor profile with `userns,`; a container: --privileged or another seccomp profile)'
    : 'try it by hand: bwrap --ro-bind / / --unshare-pid --proc /proc true';
