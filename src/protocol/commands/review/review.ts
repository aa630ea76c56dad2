// Who reviews: the rows that give a submitted task to a reviewer, and take it from one that is gone. Nobody who ever
// coded the task can be among them (verdict.ts has what they decide).

import { duration, iso, later } from '../../../text/time.ts';
import { actorName } from '../../board.ts';
import { attach, detach, event, evolve, withTask } from '../../change.ts';
import type { CommandName, CommandOf } from '../../command.ts';
import type { Guard, Row, Situation } from '../../command-row.ts';
import { refuse } from '../../decision.ts';
import { codersOf, reviewLease } from '../../leases.ts';
import { approverInSession, inSessionText } from '../../review/approver-session.ts';
import { approvalsOf, whySameProvider } from '../../review/quorum.ts';
import type { Task } from '../../state.ts';
import { noAgent } from '../../unknown-id.ts';
import { SUPERVISOR_ENDED } from '../../work/losses.ts';
import { noOtherTask, ownAgent, registeredAs } from '../coding/claim.ts';
import { mayStart } from '../operator/may-start.ts';
import { list, ownOrStop, STOP } from '../words.ts';

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
    !reviewLease(board, task, now).expired &&
    isThat(task, command),
  guards: [
    ownAgent((command) => command.agent),
    registeredAs('code_reviewer'),
    {
      name: 'this-commit',
      rule: 'the commit that is claimed is the one under review',
      raced: true,
      check: ({ task, command }) =>
        isThat(task, command)
          ? undefined
          : refuse(`${task.id} was submitted anew: ${task.review_commit} is to be reviewed`, 'Claim it again'),
    },
    noOtherTask(),
    {
      name: 'no-live-review',
      rule: 'no other reviewer’s lease is live',
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
      name: 'session-over',
      rule: 'no session in which it was approved still runs: another review would end it before its last word',
      check: ({ board, task, now }) => {
        const by = approverInSession(board, task, now);
        return by === undefined ? undefined : refuse(inSessionText(task.id, by), 'Wait for its end');
      },
    },
    {
      name: 'other-provider',
      rule: 'with distinct_providers, or where reviewers_required agent CLIs are running, each approval comes from a different one',
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
    rule: 'the reviewer holds the review and its lease is live',
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
  return `Claim the review first: ${first}liza claim-review ${task.id} ${id}`;
}

const isThat = (task: Task, { commit }: CommandOf<'claim-review'>): boolean =>
  commit === undefined || commit === task.review_commit;

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
      rule: 'only its own supervisor gives up a live review',
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
