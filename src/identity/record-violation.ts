// Records a refused attempt to act as somebody else, or beyond an agent's role, against the agent that made it: each
// one as a line of refused.log, and on the board as an anomaly, which counts repeated ones only now and then. Where that
// cannot be written the attempt is refused all the same.

import { join } from 'node:path';
import { appendBounded } from '../ports/files.ts';
import { roleOfId } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { Role } from '../protocol/state.ts';
import { gist } from '../text/format.ts';
import { iso } from '../text/time.ts';
import type { Caller } from './gather.ts';
import { type AttemptRefused, humanOnly } from './identify.ts';
import type { Attempt } from './rules/resolve.ts';

/** A command, and whose it is. */
interface Command {
  readonly name: string;
  /** Roles as `liza help` names them: Planner, Coder, Reviewer, Supervisor, Human. */
  readonly groups: readonly string[];
}

/** Records it where it is one; answers what the caller is told. */
export async function recordViolation<Refused extends AttemptRefused>(
  caller: Caller,
  { name, groups }: Command,
  refusal: Refused,
): Promise<Omit<Refused, 'attempt'>> {
  const { attempt: made, ...told } = refusal;
  const attempt = made ?? beyondRole(caller, groups, refusal);
  if (attempt === undefined) return refusal;
  await record(caller, name, attempt);
  return made === undefined ? told : { ...told, message: `liza ${name} refused: ${refusal.message}` };
}

/** For a command that is refused inside the sandbox: records it against the agent that really asked. */
export async function recordAgentAttempt(caller: Caller, command: Command): Promise<void> {
  const refusal = await humanOnly(caller, command.name);
  if (refusal !== undefined) await recordViolation(caller, command, refusal);
}

/** An agent with its own credential that tries what is not its role's: the operator's, a supervisor's, another agent's. */
function beyondRole({ env }: Caller, groups: readonly string[], { guard }: Refusal): Attempt | undefined {
  const agent = env['LIZA_AGENT_ID']?.replace(/^code_reviewer-/, 'code-reviewer-');
  const role = agent === undefined ? undefined : roleOfId(agent);
  if (guard !== 'role' || agent === undefined || role === undefined || !env['LIZA_SESSION']) return undefined;
  if (groups.includes(GROUP[role])) return undefined;
  const other = CLAIMED.find(([group]) => groups.includes(group));
  return { agent, claimed: other?.[1] ?? 'the operator' };
}

const GROUP: Readonly<Record<Role, string>> = { planner: 'Planner', coder: 'Coder', code_reviewer: 'Reviewer' };
const CLAIMED: readonly (readonly [string, string])[] = [
  ['Supervisor', 'its supervisor'],
  ['Planner', 'a planner'],
  ['Coder', 'a coder'],
  ['Reviewer', 'a reviewer'],
];

const LOG_LIMIT = 2 * 1024 * 1024;

async function record(caller: Caller, command: string, attempt: Attempt): Promise<void> {
  await Promise.allSettled([asLine(caller, command, attempt), asAnomaly(caller, command, attempt)]);
}

async function asLine(caller: Caller, command: string, { agent, claimed }: Attempt): Promise<void> {
  const root = caller.root();
  if (typeof root !== 'string') return;
  const line = `${iso(caller.host.clock.now())} ${agent} tried to act as ${gist(claimed, 80)}: liza ${command}\n`;
  const { files, paths } = caller.context(root);
  appendBounded(files, join(paths.liza, 'refused.log'), Buffer.from(line), LOG_LIMIT);
}

async function asAnomaly(caller: Caller, command: string, { agent, claimed }: Attempt): Promise<void> {
  const root = caller.root();
  if (typeof root !== 'string') return;
  const store = caller.openStore(caller.context(root));
  const { decide } = await import('../protocol/decide.ts');
  const actor = { parts: ['supervisor' as const] };
  await store.transact({ actor, command: 'refused-attempt' }, (board, now) =>
    decide(board, { name: 'refused-attempt', agent, claimed, command }, { actor, now }),
  );
}
