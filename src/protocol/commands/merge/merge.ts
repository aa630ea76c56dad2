// The rows of `wt merge`, which moves the integration branch: the intent is recorded before the move, the outcome after
// it. An outcome is a fact and is recorded even while paused and by any supervisor, so that anyone can finish a merge
// whose process died. Only a merge that was announced can be recorded.

import { metrics as computeMetrics } from '../../../governance/rules/metrics.ts';
import { iso } from '../../../text/time.ts';
import { actorName, holdOn, LIZA, onHold } from '../../board.ts';
import { detach, event, evolve, patch, withGoal, withMachineAnomaly, withSprint, withTask } from '../../change.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { blank } from '../../definition/definition.ts';
import { checkCommits } from '../../ids.ts';
import { agentLease, historyOf, iterationsOf, lastCoder, mergingBy } from '../../leases.ts';
import type { State } from '../../state.ts';
import { defined } from '../../values.ts';
import { blockTask, LET_GO, QUESTIONS } from '../../work/blocked.ts';
import { firstLine } from '../coding/coder.ts';
import { integrationAccepted, integrationKnown } from './integration.ts';

export const reserveMerge: Row<'reserve-merge'> = {
  name: 'reserve-merge',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Announce the merge candidate before the integration branch moves to it.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  irreversible: true,
  startsWork: true,
  guards: [
    {
      name: 'approver-first',
      rule: 'the approver’s supervisor merges; any other once that one is gone',
      check: approverFirst,
    },
    {
      name: 'commits',
      rule: 'candidate and onto are full commit ids',
      check: ({ command }) => checkCommits(command.candidate, command.onto),
    },
    {
      name: 'integration-accepted',
      rule: 'the integration branch did not move outside Liza, or a person accepted it',
      check: integrationAccepted,
    },
    { name: 'integration-known', rule: 'onto is where Liza left the integration branch', check: integrationKnown },
    {
      name: 'not-being-merged',
      rule: 'nobody else is merging it',
      check: ({ board, task, command }) => {
        const by = mergingBy(board, task);
        if (by === undefined || task.merging?.process === command.process) return undefined;
        return refuse(`${by} is merging it right now`, WAIT);
      },
    },
  ],
  effects: 'merging {by, candidate, onto, since, process, judged}; again when its test is over; the status stays',
  change: ({ state, task, actor, command, now }) => {
    const { candidate, onto, process, judged } = command;
    const by = actorName(actor);
    const merging = {
      by,
      candidate,
      onto,
      since: iso(now),
      ...defined({ process }),
      judged: judged !== undefined,
      ...judged,
    };
    return {
      state: withTask(state, patch(task, { merging, merge_held: undefined })),
      detail:
        judged === undefined
          ? `${by} merges ${task.id} as ${candidate.slice(0, 12)} onto ${onto.slice(0, 12)}`
          : `${by} moves integration to ${candidate.slice(0, 12)} for ${task.id}: ${judged.tested ?? judged.untested ?? 'it is there already'}`,
    };
  },
};

const WAIT = 'Wait for it; if its process died: liza doctor --fix';

export const merge: Row<'merge'> = {
  name: 'merge',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record that the approved commit is on the integration branch.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  to: ['MERGED'],
  inner: true,
  irreversible: true,
  already: ({ task, command }) => task.status === 'MERGED' && task.merge_commit === command.merge_commit,
  guards: [
    {
      name: 'merge-commit',
      rule: 'the merge commit is a full commit id',
      check: ({ command }) => checkCommits(command.merge_commit),
    },
    { name: 'announced', rule: 'exactly this merge was announced', check: announced },
  ],
  effects:
    'merge_commit, goal.integration_head, sprint.metrics; worktree removed; a task branch that had moved since the submit is logged as branch_moved',
  change: (s) => {
    const { task, command } = s;
    const { merge_commit, head_moved } = command;
    const merged = evolve(
      task,
      { ...LET_GO, approved_by: task.approved_by, status: 'MERGED', merge_commit, worktree: undefined },
      event(s, 'merged', {
        merge_commit,
        onto: task.merging?.onto,
        commit: task.review_commit,
        by: task.merging?.by,
        author: lastCoder(task),
        approved_by: task.approved_by,
        iterations: iterationsOf(task),
        drift: command.drift,
        tested: command.tested,
        untested: command.untested,
      }),
    );
    // Git decides: the branch is there now, whatever head was recorded before.
    const landed = withGoal(detach(withTask(s.state, merged), task.id), { integration_head: merge_commit });
    const state = withSprint(landed, { metrics: computeMetrics(landed, command.archived) });
    return {
      state: head_moved === undefined ? state : logMoved(s, state, head_moved),
      detail: `${task.id} merged as ${merge_commit.slice(0, 12)}, approved by ${task.approved_by}`,
      ...(head_moved === undefined
        ? {}
        : { notes: [`task/${task.id} is at ${head_moved}, ${task.review_commit} was merged`] }),
    };
  },
};

/** The branch is its coder's own: that it went on after the submit is worth a line, and no violation. */
const logMoved = (s: Situation<'merge'>, state: State, commit: string): State =>
  withMachineAnomaly(s, state, {
    type: 'branch_moved',
    task: s.task.id,
    pattern: 'commit',
    details: {
      agent: lastCoder(s.task) ?? LIZA,
      branch: `task/${s.task.id}`,
      commit,
      ...defined({ merged: s.task.review_commit }),
    },
  });

function announced({ task, command, commandLine }: Situation<'merge'>): Refusal | undefined {
  const { merging } = task;
  const onto = command.onto ?? merging?.onto;
  if (merging?.candidate === command.merge_commit && merging.onto === onto) return undefined;
  const there = command.onto === undefined ? '' : ` onto ${command.onto}`;
  return refuse(
    `no merge of it at ${command.merge_commit}${there} was announced`,
    `Merge it: ${commandLine('merge', task.id)}`,
  );
}

export const mergeFailed: Row<'merge-failed'> = {
  name: 'merge-failed',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record that the approved commit did not merge, or that the merge failed the tests.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  to: ['INTEGRATION_FAILED', 'BLOCKED'],
  inner: true,
  irreversible: true,
  already: ({ task, command }) => {
    const last = historyOf(task).at(-1);
    return (
      task.status === 'INTEGRATION_FAILED' && last?.event === 'integration_failed' && last.reason === command.reason
    );
  },
  guards: [
    {
      name: 'not-halted',
      rule: 'no kill switch is on and the task is not paused, unless the merge was under way before',
      check: ({ board, task }) => {
        const held = task.merging === undefined ? holdOn(board, task) : undefined;
        return held === undefined ? undefined : onHold(board, held, { task });
      },
    },
    {
      name: 'approver-first',
      rule: 'the approver’s supervisor merges; any other once that one is gone, or for a merge that was announced',
      check: (s) => (s.task.merging === undefined ? approverFirst(s) : undefined),
    },
    {
      name: 'reason',
      rule: 'what failed is named',
      check: ({ task, command, commandLine }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say what failed: ${commandLine('merge-failed', task.id)}`)
          : undefined,
    },
  ],
  effects:
    'worktree retained; any coder may claim the fix; the planner is woken; the max_review_cycles-th failure in a row, or one in the last iteration → BLOCKED',
  change: (s) => {
    const { task, command } = s;
    const { reason, paths, with: others, log, output } = command;
    const told = event(s, 'integration_failed', {
      reason,
      paths,
      with: others,
      log,
      output,
      commit: task.review_commit,
    });
    const limit = failuresLimit(s);
    if (limit !== undefined) {
      const why = `${limit} without a merge: ${firstLine(reason)}`;
      return {
        state: blockTask(s, s.state, task, {
          reason: why,
          questions: QUESTIONS.integration,
          failed: lastCoder(task),
          changes: { approvals: undefined },
          earlier: [told],
        }),
        detail: `${task.id} failed to integrate, now BLOCKED: ${why}`,
      };
    }
    const failed = evolve(
      task,
      // The next submission needs new approvals, even if it is the same commit.
      { ...LET_GO, approved_by: task.approved_by, approvals: undefined, status: 'INTEGRATION_FAILED' },
      told,
    );
    return {
      state: detach(withTask(s.state, failed), task.id),
      detail: `${task.id} failed to integrate: ${firstLine(reason)}`,
    };
  },
};

/** The limit that a merge which failed again and again has reached. */
function failuresLimit({ task, settings }: Situation<'merge-failed'>): string | undefined {
  const history = historyOf(task);
  const since = history.findLastIndex(({ event: name }) => name === 'unblocked') + 1;
  const before = history.slice(since).filter(({ event: name }) => name === 'integration_failed').length;
  const cycles = task.max_review_cycles ?? settings.max_review_cycles;
  if (before + 1 >= cycles) return `${cycles} integration attempts`;
  const most = task.max_iterations ?? settings.max_coder_iterations;
  return (task.iteration ?? 1) >= most ? `Max iterations (${most}) reached` : undefined;
}

export const releaseMerge: Row<'release-merge'> = {
  name: 'release-merge',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Cancel the announcement of a merge that did not move the integration branch.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  inner: true,
  irreversible: true,
  already: ({ task }) => task.merging === undefined,
  guards: [
    {
      name: 'nobody-merges',
      rule: 'its process is gone or was never named, or that process itself cancels it',
      check: ({ board, task, command }) => {
        const by = mergingBy(board, task);
        const named = task.merging?.process;
        return by === undefined || named === undefined || named === command.process
          ? undefined
          : refuse(`${by} is merging it right now`, WAIT);
      },
    },
  ],
  effects: 'merging goes; the status stays',
  change: ({ state, task }) => ({
    state: withTask(state, patch(task, { merging: undefined })),
    detail: `merge of ${task.id} at ${task.merging?.candidate.slice(0, 12)} given up`,
  }),
};

function approverFirst({
  board,
  actor,
  part,
  task,
  now,
  commandLine,
}: Situation<'reserve-merge'> | Situation<'merge-failed'>): Refusal | undefined {
  const approver = task.approved_by;
  if (part !== 'supervisor' || actor.id === undefined || approver === undefined || actor.id === approver)
    return undefined;
  if (agentLease(board, approver, now).expired) return undefined;
  return refuse(
    `${approver} approved ${task.id} and its supervisor is alive to merge it`,
    `Leave it to ${approver}, or a person: ${commandLine('merge', task.id)}`,
  );
}

/** Records that a merge waits for a person, whose checkout of the integration branch has uncommitted work. */
export const holdMerge: Row<'hold-merge'> = {
  name: 'hold-merge',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record why an approved commit cannot be merged right now.',
  who: ['supervisor', 'human'],
  from: ['APPROVED'],
  inner: true,
  irreversible: true,
  already: ({ task, command }) => task.merge_held?.reason === command.reason,
  guards: [
    {
      name: 'reason',
      rule: 'what holds it is named',
      check: ({ task, command, commandLine }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say what holds it: ${commandLine('hold-merge', task.id)}`)
          : undefined,
    },
  ],
  effects: 'merge_held {reason, since}; an alarm; gone with the next merge that starts',
  change: ({ state, task, command, now }) => ({
    state: withTask(state, patch(task, { merge_held: { reason: command.reason, since: iso(now) } })),
    detail: `merge of ${task.id} held: ${firstLine(command.reason)}`,
  }),
};
