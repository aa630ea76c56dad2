// A refused attempt to act as somebody else, or beyond an agent's role, is recorded against the agent that made it: each
// one as a line of refused.log, and on the board as an anomaly, which counts repeated ones only now and then. Where that
// cannot be written it is refused all the same.

import { join } from 'node:path';
import type { Io } from '../cli/io.ts';
import type { Group, Refused } from '../cli/verb.ts';
import { appendBounded, realFiles } from '../ports/files.ts';
import { roleOfId } from '../protocol/board.ts';
import type { Role } from '../protocol/state.ts';
import { pathsOf } from '../store/paths.ts';
import { gist } from '../text/format.ts';
import { iso } from '../text/time.ts';
import { type AttemptRefused, humanOnly } from './identify.ts';
import type { Attempt } from './rules/resolve.ts';

export async function judged(
  io: Io,
  { name, groups }: { readonly name: string; readonly groups: readonly Group[] },
  refusal: Refused & AttemptRefused,
): Promise<Refused> {
  const { attempt: made, ...told } = refusal;
  const attempt = made ?? beyondRole(io, groups, refusal);
  if (attempt === undefined) return refusal;
  await record(io, name, attempt);
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

/** An agent with its own credential that tries what is not its role's: the operator's, a supervisor's, another agent's. */
function beyondRole(io: Io, groups: readonly Group[], { guard }: Refused): Attempt | undefined {
  const agent = io.env['LIZA_AGENT_ID']?.replace(/^code_reviewer-/, 'code-reviewer-');
  const role = agent === undefined ? undefined : roleOfId(agent);
  if (guard !== 'role' || agent === undefined || role === undefined || !io.env['LIZA_SESSION']) return undefined;
  if (groups.includes(GROUP[role])) return undefined;
  const other = CLAIMED.find(([group]) => groups.includes(group));
  return { agent, claimed: other?.[1] ?? 'the operator' };
}

const GROUP: Readonly<Record<Role, Group>> = { planner: 'Planner', coder: 'Coder', code_reviewer: 'Reviewer' };
const CLAIMED: readonly (readonly [Group, string])[] = [
  ['Supervisor', 'its supervisor'],
  ['Planner', 'a planner'],
  ['Coder', 'a coder'],
  ['Reviewer', 'a reviewer'],
];

const LOG_LIMIT = 2 * 1024 * 1024;

async function record(io: Io, command: string, attempt: Attempt): Promise<void> {
  await Promise.allSettled([asLine(io, command, attempt), asAnomaly(io, command, attempt)]);
}

async function asLine(io: Io, command: string, { agent, claimed }: Attempt): Promise<void> {
  const root = io.root();
  if (typeof root !== 'string') return;
  const line = `${iso(io.host.clock.now())} ${agent} tried to act as ${gist(claimed, 80)}: liza ${command}\n`;
  appendBounded(realFiles, join(pathsOf(root, undefined).liza, 'refused.log'), Buffer.from(line), LOG_LIMIT);
}

async function asAnomaly(io: Io, command: string, { agent, claimed }: Attempt): Promise<void> {
  const root = io.root();
  if (typeof root !== 'string') return;
  const store = io.openStore(io.context(root));
  const { decide } = await import('../protocol/decide.ts');
  const actor = { parts: ['supervisor' as const] };
  await store.transact({ actor, command: 'refused-attempt' }, (board, now) =>
    decide(board, { name: 'refused-attempt', agent, claimed, command }, { actor, now }),
  );
}
