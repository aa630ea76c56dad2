// Records what was refused because of who asked. Every such command is a line of refused.log. One that acted as somebody
// else is also an anomaly against the agent that made it, which counts repeated ones only now and then, and an alarm; an
// agent that under its own name tried a command of another role has made a mistake, and is only told so. Where nothing
// can be written the command is refused all the same.

import { join } from 'node:path';
import { appendBounded } from '../ports/files.ts';
import { roleOfId, storedName } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import { gist } from '../text/format.ts';
import { iso } from '../text/time.ts';
import type { Caller } from './gather.ts';
import { type AttemptRefused, humanOnly } from './identify.ts';
import type { Attempt } from './rules/resolve.ts';

/** Records it where an agent asked; answers what the caller is told. */
export async function recordViolation<Refused extends AttemptRefused>(
  caller: Caller,
  command: string,
  refusal: Refused,
): Promise<Omit<Refused, 'attempt'>> {
  const { attempt, ...told } = refusal;
  if (attempt !== undefined) {
    await recordAttempt(caller, command, attempt);
    return { ...told, message: `liza ${command} refused: ${refusal.message}` };
  }
  const agent = honestAgent(caller, refusal);
  if (agent !== undefined) await settled(asLine(caller, command, `${agent} was refused a command of another role`));
  return told;
}

/** For a command that is refused inside the sandbox: records it against the agent that really asked. */
export async function recordAgentAttempt(caller: Caller, command: string): Promise<void> {
  const refusal = await humanOnly(caller, command);
  if (refusal !== undefined) await recordViolation(caller, command, refusal);
}

/** An agent in its own session, under its own name. */
function honestAgent({ env }: Caller, { guard }: Refusal): string | undefined {
  const agent = storedName(env['LIZA_AGENT_ID'] ?? '');
  const isOne = roleOfId(agent) !== undefined && Boolean(env['LIZA_SESSION']);
  return guard === 'role' && isOne ? agent : undefined;
}

const LOG_LIMIT = 2 * 1024 * 1024;

async function recordAttempt(caller: Caller, command: string, attempt: Attempt): Promise<void> {
  const line = `${attempt.agent} tried to act as ${gist(attempt.claimed, 80)}`;
  await settled(asLine(caller, command, line), asAnomaly(caller, command, attempt));
}

const settled = async (...records: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(records);
};

async function asLine(caller: Caller, command: string, what: string): Promise<void> {
  const root = caller.root();
  if (typeof root !== 'string') return;
  const line = `${iso(caller.host.clock.now())} ${what}: liza ${command}\n`;
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
