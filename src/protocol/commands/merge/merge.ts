// The rows of `wt merge`, which moves the integration branch: the intent is recorded before the move, the outcome after
// it. An outcome is a fact and is recorded even while paused and by any supervisor, so that anyone can finish a merge
// whose process died. Only a merge that was announced can be recorded.

import { metrics as computeMetrics } from '../../../governance/rules/metrics.ts';
import { iso } from '../../../text/time.ts';
import { actorName, holdOn, onHold, plays } from '../../board.ts';
import { detach, event, evolve, patch, withGoal, withSprint, withTask } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';

import { findTask } from '../../find.ts';
import { checkCommits } from '../../ids.ts';
import { historyOf, lastCoder, mergingBy } from '../../leases.ts';
import { batchStep, landed, left, placeOf, released } from '../../queue/batch.ts';
import { queueOf } from '../../queue/order.ts';
import type { Landed } from '../../queue/records.ts';
import { testGone } from '../../queue/settle.ts';
import { approversOf } from '../../review/approver-session.ts';
import type { State } from '../../state.ts';
import { blank, defined } from '../../values.ts';
import { blockTask, LET_GO, QUESTIONS } from '../../work/blocked.ts';
import { firstLine } from '../words.ts';
import {
  announceBatch,
  baseOf,
  chained,
  landOne,
  movedNote,
  notLanding,
  othersOf,
  queueOpen,
  sessionOver,
  WAIT,
  withoutAnnouncements,
  withQueue,
} from './batch.ts';
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
      name: 'session-over',
      rule: 'every session in which it, or one of its batch, was approved is over, or its supervisor is gone',
      check: sessionOver,
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
    {
      name: 'integration-known',
      rule: 'onto is where Liza left the integration branch',
      check: ({ state, command }) => integrationKnown({ state, command: { onto: baseOf(command) } }),
    },
    {
      name: 'not-being-merged',
      rule: 'nobody else is merging it, or one that its candidate holds too',
      check: ({ board, state, task, command }) => {
        for (const one of [task, ...othersOf(state, command.before)]) {
          const by = mergingBy(board, one);
          if (by === undefined || one.merging?.process === command.process) continue;
          return refuse(`${by} is merging ${one.id === task.id ? 'it' : one.id} right now`, WAIT);
        }
        return undefined;
      },
    },
    { name: 'queue-open', rule: 'no person holds the merge queue', check: queueOpen },
    {
      name: 'chain',
      rule: 'those of its batch are approved, none is paused, and each candidate is built of what is approved, on the one before',
      check: chained,
    },
  ],
  effects:
    'merging {by, candidate, onto, since, process, judged} of all in its batch, and goal.queue.batch; the status stays',
  change: (s) => {
    const { task, actor, command } = s;
    const { candidate, judged, before = [] } = command;
    const by = actorName(actor);
    // Its agent has no part in it.
    const merger = actor.id === undefined ? by : `Liza (supervisor of ${by})`;
    const named = before.length === 0 ? task.id : `${before.map((one) => one.task).join(', ')} and ${task.id}`;
    return {
      state: announceBatch(s, by),
      detail:
        judged === undefined
          ? `${merger} merges ${named} as ${candidate.slice(0, 12)} onto ${baseOf(command).slice(0, 12)}`
          : `${merger} moves integration to ${candidate.slice(0, 12)} for ${named}: ${judged.tested ?? judged.untested ?? 'it is there already'}`,
    };
  },
};

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
    'of it and of those before it in its batch: merge_commit, goal.integration_head, sprint.metrics; worktree removed; a task branch that moved since the submit is logged',
  change: (s) => {
    const { task, command } = s;
    const { merge_commit, before = [], drift, head_moved, archived } = command;
    const all: readonly Landed[] = [...before, { task: task.id, ...defined({ drift, head_moved }) }];
    const merged = all.reduce((state, one) => landOne(s, state, one), s.state);
    // Git decides: the branch is there now, whatever head was recorded before.
    const there = withGoal(merged, { integration_head: merge_commit });
    const state = withSprint(there, { metrics: computeMetrics(there, archived) });
    const moved = all.flatMap((one) => (one.head_moved === undefined ? [] : [movedNote(s.state, one)]));
    const named = all.map((one) => one.task).join(', ');
    return {
      state: withQueue(state, (queue) => testGone(landed(queue, task.id, iso(s.now)), queue.batch, task, iso(s.now))),
      detail: `${named} merged as ${merge_commit.slice(0, 12)}, approved by ${approvedBy(s.state, all)}`,
      ...(moved.length === 0 ? {} : { notes: moved }),
    };
  },
};

/** `code-reviewer-1 (a), code-reviewer-2 (b)`; one name where it is the same for all. */
function approvedBy(state: State, all: readonly Landed[]): string {
  const each = all.map(({ task }) => ({ task, by: approversOf(state, task) }));
  const [first] = each;
  if (each.every(({ by }) => by === first?.by)) return first?.by ?? '';
  return each.map(({ task, by }) => `${by} (${task})`).join(', ');
}

function announced({ state, task, command, commandLine }: Situation<'merge'>): Refusal | undefined {
  const { merging } = task;
  const onto = command.onto ?? merging?.onto;
  const missing = command.before?.find((one) => findTask(state, one.task)?.merging === undefined);
  const is = merging?.candidate === command.merge_commit && merging.onto === onto;
  if (is && missing === undefined) return undefined;
  const there = command.onto === undefined ? '' : ` onto ${command.onto}`;
  return refuse(
    missing === undefined || !is
      ? `no merge of it at ${command.merge_commit}${there} was announced`
      : `no merge of ${missing.task}, which comes before it, was announced`,
    `Merge it: ${commandLine('merge', task.id)}`,
  );
}

export const mergeFailed: Row<'merge-failed'> = {
  name: 'merge-failed',
  typed: 'wt merge',
  syntax: 'wt merge {task}',
  summary: 'Record that the approved commit did not merge, or failed the tests.',
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
      name: 'no-merge-under-way',
      rule: 'neither it nor another of its batch was judged green and is landing',
      check: notLanding,
    },
    {
      name: 'not-halted',
      rule: 'no kill switch is on and the task is not paused, unless the merge was under way before and its tests are not red',
      check: ({ board, task, command }) => {
        const held = task.merging === undefined || isRed(command) ? holdOn(board, task) : undefined;
        return held === undefined ? undefined : onHold(board, held, { task });
      },
    },
    {
      name: 'reason',
      rule: 'what failed is named',
      check: ({ task, command, commandLine }) =>
        blank(command.reason)
          ? refuse('no reason was given', `Say what failed: ${commandLine('merge-failed', task.id)}`)
          : undefined,
    },
    {
      name: 'queue-open',
      rule: 'no person holds the merge queue, unless a person takes it out',
      check: (s) => (isTakenOut(s) ? undefined : queueOpen(s)),
    },
    {
      name: 'announced',
      rule: 'red by its tests, it is the culprit of its batch, as things are now',
      check: convicted,
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
        state: blockTask(s, leaves(s), task, {
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
      state: detach(withTask(leaves(s), failed), task.id),
      detail: `${task.id} failed to integrate: ${firstLine(reason)}`,
    };
  },
};

const isRed = ({ log, paths }: CommandOf<'merge-failed'>): boolean => log !== undefined && paths === undefined;

/** Without a log or a conflict a person takes it out. */
const isTakenOut = ({ actor, command: { log, paths } }: Situation<'merge-failed'>): boolean =>
  plays(actor, 'human') && log === undefined && paths === undefined;

/** Somebody may have come in between since it was. */
function convicted({ state, task, command }: Situation<'merge-failed'>): Refusal | undefined {
  const queue = queueOf(state);
  const step = batchStep(queue, { idle: false });
  const is = step.step === 'blame' && queue.batch?.entries[step.at - 1]?.task === task.id;
  if (is || !isRed(command)) return undefined;
  return refuse('it is not the culprit of its batch, as things are now', 'Run it again');
}

/** Its batch ends: the announcements of all others in it go. */
const leaves = (s: Situation<'merge-failed'>): State =>
  withQueue(withoutAnnouncements(s.state, s.task.id), (queue) =>
    left(queue, s.task.id, iso(s.now), isTakenOut(s) ? 'taken out' : 'blamed'),
  );

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
  effects: 'merging goes, also of the others in its batch; what was seen of it stays',
  change: ({ state, task }) => ({
    state: withQueue(withoutAnnouncements(withTask(state, patch(task, { merging: undefined })), task.id), (queue) =>
      placeOf(queue.batch, task.id) === undefined ? queue : released(queue),
    ),
    detail: `merge of ${task.id} at ${task.merging?.candidate.slice(0, 12)} given up`,
  }),
};

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
