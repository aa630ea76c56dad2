// What a running session has used so far, saved beside the board: if its supervisor dies, the next one that looks
// records it. Without this a kill -9 would hide what was spent, and a budget would not hold.

import { dirname, join } from 'node:path';
import { type Actor, SUPERVISOR, supervisorOf } from '../protocol/board.ts';
import type { Command, SessionStay, SessionUse } from '../protocol/command.ts';
import { isRefusal } from '../protocol/decision.ts';
import { agentLease } from '../protocol/leases.ts';
import { ID_PATTERN, TIMESTAMP_PATTERN } from '../protocol/records/fields.ts';
import { SANDBOXES } from '../protocol/records/session-records.ts';
import type { State } from '../protocol/state.ts';
import { defined, isFields } from '../protocol/values.ts';
import { SUPERVISOR_ENDED } from '../protocol/work/losses.ts';
import { refusedIn } from '../store/refused-commands.ts';
import type { Snapshot } from '../store/store.ts';
import { type StoreContext, transact } from '../store/transact.ts';

interface SavedUse {
  readonly provider: string;
  readonly used: SessionUse;
  readonly stay?: SessionStay;
  readonly task?: string | undefined;
}

const fileOf = ({ paths }: StoreContext, agent: string): string => join(paths.liza, 'cache', 'use', `${agent}.json`);

/** Never in the way of the session: a full disk costs the note, not the work. */
export function noteUse(context: StoreContext, agent: string, use: SavedUse): void {
  const { disk } = context;
  try {
    const file = fileOf(context, agent);
    disk.mkdirSync(dirname(file), { recursive: true });
    // Beside it first: what a full disk cuts short must not replace what is there.
    disk.writeFileSync(`${file}.new`, JSON.stringify(use));
    disk.renameSync(`${file}.new`, file);
  } catch {
    // It is reported when the board cannot be written either.
  }
}

/** The use is on the board now. */
export const forgetUse = (context: StoreContext, agent: string): void =>
  context.disk.rmSync(fileOf(context, agent), { force: true });

/** For the supervisor that takes the id over. */
export async function recordLeftUse(context: StoreContext, agent: string): Promise<void> {
  const { board } = await context.store.read();
  await recordLeft(context, agent, board.state, supervisorOf(agent));
}

/** For all agents whose supervisor provably ended: nobody may ever take those ids over, and they count as running. */
export async function recordGoneUse(
  context: StoreContext,
  { board, now }: Pick<Snapshot, 'board' | 'now'>,
): Promise<boolean> {
  const gone = Object.keys(board.state.agents).filter(
    (id) => board.state.agents[id]?.under_way !== undefined && agentLease(board, id, now).dead,
  );
  const actor: Actor = { parts: ['supervisor'], session: SUPERVISOR };
  for (const id of gone) await recordLeft(context, id, board.state, actor);
  return gone.length > 0;
}

async function recordLeft(context: StoreContext, agent: string, { agents }: State, actor: Actor): Promise<void> {
  const { under_way, resume, provider = 'unknown' } = agents[agent] ?? {};
  // A note without a session under way: the session was recorded just before its supervisor ended.
  if (under_way === undefined) return forgetUse(context, agent);
  const saved = readUse(context, agent) ?? { ...nothingTold(under_way.task), provider };
  const session = resume?.session;
  const refused = saved.stay === undefined ? undefined : refusedIn(context, agent, saved.stay.id);
  const command: Command = {
    name: 'session-end',
    agent,
    how: SUPERVISOR_ENDED,
    provider: saved.provider,
    used: saved.used,
    began: under_way.since,
    ...defined({ stay: saved.stay, task: saved.task, session, refused }),
  };
  // Refused: somebody else has recorded it, or its agent is back and does so; then the note is theirs.
  if (!isRefusal(await transact({ ...context, actor }, command))) forgetUse(context, agent);
}

/** For a session whose note was never written or cannot be read: it counts, with an unknown use. */
const nothingTold = (task: string | undefined): Omit<SavedUse, 'provider'> => ({
  used: { seconds: 0, input_tokens: 0, output_tokens: 0, untold: true },
  ...defined({ task }),
});

/** An agent may have written the file: what is no number or name counts for nothing. */
function readUse(context: StoreContext, agent: string): SavedUse | undefined {
  try {
    const saved: unknown = JSON.parse(context.disk.readFileSync(fileOf(context, agent), 'utf8'));
    if (!isFields(saved) || !isFields(saved['used'])) return undefined;
    const { seconds, input_tokens, output_tokens, cached_tokens, cost_usd, untold } = saved['used'];
    const task = saved['task'];
    const stay = stayOf(saved['stay']);
    return {
      provider: typeof saved['provider'] === 'string' ? saved['provider'].slice(0, 100) : 'unknown',
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

function stayOf(saved: unknown): SessionStay | undefined {
  if (!isFields(saved)) return undefined;
  const { id, since, sandbox } = saved;
  const known = SANDBOXES.find((one) => one === sandbox);
  if (known === undefined || typeof id !== 'string' || typeof since !== 'string') return undefined;
  if (!/^[0-9a-f]{12}$/.test(id) || !TIMESTAMP_PATTERN.test(since)) return undefined;
  return { id, since, sandbox: known };
}

const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 1e13 ? value : undefined;
