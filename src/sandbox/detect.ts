// Whether this machine has a sandbox, and whether it really works here: it is started once, with all that a
// session is kept from, and must let the trial run and refuse what it shall refuse. Asked once a process.

import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { bwrapArgv } from './bwrap.ts';
import type { Policy } from './policy.ts';
import { seatbeltArgv } from './seatbelt.ts';

export interface Tool {
  readonly kind: 'bubblewrap' | 'seatbelt';
  readonly program: string;
  /** What it needs besides, on this machine. */
  readonly extra: readonly string[];
}

/** `why` and `remedy` are for people. */
export type Detected = Tool | { readonly why: string; readonly remedy: string };

export const isTool = (found: Detected): found is Tool => 'kind' in found;

/** The program alone, without a trial: cheap enough for every command. */
export function toolOf(env: Environment): Detected {
  if (process.platform === 'darwin') {
    const program = '/usr/bin/sandbox-exec';
    if (isProgram(program)) return { kind: 'seatbelt', program, extra: [] };
    return { why: 'sandbox-exec is not there', remedy: 'it is part of macOS: see that /usr/bin is whole' };
  }
  if (process.platform !== 'linux')
    return { why: 'this system has none that Liza knows', remedy: 'use Linux or macOS' };
  // The system's own first: what lies in a home folder may have been put there by an agent.
  const folders = ['/usr/bin', '/bin', '/usr/local/bin', ...(env['PATH'] ?? '').split(':').filter(isAbsolute)];
  const program = folders.map((folder) => join(folder, 'bwrap')).find(isProgram);
  return program === undefined
    ? { why: 'bubblewrap is not installed', remedy: INSTALL }
    : { kind: 'bubblewrap', program, extra: [] };
}

const INSTALL = 'install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap';

const known = new Map<string, Promise<Detected>>();

export function detect(env: Environment): Promise<Detected> {
  const tool = toolOf(env);
  if (!isTool(tool)) return Promise.resolve(tool);
  const before = known.get(tool.program) ?? tried(tool);
  known.set(tool.program, before);
  return before;
}

/**
 * The best first: no further user namespace inside. In one of its own a program may mount the hierarchy of cgroups, and
 * end or freeze all that runs in the same one as it, its supervisor included. An older bubblewrap (before 0.8) or one that
 * is setuid has no such option. Then: root needs no user namespace; a root without its rights, as in some containers, does.
 */
const WAYS = [['--unshare-user', '--disable-userns'], [], ['--unshare-user']] as const;

/** Started for real, the best way first. */
export async function tried(tool: Tool): Promise<Detected> {
  const ways = tool.kind === 'bubblewrap' ? WAYS.map((extra) => ({ ...tool, extra })) : [tool];
  let said = '';
  for (const way of ways) {
    const answer = await trial(way);
    if (answer === undefined) return way;
    said = answer;
    // It would hang the other ways, too, and somebody waits.
    if (answer === HANGS) break;
  }
  return { why: `${tool.kind} does not work here: ${said}`, remedy: remedyFor(said) };
}

/** Undefined: it works. */
function trial(tool: Tool): Promise<string | undefined> {
  const policy: Policy = {
    cwd: '/',
    hide: ['/var'],
    read: [],
    write: [],
    home: { at: '/tmp', kept: '/tmp' },
    tmp: '/tmp',
    network: false,
  };
  // What is hidden is empty but for what is shown there: a tool that only runs what it is given would be believed by
  // whoever cannot write there anyway. Nothing but the shell itself is used: not every system has more at known places.
  const hides = 'for one in /var/*; do [ "$one" = /var/tmp ] || { echo it hides nothing >&2; exit 1; }; done; ';
  const script = `${tool.kind === 'bubblewrap' ? hides : ''}! (: > "$0") 2>/dev/null`;
  const shell = ['/bin/sh', '-c', script, '/.liza-sandbox-trial'] as const;
  const [program, ...args] =
    tool.kind === 'bubblewrap'
      ? bwrapArgv(tool, policy, shell as unknown as [string, ...string[]], { kindOf: () => 'folder' })
      : seatbeltArgv(tool.program, policy, shell as unknown as [string, ...string[]]);
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { PATH: '/usr/bin:/bin' } });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(0, 2000);
    });
    const late = setTimeout(() => child.kill('SIGKILL'), TRIAL_MS);
    child.once('error', (error) => done(error.message));
    child.once('close', (code, signal) => {
      clearTimeout(late);
      const why = said.trim().split('\n').at(-1) || (signal === 'SIGKILL' ? HANGS : (signal ?? `exit ${code}`));
      done(code === 0 ? undefined : why.replace(/^bwrap: /, ''));
    });
  });
}

const TRIAL_MS = 5000;
const HANGS = `it did not answer within ${TRIAL_MS / 1000} s`;

const remedyFor = (said: string): string =>
  /uid map|user namespace|NEWUSER|Operation not permitted|Permission denied/i.test(said)
    ? 'user namespaces are not allowed here: allow them for bwrap (Ubuntu: an AppArmor profile with `userns,`; a container: --privileged or another seccomp profile)'
    : 'try it by hand: bwrap --ro-bind / / --unshare-pid --proc /proc true';

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
