// The row of `submit-verdict`: an approval with its evidence, or a rejection with its blockers, bound to the commit under
// review. One refusal names all that is wrong with it, in form and in fact.

import { gist } from '../../../text/format.ts';
import { iso } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { detach, event, evolve, type Patch, withTask } from '../../change.ts';
import type { Change, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { codersOf, historyOf } from '../../leases.ts';
import { contradictedBy, speaksOfQuestion } from '../../messages/question-scope.ts';
import { parseApproval } from '../../review/approval.ts';
import { besideTheChange, isFlagged, markedConcerns, outsideOf } from '../../review/approval-record.ts';
import { quorumOf } from '../../review/quorum.ts';
import { retractedHint } from '../../review/retracted.ts';
import { shownText } from '../../review/shown-text.ts';
import { mainBlocker, parseRejection, REJECTION_FORMAT, sameRejection } from '../../review/verdict.ts';
import type { HistoryEvent, Task } from '../../state.ts';
import { defined } from '../../values.ts';
import { blockTask, QUESTIONS, REVIEW_DEADLOCK } from '../../work/blocked.ts';
import { firstLine, list, STOP } from '../words.ts';
import { criteriaShown, shownBy, unknownConcerns } from './criteria-shown.ts';
import { holdsReview } from './review.ts';

const ROUND: ReadonlySet<string> = new Set(['submitted', 'approved', 'rejected']);

export const submitVerdict: Row<'submit-verdict'> = {
  name: 'submit-verdict',
  syntax: 'submit-verdict {task} APPROVED|REJECTED',
  summary: 'Approve or reject the exact commit under review.',
  who: ['code_reviewer'],
  from: ['READY_FOR_REVIEW'],
  to: ['READY_FOR_REVIEW', 'APPROVED', 'REJECTED', 'BLOCKED'],
  instead: (task, _commandLine, _part, actor) => retractedHint(task, actor.id),
  already: ({ task, actor, command }) => {
    // A verdict on an earlier submission says nothing about this one.
    const last = historyOf(task).findLast((entry) => ROUND.has(entry.event));
    return (
      last !== undefined &&
      last.agent === actor.id &&
      task.reviewing_by !== actor.id &&
      last.event === command.verdict.toLowerCase() &&
      (command.commit === undefined || command.commit === last.commit) &&
      (last.reason ?? '') === (command.reason ?? '')
    );
  },
  guards: [
    holdsReview(),
    {
      name: 'never-its-coder',
      rule: 'the reviewer never coded the task',
      check: ({ task, actor }) =>
        codersOf(task).includes(actorName(actor))
          ? refuse(`${actorName(actor)} coded ${task.id} and cannot judge it`, STOP)
          : undefined,
    },
    {
      name: 'this-commit',
      rule: 'the verdict names the commit under review',
      raced: true,
      check: ({ task, command, commandLine }) =>
        command.commit !== undefined && command.commit !== task.review_commit
          ? refuse(
              `the verdict names ${command.commit}, but ${task.review_commit} is under review`,
              `Review that one: ${commandLine('submit-verdict', task.id)} --commit ${task.review_commit}`,
            )
          : undefined,
    },
    {
      name: 'answer-read',
      rule: 'an agent’s approval names each answer of a person that came after its review began and differs from what was assumed',
      check: ({ state, task, command }) => {
        if (command.verdict !== 'APPROVED' || command.by_hand === true) return undefined;
        const begun = historyOf(task).findLast((entry) => entry.event === 'review_claimed')?.time ?? '';
        const unread = contradictedBy(state, task).find(
          ({ id, closed_at: at = '' }) => at > begun && !speaksOfQuestion(command.reason ?? '', id),
        );
        if (unread === undefined) return undefined;
        return refuse(
          `${unread.id} was answered while you reviewed: “${gist(unread.answer ?? '', 300)}”. It counts like DONE WHEN, before any criterion that says otherwise`,
          `Judge by it: reject what contradicts it, or, if the commit agrees with it, say so in a line of its own, \`${unread.id}: what in the commit agrees with it\`: liza show ${unread.id}`,
        );
      },
    },
    {
      name: 'copy-as-submitted',
      rule: 'no tracked file of the reviewer’s copy was changed',
      needs: 'facts',
      check: ({ task, command }) => {
        const changed = command.facts.changed_files;
        if (changed.length === 0) return undefined;
        return refuse(
          `a reviewer may not change files, and these differ from the submission: ${list(changed)}`,
          `Restore them (git checkout -- . in your copy), look again at ${task.review_commit}, then give the verdict`,
        );
      },
    },
    {
      name: 'rejection-structure',
      rule: 'a rejection has Blockers with file:line that exists in tree or diff, why and suggestion, Concerns, Overall, and from iteration 2 Prior Feedback Status',
      needs: 'facts',
      check: wellFormed,
    },
    criteriaShown,
    {
      name: 'concern-places',
      rule: 'a concern names a file:line that exists in tree or diff, or none',
      needs: 'facts',
      check: (s) => {
        const unknown = unknownConcerns(s);
        return unknown.length === 0
          ? undefined
          : refuse(
              unknown.join(),
              `Name files and lines of ${s.task.review_commit}, or leave the place out: - [concern] what somebody should know`,
            );
      },
    },
  ],
  effects:
    'approvals, approved_by at quorum, what shows each criterion, concerns / rejection_reason, review cycles +1; BLOCKED at max cycles (review_deadlock), at max iterations, or when the same rejection comes twice',
  change: (s) => (s.command.verdict === 'APPROVED' ? approve(s) : reject(s)),
};

function wellFormed(s: Situation<'submit-verdict'>): Refusal | undefined {
  const { task, command, commandLine } = s;
  if (command.verdict === 'APPROVED') return undefined;
  if (command.verdict !== 'REJECTED') {
    return refuse(
      `${String(command.verdict)} is not a verdict`,
      `Use APPROVED or REJECTED: ${commandLine('submit-verdict', task.id)}`,
    );
  }
  const { problems } = parseRejection(command.reason ?? '', (task.iteration ?? 1) >= 2);
  const unknown = command.facts.unknown_places;
  const places =
    unknown.length === 0 ? [] : [`blockers name places that are neither in the tree nor in the diff: ${list(unknown)}`];
  const names = `ame files and lines of ${task.review_commit}`;
  if (problems.length > 0) {
    const form =
      (task.iteration ?? 1) >= 2 ? `${REJECTION_FORMAT}\nPrior Feedback Status:\n- RESOLVED: …` : REJECTION_FORMAT;
    return refuse(
      [`the rejection is malformed: ${problems.join('; ')}`, ...places, ...unknownConcerns(s)].join('; '),
      `${places.length === 0 ? 'Write it' : `N${names}, and write it`} like this:\n${form}`,
    );
  }
  return unknown.length === 0 ? undefined : refuse([...places, ...unknownConcerns(s)].join('; '), `N${names}`);
}

function approve(s: Situation<'submit-verdict'>): Change {
  const { task, command, actor, now } = s;
  const by = actor.id ?? '';
  const commit = task.review_commit ?? '';
  const provider = command.provider ?? s.state.agents[by]?.provider;
  const approval = { by, commit, time: iso(now), ...defined({ provider }) };
  const approvals = [...(task.approvals ?? []), approval];
  const here = approvals.filter((one) => one.commit === commit);
  const { given, required, enough, lacks } = quorumOf(s.board, task, here, now);
  const { concerns } = parseApproval(command.reason ?? '', 0);
  const shown = shownBy(s);
  const doubted = (shown.shown ?? []).filter((one) => one.by !== 'nothing' && isFlagged(one));
  const told = event(s, 'approved', {
    commit,
    reason: command.reason,
    ...shown,
    outside_evidence: outsideOf(shown.shown ?? []),
    concerns: concerns.length === 0 ? undefined : markedConcerns(concerns, command.facts.outside_concerns),
  });
  const flagged = [
    ...doubted.map((one) => `flagged: criterion ${one.n}: ${shownText(one)}`),
    ...besideTheChange(told).map((one) => `flagged: the change does not touch ${one}`),
  ];
  const notes = flagged.length === 0 ? {} : { notes: [...flagged, NOTHING_TO_DO] };
  const free: Patch<Task> = {
    approvals,
    reviewing_by: undefined,
    review_lease_expires: undefined,
    handoff_pending: undefined,
  };
  if (!enough) {
    return {
      state: detach(withTask(s.state, evolve(task, free, told)), task.id, 'code_reviewer'),
      detail: `${by} approved ${task.id}: ${lacks === undefined ? `${given} of ${required} approvals` : `it still needs ${lacks}`}`,
      ...notes,
    };
  }
  const approved = evolve(task, { ...free, status: 'APPROVED', approved_by: by, rejection_reason: undefined }, told);
  return {
    state: detach(withTask(s.state, approved), task.id),
    detail: `${by} approved ${task.id} at ${commit.slice(0, 12)}`,
    ...notes,
  };
}

/** A flag is for who reads the verdict later. */
const NOTHING_TO_DO =
  'What is flagged is kept beside the verdict for its readers, and refuses nothing: there is nothing for you to do about it';

function reject(s: Situation<'submit-verdict'>): Change {
  const { task, command, actor, settings } = s;
  const reason = command.reason ?? '';
  const cycles = (task.review_cycles_current ?? 0) + 1;
  const outside = command.facts.outside_diff;
  const told = event(s, 'rejected', {
    commit: task.review_commit,
    reason,
    cycle: cycles,
    outside_diff: outside.length === 0 ? undefined : outside,
    outside_concerns: command.facts.outside_concerns,
  });
  const beside = besideTheChange(told);
  const notes =
    beside.length === 0
      ? {}
      : { notes: [...beside.map((one) => `flagged: the change does not touch ${one}`), NOTHING_TO_DO] };
  const changes: Patch<Task> = {
    rejection_reason: reason,
    review_cycles_current: cycles,
    review_cycles_total: (task.review_cycles_total ?? 0) + 1,
    handoff_pending: undefined,
  };
  const block = (why: string, questions: readonly string[], failed?: string): Change => ({
    state: blockTask(s, s.state, task, { reason: why, questions, failed, changes, earlier: [told] }),
    detail: `${actor.id} rejected ${task.id}, now BLOCKED: ${firstLine(why)}`,
    ...notes,
  });
  if (cycles >= (task.max_review_cycles ?? settings.max_review_cycles))
    return block(REVIEW_DEADLOCK, QUESTIONS.review_deadlock);
  const most = task.max_iterations ?? settings.max_coder_iterations;
  if ((task.iteration ?? 1) >= most) {
    return block(`Max iterations (${most}) reached without approval`, QUESTIONS.max_iterations, task.assigned_to);
  }
  if (repeatsItself(task, reason)) {
    return block('the same rejection twice in a row: every blocker is a repeat', QUESTIONS.same_rejection);
  }
  const rejected = evolve(
    task,
    { ...changes, status: 'REJECTED', reviewing_by: undefined, review_lease_expires: undefined },
    told,
  );
  return {
    state: detach(withTask(s.state, rejected), task.id, 'code_reviewer'),
    detail: `${actor.id} rejected ${task.id} (cycle ${cycles}): ${gist(mainBlocker(reason), 160)}`,
    ...notes,
  };
}

/** Compares with the verdict just before. After an unblock nothing counts as repeated. */
function repeatsItself(task: Task, reason: string): boolean {
  const last = historyOf(task).findLast(isVerdictOrUnblocked);
  // A board that was imported has the last rejection, but maybe not its event.
  const former = last === undefined ? task.rejection_reason : last.event === 'rejected' ? last.reason : undefined;
  if (typeof former !== 'string') return false;
  const first = parseRejection(former, false).blockers;
  return sameRejection(first, parseRejection(reason, false).blockers);
}

const isVerdictOrUnblocked = ({ event: name }: HistoryEvent): boolean =>
  name === 'rejected' || name === 'approved' || name === 'unblocked';
