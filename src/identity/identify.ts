// Who is asking: the operator, a supervisor or its agent. LIZA_AGENT_ID, LIZA_SESSION and LIZA_EPOCH only claim it; the
// processes and session records around decide whether the claim holds (gather.ts, identity/rules/resolve.ts).

import type { Environment } from '../ports/host.ts';
import { type Actor, roleOfId, storedName } from '../protocol/board.ts';
import { FOR_A_PERSON, type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { defined } from '../protocol/values.ts';
import { type Caller, type Claimed, gatherFacts } from './gather.ts';
import { type Attempt, type ResolvedCaller, resolveCaller } from './rules/resolve.ts';

/** A refusal that is recorded against the agent that made the attempt (record-violation.ts). */
export interface AttemptRefused extends Refusal {
  readonly attempt?: Attempt;
}

/** `root`: the project concerned, where there is one. */
export async function identify(caller: Caller, root: string | undefined): Promise<Actor | AttemptRefused> {
  const claim = claimOf(caller.env);
  if ('ok' in claim) return claim;
  const resolved = asClaimedInside(caller.env, resolveCaller(await gatherFacts(caller, root, claim)));
  if (resolved.actor !== undefined) return resolved.actor;
  return { ...resolved.refusal, ...defined({ attempt: resolved.attempt }) };
}

/**
 * A request out of the sandbox acts for the session of its mailbox, whatever the environment inside said. Where that
 * named another agent, the request is refused as it would be without a sandbox; it can never gain anything by it.
 */
function asClaimedInside(env: Environment, resolved: ResolvedCaller): ResolvedCaller {
  const claimed = env['LIZA_BROKERED'] === '1' ? env['LIZA_CLAIMED'] : undefined;
  const below = resolved.actor?.id;
  if (!claimed || below === undefined || storedName(claimed) === below) return resolved;
  return resolveCaller({ claim: { id: claimed, credential: 'none' }, below, program: false, live: false });
}

/** What the environment claims. */
export function claimOf(env: Environment): Claimed | Refusal {
  const claimed = env.LIZA_AGENT_ID;
  if (claimed === undefined || claimed === '') return {};
  const id = agentId(claimed);
  if (typeof id !== 'string') return id;
  const role = roleOfId(id);
  if (role === undefined) return badAgentId(claimed);
  const epoch = readEpoch(env.LIZA_EPOCH);
  if (typeof epoch === 'object') return epoch;
  return { id, role, ...defined({ epoch }) };
}

/** Refuses agents a verb that is the operator's alone and that no rule of the protocol decides. */
export async function humanOnly(caller: Caller, verb: string): Promise<AttemptRefused | undefined> {
  const root = caller.root();
  const actor = await identify(caller, typeof root === 'string' ? root : undefined);
  if ('ok' in actor) return actor;
  if (actor.id === undefined) return undefined;
  return refuse(
    `liza ${verb} is for the operator, not for ${actor.id}`,
    caller.env['LIZA_SESSION'] ? FOR_A_PERSON : 'unset LIZA_AGENT_ID to act as yourself',
    1,
    'role',
  );
}

/** Scripts under an agent's id may use it; an agent in its session has a command for everything that is its own. */
export function notForAgents({ id, parts }: Actor, verb: string): Refusal | undefined {
  if (id === undefined || parts.includes('supervisor')) return undefined;
  return refuse(`liza ${verb} is not for ${id} in its session`, 'use the command for it: liza help --all', 1, 'role');
}

/** `code_reviewer-1` and `code-reviewer-1` are the same agent; the second is how it is stored. */
export function agentId(claimed: string): string | Refusal {
  const id = storedName(claimed);
  return roleOfId(id) === undefined ? badAgentId(claimed) : id;
}

const badAgentId = (claimed: string): Refusal =>
  refuse(
    `${quoted(claimed)} is not an agent id`,
    'an agent id is a role and a number from 1 to 9999: planner-1, coder-2, code-reviewer-1; unset LIZA_AGENT_ID to act as yourself',
    1,
    'agent-id',
  );

function readEpoch(value: string | undefined): number | undefined | Refusal {
  if (value === undefined || value === '') return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  return refuse(
    `LIZA_EPOCH is ${quoted(value)}, must be a whole number`,
    'the supervisor sets it; do not change it',
    1,
    'epoch',
  );
}
