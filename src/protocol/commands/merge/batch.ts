// What the rows of `wt merge` do to a whole batch: a command about a task names those that stand before it in its batch,
// and one that names none is a batch of one.

import { iso } from '../../../text/time.ts';
import { LIZA } from '../../board.ts';
import { detach, event, evolve, patch, withGoal, withMachineAnomaly, withTask } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { findTask } from '../../find.ts';
import { checkCommits } from '../../ids.ts';
import { iterationsOf, lastCoder } from '../../leases.ts';
import { announcedOf, type Beginning, begun, placeOf, ranGreen } from '../../queue/batch.ts';
import { queueOf } from '../../queue/order.ts';
import type { Announced, Landed } from '../../queue/records.ts';
import type { Queue } from '../../queue/shape.ts';
import { holdText } from '../../queue/tell.ts';
import { approverInSession, inSessionText, WAIT_FOR_SESSION } from '../../review/approver-session.ts';
import type { State, Task } from '../../state.ts';
import { defined } from '../../values.ts';
import { LET_GO } from '../../work/blocked.ts';
import { authorsOf, oneOrMore, reviewersOf } from '../../work/merge-names.ts';

type Reserving = CommandOf<'reserve-merge'> | CommandOf<'merge-ahead'>;

export function withQueue(state: State, change: (queue: Queue) => Queue): State {
  const before = queueOf(state);
  const after = change(before);
  if (after === before) return state;
  return withGoal(state, { queue: Object.keys(after).length === 0 ? undefined : after });
}

/** The tasks that come to the branch with it. */
export const othersOf = (state: State, before: readonly { readonly task: string }[] = []): readonly Task[] =>
  before.flatMap(({ task }) => findTask(state, task) ?? []);

/** Where the branch has to be for the whole of it. */
export const baseOf = ({ before, onto }: Pick<Reserving, 'before' | 'onto'>): string => before?.[0]?.onto ?? onto;

const chainOf = ({ before = [], task, commit, candidate, onto }: Reserving): readonly Announced[] => [
  ...before,
  { task, candidate, onto, ...defined({ commit }) },
];

/** Neither it nor those of its batch: a person who wants it now ends the session first. */
export function sessionOver({
  board,
  state,
  part,
  task,
  command,
  now,
}: Situation<'reserve-merge'> | Situation<'merge-ahead'>): Refusal | undefined {
  for (const one of [task, ...othersOf(state, command.before)]) {
    const by = approverInSession(board, one, now);
    if (by !== undefined)
      return refuse(inSessionText(one.id, by), part === 'human' ? WAIT_FOR_SESSION : 'Wait for its end');
  }
  return undefined;
}

export function queueOpen({ state }: Pick<Situation<'reserve-merge'>, 'state'>): Refusal | undefined {
  const { held } = queueOf(state);
  if (held === undefined) return undefined;
  const whole = holdText(held);
  const why = whole === undefined ? '' : `: ${whole}`;
  return refuse(
    `${held.by} holds the merge queue since ${held.since}${why}`,
    'A person lets it go on: liza queue release',
  );
}

interface Chained {
  readonly state: State;
  readonly command: Reserving;
}

export function chained({ state, command }: Chained): Refusal | undefined {
  const chain = chainOf(command);
  for (const [at, { task: id, commit, candidate, onto }] of chain.entries()) {
    const task = findTask(state, id);
    const approved = task?.review_commit;
    // Taken out and mended meanwhile, its candidate holds what nobody wants to land.
    if (commit !== undefined && task !== undefined && commit !== approved)
      return refuse(`${id} was approved as ${approved} since; ${candidate} was built of ${commit}`, AGAIN);
    if (at === chain.length - 1) break;
    const bad = checkCommits(candidate, onto);
    if (bad !== undefined) return bad;
    if (task?.status !== 'APPROVED') return refuse(`${id}, which comes before it, is ${task?.status ?? 'gone'}`, AGAIN);
    if (task.paused === true) return refuse(`${id}, which comes before it, is paused`, AGAIN);
    if (chain[at + 1]?.onto !== candidate) return refuse(`the candidate after ${id} is not built on its own`, AGAIN);
  }
  return undefined;
}

const AGAIN = 'Run it again';

export function announceBatch({ state, command, now }: Situation<'reserve-merge'>, by: string): State {
  const { process, judged } = command;
  const { log, by: tool, seconds, ...told } = judged ?? {};
  const chain = chainOf(command);
  const since = iso(now);
  const marks = { by, since, ...defined({ process }), judged: judged !== undefined, ...told };
  const beginning = beginningOf(state, command, since);
  // Another batch that nobody goes on with makes room.
  const free = judged === undefined ? withoutAnnouncements(state, chain[0]?.task ?? '', process) : state;
  const announced = chain.reduce((to, { task: id, candidate, onto }) => {
    const task = findTask(to, id);
    return task === undefined
      ? to
      : withTask(to, patch(task, { merging: { ...marks, candidate, onto }, merge_held: undefined }));
  }, free);
  return withQueue(announced, (queue) =>
    judged === undefined ? begun(queue, beginning) : ranGreen(queue, beginning, defined({ log, by: tool, seconds })),
  );
}

export const beginningOf = (state: State, command: Reserving, since: string): Beginning => ({
  base: baseOf(command),
  since,
  entries: chainOf(command).map(({ task, commit, candidate }) => ({
    task,
    commit: commit ?? findTask(state, task)?.review_commit ?? candidate,
    candidate,
  })),
  ...defined({
    by: command.by,
    judge_at: 'judge_at' in command ? command.judge_at : undefined,
    process: command.process,
  }),
});

/** The announcements of the batch that this task is in go; without a task of it, those of whichever batch there is. */
export function withoutAnnouncements(state: State, task: string, process?: string): State {
  const { batch } = queueOf(state);
  if (batch === undefined) return state;
  const isIn = batch.entries.some((entry) => entry.task === task);
  return announcedOf(batch).reduce((to, { task: id, candidate }) => {
    const other = findTask(to, id);
    if (other?.merging?.candidate !== candidate) return to;
    if (!isIn && other.merging.process !== process) return to;
    return withTask(to, patch(other, { merging: undefined }));
  }, state);
}

/** It, or another of its batch, whose verdict is green and whose outcome is not recorded: the branch may have it already. */
export function notLanding({ state, task }: Situation<'merge-failed'>): Refusal | undefined {
  const { batch } = queueOf(state);
  const together = [task, ...(placeOf(batch, task.id) === undefined ? [] : othersOf(state, batch?.entries))];
  const one = together.find(({ merging }) => merging !== undefined && merging.judged !== false);
  if (one === undefined) return undefined;
  return refuse(`${one.id} was tested green and is landing since ${one.merging?.since}`, WAIT);
}

export const WAIT = 'Wait for it; if its process died: liza doctor --fix';

/** It is on the branch. */
export function landOne(s: Situation<'merge'>, state: State, { task: id, drift, head_moved }: Landed): State {
  const task = findTask(state, id);
  if (task === undefined) return state;
  const { merging } = task;
  const merge_commit = merging?.candidate ?? s.command.merge_commit;
  const own = id === s.task.id;
  const merged = evolve(
    task,
    { ...LET_GO, approved_by: task.approved_by, status: 'MERGED', merge_commit, worktree: undefined },
    event(s, 'merged', {
      merge_commit,
      onto: merging?.onto,
      commit: task.review_commit,
      by: merging?.by,
      author: oneOrMore(authorsOf(task, task.review_commit)),
      approved_by: oneOrMore(reviewersOf(task)),
      iterations: iterationsOf(task),
      drift,
      tested: own ? s.command.tested : merging?.tested,
      untested: own ? s.command.untested : merging?.untested,
    }),
  );
  const landed = detach(withTask(state, merged), id);
  return head_moved === undefined ? landed : logMoved(s, landed, task, head_moved);
}

/** The branch is its coder's own: that it went on after the submit is worth a line, and no violation. */
const logMoved = (s: Situation<'merge'>, state: State, task: Task, commit: string): State =>
  withMachineAnomaly(s, state, {
    type: 'branch_moved',
    task: task.id,
    pattern: 'commit',
    details: {
      agent: lastCoder(task) ?? LIZA,
      branch: `task/${task.id}`,
      commit,
      ...defined({ merged: task.review_commit }),
    },
  });

export const movedNote = (before: State, { task, head_moved }: Landed): string =>
  `task/${task} is at ${head_moved}, ${findTask(before, task)?.review_commit} was merged`;
