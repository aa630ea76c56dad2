// The rows of review. A verdict is bound to the exact commit that was submitted, and nobody who ever coded the task can
// be among its approvers.

import { duration, iso, later } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { attach, detach, event, evolve, type Patch, withTask } from '../../change.ts';
import type { CommandName } from '../../command.ts';
import type { Change, Guard, Row, Situation } from '../../command-row.ts';
import { type Refusal, refuse } from '../../decision.ts';
import { codersOf, historyOf, reviewLease } from '../../leases.ts';
import { parseApproval } from '../../review/approval.ts';
import { approvalsOf, quorumOf, whySameProvider } from '../../review/quorum.ts';
import { retractedHint } from '../../review/retracted.ts';
import { parseRejection, REJECTION_FORMAT, sameRejection } from '../../review/verdict.ts';
import type { HistoryEvent, Task } from '../../state.ts';
import { noAgent } from '../../unknown-id.ts';
import { defined } from '../../values.ts';
import { blockTask, QUESTIONS, REVIEW_DEADLOCK } from '../../work/blocked.ts';
import { SUPERVISOR_ENDED } from '../../work/losses.ts';
import { noOtherTask, ownAgent, registeredAs } from '../coding/claim.ts';
import { firstLine, list, ownOrStop, STOP } from '../coding/coder.ts';
import { mayStart } from '../operator/may-start.ts';
import { criteriaShown, shownBy } from './criteria-shown.ts';

export const claimReview: Row<'claim-review'> = {
  name: 'claim-review',
  syntax: 'claim-review {task} <agent>',
  summary: 'Give a submitted task to a reviewer.',
  who: ['supervisor'],
  from: ['READY_FOR_REVIEW'],
  irreversible: true,
  startsWork: true,
  already: ({ board, state, task, command, now }) =>
    task.status === 'READY_FOR_REVIEW' &&
    task.reviewing_by === command.agent &&
    state.agents[command.agent]?.status === 'REVIEWING' &&
    !reviewLease(board, task, now).expired,
  guards: [
    ownAgent((command) => command.agent),
    registeredAs('code_reviewer'),
    noOtherTask(),
    {
      name: 'no-live-review',
      rule: 'no other reviewer’s lease lives',
      check: ({ board, task, command, now }) => {
        if (task.reviewing_by === undefined || task.reviewing_by === command.agent) return undefined;
        const lease = reviewLease(board, task, now);
        if (lease.expired) return undefined;
        return refuse(
          `${task.reviewing_by} reviews ${task.id} for another ${duration(lease.remaining)}`,
          'Take another review: liza status',
        );
      },
    },
    {
      name: 'not-approved-before',
      rule: 'a reviewer that approved this commit does not review it again',
      check: ({ task, command }) =>
        approvalsOf(task).some((approval) => approval.by === command.agent)
          ? refuse(
              `${command.agent} approved ${task.review_commit} already`,
              'The next approval comes from another reviewer: liza status',
            )
          : undefined,
    },
    {
      name: 'other-provider',
      rule: 'with distinct_providers, or where reviewers_required agent CLIs are at work, each approval comes from another one',
      check: ({ board, task, command, now }) => {
        const why = whySameProvider(board, task, command.agent, now);
        return why === undefined
          ? undefined
          : refuse(why, 'One of them takes it, or start one: liza agent code-reviewer --agent <another CLI>');
      },
    },
    {
      name: 'never-its-coder',
      rule: 'an agent that ever coded the task does not review it',
      check: ({ task, command }) =>
        codersOf(task).includes(command.agent)
          ? refuse(
              `${command.agent} coded ${task.id}`,
              'A coder cannot certify its own work; another reviewer must: liza status',
            )
          : undefined,
    },
    ...mayStart<'claim-review'>(),
  ],
  effects: 'reviewing_by, review lease, epoch+1; the commit under review is pinned; handoff_pending is cleared',
  change: (s) => {
    const { task, command, now, settings } = s;
    const expires = later(now, settings.review_lease_duration);
    const epoch = (task.epoch ?? 0) + 1;
    const claimed = evolve(
      task,
      { reviewing_by: command.agent, review_lease_expires: expires, epoch, handoff_pending: undefined },
      event(s, 'review_claimed', { agent: command.agent, commit: task.review_commit, epoch }),
    );
    const freed = detach(withTask(s.state, claimed), task.id, 'code_reviewer');
    return {
      state: attach(freed, command.agent, claimed, { status: 'REVIEWING', expires, now: iso(now) }),
      detail: `${command.agent} reviews ${task.id} at ${task.review_commit?.slice(0, 12)}`,
    };
  },
};

export function holdsReview<K extends CommandName>(): Guard<K> {
  return {
    name: 'holds-review',
    rule: 'the reviewer holds the review and its lease lives',
    raced: true,
    check: ({ board, state, task, actor, now }) => {
      const lease = reviewLease(board, task, now);
      if (task.reviewing_by === undefined || task.reviewing_by !== actor.id) {
        const isFree = task.reviewing_by === undefined || lease.expired;
        return refuse(
          `${task.id} is reviewed by ${task.reviewing_by ?? 'nobody'}, not by ${actorName(actor)}`,
          claimFirst({ state, actor, task }, isFree) ?? ownOrStop({ state, actor, task }),
        );
      }
      if (!lease.expired) return undefined;
      const how = lease.dead ? SUPERVISOR_ENDED : `it ended ${duration(-lease.remaining)} ago`;
      return refuse(
        `the review lease of ${actor.id} on ${task.id} is lost: ${how}`,
        claimFirst({ state, actor, task }, true) ?? STOP,
      );
    },
  };
}

/** For a person that reviews under an agent's id: no supervisor claims for it. */
function claimFirst(
  { state, actor: { id, parts, session }, task }: Pick<Situation<CommandName>, 'state' | 'actor' | 'task'>,
  isFree: boolean,
): string | undefined {
  if (session !== undefined || id === undefined || !parts.includes('supervisor')) return undefined;
  if (!isFree) return `Wait for its verdict, or take another review: liza show ${task.id}`;
  const first = state.agents[id] === undefined ? `liza register ${id}, then ` : '';
  return `Take the review first: ${first}liza claim-review ${task.id} ${id}`;
}

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
      name: 'copy-as-submitted',
      rule: 'no tracked file of the reviewer’s copy was changed',
      needs: 'facts',
      check: ({ task, command }) => {
        const changed = command.facts.changed_files;
        if (changed.length === 0) return undefined;
        return refuse(
          `a reviewer changes no file, and these are not as submitted: ${list(changed)}`,
          `Put them back (git checkout -- . in your copy), look again at ${task.review_commit}, then give the verdict`,
        );
      },
    },
    {
      name: 'rejection-structure',
      rule: 'a rejection has Blockers with file:line that exists in tree or diff, why and suggestion, Concerns, Overall, and from iteration 2 Prior Feedback Status',
      needs: 'facts',
      check: wellFormed,
    },
    {
      name: 'concern-places',
      rule: 'a concern names a file:line that exists in tree or diff, or none',
      needs: 'facts',
      check: ({ task, command }) => {
        const unknown = command.facts.unknown_concerns ?? [];
        return unknown.length === 0
          ? undefined
          : refuse(
              `concerns name places that are neither in the tree nor in the diff: ${list(unknown)}`,
              `Name files and lines of ${task.review_commit}, or leave the place out: - [concern] what somebody should know`,
            );
      },
    },
    criteriaShown,
  ],
  effects:
    'approvals, approved_by at quorum, what shows each criterion, concerns / rejection_reason, review cycles +1; BLOCKED at max cycles (review_deadlock), at max iterations, or when the same rejection comes twice',
  change: (s) => (s.command.verdict === 'APPROVED' ? approve(s) : reject(s)),
};

function wellFormed({ task, command, commandLine }: Situation<'submit-verdict'>): Refusal | undefined {
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
      [`the rejection is malformed: ${problems.slice(0, 8).join('; ')}`, ...places].join('; '),
      `${places.length === 0 ? 'Write it' : `N${names}, and write it`} like this:\n${form}`,
    );
  }
  return unknown.length === 0 ? undefined : refuse(places.join(), `N${names}`);
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
  const told = event(s, 'approved', {
    commit,
    reason: command.reason,
    ...shownBy(s),
    concerns: concerns.length === 0 ? undefined : concerns,
  });
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
    };
  }
  const approved = evolve(task, { ...free, status: 'APPROVED', approved_by: by, rejection_reason: undefined }, told);
  return {
    state: detach(withTask(s.state, approved), task.id),
    detail: `${by} approved ${task.id} at ${commit.slice(0, 12)}`,
  };
}

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
  });
  const changes: Patch<Task> = {
    rejection_reason: reason,
    review_cycles_current: cycles,
    review_cycles_total: (task.review_cycles_total ?? 0) + 1,
    handoff_pending: undefined,
  };
  const block = (why: string, questions: readonly string[], failed?: string): Change => ({
    state: blockTask(s, s.state, task, { reason: why, questions, failed, changes, earlier: [told] }),
    detail: `${actor.id} rejected ${task.id}, now BLOCKED: ${firstLine(why)}`,
  });
  if (cycles >= (task.max_review_cycles ?? settings.max_review_cycles))
    return block(REVIEW_DEADLOCK, QUESTIONS.review_deadlock);
  const most = task.max_iterations ?? settings.max_coder_iterations;
  if ((task.iteration ?? 1) >= most) {
    return block(`Max iterations (${most}) reached without approval`, QUESTIONS.max_iterations, task.assigned_to);
  }
  if (repeatsItself(task, reason)) {
    return block('the same rejection twice in a row: every blocker was there before', QUESTIONS.same_rejection);
  }
  const rejected = evolve(
    task,
    { ...changes, status: 'REJECTED', reviewing_by: undefined, review_lease_expires: undefined },
    told,
  );
  return {
    state: detach(withTask(s.state, rejected), task.id, 'code_reviewer'),
    detail: `${actor.id} rejected ${task.id} (cycle ${cycles})`,
    ...(outside.length === 0
      ? {}
      : { notes: [`flagged: the change does not touch ${list(outside)}, which your blockers name`] }),
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

export const clearStaleReviewClaims: Row<'clear-stale-review-claims'> = {
  name: 'clear-stale-review-claims',
  syntax: 'clear-stale-review-claims',
  summary: 'Free reviews whose reviewer’s lease is past.',
  who: ['supervisor', 'human'],
  from: 'board',
  already: (s) => isKnown(s) && staleReviews(s).length === 0,
  guards: [
    {
      name: 'registered',
      rule: 'an agent that is named is registered',
      check: (s) => (isKnown(s) ? undefined : noAgent(s.state, s.command.agent ?? '')),
    },
    {
      name: 'own-agent',
      rule: 'a live review is given up only by its own supervisor',
      check: ({ actor, command }) =>
        command.agent !== undefined && actor.id !== undefined && actor.id !== command.agent
          ? refuse(`${actor.id} cannot give up a review of ${command.agent}`, 'Its own supervisor or a person may')
          : undefined,
    },
  ],
  effects: 'reviewing_by and review_lease_expires go together; the reviewer is IDLE',
  change: (s) => {
    const stale = staleReviews(s);
    let state = s.state;
    for (const task of stale) {
      const freed = evolve(
        task,
        { reviewing_by: undefined, review_lease_expires: undefined },
        event(s, 'review_released', { from: task.reviewing_by }),
      );
      state = detach(withTask(state, freed), task.id, 'code_reviewer');
    }
    return { state, detail: `review claims cleared: ${list(stale.map((task) => task.id))}` };
  },
};

const isKnown = ({ state, command: { agent } }: Situation<'clear-stale-review-claims'>): boolean =>
  agent === undefined || Object.hasOwn(state.agents, agent);

function staleReviews({ board, state, command, now }: Situation<'clear-stale-review-claims'>): readonly Task[] {
  return state.tasks.filter(
    (task) =>
      task.reviewing_by !== undefined &&
      task.status === 'READY_FOR_REVIEW' &&
      (task.reviewing_by === command.agent || reviewLease(board, task, now).expired),
  );
}
