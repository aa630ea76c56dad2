// The sandbox of one agent session: its folder, a home in which only its CLI's sessions last, a temporary folder and a
// mailbox of its own, and of the user's home no more than its CLI needs. Where nothing is confined, nothing changes.

import { isAbsolute, join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { removeTree } from '../process/remove-tree.ts';
import { isRefusal } from '../protocol/decision.ts';
import type { Role, Settings, TaskSession } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { hasSetup } from '../protocol/work/setup-failures.ts';
import { programOf } from '../providers/installed.ts';
import type { Launch, Provider } from '../providers/provider.ts';
import { buildPolicy, shownAt } from './build-policy.ts';
import { clearHome } from './clear-home.ts';
import { confine } from './confine.ts';
import { type Tool, triedEnvironment } from './detect.ts';
import { openBroker, type ServeCommand } from './mailbox-broker.ts';
import {
  checkoutPlace,
  checkoutShown,
  homesOf,
  openPlaces,
  packageFolder,
  type SandboxContext,
  sandboxMode,
  setupResultsOf,
  sharedGitDirectory,
  UNCONFINED,
} from './mode.ts';
import type { Policy } from './policy.ts';
import { bringProviderFiles, type ProviderFiles, sessionFiles } from './provider-home.ts';
import { type BroughtRegistries, bringRegistries } from './registries.ts';
import { sandboxNote } from './rules/prompt-section.ts';

export interface SandboxSession {
  /** What confines it. */
  readonly sandbox: TaskSession['sandbox'];
  readonly argv: readonly [string, ...string[]];
  readonly env: Environment;
  readonly wrapped: boolean;
  readonly descriptor3?: Uint8Array | undefined;
  readonly held?: boolean;
  /** The environment by which the provider's own files are found from outside. */
  readonly envOutside: Environment;
  /** From here on its commands are answered with a refusal at once. */
  ending(): void;
  /** When its processes are gone. */
  close(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

/** What the sandbox needs of a supervisor. */
export interface SessionContext extends SandboxContext {
  /** A folder with the `liza` that goes first on an agent's PATH. */
  readonly bin: string;
  readonly serve?: ServeCommand | undefined;
  /** Runs commands of those that are not confined. */
  readonly served?: { readonly folder: string; settled(agent: string): Promise<void> } | undefined;
  emit(event: { readonly level: 'warning'; readonly agent: string; readonly text: string }): void;
}

/** What the sandbox needs to know of the session's work. */
export interface ConfinedWork {
  readonly agent: string;
  readonly role: Role;
  readonly task?: string;
  readonly cwd: string;
  /** A folder of its own to write in, where `cwd` is none. */
  readonly tryout?: string;
  readonly chosen: { readonly provider: Pick<Provider, 'home'> };
}

export interface SessionStart {
  readonly launch: Launch;
  readonly settings: Settings;
  /** The folder with the provider's files. */
  readonly scratch: string;
  readonly env: Environment;
  /** Called when the agent uses `liza`; it is answered when this is done. */
  readonly onRequest: () => void | Promise<void>;
  readonly onFailure?: (said: string) => void;
}

export async function openSandboxSession(
  context: SessionContext,
  work: ConfinedWork,
  start: SessionStart,
): Promise<SandboxSession | { readonly reason: string }> {
  const { launch, settings } = start;
  const mode = await sandboxMode(context.sandboxSupport, settings);
  if (isRefusal(mode)) return { reason: `${mode.message}; ${mode.hint}` };
  if (!('tool' in mode)) return unconfined(context, work, start);
  // A path that is not absolute would be the agent's own file in its folder, and found there without the sandbox.
  if (programOf(context.disk, launch.argv[0], start.env) === undefined)
    return { reason: `${launch.argv[0]} was not found: name a program on PATH, or by its absolute path` };
  if (isLinkedCoder(context, work)) {
    const text = `${work.task} is in an old linked worktree, which needs write access to the project's .git`;
    if (settings.sandbox !== 'auto') return { reason: `${text}: liza wt delete ${work.task}, then claim it again` };
    context.emit({ level: 'warning', agent: work.agent, text: `${text}: this session is not in the sandbox` });
    return unconfined(context, work, start);
  }
  return confined(context, mode.tool, work, start);
}

/** What the prompt says of the sandbox; empty where the session is not confined. */
export async function sandboxPromptSection(
  context: SandboxContext,
  work: ConfinedWork,
  settings: Settings,
): Promise<string> {
  const mode = await sandboxMode(context.sandboxSupport, settings);
  if (isRefusal(mode) || !('tool' in mode) || isLinkedCoder(context, work)) return '';
  return `\n${sandboxNote(work.role, hasNetwork(work, settings))}`;
}

function unconfined(
  context: SessionContext,
  { agent }: ConfinedWork,
  { launch, env, settings }: SessionStart,
): SandboxSession {
  const { served } = context;
  // It could write what set-up made for others: from now on nothing of that is used.
  if (hasSetup(settings)) {
    context.disk.mkdirSync(setupResultsOf(context), { recursive: true });
    context.disk.writeFileSync(join(setupResultsOf(context), `${UNCONFINED}${context.processes.pid}`), '');
  }
  return {
    sandbox: 'off',
    argv: launch.argv,
    env: served === undefined ? env : { ...env, LIZA_SERVED: served.folder },
    wrapped: false,
    envOutside: context.env,
    ending: () => {},
    close: async () => served?.settled(agent),
  };
}

/** Keys of `sandbox_network`. */
const NETWORK = { planner: 'planner', coder: 'coder', code_reviewer: 'reviewer' } as const;

const hasNetwork = ({ role }: ConfinedWork, { sandbox_network }: Settings): boolean =>
  sandbox_network?.[NETWORK[role]] !== 'off';

/** A linked worktree is from a time without a sandbox: its commits go to the project's own git directory. */
const isLinkedCoder = ({ disk }: SandboxContext, { role, cwd }: ConfinedWork): boolean =>
  role === 'coder' && disk.lstatSync(join(cwd, '.git'), { throwIfNoEntry: false })?.isFile() === true;

function confined(
  context: SessionContext,
  tool: Tool,
  work: ConfinedWork,
  start: SessionStart,
): SandboxSession | { readonly reason: string } {
  const { disk, sandboxSupport, paths } = context;
  const { root } = paths;
  const common = sharedGitDirectory(context);
  if (sandboxSupport === undefined || common === undefined) return { reason: `${root} is not in a git repository` };
  const ofProvider = work.chosen.provider.home ?? [];
  const folders = makeSessionFolders(context, work.agent, sessionFiles(ofProvider, start.env));
  const provided = bringProviderFiles(disk, ofProvider, {
    env: start.env,
    home: folders.home,
    inPlace: tool.kind === 'seatbelt',
  });
  const registries = bringRegistries({
    disk,
    env: start.env,
    root,
    common,
    home: folders.home,
    inPlace: tool.kind === 'seatbelt',
    open: openPlaces(start.settings),
  });
  const policy = sessionPolicy(context, work, start, { tool, common, folders, provided, registries });
  const broker = openBroker(context, {
    folder: folders.mail,
    program: sandboxSupport.program as readonly [string, ...string[]],
    root,
    env: { ...brokerEnvironment(context, start.env), ...triedEnvironment(tool) },
    serve: context.serve,
    onRequest: start.onRequest,
    onFailure: start.onFailure,
  });
  const { argv } = start.launch;
  const env = { ...environmentInside(start.env, folders.mail), ...registries.env };
  const inside = confine(disk, tool, policy, { argv, env, held: true });
  return {
    sandbox: tool.kind,
    argv: inside.argv,
    env: { ...inside.env, ...provided.env },
    wrapped: inside.wrapped,
    descriptor3: inside.descriptor3,
    held: inside.held,
    envOutside: { ...context.env, HOME: folders.home, ...provided.envOutside },
    ending: () => broker.end(),
    close: async (graceMs, hurry) => {
      await broker.close(graceMs, hurry);
      // What is left goes on being removed, or is by the next one: a full /tmp holds up nobody.
      const over = new AbortController();
      const removed = removeTree(context, folders.session).finally(() => over.abort());
      await Promise.race([removed, context.clock.sleep(REMOVAL_MS, over.signal)]);
    },
  };
}

/** For how long the end of a session waits for its folders to go. */
const REMOVAL_MS = 2000;

interface SessionFolders {
  /** Made anew, but for the files by which the CLI goes on with a session. */
  readonly home: string;
  /** This session's own; `tmp` and `mail` are in it. */
  readonly session: string;
  readonly tmp: string;
  readonly mail: string;
}

function makeSessionFolders(context: SessionContext, agent: string, keeps: readonly string[]): SessionFolders {
  const { disk, random } = context;
  const parent = join(homesOf(context), agent);
  removeOldSessions(context, parent);
  const session = join(parent, `session-${random.hex(6)}`);
  const folders = { home: join(parent, 'home'), session, tmp: join(session, 'tmp'), mail: join(session, 'mail') };
  disk.mkdirSync(folders.tmp, { recursive: true, mode: 0o700 });
  const { home } = folders;
  if (!clearHome(context, { home, aside: join(session, 'before'), keeps })) {
    const text = 'its home has too many files to look through: earlier sessions of its CLI may be lost';
    context.emit({ level: 'warning', agent, text });
  }
  return folders;
}

/** Removes the folders of sessions whose supervisor died. */
function removeOldSessions(context: SandboxContext, parent: string): void {
  const { disk } = context;
  if (!disk.existsSync(parent)) return;
  for (const name of disk.readdirSync(parent)) {
    if (!name.startsWith('session-')) continue;
    void removeTree(context, join(parent, name)); // what is left only takes space
  }
}

interface PolicyParts {
  readonly tool: Tool;
  readonly common: string;
  readonly folders: SessionFolders;
  readonly provided: ProviderFiles;
  readonly registries: BroughtRegistries;
}

function sessionPolicy(
  context: SessionContext,
  work: ConfinedWork,
  { launch, settings, scratch, env }: SessionStart,
  { tool, common, folders, provided, registries }: PolicyParts,
): Policy {
  const { disk, sandboxSupport } = context;
  const place = hasSetup(settings) && work.role !== 'planner' ? checkoutPlace(context.paths.root) : undefined;
  const asCheckout = checkoutShown(tool, place, work.tryout ?? work.cwd);
  return buildPolicy(disk, {
    env,
    cwd: work.cwd,
    root: context.paths.root,
    common,
    // A planner works in the project itself and changes no file of it.
    folder: work.role === 'planner' ? undefined : { path: work.cwd, writable: work.role === 'coder' },
    home: folders.home,
    tmp: folders.tmp,
    network: hasNetwork(work, settings),
    show: [
      ...(sandboxSupport === undefined ? [] : packageFolder(sandboxSupport)),
      context.bin,
      scratch,
      ...[...loginFile(env), ...(launch.reads ?? [])].flatMap((path) => shownAt(disk, path)),
      ...provided.read,
      ...registries.read,
    ],
    write: [
      ...provided.write,
      folders.mail,
      ...(launch.folders ?? []),
      ...(work.tryout === undefined ? [] : [work.tryout]),
      ...(work.role === 'coder' || work.tryout !== undefined ? asCheckout : []),
    ],
    alsoRead: settings.sandbox_read,
    alsoWrite: settings.sandbox_write,
    inPlace: tool.kind === 'seatbelt',
  });
}

/** A login that a variable names. */
const loginFile = ({ GOOGLE_APPLICATION_CREDENTIALS: file }: Environment): readonly string[] =>
  file !== undefined && isAbsolute(file) ? [file] : [];

/** What the real `liza` gets: the supervisor's environment, and who the session is. */
function brokerEnvironment({ env }: SandboxContext, session: Environment): Environment {
  const own = Object.entries(session).filter(([name]) => /^LIZA_(?!PROGRAM$)/.test(name));
  const inherited = Object.entries(env).filter(([name]) => !/^(LIZA_|GIT_)/.test(name));
  const { LIZA_SANDBOX } = env;
  return { ...Object.fromEntries([...inherited, ...own]), ...defined({ LIZA_SANDBOX }) };
}

/** The credential stays outside: the mailbox stands for it. */
const environmentInside = (session: Environment, mail: string): Environment => ({
  ...Object.fromEntries(Object.entries(session).filter(([name]) => !/^LIZA_(?!AGENT_ID$|PROGRAM$)/.test(name))),
  LIZA_MAILBOX: mail,
});
