// `liza heartbeat`: renews the agent's lease without touching state.yaml. `--long` first records
// why the next step takes long, then asks for the long duration.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { holdsWork } from '../../protocol/leases.ts';
import { type Settings, settings } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { Renewal } from '../../store/store.ts';
import type { CommandContext } from '../../store/transact.ts';
import { onProject, runCommand } from '../open-project.ts';
import type { Result, Verb } from '../verb.ts';

export const verb: Verb = {
  options: { long: { value: 'why', description: 'Ask for a longer lease, for a test suite or a build.' } },
  examples: ['liza heartbeat', 'liza heartbeat --long "full test suite, about 12 minutes"'],
  run: onProject(async (context, args) => {
    const agent = context.actor.id;
    if (agent === undefined) {
      return refuse('a person has no lease', 'set LIZA_AGENT_ID to the agent whose lease it is', 1, 'no-agent');
    }
    const why = args.text('long');
    if (why === undefined) return renew(context, agent, false);
    const { task } = await heldBy(context, agent);
    const recorded = await runCommand(context, { name: 'long-heartbeat', reason: why, ...defined({ task }) });
    if (!recorded.ok) return recorded;
    const renewed = await renew(context, agent, true);
    return renewed.ok ? { ...renewed, message: `${recorded.message}; ${renewed.message}` } : renewed;
  }),
};

async function renew(context: CommandContext, agent: string, long: boolean): Promise<Result> {
  const held = await heldBy(context, agent);
  const renewal: Renewal = {
    agent,
    ...defined({ task: held.task }),
    epoch: context.actor.epoch ?? held.epoch,
    seconds: long ? held.limits.long_lease_duration : held.seconds,
  };
  const lease = await context.store.renew(renewal);
  if (isRefusal(lease)) return lease;
  const { task, expires } = lease;
  const about = task === undefined ? '' : ` on ${task}`;
  return { ok: true, message: `lease of ${agent}${about} runs until ${expires}`, data: { agent, task, expires } };
}

interface Held {
  readonly task: string | undefined;
  readonly epoch: number;
  readonly seconds: number;
  readonly limits: Settings;
}

async function heldBy({ store }: CommandContext, id: string): Promise<Held> {
  const { agent, task, config } = await store.readAgent(id);
  const limits = settings({ config });
  const held = holdsWork(task, id) ? task : undefined;
  return {
    task: held?.id,
    epoch: (held === undefined ? agent?.epoch : held.epoch) ?? 0,
    seconds: agent?.role === 'code_reviewer' ? limits.review_lease_duration : limits.lease_duration,
    limits,
  };
}
