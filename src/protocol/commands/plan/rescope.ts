// The rows that stop an existing task: abandon, and the operator's replan (unblock.ts gives it back to the coders,
// supersede.ts replaces it by others); and what all of them do with its questions and anomalies.

import { whole } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { aligned, detach, event, evolve, type Patch, processAnomalies, withAnomaly, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { historyOf } from '../../leases.ts';
import { reopenDiscoveries } from '../../messages/discoveries.ts';
import { closeQuestions, openQuestions } from '../../messages/questions.ts';
import { leftAhead } from '../../queue/lanes.ts';
import { TEXT_LIMIT } from '../../records/fields.ts';
import { isTerminal, type Question, type State, TASK_STATUSES, type Task } from '../../state.ts';
import { blank } from '../../values.ts';
import { blockTask, HUMAN_OVERRIDE, isDeadlocked, LET_GO, QUESTIONS } from '../../work/blocked.ts';
import { withQueue } from '../merge/batch.ts';
import { firstLine } from '../words.ts';
import { PLANNERS } from './planning.ts';

/** What the task loses when its work starts over. Git keeps the attempt under refs/liza/attempts. */
export const START_OVER: Patch<Task> = {
  ...LET_GO,
  assigned_to: undefined,
  worktree: undefined,
  base_commit: undefined,
  iteration: undefined,
  review_commit: undefined,
};

/** Questions that nobody needs answered any more, and why. */
export const withdrawn = <K extends 'unblock' | 'abandon' | 'supersede'>(
  s: Situation<K>,
  state: State,
  questions: readonly Question[],
  why = '',
): State =>
  closeQuestions(
    s,
    state,
    questions.map(({ id }) => id),
    { status: 'withdrawn', why: why.slice(0, TEXT_LIMIT) },
  );

/** Whoever closes questions by the way sees which. */
export const withdrawnNotes = (questions: readonly Question[]): readonly string[] =>
  questions.map(({ id, asked_by, text }) => `${id} of ${asked_by} is withdrawn unanswered: ${whole(text)}`);

/** Every open question of a task that ends. */
export const questionsLeft = (state: State, task: Task): readonly Question[] =>
  openQuestions(state).filter((one) => one.task === task.id);

/** Logs the assessment of a deadlock that ends without an unblock, and settles the task's anomalies. */
export function withAssessment<K extends 'abandon' | 'supersede'>(
  s: Situation<K>,
  state: State,
  task: Task,
  assessment: string,
): State {
  const known = state.anomalies.some(
    (one) => one.type === 'review_deadlock' && one.task === task.id && one.processed_at === undefined,
  );
  const logged =
    isDeadlocked(task) && !known
      ? withAnomaly(s, state, { type: 'review_deadlock', task: task.id, details: { assessment } })
      : state;
  return processAnomalies(s, logged, ({ task: on }) => on === task.id);
}

export const abandon: Row<'abandon'> = {
  name: 'abandon',
  syntax: 'abandon {task} --reason "…"',
  summary: 'Give up a task, with a reason.',
  who: PLANNERS,
  from: ['BLOCKED', 'UNCLAIMED', 'DRAFT', 'REJECTED'],
  to: ['ABANDONED'],
  already: ({ task, command }) =>
    task.status === 'ABANDONED' &&
    historyOf(task).some((entry) => entry.event === 'abandoned' && entry.rationale === command.rationale),
  guards: [
    {
      name: 'rationale',
      rule: 'a rationale is given',
      check: ({ task, command, commandLine }) =>
        blank(command.rationale)
          ? refuse('no rationale was given', `Say why: ${commandLine('abandon', task.id)}`)
          : undefined,
    },
  ],
  effects:
    'live dependents are BLOCKED with the reason; DRAFT ones stay and finalize refuses them; alignment_history; its anomalies are processed and its open questions withdrawn, with the reason; discoveries that it took up are open again; after a deadlock the rationale is logged as review_deadlock',
  change: (s) => {
    const { task, command } = s;
    const left = questionsLeft(s.state, task);
    const gone = evolve(
      task,
      { ...START_OVER, status: 'ABANDONED', blocked_reason: undefined, blocked_questions: undefined },
      event(s, 'abandoned', { rationale: command.rationale }),
    );
    const rescoped = aligned(
      s,
      withTask(withdrawn(s, s.state, left, `${task.id} was abandoned: ${command.rationale}`), gone),
      'rescope',
      `${task.id} abandoned: ${command.rationale}`.slice(0, 2000),
    );
    let state = withAssessment(s, detach(rescoped, task.id), task, command.rationale);
    const notes: string[] = [...withdrawnNotes(left)];
    for (const other of s.state.tasks) {
      if (!other.depends_on?.includes(task.id) || isTerminal(other.status) || other.status === 'DRAFT') continue;
      const reason = `its dependency ${task.id} was abandoned: ${command.rationale}`.slice(0, 2000);
      state =
        other.status === 'BLOCKED'
          ? withTask(state, evolve(other, {}, event(s, 'dependency_abandoned', { task: task.id, reason })))
          : blockTask(s, state, other, { reason, questions: QUESTIONS.abandoned });
      notes.push(`${other.id} depends on it and is BLOCKED`);
    }
    const { state: after, reopened } = reopenDiscoveries(state, task.id, iso(s.now));
    notes.push(...reopened.map((id) => `discovery ${id}, which it took up, is open again`));
    return { state: after, detail: `task ${task.id} abandoned: ${firstLine(command.rationale, 240)}`, notes };
  },
};

export const replan: Row<'replan'> = {
  name: 'replan',
  syntax: 'replan {task}',
  summary: 'Stop a task and hand it back to the planner.',
  who: ['human'],
  from: TASK_STATUSES.filter((status) => status !== 'DRAFT' && !isTerminal(status)),
  to: ['BLOCKED'],
  already: ({ task, command }) => task.status === 'BLOCKED' && task.blocked_reason === overrideReason(command.reason),
  guards: [
    {
      name: 'no-merge-under-way',
      rule: 'no merge of it was announced: otherwise the integration branch may already have moved',
      check: ({ task: { merging, status } }) =>
        merging === undefined || status !== 'APPROVED'
          ? undefined
          : refuse(
              `a merge of it has been under way since ${merging.since}`,
              'Wait for it; if its process died: liza doctor --fix',
            ),
    },
  ],
  effects: '`blocked_reason: human override` wakes the planner; worktree kept',
  change: (s) => ({
    state: withQueue(
      blockTask(s, s.state, s.task, { reason: overrideReason(s.command.reason), questions: QUESTIONS.override }),
      (queue) => leftAhead(queue, s.task.id),
    ),
    detail: `task ${s.task.id} handed back to the planner`,
    said: s.command.reason,
    notes: whatBecomes(s.task),
  }),
};

/** What a person is told of the work that they stopped. */
function whatBecomes({ id, status, assigned_to: coder, reviewing_by: reviewer, worktree }: Task): readonly string[] {
  const stopped =
    status === 'CLAIMED' && coder !== undefined
      ? [`${coder} is stopped, and told why with its next command`]
      : reviewer !== undefined
        ? [`${reviewer} stops reviewing it; no verdict is needed`]
        : status === 'APPROVED'
          ? ['it is not merged: its approval no longer counts']
          : [];
  return worktree === undefined
    ? stopped
    : [
        ...stopped,
        `The work stays in ${worktree}. The planner decides: liza unblock ${id} --keep-worktree continues it; otherwise the next coder starts fresh and is told where it is kept: liza attempts ${id}`,
      ];
}

const overrideReason = (reason: string | undefined): string =>
  reason === undefined || blank(reason)
    ? HUMAN_OVERRIDE
    : (reason.startsWith(HUMAN_OVERRIDE) ? reason : `${HUMAN_OVERRIDE}: ${reason}`).slice(0, TEXT_LIMIT);
