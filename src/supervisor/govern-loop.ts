// Governs beside the watcher, which only reports: trips the circuit breaker, halts at the deadline, follows CHECKPOINT
// files, and records branches that agents moved and specs that changed. Looks after every change, and now and then for what only time brings
// about. What fails is tried again at the next look.

import { govern } from '../governance/govern.ts';
import { isLive, readSessions } from '../identity/agent-sessions.ts';
import { type BranchWatch, watchBranches } from '../identity/branch-watch.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { TaskContext } from '../tasks/context.ts';
import { noticeSpecChanges } from '../tasks/notice-spec.ts';
import type { ChangeSignal } from './change-signal.ts';

export interface Governor {
  readonly context: Omit<TaskContext, 'actor' | 'say'>;
  readonly changeSignal: ChangeSignal;
  /** What was done, in a line each. */
  report(line: string): void;
}

const LOOK_MS = 2000;
const WITHIN = 10_000;
/** After a change the agents that wait for work and the watcher look first. A burst of changes is one look. */
const SETTLE_MS = 1000;
/** While an agent may be at work; otherwise only people move branches, and that may wait. */
const HEADS_MS = 5000;
const CALM_HEADS_MS = 60_000;

export async function keepGoverning({ context, changeSignal, report }: Governor, over: AbortSignal): Promise<void> {
  const mine = asSupervisor(context, report);
  const heads = watchBranches(mine);
  let headsAt = 0;
  let known: number | undefined;
  let failed = '';
  while (!over.aborted) {
    const since = changeSignal.count();
    const done = await look(mine, known);
    known = done.seq;
    for (const line of done.lines) report(line);
    // A failure that repeats is reported once.
    if (done.failed !== undefined && done.failed !== failed) report(`the sprint is not watched: ${done.failed}`);
    failed = done.failed ?? '';
    const { clock } = context;
    const calm = !readSessions(context).some((session) => isLive(context, session));
    if (Math.abs(clock.now() - headsAt) >= (calm ? CALM_HEADS_MS : HEADS_MS)) {
      headsAt = clock.now();
      for (const line of await lookAtHeads(heads)) report(line);
      for (const line of await lookAtSpecs(mine)) report(line);
    }
    await changeSignal.wait(since, LOOK_MS, over);
    await changeSignal.wait(changeSignal.count(), SETTLE_MS, over);
  }
}

/** What cannot be read now is looked at again. */
export const lookAtHeads = (heads: BranchWatch): Promise<readonly string[]> => heads.look().catch(() => []);

/** What cannot be read now is looked at again. */
async function lookAtSpecs(context: TaskContext): Promise<readonly string[]> {
  try {
    return await noticeSpecChanges(context, (await context.store.read(WITHIN)).board.state);
  } catch {
    return [];
  }
}

/** One look, for cron and CI: the same as the first of `keepGoverning`. */
export const governOnce = (context: Governor['context']): Promise<Governed> =>
  look(
    asSupervisor(context, () => {}),
    undefined,
  );

const asSupervisor = (context: Governor['context'], say: (line: string) => void): TaskContext => ({
  ...context,
  actor: { parts: ['supervisor'] },
  say,
});

export interface Governed {
  readonly lines: readonly string[];
  /** Why the sprint could not be looked after. */
  readonly failed?: string;
}

interface Done extends Governed {
  readonly seq: number | undefined;
}

async function look(context: TaskContext, known: number | undefined): Promise<Done> {
  try {
    const snapshot = await context.store.read(WITHIN);
    const lines = await govern(context, snapshot, snapshot.seq !== known);
    if (isRefused(lines)) return { seq: undefined, lines: [], failed: lines.message };
    return { seq: snapshot.seq, lines };
  } catch (error) {
    return { seq: undefined, lines: [], failed: (error as Error).message };
  }
}

const isRefused = (value: readonly string[] | Refusal): value is Refusal => 'ok' in value;
