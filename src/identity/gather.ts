// Gathers what tells who really asks: the processes above this one, their tags and the session records of the project.
// Only sessions of this very repository count: an agent of another project is a person here, as in its own tests.
// Cheapest evidence first; on Linux all of it costs a few small reads.

import { repositoryAt, siteOf } from '../git/directory.ts';
import type { Disk } from '../ports/disk.ts';
import { filesOn } from '../ports/files.ts';
import type { Environment, Host } from '../ports/host.ts';
import type { Ancestor } from '../process/ancestors.ts';
import { isMark, markIn, programMarkIn } from '../process/own-rlimit-mark.ts';
import { roleOfId } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import { defined } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { pathsOf } from '../store/paths.ts';
import type { Store } from '../store/store.ts';
import type { SessionRecord, SessionsContext } from './agent-sessions.ts';
import { type CallerFacts, type Claim, type Credential, PROGRAM } from './rules/resolve.ts';

/** The process that asks, as far as identity has to know it; the Io of a command is one (cli/io.ts). */
export interface Caller {
  readonly host: Host;
  readonly env: Environment;
  readonly cwd: string;
  /** The project: the nearest folder upward from cwd with a blackboard in it. */
  root(): string | Refusal;
  context(root: string): BoardContext;
  openStore(context: BoardContext): Store;
  /** The processes above this one; the nearest first. */
  ancestors(): Iterable<Ancestor>;
  /** The limits of this process, which it inherited through however many others: they bear marks. */
  limits(): string;
}

export type Claimed = Omit<Claim, 'credential'>;

/** `root`: the project concerned; undefined: a folder without a blackboard. */
export async function gatherFacts(caller: Caller, root: string | undefined, claim: Claimed): Promise<CallerFacts> {
  // The strongest first: a process on record, then what the outermost was started with. Tags that processes in between,
  // or this one, carry besides are anyone's to set: they only count where there is nothing else.
  const sessions =
    root === undefined
      ? undefined
      : {
          ...caller.host,
          files: filesOn(caller.host.disk, caller.host.processes.pid),
          paths: pathsOf(root, undefined),
        };
  const { claimed, onRecord, above, between = [] } = await lookUp(caller, sessions, claim.id);
  const folder = root ?? caller.cwd;
  const named = await namedBy(caller.host.disk, above, caller.env[TAG] ?? '', folder);
  // Below its agent, too: this tag can only take something away, and a program that drops its own still has it above.
  const run =
    named.includes(PROGRAM) ||
    (await namedBy(caller.host.disk, between, '', folder)).includes(PROGRAM) ||
    (await isProgramOf(caller, folder));
  const below =
    onRecord?.agent ??
    named.find((name) => roleOfId(name) !== undefined) ??
    (root === undefined || sessions === undefined ? undefined : await markedAs(caller, sessions, root));
  const credential = caller.env['LIZA_SESSION'] || undefined;
  return {
    ...(await checkCredential(claim, credential, sessions, claimed)),
    ...defined({ below }),
    program: run,
  };
}

const TAG = 'LIZA_PROGRAM';

interface Above {
  /** The session of the claimed id, whether its process is above this one or not. */
  readonly claimed?: SessionRecord | undefined;
  /** The session whose process is above this one; where there is one, nothing else need be looked at. */
  readonly onRecord?: SessionRecord;
  readonly above: readonly Ancestor[];
  /** The processes between that one and this. */
  readonly between?: readonly Ancestor[];
}

/** Most callers are who they claim to be: that record first, and the processes only as far up as its own. */
async function lookUp(caller: Caller, sessions: SessionsContext | undefined, id: string | undefined): Promise<Above> {
  if (sessions === undefined) return { above: [...caller.ancestors()] };
  const { readSession, sessionHints } = await import('./agent-sessions.ts');
  const claimed = id === undefined ? undefined : readSession(sessions, id);
  const above: Ancestor[] = [];
  for (const one of caller.ancestors()) {
    if (claimed !== undefined && isProcessOf(claimed, one))
      return { claimed, onRecord: claimed, above: [], between: above };
    above.push(one);
  }
  const hints = sessionHints(sessions);
  for (const [at, one] of above.entries()) {
    const agent = hints.get(one.pid);
    // Even one whose supervisor is gone: its agent is still an agent.
    const record = agent === undefined ? undefined : readSession(sessions, agent);
    if (record !== undefined && isProcessOf(record, one))
      return { claimed, onRecord: record, above: [], between: above.slice(0, at) };
  }
  return { claimed, above };
}

const isProcessOf = ({ process: its }: SessionRecord, { pid, started }: Ancestor): boolean =>
  its?.pid === pid && its.started === started;

/** Names in the tags, from the outermost process inwards; this process's own variable comes last. */
async function namedBy(
  disk: Disk,
  above: readonly Ancestor[],
  own: string,
  folder: string,
): Promise<readonly string[]> {
  const tags = [...above.map((one) => one.tags()).reverse(), own].filter((value) => value !== '');
  if (tags.length === 0) return [];
  const { namedIn, repositoryMark } = await import('../process/tags.ts');
  const mark = repositoryMark(repositoryAt(disk, folder));
  return tags.flatMap((value) => namedIn(value, mark));
}

/** A process can write over its environment, and a shell that becomes another program drops it: a limit stays. */
async function isProgramOf(caller: Caller, folder: string): Promise<boolean> {
  const own = programMarkIn(caller.limits());
  if (own === undefined) return false;
  const [{ programMark }, { repositoryMark }] = await Promise.all([
    import('../process/rlimit-mark.ts'),
    import('../process/tags.ts'),
  ]);
  return own === programMark(repositoryMark(repositoryAt(caller.host.disk, folder)));
}

/** A process that cleared its environment and outlived all above it still has the limits that its agent was given. */
async function markedAs(caller: Caller, sessions: SessionsContext, root: string): Promise<string | undefined> {
  const own = markIn(caller.limits());
  if (own === undefined) return undefined;
  const { agentsWithSessions } = await import('./agent-sessions.ts');
  const { markOf } = await import('../process/rlimit-mark.ts');
  const { agentTag } = await import('../process/tags.ts');
  const site = siteOf(caller.host.disk, root);
  return agentsWithSessions(sessions).find((agent) => isMark(own, markOf(agentTag(site, agent))));
}

type CredentialFacts = Pick<CallerFacts, 'claim' | 'live' | 'owner' | 'epoch' | 'session'>;

async function checkCredential(
  claim: Claimed,
  given: string | undefined,
  sessions: SessionsContext | undefined,
  mine: SessionRecord | undefined,
): Promise<CredentialFacts> {
  const none = { claim: { ...claim, credential: 'none' as const }, live: false };
  if (claim.id === undefined && given === undefined) return none;
  const { isLive, matchCredential, readSessions, sessionIdOf } = await import('./agent-sessions.ts');
  if (claim.id === undefined) {
    const all = sessions === undefined ? [] : readSessions(sessions);
    const owner = all.find((record) => matchCredential(record, given ?? '') !== undefined)?.agent;
    return { claim: { ...claim, credential: 'wrong' }, live: false, ...defined({ owner }) };
  }
  const live = mine !== undefined && sessions !== undefined && isLive(sessions, mine);
  if (given === undefined) return { ...none, live };
  const match = mine === undefined ? undefined : matchCredential(mine, given);
  // Where no record is left, the session has ended whatever it was.
  const credential: Credential =
    match === 'current' && live ? 'valid' : match !== undefined || mine === undefined ? 'over' : 'wrong';
  if (credential !== 'valid' || mine === undefined) return { claim: { ...claim, credential }, live };
  return { claim: { ...claim, credential }, live, ...defined({ epoch: mine.epoch }), session: sessionIdOf(mine) };
}
