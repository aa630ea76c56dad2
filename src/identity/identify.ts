// Who is asking: the operator, a supervisor or its agent. LIZA_AGENT_ID, LIZA_SESSION and LIZA_EPOCH only claim it; the
// processes and session records around decide whether the claim holds (gather.ts, identity/rules/resolve.ts).

import type { Io } from '../cli/io.ts';
import type { Environment } from '../ports/host.ts';
import { type Actor, roleOfId } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { defined } from '../protocol/values.ts';
import { asker } from './gather.ts';
import type { Attempt, Claim } from './rules/resolve.ts';

/** One that is recorded against whoever made the attempt (record-violation.ts). */
export interface AttemptRefused extends Refusal {
  readonly attempt?: Attempt;
}

/** `root`: of the project concerned, where there is one. */
export async function identify(io: Io, root: string | undefined): Promise<Actor | AttemptRefused> {
  const answer = await asker(io, root);
  if (answer.actor !== undefined) return answer.actor;
  return answer.attempt === undefined ? answer.refusal : { ...answer.refusal, attempt: answer.attempt };
}

/** What the environment says. */
export function claimOf(env: Environment): Omit<Claim, 'credential'> | Refusal {
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

/** For verbs that are the operator's alone and concern no decision of the core. */
export async function humanOnly(io: Io, verb: string): Promise<AttemptRefused | undefined> {
  const root = io.root();
  const actor = await identify(io, typeof root === 'string' ? root : undefined);
  if ('ok' in actor) return actor;
  if (actor.id === undefined) return undefined;
  return refuse(
    `liza ${verb} is for the operator, not for ${actor.id}`,
    io.env['LIZA_SESSION']
      ? 'leave it to the person: liza block, or liza anomaly'
      : 'unset LIZA_AGENT_ID to act as yourself',
    1,
    'role',
  );
}

/** Scripts under an agent's id may; an agent in its session has a command for everything that is its own. */
export function notForAgents({ id, parts }: Actor, verb: string): Refusal | undefined {
  if (id === undefined || parts.includes('supervisor')) return undefined;
  return refuse(`liza ${verb} is not for ${id} in its session`, 'use the command for it: liza help', 1, 'role');
}

/** `code_reviewer-1` and `code-reviewer-1` are the same agent; the second is how it is stored. */
export function agentId(claimed: string): string | Refusal {
  const id = claimed.replace(/^code_reviewer-/, 'code-reviewer-');
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
