// Whether what Liza starts is confined, and what a program of the project (its set-up, its tests) may do when it is.
// One rule for all callers: `auto` confines where the machine can, `require` refuses where it cannot, `off` never.

import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { commonDirectoryOf, gitDirectoryOf } from '../git/directory.ts';
import { isRunning } from '../git/process-alive.ts';
import type { Environment } from '../ports/host.ts';
import type { Limits } from '../process/limits.ts';
import { type Ended, type Program, runProgram } from '../process/run.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { Settings } from '../protocol/state.ts';
import type { BoardContext } from '../store/context.ts';
import { policyOf } from './build-policy.ts';
import { confine } from './confine.ts';
import { type Detected, detect, isTool, type Tool, toolOf } from './detect.ts';

/** What is known of the machine; asked only when something is to be started. */
export interface SandboxSupport {
  /** Whether its program is there: enough to choose a kind of folder. */
  tool(): Detected;
  /** Whether it works. */
  detect(): Promise<Detected>;
  /** The operator's word for this process (LIZA_SANDBOX=off); `require` stands above it. */
  readonly off: boolean;
  /** How Liza itself is started: what is confined must see it. */
  readonly program: readonly string[];
}

export const sandboxSupportOf = (env: Environment, program: readonly string[]): SandboxSupport => ({
  tool: () => toolOf(env),
  detect: () => detect(env),
  off: env['LIZA_SANDBOX'] === 'off',
  program,
});

/** The tool; or why there is none, which is told to people. */
export type SandboxMode = { readonly tool: Tool } | { readonly off: string; readonly remedy?: string };

type Wanted = Pick<Settings, 'sandbox'>;

export async function sandboxMode(
  sandboxSupport: SandboxSupport | undefined,
  { sandbox }: Wanted,
): Promise<SandboxMode | Refusal> {
  if (sandbox === 'off') return { off: 'config.sandbox is off' };
  if (sandbox !== 'require' && sandboxSupport?.off === true) return { off: 'LIZA_SANDBOX is off' };
  if (sandboxSupport === undefined && sandbox !== 'require') return { off: 'nobody asked for one' };
  const found = (await sandboxSupport?.detect()) ?? { why: 'there is none here', remedy: 'use liza itself' };
  if (isTool(found)) return { tool: found };
  if (sandbox !== 'require') return { off: found.why, remedy: found.remedy };
  return refuse(
    `config.sandbox is require, but ${found.why}`,
    `${found.remedy}; or let it go without: liza config set sandbox auto`,
    5,
    'sandbox',
  );
}

/** One line for people. */
export const sandboxModeText = (is: SandboxMode): string =>
  'tool' in is ? `sandbox: on (${is.tool.kind})` : `sandbox: off, ${is.off}`;

/** A linked worktree shares the project's git directory, which nobody in a sandbox can write. */
export function needsClone(sandboxSupport: SandboxSupport | undefined, { sandbox }: Wanted): boolean {
  if (sandboxSupport === undefined || sandbox === 'off' || (sandboxSupport.off && sandbox !== 'require')) return false;
  return isTool(sandboxSupport.tool());
}

/** node's own folder is found by PATH or is the system's; the package is wherever it was installed. */
export const packageOf = ({ program }: SandboxSupport): readonly string[] =>
  program.slice(1).map((file) => dirname(dirname(file)));

export interface SandboxContext extends BoardContext {
  /** Absent: nothing is confined, unless that is required. */
  readonly sandboxSupport?: SandboxSupport | undefined;
}

export interface Confinement {
  /** Where it works and writes. */
  readonly folder: string;
  readonly part: 'setup' | 'tests';
}

export type Rules = Wanted & Limits & Pick<Settings, 'sandbox_network' | 'sandbox_read' | 'sandbox_write'>;

/**
 * Runs a program of the project, confined as the configuration says: it writes its checkout, a home and a temporary
 * folder that are gone afterwards, and nothing else. Fails closed: what cannot be confined is not started.
 */
export async function runConfined(
  context: SandboxContext,
  rules: Rules,
  { folder, part }: Confinement,
  asked: Program,
): Promise<Ended> {
  const { sandboxSupport } = context;
  const { root } = context.paths;
  const program: Program = { ...asked, limits: rules };
  const is = await sandboxMode(sandboxSupport, rules);
  if ('ok' in is) return notStarted(`${is.message}; ${is.hint}`);
  if (!('tool' in is) || sandboxSupport === undefined) return runProgram(context, program);
  const own = git(root);
  if (own === undefined) return notStarted(`${root} is not in a git repository`);
  const rooms = join(root, '.liza', 'cache', 'rooms');
  mkdirSync(rooms, { recursive: true });
  const room = mkdtempSync(join(rooms, `.program-${process.pid}-`));
  const [home, tmp] = [join(room, 'home'), join(room, 'tmp')];
  for (const path of [home, tmp]) mkdirSync(path);
  try {
    const policy = policyOf({
      env: program.env,
      cwd: program.cwd,
      root,
      common: own,
      folder: { path: folder, writable: true },
      home,
      tmp,
      network: rules.sandbox_network?.[part] !== 'off',
      show: packageOf(sandboxSupport),
      alsoRead: rules.sandbox_read,
      alsoWrite: rules.sandbox_write,
      inPlace: is.tool.kind === 'seatbelt',
    });
    return {
      ...(await runProgram(context, { ...program, ...confine(is.tool, policy, program.argv, program.env) })),
      confined: true,
    };
  } finally {
    // In the background: what a program left there may be large, and whoever waits has nothing of it.
    void rm(room, { recursive: true, force: true }).catch(() => {}); // swept by the next start
  }
}

/** What programs left whose Liza was killed. */
export function sweepRooms(root: string): void {
  const rooms = join(root, '.liza', 'cache', 'rooms');
  if (!existsSync(rooms)) return;
  for (const name of readdirSync(rooms)) {
    const pid = /^\.program-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    void rm(join(rooms, name), { recursive: true, force: true }).catch(() => {}); // only in the way of the disk
  }
}

const notStarted = (reason: string): Ended => ({
  how: 'not-started',
  reason,
  tail: '',
  outputBytes: 0,
  durationMs: 0,
  survivors: 0,
});

/** The git directory that all checkouts of the project share. */
export function git(root: string): string | undefined {
  const own = gitDirectoryOf(root);
  return own === undefined ? undefined : commonDirectoryOf(own);
}
