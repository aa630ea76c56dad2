// Whether what Liza starts is confined, and what a program of the project (its set-up, its tests) may do when it is.
// One rule for all callers: `auto` confines where the machine can, `require` refuses where it cannot, `off` never. A goal
// that agents have worked on in a sandbox keeps it: `auto` then refuses, too.

import { dirname, join } from 'node:path';
import { commonDirectoryOf, gitDirectoryOf } from '../git/directory.ts';
import type { ApartSettings } from '../git/integration.ts';
import type { ConfineGit, KeepsApart } from '../git/private-git-dir.ts';
import { isRunning } from '../git/scratch-folders.ts';
import type { Host } from '../ports/host.ts';
import { send } from '../process/end-process-tree.ts';
import type { Limits } from '../process/limits.ts';
import { textOf } from '../process/proc-files.ts';
import { formatProcess, isAlive, type ProcessIdentity, parseProcess } from '../process/process-identity.ts';
import { removeTree } from '../process/remove-tree.ts';
import { type Ended, type Program, runProgram } from '../process/run.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import type { Settings } from '../protocol/state.ts';
import type { BoardContext } from '../store/context.ts';
import { isApart } from './apart.ts';
import { buildPolicy } from './build-policy.ts';
import { confine } from './confine.ts';
import { confinedGit } from './confined-git.ts';
import { type Detected, detect, findTool, isTool, type Tool } from './detect.ts';
import type { Policy, Shown } from './policy.ts';
import { type BroughtRegistries, bringRegistries, type RegistrySite } from './registries.ts';
import { OFF_MEANS } from './rules/session-label.ts';

/** What is known of the machine; looked up only when something is to be started. */
export interface SandboxSupport {
  /** Whether its program is there: enough to choose a kind of folder. */
  tool(): Detected;
  /** Whether it works. */
  detect(): Promise<Detected>;
  /** LIZA_SANDBOX=off: the operator turns it off for this process; `require` stands above it. */
  readonly off: boolean;
  /** For Liza's own git over a folder that an agent writes. */
  readonly confineGit?: ConfineGit;
  /** Whether folders of that pool may be used again. */
  readonly keepsApart?: (settings: ApartSettings, pool: Parameters<KeepsApart>[0]) => Promise<boolean>;
  /** How Liza itself is started: what is confined must see it. */
  readonly program: readonly string[];
}

export interface SandboxContext extends BoardContext {
  /** Absent: nothing is confined, unless that is required. */
  readonly sandboxSupport?: SandboxSupport | undefined;
  /** What it starts yields to everything else on the machine. */
  readonly background?: boolean;
}

export const sandboxSupportOf = (host: Host, program: readonly string[]): SandboxSupport => ({
  tool: () => findTool(host),
  detect: () => detect(host),
  confineGit: confinedGit(host, () => detect(host)),
  keepsApart: async (settings, pool) => isApart(await detect(host), settings, pool),
  off: host.env['LIZA_SANDBOX'] === 'off',
  program,
});

/** The tool; or why there is none, which is told to people. */
export type SandboxMode = { readonly tool: Tool } | { readonly off: string; readonly remedy?: string };

type Wanted = Pick<Settings, 'sandbox'>;

const WITHOUT_ROOT = 'without root: use a container or another user';
const HELP = 'see: liza help sandbox';

export async function sandboxMode(
  sandboxSupport: SandboxSupport | undefined,
  { sandbox }: Wanted,
): Promise<SandboxMode | Refusal> {
  if (sandbox === 'off') return { off: 'config.sandbox is off' };
  if (sandbox !== 'require' && sandboxSupport?.off === true) return { off: 'LIZA_SANDBOX is off' };
  if (sandboxSupport === undefined && sandbox === 'auto') return { off: 'it was not requested' };
  const found = (await sandboxSupport?.detect()) ?? { why: 'there is none here', remedy: 'use liza itself' };
  if (isTool(found)) return { tool: found };
  // Nothing is known then, and nothing goes unconfined by chance.
  if ('short' in found)
    return refuse(`whether it can be confined is not known: ${found.why}`, found.remedy, 5, 'sandbox');
  if (sandbox === 'auto') return { off: found.why, remedy: found.remedy };
  if (sandbox === 'kept')
    return refuse(
      `agents worked on this goal in a sandbox, and now ${found.why}: nothing starts without it`,
      `${found.remedy}; ${WITHOUT_ROOT}; ${HELP}; or let them work without: liza config set sandbox off`,
      5,
      'sandbox',
    );
  return refuse(
    `config.sandbox is require, but ${found.why}`,
    `${found.remedy}; ${WITHOUT_ROOT}; ${HELP}; or run without it: liza config set sandbox auto`,
    5,
    'sandbox',
  );
}

/** One line for people. */
export const sandboxModeText = (mode: SandboxMode): string =>
  'tool' in mode ? `sandbox: on (${mode.tool.kind}, ${mode.tool.program})` : `sandbox: off, ${mode.off}; ${OFF_MEANS}`;

/** When agents first start: on one line, with what it means and who tells all of it. */
export const sandboxStartText = (mode: SandboxMode): string =>
  'tool' in mode ? sandboxModeText(mode) : 'sandbox: off, agents run as you; all of it: liza help sandbox';

/** Where it was told before: at init, by doctor, and when agents first start. */
export function sandboxBriefText(mode: SandboxMode): string {
  if ('tool' in mode) return sandboxModeText(mode);
  if (mode.remedy === undefined) return `sandbox: off, ${mode.off}; what that means: liza help sandbox`;
  return 'sandbox: off; what that means, and how to turn it on: liza help sandbox';
}

const IN_CLONES = '; against mistakes alone: liza config set isolation clone, so that each agent works in a clone';

/** How the sandbox is had, and what helps where it cannot be. Undefined: it is on, or a person turned it off. */
export const sandboxRemedy = (
  mode: SandboxMode,
  { isolation }: { readonly isolation?: Settings['isolation'] | undefined },
): string | undefined =>
  'tool' in mode || mode.remedy === undefined
    ? undefined
    : `${mode.remedy}; ${WITHOUT_ROOT}${isolation === 'clone' ? '' : IN_CLONES}; ${HELP}`;

/** Whether what is started now is not confined. `found`: what `detect` said. Undefined: nobody asked for a sandbox. */
export function isUnconfined(
  support: SandboxSupport | undefined,
  found: Detected | undefined,
  { sandbox }: Wanted,
): boolean | undefined {
  if (support === undefined || found === undefined) return undefined;
  if (sandbox === 'require' || (sandbox === 'kept' && !support.off)) return false;
  return sandbox === 'off' || support.off || !isTool(found);
}

/** A linked worktree shares the project's git directory, which nothing in a sandbox can write. */
export function needsClone(sandboxSupport: SandboxSupport | undefined, { sandbox }: Wanted): boolean {
  if (sandboxSupport === undefined || sandbox === 'off' || (sandboxSupport.off && sandbox !== 'require')) return false;
  return isTool(sandboxSupport.tool());
}

/** The folder of Liza's package, wherever it was installed; node's own is found by PATH or is the system's. */
export const packageFolder = ({ program }: SandboxSupport): readonly string[] =>
  program.slice(1).map((file) => dirname(dirname(file)));

export interface Confinement {
  /** Where it works and writes. */
  readonly folder: string;
  readonly part: 'setup' | 'tests';
  /** Shows the folder here too, where that can be (bubblewrap): what set-up made may name this place. */
  readonly at?: string | undefined;
  /**
   * A git directory of Liza's that stands in place of the folder's own, which nobody touches so: what is planted there
   * (hooks, a configuration) would run where git is used next. Where that cannot be (macOS), the own one is read-only.
   */
  readonly git?: string | undefined;
  /** No network, whatever the part has. */
  readonly offline?: boolean;
}

export type Rules = Wanted & Limits & Pick<Settings, 'sandbox_network' | 'sandbox_read' | 'sandbox_write'>;

/**
 * Runs a program of the project, confined as the configuration says: it writes its checkout, a home and a temporary
 * folder that are gone afterwards, and nothing else. Fails closed: what cannot be confined is not started.
 */
export async function runConfined(
  context: SandboxContext,
  rules: Rules,
  confinement: Confinement,
  asked: Program,
): Promise<Ended> {
  const { disk, sandboxSupport } = context;
  const argv: Program['argv'] = context.background === true ? ['nice', '-n', '15', ...asked.argv] : asked.argv;
  const program: Program = { ...asked, argv, limits: rules };
  const mode = await sandboxMode(sandboxSupport, rules);
  if (isRefusal(mode)) return notStarted(`${mode.message}; ${mode.hint}`);
  if (!('tool' in mode) || sandboxSupport === undefined) return runProgram(context, program);
  const common = sharedGitDirectory(context);
  if (common === undefined) return notStarted(`${context.paths.root} is not in a git repository`);
  const folders = makeProgramFolders(context);
  try {
    const registries = bringRegistries({
      disk,
      env: program.env,
      root: context.paths.root,
      common,
      home: folders.home,
      inPlace: mode.tool.kind === 'seatbelt',
      open: openPlaces(rules),
    });
    const env = { ...program.env, ...registries.env };
    const run: ProgramRun = { ...folders, program, rules, confinement, common, tool: mode.tool, registries };
    const confined = confine(disk, mode.tool, programPolicy(context, run), { argv: program.argv, env, held: true });
    const onInside = (inside: ProcessIdentity): void =>
      disk.writeFileSync(join(folders.parent, INSIDE), formatProcess(inside));
    const ended = await runProgram(context, { ...program, ...confined, onInside, keeps: registries.asks });
    return { ...ended, confined: true };
  } finally {
    // In the background: what a program left there may be large, and the caller need not wait for that.
    void removeTree(context, folders.parent); // what is left, the next start removes
  }
}

interface ProgramRun extends ProgramFolders {
  readonly program: Program;
  readonly rules: Rules;
  readonly confinement: Confinement;
  readonly common: string;
  readonly tool: Tool;
  readonly registries: BroughtRegistries;
}

/** Files and folders that the configuration shows as they are. */
export const openPlaces = ({
  sandbox_read = [],
  sandbox_write = [],
}: Pick<Rules, 'sandbox_read' | 'sandbox_write'>): readonly string[] => [...sandbox_read, ...sandbox_write];

/** As set-up runs where it may have the files of `setup_read`; nothing else is ever run so. */
export const withSetupRead = <T extends Pick<Settings, 'sandbox_read' | 'setup_read'>>(rules: T): T => ({
  ...rules,
  sandbox_read: [...(rules.sandbox_read ?? []), ...(rules.setup_read ?? [])],
});

function programPolicy(
  { disk, paths, sandboxSupport }: SandboxContext,
  { program, rules, confinement, common, tool, home, tmp, registries }: ProgramRun,
): Policy {
  return buildPolicy(disk, {
    env: program.env,
    // Set-up works at the place that all others show, too.
    cwd: confinement.part === 'setup' ? (confinement.at ?? program.cwd) : program.cwd,
    root: paths.root,
    common,
    folder: { path: confinement.folder, writable: true },
    write: [...checkoutShown(tool, confinement.at, confinement.folder), ...gitInstead(tool, confinement)],
    home,
    tmp,
    network: confinement.offline !== true && rules.sandbox_network?.[confinement.part] !== 'off',
    show: [
      ...(sandboxSupport === undefined ? [] : packageFolder(sandboxSupport)),
      ...registries.read,
      ...(confinement.git !== undefined && tool.kind === 'seatbelt' ? [join(confinement.folder, '.git')] : []),
    ],
    alsoRead: rules.sandbox_read,
    alsoWrite: rules.sandbox_write,
    inPlace: tool.kind === 'seatbelt',
    hideModules: true,
  });
}

/** At each place where the checkout is shown. An agent may have made a link of it: what is shown behind that is ours. */
const gitInstead = (tool: Tool, { folder, at, git }: Confinement): readonly Shown[] =>
  git === undefined
    ? []
    : [folder, ...(at === undefined ? [] : [at])].flatMap((place) => checkoutShown(tool, join(place, '.git'), git));

/** The one place at which every sandbox of the project shows the checkout that it is for. */
export const checkoutPlace = (root: string): string => join(root, '.worktrees', '.checkout');

/** Results of set-up, which no sandbox shows (tasks/setup-results.ts). */
export const setupResultsOf = ({ paths }: BoardContext): string => join(paths.liza, 'cache', 'setups');

/** Begins the names of marks there: with its process, each tells of an agent that works outside of a sandbox. */
export const UNCONFINED = 'unconfined-';

/** macOS can show nothing at another place than its own. */
export const checkoutShown = (tool: Tool, at: string | undefined, from: string): readonly Shown[] =>
  at === undefined || tool.kind === 'seatbelt' ? [] : [{ at, from }];

/** Homes of sandboxes: of agents by their id, of programs by the process that runs them. */
export const homesOf = ({ paths }: BoardContext): string => join(paths.liza, 'cache', 'rooms');

interface ProgramFolders {
  readonly parent: string;
  readonly home: string;
  readonly tmp: string;
}

function makeProgramFolders(context: BoardContext): ProgramFolders {
  const { disk, processes } = context;
  disk.mkdirSync(homesOf(context), { recursive: true });
  const parent = disk.mkdtempSync(join(homesOf(context), `.program-${processes.pid}-`));
  const [home, tmp] = [join(parent, 'home'), join(parent, 'tmp')];
  for (const path of [home, tmp]) disk.mkdirSync(path);
  return { parent, home, tmp };
}

/** Removes the homes of programs whose Liza was killed. */
export function removeLeftHomes(context: BoardContext): void {
  const { disk } = context;
  const homes = homesOf(context);
  if (!disk.existsSync(homes)) return;
  for (const name of disk.readdirSync(homes)) {
    const pid = /^\.program-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(context, Number(pid))) continue;
    endLeft(context, join(homes, name, INSIDE));
    void removeTree(context, join(homes, name)); // what is left only takes space
  }
}

/** Beside the home of a program: the first process in its sandbox. */
const INSIDE = 'inside';

/** What a program made to outlive a Liza that was killed. */
function endLeft(context: BoardContext, note: string): void {
  const inside = parseProcess(textOf(context, note));
  if (inside !== undefined && isAlive(context, inside)) send(context, inside.pid, 'SIGKILL');
}

export const notStarted = (reason: string): Ended => ({
  how: 'not-started',
  reason,
  tail: '',
  outputBytes: 0,
  durationMs: 0,
  survivors: 0,
});

/** The git directory that all checkouts of the project share. Undefined: it is in no repository. */
export function sharedGitDirectory({ disk, paths }: BoardContext): string | undefined {
  const own = gitDirectoryOf(disk, paths.root);
  return own === undefined ? undefined : commonDirectoryOf(disk, own);
}

/** Where the user's registry settings are looked for. Undefined: the project is in no repository. */
export function registrySite(
  context: BoardContext,
  config: Pick<Rules, 'sandbox_read' | 'sandbox_write'>,
): RegistrySite | undefined {
  const common = sharedGitDirectory(context);
  const { disk, env, paths } = context;
  return common === undefined ? undefined : { disk, env, root: paths.root, common, open: openPlaces(config) };
}
