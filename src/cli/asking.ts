// Gathers what tells who really asks: the processes above this one, their tags and the session records of the project.
// Only sessions of this very repository count: an agent of another project is a person here, as in its own tests.
// Cheapest evidence first; on Linux all of it costs a few small reads.

import { type Answer, type AskerFacts, type Claim, type Credential, PROGRAM, whoAsks } from '../core/asker.ts';
import { roleOfId } from '../core/board.ts';
import { repositoryAt } from '../git/directory.ts';
import type { Ancestor } from '../programs/ancestors.ts';
import { realFiles } from '../store/files.ts';
import { pathsOf } from '../store/paths.ts';
import type { SessionRecord } from '../store/sessions.ts';
import { claimOf } from './identity.ts';
import type { Io } from './io.ts';

/** `root`: the project concerned; undefined: one without a blackboard. */
export async function asker(io: Io, root: string | undefined): Promise<Answer> {
  const claim = claimOf(io.env);
  if ('ok' in claim) return { refusal: claim };
  const above = io.ancestors();
  const records = root === undefined ? [] : await recordsOf(io, root, claim.id, above);
  // The strongest first: a process on record, then what the outermost was started with. Tags that processes in between,
  // or this one, carry besides are anyone's to set: they only count where there is nothing else.
  const onRecord = records.find((record) => isAbove(record, above))?.agent;
  const named = await namedBy(onRecord === undefined ? above : [], io.env[TAG] ?? '', root ?? io.cwd);
  const below = onRecord ?? named.find((name) => roleOfId(name) !== undefined);
  return whoAsks({
    ...(await credentials(claim, io.env['LIZA_SESSION'] || undefined, records)),
    ...(below === undefined ? {} : { below }),
    program: named.includes(PROGRAM),
  });
}

const TAG = 'LIZA_PROGRAM';

/** Of the claimed agent and of the processes above; all of them only where a credential comes without an id. */
async function recordsOf(
  io: Io,
  root: string,
  agent: string | undefined,
  above: readonly Ancestor[],
): Promise<readonly SessionRecord[]> {
  const { readSessions, sessionsAbout } = await import('../store/sessions.ts');
  const { agents } = pathsOf(root, undefined);
  if (agent === undefined && io.env['LIZA_SESSION']) return readSessions(realFiles, agents);
  return sessionsAbout(realFiles, agents, { agent, pids: above.map(({ pid }) => pid) });
}

/** From the outermost process inwards; this process's own variable comes last. */
async function namedBy(above: readonly Ancestor[], own: string, folder: string): Promise<readonly string[]> {
  const tags = [...above.map((one) => one.tags()).reverse(), own].filter((value) => value !== '');
  if (tags.length === 0) return [];
  const { namedIn, repositoryMark } = await import('../programs/tags.ts');
  const mark = repositoryMark(repositoryAt(folder));
  return tags.flatMap((value) => namedIn(value, mark));
}

/** Even one whose supervisor is gone: its agent is still an agent. */
const isAbove = ({ process: its }: SessionRecord, above: readonly Ancestor[]): boolean =>
  its !== undefined && above.some(({ pid, started }) => pid === its.pid && started === its.started);

async function credentials(
  claim: Omit<Claim, 'credential'>,
  given: string | undefined,
  records: readonly SessionRecord[],
): Promise<Pick<AskerFacts, 'claim' | 'live' | 'owner' | 'epoch'>> {
  const mine = records.find(({ agent }) => agent === claim.id);
  if (given === undefined && mine === undefined) return { claim: { ...claim, credential: 'none' }, live: false };
  const { isLive, knows } = await import('../store/sessions.ts');
  const live = mine !== undefined && isLive(mine);
  if (given === undefined) return { claim: { ...claim, credential: 'none' }, live };
  if (claim.id === undefined) {
    const owner = records.find((record) => knows(record, given) !== undefined)?.agent;
    return { claim: { ...claim, credential: 'wrong' }, live, ...(owner === undefined ? {} : { owner }) };
  }
  const known = mine === undefined ? undefined : knows(mine, given);
  // Where no record is left, the session is at an end whatever it was.
  const credential: Credential =
    known === 'current' && live ? 'valid' : known !== undefined || mine === undefined ? 'over' : 'wrong';
  const epoch = credential === 'valid' ? mine?.epoch : undefined;
  return { claim: { ...claim, credential }, live, ...(epoch === undefined ? {} : { epoch }) };
}
