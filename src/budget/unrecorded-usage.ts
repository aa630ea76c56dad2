// What a running session has used so far, kept beside the board: should its supervisor die, the next one that looks
// records it. Without this a kill -9 would hide what was spent, and a budget would not hold.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SUPERVISOR } from '../protocol/board.ts';
import type { Command, SessionStay, SessionUse } from '../protocol/command.ts';
import { isRefusal } from '../protocol/decision.ts';
import { ID_PATTERN, TIMESTAMP_PATTERN } from '../protocol/fields.ts';
import { agentLease } from '../protocol/leases.ts';
import { SANDBOXES, type State } from '../protocol/state.ts';
import { defined, isFields } from '../protocol/values.ts';
import type { Snapshot } from '../store/store.ts';
import { transact } from '../store/transact.ts';
import { type SupervisorContext, taskContextOf } from '../supervisor/context.ts';
import type { TaskContext } from '../tasks/context.ts';

const fileOf = ({ paths }: SupervisorContext, agent: string): string =>
  join(paths.liza, 'cache', 'use', `${agent}.json`);

/** Never in the way of the session: a full disk costs the note, not the work. */
export function noteUse(context: SupervisorContext, agent: string, left: Left): void {
  try {
    const file = fileOf(context, agent);
    mkdirSync(dirname(file), { recursive: true });
    // Beside it first: what a full disk cuts short must not replace what is there.
    writeFileSync(`${file}.new`, JSON.stringify(left));
    renameSync(`${file}.new`, file);
  } catch {
    // It is told when the board cannot be written either.
  }
}

/** It is on the board now. */
export const forgetUse = (context: SupervisorContext, agent: string): void =>
  rmSync(fileOf(context, agent), { force: true });

/** By whoever takes the id over. */
export async function recordLeftUse(context: SupervisorContext, agent: string): Promise<void> {
  const { board } = await context.store.read();
  await recordLeft(context, agent, board.state, taskContextOf(context, agent));
}

/** Of all whose supervisor provably ended: nobody may ever take those ids over, and until then they count as running. */
export async function recordGoneUse(
  context: SupervisorContext,
  { board, now }: Pick<Snapshot, 'board' | 'now'>,
): Promise<boolean> {
  const gone = Object.keys(board.state.agents).filter(
    (id) => board.state.agents[id]?.under_way !== undefined && agentLease(board, id, now).dead,
  );
  const taskContext = { ...taskContextOf(context, ''), actor: { parts: ['supervisor'], session: SUPERVISOR } } as const;
  for (const id of gone) await recordLeft(context, id, board.state, taskContext);
  return gone.length > 0;
}

async function recordLeft(
  context: SupervisorContext,
  agent: string,
  { agents }: State,
  taskContext: TaskContext,
): Promise<void> {
  const { under_way, resume, provider = 'unknown' } = agents[agent] ?? {};
  // A note alone is of a session that was recorded just before its supervisor ended.
  if (under_way === undefined) return forgetUse(context, agent);
  const left = readUse(fileOf(context, agent)) ?? { ...nothingTold(under_way.task), provider };
  const session = resume?.session;
  const command: Command = {
    name: 'session-end',
    agent,
    how: 'its supervisor was gone before it',
    provider: left.provider,
    used: left.used,
    began: under_way.since,
    ...defined({ stay: left.stay, task: left.task, session }),
  };
  // Refused: somebody else has recorded it, or its agent is back and does; the note is theirs.
  if (!isRefusal(await transact(taskContext, command))) forgetUse(context, agent);
}

/** Of one that began, and whose note was never written or cannot be read: it counts, with an unknown use. */
const nothingTold = (task: string | undefined): Omit<Left, 'provider'> => ({
  used: { seconds: 0, input_tokens: 0, output_tokens: 0, untold: true },
  ...defined({ task }),
});

interface Left {
  readonly provider: string;
  readonly used: SessionUse;
  readonly stay?: SessionStay;
  readonly task?: string | undefined;
}

/** Whoever can write there could have: what is no number or name counts for nothing. */
function readUse(file: string): Left | undefined {
  try {
    const told: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isFields(told) || !isFields(told['used'])) return undefined;
    const { seconds, input_tokens, output_tokens, cached_tokens, cost_usd, untold } = told['used'];
    const task = told['task'];
    const stay = stayOf(told['stay']);
    return {
      provider: typeof told['provider'] === 'string' ? told['provider'].slice(0, 100) : 'unknown',
      used: {
        seconds: amount(seconds) ?? 0,
        input_tokens: Math.round(amount(input_tokens) ?? 0),
        output_tokens: Math.round(amount(output_tokens) ?? 0),
        ...(amount(cached_tokens) === undefined ? {} : { cached_tokens: Math.round(amount(cached_tokens) ?? 0) }),
        ...(amount(cost_usd) === undefined ? {} : { cost_usd: amount(cost_usd) ?? 0 }),
        ...(untold === true ? { untold } : {}),
      },
      ...defined({ stay }),
      ...(typeof task === 'string' && ID_PATTERN.test(task) ? { task } : {}),
    };
  } catch {
    return undefined;
  }
}

function stayOf(told: unknown): SessionStay | undefined {
  if (!isFields(told)) return undefined;
  const { id, since, sandbox } = told;
  const known = SANDBOXES.find((one) => one === sandbox);
  if (known === undefined || typeof id !== 'string' || typeof since !== 'string') return undefined;
  if (!/^[0-9a-f]{12}$/.test(id) || !TIMESTAMP_PATTERN.test(since)) return undefined;
  return { id, since, sandbox: known };
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e13 ? value : undefined;
