// Who is asking: the operator, a supervisor or its agent, from LIZA_AGENT_ID, LIZA_SESSION and
// LIZA_EPOCH. This only reads what is claimed; whether the claim holds is decided under the lock.

import { type Actor, OPERATOR, type Part, roleOfId } from '../core/board.ts';
import { type Refusal, refuse } from '../core/decision.ts';
import { quoted } from './ids.ts';

export function identify(env: Readonly<Record<string, string | undefined>>): Actor | Refusal {
  const claimed = env.LIZA_AGENT_ID;
  if (claimed === undefined || claimed === '') return OPERATOR;
  const id = agentId(claimed);
  if (typeof id !== 'string') return id;
  const role = roleOfId(id);
  if (role === undefined) return badAgentId(claimed);
  // SPEC §6: an id with no session may act as supervisor or as its agent; a session's credential
  // marks the agent itself, which never is its own supervisor.
  const parts: readonly Part[] = env.LIZA_SESSION ? [role] : ['supervisor', role];
  const epoch = readEpoch(env.LIZA_EPOCH);
  if (typeof epoch === 'object') return epoch;
  return { id, parts, ...(epoch === undefined ? {} : { epoch }) };
}

/** For verbs that are the operator's alone and concern no decision of the core. */
export function humanOnly(env: Readonly<Record<string, string | undefined>>, verb: string): Refusal | undefined {
  const actor = identify(env);
  if ('ok' in actor) return actor;
  if (actor.id === undefined) return undefined;
  return refuse(
    `liza ${verb} is for the operator, not for ${actor.id}`,
    env.LIZA_SESSION ? 'leave it to the person: liza block, or liza anomaly' : 'unset LIZA_AGENT_ID to act as yourself',
    1,
    'role',
  );
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
