// Gathers what tells who really asks: the processes above this one, their tags and the session records of the project.
// Only sessions of this very repository count: an agent of another project is a person here, as in its own tests.
// Cheapest evidence first; on Linux all of it costs a few small reads.

import type { Io } from '../cli/io.ts';
import { repositoryAt, siteOf } from '../git/directory.ts';
import { realFiles } from '../ports/files.ts';
import type { Ancestor } from '../process/ancestors.ts';
import { roleOfId } from '../protocol/board.ts';
import { defined } from '../protocol/values.ts';
import { pathsOf } from '../store/paths.ts';
import type { SessionRecord } from './agent-sessions.ts';
import { claimOf } from './identify.ts';
import { type Answer, type AskerFacts, type Claim, type Credential, PROGRAM, whoAsks } from './rules/resolve.ts';

/** `root`: the project concerned; undefined: one without a blackboard. */
export async function asker(io: Io, root: string | undefined): Promise<Answer> {
  const claim = claimOf(io.env);
  if ('ok' in claim) return { refusal: claim };
  // The strongest first: a process on record, then what the outermost was started with. Tags that processes in between,
  // or this one, carry besides are anyone's to set: they only count where there is nothing else.
  const agents = root === undefined ? undefined : pathsOf(root, undefined).agents;
  const { claimed, onRecord, above } = await lookUp(io, agents, claim.id);
  const named = await namedBy(above, io.env[TAG] ?? '', root ?? io.cwd);
  const below =
    onRecord?.agent ??
    named.find((name) => roleOfId(name) !== undefined) ??
    (root === undefined || agents === undefined ? undefined : await marked(io, agents, root));
  const credential = io.env['LIZA_SESSION'] || undefined;
  return whoAsks({
    ...(await credentials(claim, credential, agents, claimed)),
    ...defined({ below }),
    program: named.includes(PROGRAM),
  });
}

const TAG = 'LIZA_PROGRAM';

interface Above {
  /** Of the claimed id, whether its process is above this one or not. */
  readonly claimed?: SessionRecord | undefined;
  /** The agent whose process is on record above this one; where there is one, nobody else need be asked. */
  readonly onRecord?: SessionRecord;
  readonly above: readonly Ancestor[];
}

/** Most who ask are whom they claim to be: that record first, and the processes only as far up as its own. */
async function lookUp(io: Io, agents: string | undefined, id: string | undefined): Promise<Above> {
  if (agents === undefined) return { above: [...io.ancestors()] };
  const { readSession, sessionHints } = await import('./agent-sessions.ts');
  const claimed = id === undefined ? undefined : readSession(realFiles, agents, id);
  const above: Ancestor[] = [];
  for (const one of io.ancestors()) {
    if (claimed !== undefined && isOf(claimed, one)) return { claimed, onRecord: claimed, above: [] };
    above.push(one);
  }
  const hints = sessionHints(realFiles, agents);
  for (const one of above) {
    const agent = hints.get(one.pid);
    // Even one whose supervisor is gone: its agent is still an agent.
    const record = agent === undefined ? undefined : readSession(realFiles, agents, agent);
    if (record !== undefined && isOf(record, one)) return { claimed, onRecord: record, above: [] };
  }
  return { claimed, above };
}

const isOf = ({ process: its }: SessionRecord, { pid, started }: Ancestor): boolean =>
  its?.pid === pid && its.started === started;

/** From the outermost process inwards; this process's own variable comes last. */
async function namedBy(above: readonly Ancestor[], own: string, folder: string): Promise<readonly string[]> {
  const tags = [...above.map((one) => one.tags()).reverse(), own].filter((value) => value !== '');
  if (tags.length === 0) return [];
  const { namedIn, repositoryMark } = await import('../process/tags.ts');
  const mark = repositoryMark(repositoryAt(folder));
  return tags.flatMap((value) => namedIn(value, mark));
}

/** Whoever cleared its environment and outlived all above it still has the limits that its agent was given. */
async function marked(io: Io, agents: string, root: string): Promise<string | undefined> {
  const own = io.mark();
  if (own === undefined) return undefined;
  const { sessionsOf } = await import('./agent-sessions.ts');
  const [{ markOf }, { isMark }] = await Promise.all([import('../process/mark.ts'), import('../process/own-mark.ts')]);
  const { agentTag } = await import('../process/tags.ts');
  const site = siteOf(root);
  return sessionsOf(realFiles, agents).find((agent) => isMark(own, markOf(agentTag(site, agent))));
}

async function credentials(
  claim: Omit<Claim, 'credential'>,
  given: string | undefined,
  agents: string | undefined,
  mine: SessionRecord | undefined,
): Promise<Pick<AskerFacts, 'claim' | 'live' | 'owner' | 'epoch' | 'session'>> {
  const none = { claim: { ...claim, credential: 'none' as const }, live: false };
  if (claim.id === undefined && given === undefined) return none;
  const { idOf, isLive, knows, readSessions } = await import('./agent-sessions.ts');
  if (claim.id === undefined) {
    const all = agents === undefined ? [] : readSessions(realFiles, agents);
    const owner = all.find((record) => knows(record, given ?? '') !== undefined)?.agent;
    return { claim: { ...claim, credential: 'wrong' }, live: false, ...defined({ owner }) };
  }
  const live = mine !== undefined && isLive(mine);
  if (given === undefined) return { ...none, live };
  const known = mine === undefined ? undefined : knows(mine, given);
  // Where no record is left, the session is at an end whatever it was.
  const credential: Credential =
    known === 'current' && live ? 'valid' : known !== undefined || mine === undefined ? 'over' : 'wrong';
  if (credential !== 'valid' || mine === undefined) return { claim: { ...claim, credential }, live };
  const epoch = mine.epoch === undefined ? {} : { epoch: mine.epoch };
  return { claim: { ...claim, credential }, live, ...epoch, session: idOf(mine) };
}
