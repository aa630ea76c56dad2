// Where a session stays. In a sandbox: its folder, a home that it keeps from session to session, a temporary folder
// and a mailbox of its own, and of the user's home no more than its CLI needs. Without one: nothing changes.

import { randomBytes } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Environment } from '../ports/host.ts';
import type { Settings, TaskSession } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { programOf } from '../providers/installed.ts';
import type { HomeFolder, Launch } from '../providers/provider.ts';
import type { SupervisorContext } from '../supervisor/context.ts';
import type { SessionWork } from '../supervisor/session.ts';
import { policyOf, shownAt } from './build-policy.ts';
import { confine, makeFolders } from './confine.ts';
import type { Tool } from './detect.ts';
import { openBroker } from './mailbox-broker.ts';
import { git, packageOf, sandboxMode } from './mode.ts';
import { isBelow, type Shown } from './policy.ts';
import { sandboxNote } from './rules/prompt-section.ts';
import { isRealFolder } from './toolchains.ts';

export interface Lodging {
  /** What confines it. */
  readonly sandbox: TaskSession['sandbox'];
  readonly argv: readonly [string, ...string[]];
  readonly env: Environment;
  readonly wrapped: boolean;
  /** For looking at the provider's own files from outside. */
  readonly seenFromOutside: Environment;
  /** When its processes are gone. */
  leave(graceMs: number): Promise<void>;
}

/** `scratch`: the folder with the provider's files. `onAsked`: it used `liza`. */
export interface Stay {
  readonly settings: Settings;
  readonly scratch: string;
  readonly env: Environment;
  readonly onAsked: () => void | Promise<void>;
}

export async function lodge(
  context: SupervisorContext,
  work: SessionWork,
  launch: Launch,
  stay: Stay,
): Promise<Lodging | { readonly reason: string }> {
  const is = await sandboxMode(context.sandboxSupport, stay.settings);
  if ('ok' in is) return { reason: `${is.message}; ${is.hint}` };
  const free: Lodging = {
    sandbox: 'off',
    argv: launch.argv,
    env: stay.env,
    wrapped: false,
    seenFromOutside: context.env,
    leave: async () => {},
  };
  // One that is not there is told as such, in its own name.
  const isThere = programOf(launch.argv[0], stay.env) !== undefined;
  if (!('tool' in is) || context.sandboxSupport === undefined || !isThere) return free;
  if (work.role === 'coder' && isLinked(work.cwd)) {
    const text = `${work.task} is in a linked worktree from before, which needs the project's .git writable`;
    if (stay.settings.sandbox === 'require')
      return { reason: `${text}: liza wt delete ${work.task}, then claim it again` };
    context.emit({ level: 'warning', agent: work.agent, text: `${text}: this session is not in the sandbox` });
    return free;
  }
  return confined(context, is.tool, work, launch, stay);
}

/** What its prompt says of that; empty where it is not confined. */
export async function noteFor(context: SupervisorContext, work: SessionWork, settings: Settings): Promise<string> {
  const is = await sandboxMode(context.sandboxSupport, settings);
  if ('ok' in is || !('tool' in is) || (work.role === 'coder' && isLinked(work.cwd))) return '';
  return `\n${sandboxNote(work.role, hasNetwork(work, settings))}`;
}

const hasNetwork = ({ role }: SessionWork, { sandbox_network }: Settings): boolean =>
  sandbox_network?.[NETWORK[role]] !== 'off';

const isLinked = (folder: string): boolean =>
  lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isFile() === true;

/** Those of `sandbox_network`. */
const NETWORK = { planner: 'planner', coder: 'coder', code_reviewer: 'reviewer' } as const;

function confined(
  context: SupervisorContext,
  tool: Tool,
  work: SessionWork,
  launch: Launch,
  stay: Stay,
): Lodging | { reason: string } {
  const { sandboxSupport, paths } = context;
  const { root, liza } = paths;
  const common = git(root);
  if (sandboxSupport === undefined || common === undefined) return { reason: `${root} is not in a git repository` };
  const room = join(liza, 'cache', 'rooms', work.agent);
  const [home, session] = [join(room, 'home'), join(room, `session-${randomBytes(6).toString('hex')}`)];
  const [tmp, mail] = [join(session, 'tmp'), join(session, 'mail')];
  sweep(room);
  for (const path of [home, tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const inPlace = tool.kind === 'seatbelt';
  forget(home);
  const moved = settle(work.chosen.provider.home ?? [], stay.env, home, inPlace);
  const policy = policyOf({
    env: stay.env,
    cwd: work.cwd,
    root,
    common,
    // A planner works in the project itself and changes no file of it.
    folder: work.role === 'planner' ? undefined : { path: work.cwd, writable: work.role === 'coder' },
    home,
    tmp,
    network: hasNetwork(work, stay.settings),
    show: [
      ...packageOf(sandboxSupport),
      context.bin,
      stay.scratch,
      ...keyFile(stay.env),
      ...(launch.reads ?? []).flatMap(shownAt),
      ...moved.read,
    ],
    write: [...moved.write, mail],
    alsoRead: stay.settings.sandbox_read,
    alsoWrite: stay.settings.sandbox_write,
    inPlace,
  });
  const broker = openBroker({
    folder: mail,
    program: sandboxSupport.program as readonly [string, ...string[]],
    root,
    env: outside(context, stay.env),
    onAsked: stay.onAsked,
  });
  const { argv, env, wrapped } = confine(tool, policy, launch.argv, inside(stay.env, mail));
  return {
    sandbox: tool.kind,
    argv,
    env: { ...env, ...moved.env },
    wrapped,
    seenFromOutside: { ...context.env, HOME: home, ...moved.outside },
    leave: async (graceMs) => {
      await broker.close(graceMs);
      await rm(session, { recursive: true, force: true }).catch(() => {}); // swept before the next one
    },
  };
}

/** A login that is named by a variable. */
const keyFile = ({ GOOGLE_APPLICATION_CREDENTIALS: file }: Environment): readonly Shown[] =>
  file !== undefined && isAbsolute(file) ? shownAt(file) : [];

/** What the real `liza` gets: the supervisor's environment, and who the session is. */
function outside({ env }: SupervisorContext, session: Environment): Environment {
  const own = Object.entries(session).filter(([name]) => /^LIZA_(?!PROGRAM$)/.test(name));
  const inherited = Object.entries(env).filter(([name]) => !/^(LIZA_|GIT_)/.test(name));
  const { LIZA_SANDBOX } = env;
  return { ...Object.fromEntries([...inherited, ...own]), ...defined({ LIZA_SANDBOX }) };
}

/** Its credential stays outside: the mailbox is one. */
const inside = (session: Environment, mail: string): Environment => ({
  ...Object.fromEntries(Object.entries(session).filter(([name]) => !/^LIZA_(?!AGENT_ID$|PROGRAM$)/.test(name))),
  LIZA_MAILBOX: mail,
});

/** Left by sessions whose supervisor died. */
function sweep(room: string): void {
  try {
    for (const name of readdirSync(room)) {
      if (name.startsWith('session-')) void rm(join(room, name), { recursive: true, force: true }).catch(() => {});
    }
  } catch {
    // Not there yet: nothing to sweep.
  }
}

/** Read at the start by shells, git and others: a session that was led astray must not lead the agent's next task. */
const STEERING = [
  ...[
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.profile',
    '.inputrc',
    '.pam_environment',
  ],
  ...[
    '.zshenv',
    '.zprofile',
    '.zshrc',
    '.zlogin',
    '.config/fish',
    '.gitconfig',
    '.config/git',
    '.ssh',
    '.netrc',
    '.curlrc',
  ],
  ...['.wgetrc', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pypirc', '.config/pip', '.pip', '.cargo/config.toml', '.vimrc'],
];

/** Not through a link: what that leads to is not the session's. */
function forget(home: string): void {
  for (const name of STEERING) {
    const parts = name.split('/');
    const above = parts.slice(0, -1).map((_, at) => join(home, ...parts.slice(0, at + 1)));
    if (above.every(isRealFolder)) rmSync(join(home, name), { recursive: true, force: true });
  }
}

interface Moved {
  readonly read: readonly Shown[];
  readonly write: readonly Shown[];
  /** Variables that must name another place inside, and outside. */
  readonly env: Environment;
  readonly outside: Environment;
}

/** Brings what a CLI needs of the user's home into the session's. Never follows a link that a session left there. */
function settle(folders: readonly HomeFolder[], env: Environment, home: string, inPlace: boolean): Moved {
  const read: Shown[] = [];
  const write: Shown[] = [];
  const changed: Record<string, string> = {};
  const outside: Record<string, string> = {};
  const user = env['HOME'] ?? '/';
  for (const { folder, env: variable, when, login = [], settings = [] } of folders) {
    if (when !== undefined && !env[when]) continue;
    const named = variable === undefined ? undefined : env[variable];
    const real = named !== undefined && isAbsolute(named) ? named : join(user, folder);
    const kept = isBelow(real, user)
      ? join(home, relative(user, real))
      : join(home, '.liza-elsewhere', variable ?? folder);
    makeFolders(home, kept);
    const seen = inPlace ? kept : real;
    if (variable !== undefined && named !== undefined) {
      outside[variable] = kept;
      if (inPlace) changed[variable] = kept;
    }
    if (!inPlace && !isBelow(real, user)) write.push({ at: real, from: kept });
    for (const name of login) {
      for (const one of shownAt(join(real, name))) {
        if (typeof one !== 'string') write.push({ at: join(seen, name), from: one.from });
      }
    }
    for (const name of settings) {
      const [one] = shownAt(join(real, name));
      // The user has none: then the next session has none either, whatever the last one wrote there.
      if (one === undefined) rmSync(join(kept, name), { recursive: true, force: true });
      if (one === undefined || typeof one === 'string') continue;
      if (statSync(one.from).isDirectory()) read.push({ at: join(seen, name), from: one.from });
      else copy(one.from, join(kept, name));
    }
  }
  return { read, write, env: changed, outside };
}

function copy(from: string, to: string): void {
  makeFolders(dirname(to), dirname(to));
  rmSync(to, { recursive: true, force: true });
  copyFileSync(from, to);
}
