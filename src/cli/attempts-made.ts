// A refused attempt to act as somebody else, or beyond an agent's role, is recorded against the agent that made it. Where
// that cannot be written it is refused all the same.

import type { Attempt } from '../core/asker.ts';
import { type AttemptRefused, humanOnly } from './identity.ts';
import type { Io } from './io.ts';
import type { Group, Refused } from './verb.ts';

const AGENTS: readonly Group[] = ['Planner', 'Coder', 'Reviewer'];

export async function judged(
  io: Io,
  { name, groups }: { readonly name: string; readonly groups: readonly Group[] },
  refusal: Refused & AttemptRefused,
): Promise<Refused> {
  const { attempt: made, ...told } = refusal;
  const attempt = made ?? beyondRole(io, groups, refusal);
  if (attempt === undefined) return refusal;
  await record(io, name, attempt).catch(() => {});
  return made === undefined ? told : { ...told, message: `liza ${name} refused: ${refusal.message}` };
}

/** An agent asked, from inside the sandbox, for what is not its to do: recorded against whoever it really is. */
export async function reached(
  io: Io,
  found: { readonly name: string; readonly groups: readonly Group[] },
): Promise<void> {
  const refusal = await humanOnly(io, found.name);
  if (refusal !== undefined) await judged(io, found, refusal);
}

/** An agent with its own credential that tries what is the operator's, a supervisor's, or a verdict that is not its to give. */
function beyondRole(io: Io, groups: readonly Group[], { guard }: Refused): Attempt | undefined {
  const agent = io.env['LIZA_AGENT_ID'];
  const judges = groups.length === 1 && groups[0] === 'Reviewer';
  const isTheirs = !judges && groups.some((group) => AGENTS.includes(group));
  if (guard !== 'role' || isTheirs || !io.env['LIZA_SESSION'] || agent === undefined) return undefined;
  const claimed = judges ? 'a reviewer' : groups.includes('Supervisor') ? 'its supervisor' : 'the operator';
  return { agent: agent.replace(/^code_reviewer-/, 'code-reviewer-'), claimed };
}

async function record(io: Io, command: string, { agent, claimed }: Attempt): Promise<void> {
  const store = await io.openStore();
  if ('ok' in store) return;
  const { decide } = await import('../core/decide.ts');
  const actor = { parts: ['supervisor' as const] };
  await store.transact({ actor, command: 'refused-attempt' }, (board, now) =>
    decide(board, { name: 'refused-attempt', agent, claimed, command }, { actor, now }),
  );
}
